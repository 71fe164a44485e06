//! Tiles under other names: `latest`, and the suffix `.pbf`.
//!
//! Locations are relative (RFC 9110, section 10.2.2): they are right behind any proxy and under
//! any prefix, and nothing of the request's host can get into an answer that caches keep.

use super::headers::{Caching, answer};
use super::origin::Origin;
use super::problem::Problem;
use super::route::Address;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;

/// From `/{tileset}/latest/{z}/{x}/{y}.mvt` to the current version's tile, under its one URL.
pub(super) fn latest(
    origin: &Origin,
    request: &HttpRequest,
    tileset: &str,
    at: Address,
) -> Result<HttpResponse, Problem> {
    let now = origin.follow.now();
    let version = now.current(Some(tileset))?.version;
    let long = if now.is_default(tileset) { String::new() } else { format!("{tileset}/") };
    let Address { z, x, y } = at;
    let path = format!("../../../../{long}v{version}/{z}/{x}/{y}.mvt");
    Ok(redirect(StatusCode::TEMPORARY_REDIRECT, origin.pointer.clone(), request, path))
}

/// From `….pbf` to the same path with `.mvt`.
pub(super) fn suffix(request: &HttpRequest, row: &str) -> HttpResponse {
    redirect(StatusCode::PERMANENT_REDIRECT, Caching::Immutable.value(), request, format!("{row}.mvt"))
}

fn redirect(status: StatusCode, caching: HeaderValue, request: &HttpRequest, path: String) -> HttpResponse {
    let target = match request.uri().query() {
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
