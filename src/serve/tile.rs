//! One tile: `GET /{tileset}/v{version}/{z}/{x}/{y}.mvt`.
//!
//! | where | answer | kept |
//! |---|---|---|
//! | a tile with bytes | 200, or 304 to whoever has it | for ever |
//! | nothing there | 204, 200 without bytes or 404, as the tileset chose | for ever |
//! | outside its zooms or the grid | 404, before cache and file are asked | a day |
//! | a version that is gone | 410 | 5 minutes |
//! | no such version yet | 404 | not |
//! | no acceptable encoding | 406 | not |
//! | file changed or broken, readers busy | 503 | not |

use super::cache::{self, Representation, Tiles};
use super::conditional::{self, Known};
use super::counters::Counters;
use super::headers::{Caching, answer, bodiless, vary};
use super::negotiate::negotiate;
use super::origin::Origin;
use super::problem::Problem;
use super::readers::Miss;
use super::reply::Reply;
use super::route::Address;
use super::snapshot::Served;
use super::timing::SERVER_TIMING;
use crate::tile::{Empty, Encoding, MEDIA_TYPE, TileCoord};
use actix_http::RequestHead;
use actix_http::StatusCode;
use actix_http::header::{self, HeaderName, HeaderValue};
use bytes::Bytes;
use std::sync::Arc;

/// What is to be said about a tile.
enum Found {
    /// The bytes, from memory.
    Hot(Arc<Representation>),
    /// The bytes, which were not in memory.
    Read(Arc<Representation>),
    /// The client has them; this is their tag.
    Unchanged(HeaderValue),
}

/// The answer for a tile.
pub(super) async fn tile(
    origin: &Origin,
    counters: &Counters,
    request: &RequestHead,
    tileset: Option<&str>,
    version: u64,
    at: Address,
) -> Result<Reply, Problem> {
    let of = origin.version(tileset, version).await?;
    let Some(place) = of.place(at) else { return Ok(named(Problem::NoSuchTile.response(), &of)) };
    let lines = |name: HeaderName| request.headers.get_all(name).map(HeaderValue::as_bytes);
    let encoding = negotiate(lines(header::ACCEPT_ENCODING), &of.encodings).ok_or(Problem::NotAcceptable)?;
    let known = conditional::known(lines(header::IF_NONE_MATCH));
    let mut response = match find(&origin.tiles, counters, &of, place, encoding, known).await {
        Ok(Found::Hot(tile)) => whole(&tile, encoding),
        Ok(Found::Read(tile)) => {
            let mut response = whole(&tile, encoding);
            response.headers_mut().insert(SERVER_TIMING.clone(), tile.timing.value());
            response
        }
        Ok(Found::Unchanged(etag)) => unchanged(etag),
        Err(Miss::Empty) => empty(of.empty()),
        Err(Miss::Busy) => return Err(Problem::Busy),
        Err(Miss::Unreadable) => return Err(Problem::Unreadable),
    };
    vary(&mut response);
    Ok(named(response, &of))
}

/// Memory first; then, for a client that may have the tile already, its tag alone; then the file.
async fn find<'h, I>(
    tiles: &Arc<Tiles>,
    counters: &Counters,
    of: &Arc<Served>,
    place: TileCoord,
    encoding: Encoding,
    known: Option<Known<I>>,
) -> Result<Found, Miss>
where
    I: Iterator<Item = &'h [u8]> + Clone,
{
    let mut found = tiles.cached(of, place, encoding).await;
    if found.is_none() && tiles.presence.is_empty(of, place).await {
        return Err(Miss::Empty);
    }
    if found.is_some() { &counters.hits } else { &counters.misses }.add(1);
    if let Some(known) = known {
        let etag = match &found {
            Some(tile) => Some(tile.etag.clone()),
            None if known.may_fit(|tag| cache::is_etag(tag, encoding)) => {
                Some(cache::etag(tiles.tag(of, place).await?, encoding))
            }
            None => None,
        };
        if let Some(etag) = etag.filter(|etag| known.has(etag.as_bytes())) {
            return Ok(Found::Unchanged(etag));
        }
    }
    match found.take() {
        Some(tile) => Ok(Found::Hot(tile)),
        None => tiles.load(of, place, encoding).await.map(Found::Read),
    }
}

fn whole(tile: &Representation, encoding: Encoding) -> Reply {
    let mut response = answer(StatusCode::OK, Caching::Immutable.value(), tile.body.clone());
    let fields = response.headers_mut();
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    fields.insert(header::ETAG, tile.etag.clone());
    if encoding != Encoding::Identity {
        fields.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding.token()));
    }
    response
}

fn unchanged(etag: HeaderValue) -> Reply {
    let mut response = bodiless(StatusCode::NOT_MODIFIED, Caching::Immutable.value());
    response.headers_mut().insert(header::ETAG, etag);
    response
}

fn empty(policy: Empty) -> Reply {
    match policy {
        Empty::NoContent => bodiless(StatusCode::NO_CONTENT, Caching::Immutable.value()),
        Empty::Ok => {
            let mut response = answer(StatusCode::OK, Caching::Immutable.value(), Bytes::new());
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
            response
        }
        Empty::NotFound => Problem::EmptyTile.response(),
    }
}

static SURROGATE_KEY: HeaderName = HeaderName::from_static("surrogate-key");
static CACHE_TAG: HeaderName = HeaderName::from_static("cache-tag");

/// Names tileset and version, so that a withdrawal can be purged from caches that know how.
fn named(mut response: Reply, of: &Served) -> Reply {
    let fields = response.headers_mut();
    fields.insert(SURROGATE_KEY.clone(), of.surrogate_key.clone());
    fields.insert(CACHE_TAG.clone(), of.cache_tag.clone());
    response
}
