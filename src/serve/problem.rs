//! Answers that say no: RFC 9457 problem details with a stable `type`.
//!
//! Responsible for what each refusal says, under which status and how long caches may keep it.
//! Nothing of the request and nothing of the machine stands in them.

use super::headers::{Caching, answer};
use super::reply::Reply;
use actix_http::StatusCode;
use actix_http::header::{self, HeaderValue};

/// Seconds after which a client may try again when the origin was busy.
const RETRY_AFTER: &str = "1";

/// The methods every resource here knows.
pub(super) const METHODS: &str = "GET, HEAD, OPTIONS";

/// Why a request is not answered with what it asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Problem {
    NotCanonical,
    UnknownPath,
    UnknownTileset,
    UnknownVersion,
    NoSuchTile,
    EmptyTile,
    Gone,
    Method,
    NotAcceptable,
    NoHost,
    ImplausibleHost,
    ImplausiblePrefix,
    Busy,
    Unreadable,
    NotReady,
}

struct Facts {
    status: StatusCode,
    caching: Caching,
    /// The last part of `type`; never changes its meaning.
    name: &'static str,
    title: &'static str,
    detail: &'static str,
}

impl Problem {
    #[rustfmt::skip]
    const fn facts(self) -> Facts {
        use Caching::{Day, Immutable, Minutes, NoStore};
        let (status, caching, name, title, detail) = match self {
            Self::NotCanonical => (StatusCode::BAD_REQUEST, NoStore, "not-canonical", "Not the canonical path",
                "Every resource has one path: numbers without sign, leading zeros or exponent, at most ten digits; no empty segments, no escapes, no slash at the end."),
            Self::UnknownPath => (StatusCode::NOT_FOUND, NoStore, "unknown-path", "Nothing has this path",
                "Tiles are at /{tileset}/v{version}/{z}/{x}/{y}.mvt; /catalog.json lists what there is."),
            Self::UnknownTileset => (StatusCode::NOT_FOUND, NoStore, "unknown-tileset", "No such tileset",
                "No tileset of this name has been published; /catalog.json lists what there is."),
            Self::UnknownVersion => (StatusCode::NOT_FOUND, NoStore, "unknown-version", "No such version",
                "This version has not been published; /catalog.json lists what there is."),
            Self::NoSuchTile => (StatusCode::NOT_FOUND, Day, "no-such-tile", "No such tile",
                "The zoom is outside the tileset's, or the column or row is outside the zoom's grid."),
            Self::EmptyTile => (StatusCode::NOT_FOUND, Immutable, "empty-tile", "An empty tile",
                "There is nothing here; the tileset asks clients to draw the parent tile."),
            Self::Gone => (StatusCode::GONE, Minutes, "version-gone", "The version is gone",
                "This version was pruned or withdrawn; the tileset's TileJSON names the current one."),
            Self::Method => (StatusCode::METHOD_NOT_ALLOWED, NoStore, "method-not-allowed", "Method not allowed",
                "Everything here is read with GET or HEAD."),
            Self::NotAcceptable => (StatusCode::NOT_ACCEPTABLE, NoStore, "not-acceptable", "No acceptable encoding",
                "Accept-Encoding excludes every encoding of this tile, the plain bytes too."),
            Self::NoHost => (StatusCode::BAD_REQUEST, NoStore, "no-host", "No host",
                "The answer holds absolute URLs, and the request does not say under which host it was sent."),
            Self::ImplausibleHost => (StatusCode::BAD_REQUEST, NoStore, "implausible-host", "An implausible host",
                "The answer holds absolute URLs, and the host of the request is no name or address."),
            Self::ImplausiblePrefix => (StatusCode::BAD_REQUEST, NoStore, "implausible-prefix", "An implausible prefix",
                "The answer holds absolute URLs, and the forwarded prefix is no plain path."),
            Self::Busy => (StatusCode::SERVICE_UNAVAILABLE, NoStore, "busy", "Too busy",
                "More tiles are being read than the disks deliver; try again."),
            Self::Unreadable => (StatusCode::SERVICE_UNAVAILABLE, NoStore, "unreadable", "Not readable",
                "This origin cannot read the version's file; its log says why."),
            Self::NotReady => (StatusCode::SERVICE_UNAVAILABLE, NoStore, "not-ready", "Not ready",
                "This origin is stopping."),
        };
        Facts { status, caching, name, title, detail }
    }

    /// The answer.
    pub(super) fn response(self) -> Reply {
        let Facts { status, caching, name, title, detail } = self.facts();
        let number = status.as_u16();
        let body = format!(
            "{{\"type\":\"urn:problem-type:immutile:{name}\",\"title\":\"{title}\",\"status\":{number},\"detail\":\"{detail}\"}}\n"
        );
        let mut response = answer(status, caching.value(), body.into());
        let fields = response.headers_mut();
        fields.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        match status {
            StatusCode::METHOD_NOT_ALLOWED => fields.insert(header::ALLOW, HeaderValue::from_static(METHODS)),
            StatusCode::NOT_ACCEPTABLE => fields.insert(header::VARY, HeaderValue::from_static("accept-encoding")),
            StatusCode::SERVICE_UNAVAILABLE => {
                fields.insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER))
            }
            _ => return response,
        };
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_json_with_its_status() {
        for problem in [
            Problem::NotCanonical,
            Problem::UnknownPath,
            Problem::UnknownTileset,
            Problem::UnknownVersion,
            Problem::NoSuchTile,
            Problem::EmptyTile,
            Problem::Gone,
            Problem::Method,
            Problem::NotAcceptable,
            Problem::NoHost,
            Problem::ImplausibleHost,
            Problem::ImplausiblePrefix,
            Problem::Busy,
            Problem::Unreadable,
            Problem::NotReady,
        ] {
            let response = problem.response();
            let status = response.status().as_u16();
            let body = response.into_body().unwrap();
            let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(json["status"], status, "{problem:?}");
        }
    }
}
