//! Pages and their files, with the headers that keep them in their place.

use super::config::PublicUrl;
use super::document::Document;
use super::headers::Caching;
use super::origin::Origin;
use super::pages::CONTENT_SECURITY_POLICY;
use super::problem::Problem;
use super::reply::Reply;
use actix_http::RequestHead;
use actix_http::header::{self, HeaderValue};

/// The page or file under this path.
pub(super) fn page(origin: &Origin, request: &RequestHead, path: &str) -> Result<Reply, Problem> {
    let asset = (origin.config.pages)(path).ok_or(Problem::UnknownPath)?;
    let etag = HeaderValue::try_from(asset.etag).map_err(|_| Problem::UnknownPath)?;
    let document = Document { body: asset.body, media_type: HeaderValue::from_static(asset.media_type), etag };
    let mut response = document.response(request, Caching::NoCache.value());
    let public = origin.config.public_url.as_ref().map(PublicUrl::origin);
    let policy = match public {
        // The TileJSON names this address, and it need not be the one the page was loaded from.
        Some(public) => CONTENT_SECURITY_POLICY.replace("connect-src 'self'", &format!("connect-src 'self' {public}")),
        None => CONTENT_SECURITY_POLICY.to_owned(),
    };
    if let Ok(policy) = HeaderValue::try_from(policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    Ok(response)
}
