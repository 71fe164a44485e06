//! The seam between the origin and its pages: who answers `/`, `/leaflet` and their files.
//!
//! Responsible for the shape of a page and nothing else; headers are put on in one place with
//! those of all other answers.

use bytes::Bytes;

/// A page, or a file that belongs to one.
#[derive(Debug, Clone)]
pub struct PageAsset {
    /// Its bytes.
    pub body: Bytes,
    /// Its media type, `text/html; charset=utf-8`.
    pub media_type: &'static str,
    /// A strong entity tag with its quotes.
    pub etag: String,
}

/// Finds the page or file under a path that begins with a slash.
pub type Pages = fn(&str) -> Option<PageAsset>;

/// The pages in this binary: none.
pub const BUNDLED: Pages = |_| None;
