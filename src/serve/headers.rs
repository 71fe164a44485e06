//! The header fields that answers share, and how long caches may keep which.

use super::reply::Reply;
use actix_http::StatusCode;
use actix_http::header::{self, HeaderName, HeaderValue};
use bytes::Bytes;

/// How long an answer may be kept, where that does not depend on settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caching {
    /// The URL never answers anything else.
    Immutable,
    /// It can never appear, but nobody needs to remember for long.
    Day,
    /// A version that is gone; it will stay so, unless somebody made a mistake.
    Minutes,
    /// Ask again each time, with the tag.
    NoCache,
    /// It may be otherwise the next second.
    NoStore,
}

impl Caching {
    pub(super) fn value(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Immutable => "public, max-age=31536000, immutable",
            Self::Day => "public, max-age=86400",
            Self::Minutes => "public, max-age=300",
            Self::NoCache => "no-cache",
            Self::NoStore => "no-store",
        })
    }
}

static TIMING_ALLOW_ORIGIN: HeaderName = HeaderName::from_static("timing-allow-origin");

/// An answer with the fields that every answer has.
pub(super) fn answer(status: StatusCode, caching: HeaderValue, body: Bytes) -> Reply {
    let mut response = Reply::with_body(status, Some(body));
    let fields = response.headers_mut();
    fields.insert(header::CACHE_CONTROL, caching);
    fields.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    fields
        .insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("ETag, Server-Timing, Content-Length"));
    fields.insert(TIMING_ALLOW_ORIGIN.clone(), HeaderValue::from_static("*"));
    fields.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// An answer that ends with its header: 204, 304.
pub(super) fn bodiless(status: StatusCode, caching: HeaderValue) -> Reply {
    answer(status, caching, Bytes::new()).map_body(|_, _| None)
}

/// `Vary` of answers whose encoding was, or might have been, chosen.
pub(super) fn vary(response: &mut Reply) {
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
}
