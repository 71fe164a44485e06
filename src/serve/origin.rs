//! One running origin: what all workers share, and from a request to its answer.
//!
//! Responsible for dispatch: method, path, then the file that knows the resource.

use super::address::{self, Asked, Implausible};
use super::cache::Tiles;
use super::config::{BLOCK, Config};
use super::counters::{Counters, Kind};
use super::document::Document;
use super::error::Error;
use super::follow::Follow;
use super::headers::{Caching, answer};
use super::metrics::Metrics;
use super::pool::Pool;
use super::problem::Problem;
use super::reply::Reply;
use super::route::{Refusal, Route, route};
use super::snapshot::{Absent, Served};
use super::{describe, page, preflight, redirect, tile};
use actix_http::RequestHead;
use actix_http::header::{self, HeaderValue};
use actix_http::{Method, StatusCode};
use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What all workers share.
pub(super) struct Origin {
    pub config: Config,
    pub follow: Follow,
    pub tiles: Arc<Tiles>,
    pub metrics: Metrics,
    /// `Cache-Control` of documents that point at the current version.
    pub pointer: HeaderValue,
    draining: AtomicBool,
}

impl Origin {
    /// Opens the store.
    pub(super) fn open(config: Config) -> Result<Self, Error> {
        config.validate()?;
        let follow = Follow::start(&config.store, config.poll)?;
        let pool = Pool::start(config.readers, config.queue_length, config.queue_wait, config.read_delay)
            .map_err(|source| Error::Thread { source })?;
        let tiles = Arc::new(Tiles::new(config.cache_bytes, pool));
        let pointer = HeaderValue::from_str(&config.pointer_policy).unwrap_or_else(|_| Caching::NoCache.value());
        Ok(Self { config, follow, tiles, metrics: Metrics::default(), pointer, draining: AtomicBool::new(false) })
    }

    /// From now on `/ready` says no.
    pub(super) fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// The answer to a request, counted.
    pub(super) async fn answer(&self, counters: &Counters, request: &RequestHead) -> Reply {
        let started = Instant::now();
        let (kind, answer) = match request.method {
            Method::GET | Method::HEAD => match route(request.uri.path()) {
                Ok(route) => (Kind::of(&route), self.resource(counters, request, route).await),
                Err(Refusal::NotCanonical) => (Kind::Other, Err(Problem::NotCanonical)),
                Err(Refusal::Unknown) => (Kind::Other, self.unknown(request)),
            },
            Method::OPTIONS => (Kind::Preflight, Ok(preflight::preflight(request))),
            _ => (Kind::Other, Err(Problem::Method)),
        };
        let reply = answer.unwrap_or_else(Problem::response);
        counters.answered(kind, &reply, started.elapsed());
        reply
    }

    fn unknown(&self, request: &RequestHead) -> Result<Reply, Problem> {
        if self.config.block_route && request.uri.path() == "/block" {
            std::thread::sleep(BLOCK);
        }
        Err(Problem::UnknownPath)
    }

    async fn resource(&self, counters: &Counters, request: &RequestHead, route: Route<'_>) -> Result<Reply, Problem> {
        match route {
            Route::Tile { tileset, version, tile } => tile::tile(self, counters, request, tileset, version, tile).await,
            Route::Latest { tileset, tile } => redirect::latest(self, request, tileset, tile),
            Route::Suffix { row } => Ok(redirect::suffix(request, row)),
            Route::Current { tileset } => describe::current(self, request, tileset),
            Route::Version { tileset, version } => describe::version(self, request, tileset, version).await,
            Route::Catalog => Ok(self.follow.now().catalog.clone().response(request, self.pointer.clone())),
            Route::Health => Ok(status("{\"status\":\"ok\"}\n")),
            Route::Ready if self.draining.load(Ordering::Relaxed) => Err(Problem::NotReady),
            Route::Ready => Ok(status("{\"status\":\"ready\"}\n")),
            Route::Page(path) => page::page(self, request, path),
        }
    }

    /// A version by its number. One that is higher than all known ones may be news: the store is
    /// looked at again before the answer is no.
    pub(super) async fn version(&self, tileset: Option<&str>, version: u64) -> Result<Arc<Served>, Problem> {
        let found = self.follow.now().version(tileset, version).cloned();
        match found {
            Err(Absent::Tileset | Absent::Version { higher: true }) => {
                self.follow.look_again().await;
                self.follow.now().version(tileset, version).cloned().map_err(Problem::from)
            }
            found => found.map_err(Problem::from),
        }
    }

    /// Where clients reach this origin.
    pub(super) fn base_url(&self, request: &RequestHead) -> Result<String, Problem> {
        if let Some(url) = &self.config.public_url {
            return Ok(url.as_str().to_owned());
        }
        let asked = Asked {
            peer: request.peer_addr.map(|a| a.ip()),
            host: request
                .uri
                .authority()
                .map(|a| a.as_str().as_bytes())
                .or_else(|| request.headers.get(header::HOST).map(HeaderValue::as_bytes)),
            scheme: "http",
        };
        let lines = |name| request.headers.get_all(name).map(HeaderValue::as_bytes).collect::<Vec<_>>().into_iter();
        address::base_url(asked, &self.config.trusted_proxies, lines).map_err(Problem::from)
    }

    /// How long a document with URLs may be kept: without a configured address they come from
    /// the request, and what one wrong proxy made of them must not be remembered.
    pub(super) fn caching_with_urls(&self, otherwise: HeaderValue) -> HeaderValue {
        if self.config.public_url.is_some() { otherwise } else { Caching::NoCache.value() }
    }
}

/// For whoever watches the process: never kept, no tag.
fn status(json: &'static str) -> Reply {
    let document = Document::json(json);
    let mut response = answer(StatusCode::OK, Caching::NoStore.value(), Bytes::from_static(json.as_bytes()));
    response.headers_mut().insert(header::CONTENT_TYPE, document.media_type);
    response
}

impl From<Absent> for Problem {
    fn from(absent: Absent) -> Self {
        match absent {
            Absent::Tileset => Self::UnknownTileset,
            Absent::Version { .. } => Self::UnknownVersion,
            Absent::Gone => Self::Gone,
            Absent::Unreadable => Self::Unreadable,
        }
    }
}

impl From<Implausible> for Problem {
    fn from(implausible: Implausible) -> Self {
        match implausible {
            Implausible::Missing => Self::NoHost,
            Implausible::Host => Self::ImplausibleHost,
            Implausible::Prefix => Self::ImplausiblePrefix,
        }
    }
}
