//! Pages and their files, with the headers that keep them in their place.

use super::document::Document;
use super::headers::Caching;
use super::origin::Origin;
use super::pages::CONTENT_SECURITY_POLICY;
use super::problem::Problem;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};

/// The page or file under this path.
pub(super) fn page(origin: &Origin, request: &HttpRequest, path: &str) -> Result<HttpResponse, Problem> {
    let asset = (origin.config.pages)(path).ok_or(Problem::UnknownPath)?;
    let etag = HeaderValue::try_from(asset.etag).map_err(|_| Problem::UnknownPath)?;
    let document = Document { body: asset.body, media_type: HeaderValue::from_static(asset.media_type), etag };
    let mut response = document.response(request, Caching::NoCache.value());
    let policy = HeaderValue::from_static(CONTENT_SECURITY_POLICY);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    Ok(response)
}
