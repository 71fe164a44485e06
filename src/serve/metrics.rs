//! Everything that is counted, and its text for Prometheus (text format 0.0.4).
//!
//! Responsible for adding up what workers count each for itself. Reading takes a lock that no
//! request ever takes.

use super::counters::{Counters, ENCODINGS, KINDS, STATUSES};
use super::histogram::Histogram;
use super::origin::Origin;
use std::fmt::{Display, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// The media type of the text.
pub(super) const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The counts of all workers.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    workers: Mutex<Vec<Arc<Counters>>>,
    /// By how much event loops were late; the control thread observes.
    pub drift: Histogram,
}

impl Metrics {
    /// Counters for one more worker.
    pub(super) fn worker(&self) -> Arc<Counters> {
        let counters = Arc::default();
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&counters));
        counters
    }

    /// The counters of all workers.
    pub(super) fn workers(&self) -> Vec<Arc<Counters>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// All metrics of an origin.
pub(super) async fn text(origin: &Origin) -> String {
    let mut out = String::with_capacity(8192);
    let workers = origin.metrics.workers();
    requests(&mut out, &workers);
    let sum = |count: fn(&Counters) -> u64| workers.iter().map(|w| count(w)).sum::<u64>();
    let mut single = |name, kind, help, value: u64| {
        head(&mut out, name, kind, help);
        let _ = writeln!(out, "{name} {value}");
    };
    let (cache, queue) = (origin.tiles.usage().await, origin.tiles.pool.usage());
    single("immutile_cache_hits_total", "counter", "Tiles found in memory.", sum(|w| w.hits.get()));
    single("immutile_cache_misses_total", "counter", "Tiles not found in memory.", sum(|w| w.misses.get()));
    single("immutile_cache_bytes", "gauge", "Memory of hot tiles, keys and entries included.", cache.bytes);
    single("immutile_cache_budget_bytes", "gauge", "What that memory may grow to.", cache.budget);
    single("immutile_cache_entries", "gauge", "Hot tiles, each encoding counted.", cache.entries);
    single("immutile_cache_evictions_total", "counter", "Tiles that made room for others.", cache.evictions);
    single("immutile_queue_jobs", "gauge", "Misses that are being read or wait for a reader.", queue.jobs);
    single("immutile_reads_total", "counter", "Misses that readers took up.", queue.taken);
    single("immutile_presence_bytes", "gauge", "Memory of known empty places.", origin.tiles.presence.bytes().await);
    single("immutile_queue_rejected_total", "counter", "Misses answered 503: the queue stayed full.", queue.rejected);
    drift(&mut out, origin);
    versions(&mut out, origin);
    out
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn requests(out: &mut String, workers: &[Arc<Counters>]) {
    let name = "immutile_requests_total";
    head(out, name, "counter", "Answers by kind of resource, status and encoding of a tile.");
    for (k, kind) in KINDS.iter().enumerate() {
        for (s, status) in STATUSES.iter().enumerate() {
            for (e, encoding) in ENCODINGS.iter().enumerate() {
                let count: u64 = workers.iter().map(|w| w.requests[k][s][e].get()).sum();
                if count > 0 {
                    let labels = format!("route=\"{kind}\",status=\"{status}\",encoding=\"{encoding}\"");
                    let _ = writeln!(out, "{name}{{{labels}}} {count}");
                }
            }
        }
    }
    let name = "immutile_request_duration_seconds";
    head(out, name, "histogram", "From the head of a request to its answer, without sending it.");
    for (k, kind) in KINDS.iter().enumerate() {
        let of: Vec<_> = workers.iter().map(|w| &w.durations[k]).collect();
        Histogram::write(out, name, &format!("route=\"{kind}\","), &of);
    }
}

fn drift(out: &mut String, origin: &Origin) {
    let name = "immutile_loop_drift_seconds";
    head(out, name, "histogram", "By how much a worker's clock was late, less what a thread without work saw.");
    Histogram::write(out, name, "", &[&origin.metrics.drift]);
}

fn versions(out: &mut String, origin: &Origin) {
    let now = origin.follow.now();
    head(out, "immutile_open_versions", "gauge", "Versions that are served.");
    for (tileset, open, _) in now.tilesets() {
        labelled(out, "immutile_open_versions", tileset, open);
    }
    head(out, "immutile_current_version", "gauge", "The version that pointers name.");
    for (tileset, _, current) in now.tilesets() {
        if let Some(current) = current {
            labelled(out, "immutile_current_version", tileset, current);
        }
    }
}

/// Names of tilesets have no characters that need an escape.
fn labelled(out: &mut String, name: &str, tileset: &str, value: impl Display) {
    let _ = writeln!(out, "{name}{{tileset=\"{tileset}\"}} {value}");
}
