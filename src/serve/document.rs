//! Small documents: TileJSON, catalogue, pages, the answers to whoever watches the process.

use super::conditional;
use super::headers::{answer, bodiless, vary};
use super::reply::Reply;
use crate::store::ContentHash;
use actix_http::RequestHead;
use actix_http::StatusCode;
use actix_http::header::{self, HeaderValue};
use bytes::Bytes;

/// A document with its tag.
#[derive(Debug, Clone)]
pub(super) struct Document {
    pub body: Bytes,
    pub media_type: HeaderValue,
    pub etag: HeaderValue,
}

impl Document {
    /// A JSON document; its tag is a hash of its bytes.
    pub(super) fn json(body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let tag = format!("\"{}\"", ContentHash::of(&body).tag());
        let etag = HeaderValue::try_from(tag).unwrap_or_else(|_| HeaderValue::from_static("\"\""));
        Self { body, media_type: HeaderValue::from_static("application/json"), etag }
    }

    /// 200, or 304 to whoever has it.
    pub(super) fn response(self, request: &RequestHead, caching: HeaderValue) -> Reply {
        let lines = request.headers.get_all(header::IF_NONE_MATCH).map(HeaderValue::as_bytes);
        let known = conditional::known(lines).is_some_and(|known| known.has(self.etag.as_bytes()));
        let mut response = if known {
            bodiless(StatusCode::NOT_MODIFIED, caching)
        } else {
            let mut whole = answer(StatusCode::OK, caching, self.body);
            whole.headers_mut().insert(header::CONTENT_TYPE, self.media_type);
            whole
        };
        // No document has two encodings yet; said from the start, none can get mixed up later.
        vary(&mut response);
        response.headers_mut().insert(header::ETAG, self.etag);
        response
    }
}
