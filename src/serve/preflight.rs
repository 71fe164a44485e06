//! `OPTIONS`: what a page from elsewhere may ask (Fetch standard, CORS preflight).

use super::headers::{Caching, bodiless};
use super::lists::{elements, is_token};
use super::problem::METHODS;
use super::reply::Reply;
use actix_http::RequestHead;
use actix_http::StatusCode;
use actix_http::header::{self, HeaderMap, HeaderValue};

/// How long a browser may remember the answer, in seconds; browsers cap it at less.
const MAX_AGE: &str = "86400";

/// Bytes of header names that are repeated to whoever asks for them; real ones need some dozens.
const MAX_ASKED: usize = 1024;

/// The answer to `OPTIONS` for any path: what is not there says so when it is asked for.
pub(super) fn preflight(request: &RequestHead) -> Reply {
    let mut response = bodiless(StatusCode::NO_CONTENT, Caching::NoStore.value());
    let fields = response.headers_mut();
    fields.insert(header::ALLOW, HeaderValue::from_static(METHODS));
    if request.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD) {
        fields.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
        fields.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE));
        if let Some(names) = asked(&request.headers) {
            fields.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
        }
    }
    response
}

/// The header names the page wants to send, one by one: `*` would not cover `Authorization`.
fn asked(fields: &HeaderMap) -> Option<HeaderValue> {
    let lines = fields.get_all(header::ACCESS_CONTROL_REQUEST_HEADERS);
    let names: Vec<&[u8]> = lines.flat_map(|line| elements(line.as_bytes())).filter(|n| is_token(n)).collect();
    let list = names.join(&b", "[..]);
    if list.is_empty() || list.len() > MAX_ASKED { None } else { HeaderValue::from_bytes(&list).ok() }
}
