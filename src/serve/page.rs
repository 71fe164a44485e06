//! Pages and their files, with the headers that keep them in their place.

use super::config::PublicUrl;
use super::document::Document;
use super::headers::Caching;
use super::origin::Origin;
use super::problem::Problem;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};

/// What a page may do: its own scripts and styles, workers and images it makes itself (map
/// libraries do), tiles from here. Nothing inline, nothing from elsewhere, in no frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
     font-src 'self'; worker-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

/// The page or file under this path.
pub(super) fn page(origin: &Origin, request: &HttpRequest, path: &str) -> Result<HttpResponse, Problem> {
    let asset = (origin.config.pages)(path).ok_or(Problem::UnknownPath)?;
    let etag = HeaderValue::try_from(asset.etag).map_err(|_| Problem::UnknownPath)?;
    let document = Document { body: asset.body, media_type: HeaderValue::from_static(asset.media_type), etag };
    let mut response = document.response(request, Caching::NoCache.value());
    let public = origin.config.public_url.as_ref().map(PublicUrl::origin);
    let policy = match public {
        // The TileJSON names this address, and it need not be the one the page was loaded from.
        Some(public) => POLICY.replace("connect-src 'self'", &format!("connect-src 'self' {public}")),
        None => POLICY.to_owned(),
    };
    if let Ok(policy) = HeaderValue::try_from(policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    Ok(response)
}
