//! Tiles under other names: `latest`, and the suffix `.pbf`.
//!
//! Locations are relative (RFC 9110, section 10.2.2): they are right behind any proxy and under
//! any prefix, and nothing of the request's host can get into an answer that caches keep.

use super::headers::{Caching, answer};
use super::origin::Origin;
use super::problem::Problem;
use super::reply::Reply;
use super::route::Address;
use actix_http::RequestHead;
use actix_http::StatusCode;
use actix_http::header::{self, HeaderValue};
use bytes::Bytes;

/// From `/{tileset}/latest/{z}/{x}/{y}.mvt` to the current version's tile, under its one URL.
pub(super) fn latest(origin: &Origin, request: &RequestHead, tileset: &str, at: Address) -> Result<Reply, Problem> {
    let now = origin.follow.now();
    let version = now.current(Some(tileset))?.version;
    let long = if now.is_default(tileset) { String::new() } else { format!("{tileset}/") };
    let Address { z, x, y } = at;
    let path = format!("../../../../{long}v{version}/{z}/{x}/{y}.mvt");
    Ok(redirect(StatusCode::TEMPORARY_REDIRECT, origin.pointer.clone(), request, path))
}

/// From `….pbf` to the same path with `.mvt`.
pub(super) fn suffix(request: &RequestHead, row: &str) -> Reply {
    redirect(StatusCode::PERMANENT_REDIRECT, Caching::Immutable.value(), request, format!("{row}.mvt"))
}

fn redirect(status: StatusCode, caching: HeaderValue, request: &RequestHead, path: String) -> Reply {
    let target = match request.uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.clone(),
    };
    let location = HeaderValue::try_from(target).or_else(|_| HeaderValue::try_from(path));
    let mut response = answer(status, caching, Bytes::new());
    if let Ok(location) = location {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}
