//! What one worker counts. Every worker has its own, so that counting costs no shared cache line.

use super::histogram::{Count, Histogram};
use super::reply::Reply;
use super::route::Route;
use crate::tile::Encoding;
use actix_http::StatusCode;
use actix_http::header;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// What kind of resource was asked for. Never a path: what clients can choose is no label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Tile,
    Redirect,
    TileJson,
    Catalog,
    Probe,
    Page,
    Preflight,
    Other,
}

/// Kinds with their labels, in the order of the enumeration.
pub(super) const KINDS: [&str; 8] = ["tile", "redirect", "tilejson", "catalog", "probe", "page", "preflight", "other"];

/// The statuses this origin answers with; any other is counted as 0.
pub(super) const STATUSES: [u16; 12] = [0, 200, 204, 304, 307, 308, 400, 404, 405, 406, 410, 503];

/// Labels of what bodies are encoded in; "none" where there is no tile in the answer.
pub(super) const ENCODINGS: [&str; 5] = ["none", "identity", "gzip", "br", "zstd"];

/// The counts of one worker.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub requests: [[[Count; ENCODINGS.len()]; STATUSES.len()]; KINDS.len()],
    pub durations: [Histogram; KINDS.len()],
    pub hits: Count,
    pub misses: Count,
    /// By how many microseconds the worker's clock was late, plus one; 0 when there is no news.
    late: AtomicU64,
}

impl Kind {
    pub(super) fn of(route: &Route<'_>) -> Self {
        match route {
            Route::Tile { .. } => Self::Tile,
            Route::Latest { .. } | Route::Suffix { .. } => Self::Redirect,
            Route::Current { .. } | Route::Version { .. } => Self::TileJson,
            Route::Catalog => Self::Catalog,
            Route::Health | Route::Ready => Self::Probe,
            Route::Page(_) => Self::Page,
        }
    }
}

impl Counters {
    /// Counts an answer and how long it was in the making.
    pub(super) fn answered(&self, kind: Kind, reply: &Reply, time: Duration) {
        let status = STATUSES.iter().position(|s| *s == reply.status().as_u16()).unwrap_or(0);
        self.requests[kind as usize][status][encoding(kind, reply)].add(1);
        self.durations[kind as usize].observe(time);
    }

    /// The worker's clock was late by this.
    pub(super) fn late(&self, by: Duration) {
        let microseconds = u64::try_from(by.as_micros()).unwrap_or(u64::MAX - 1);
        self.late.fetch_max(microseconds + 1, Relaxed);
    }

    /// The worst since the last call, if the clock ticked at all.
    pub(super) fn take_late(&self) -> Option<Duration> {
        self.late.swap(0, Relaxed).checked_sub(1).map(Duration::from_micros)
    }
}

/// The place in [`ENCODINGS`].
fn encoding(kind: Kind, reply: &Reply) -> usize {
    if kind != Kind::Tile || reply.status() != StatusCode::OK {
        return 0;
    }
    let token = reply.head().headers.get(header::CONTENT_ENCODING).map(header::HeaderValue::as_bytes);
    let token = token.unwrap_or(Encoding::Identity.token().as_bytes());
    ENCODINGS.iter().position(|e| e.as_bytes() == token).unwrap_or(0)
}
