//! The pages at `/` and `/leaflet` and the files they load: bytes, media types and tags.
//!
//! Responsible for which path is which embedded file. Knows nothing of requests: headers, conditions and methods are
//! the handler's. Without the feature `page` there are no pages and every path answers `None`.

use bytes::Bytes;

/// The Content-Security-Policy of every page and every file of one (CSP Level 3).
///
/// Everything comes from the origin itself. `data:` is for the icons in the libraries' style sheets, `blob:` for images
/// that MapLibre decodes. No inline script or style, no `eval`, no worker made from a string.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; \
     base-uri 'none'; frame-ancestors 'self'; form-action 'none'";

/// One file that belongs to a page, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageAsset {
    /// The bytes, uncompressed.
    pub body: Bytes,
    /// The `Content-Type`.
    pub media_type: &'static str,
    /// The strong `ETag` with its quotes: a hash of `body`.
    pub etag: String,
}

/// Finds the page or file under a path that begins with a slash.
pub type Pages = fn(&str) -> Option<PageAsset>;

/// The pages in this binary.
pub const BUNDLED: Pages = answer;

/// The page or file at `path` (absolute, without a query), or `None` where there is none.
///
/// No path contains a hash of its content, so every answer is to be revalidated (`no-cache`).
pub fn answer(path: &str) -> Option<PageAsset> {
    match path {
        "/" => asset("index.html"),
        "/leaflet" => asset("leaflet.html"),
        // The pages have their own addresses above, with the relative links that fit there.
        _ => path.strip_prefix("/static/").filter(|name| media_type(name) != Some(HTML)).and_then(asset),
    }
}

const HTML: &str = "text/html; charset=utf-8";

/// The media type by file name; files of other kinds are not served.
fn media_type(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension {
        "html" => HTML,
        "css" => "text/css; charset=utf-8",
        // RFC 9239: the one type for scripts, modules included.
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

#[cfg(feature = "page")]
fn asset(name: &str) -> Option<PageAsset> {
    use rust_embed::RustEmbed;
    use std::borrow::Cow;

    /// What `build.rs` gathered.
    #[derive(RustEmbed)]
    #[folder = "$OUT_DIR/dist"]
    struct Dist;

    let media_type = media_type(name)?;
    let file = Dist::get(name)?;
    let etag = etag(&file.metadata.sha256_hash());
    let body = match file.data {
        Cow::Borrowed(embedded) => Bytes::from_static(embedded),
        Cow::Owned(read) => Bytes::from(read),
    };
    Some(PageAsset { body, media_type, etag })
}

#[cfg(not(feature = "page"))]
fn asset(_name: &str) -> Option<PageAsset> {
    None
}

/// Sixteen bytes of the hash in hexadecimal: more than enough to tell versions of one file apart.
#[cfg(feature = "page")]
fn etag(sha256: &[u8; 32]) -> String {
    use std::fmt::Write;

    let mut tag = String::from("\"");
    for byte in &sha256[..16] {
        // Writing to a String does not fail.
        let _ = write!(tag, "{byte:02x}");
    }
    tag.push('"');
    tag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_media_types_of_web_files_only() {
        let check = |name: &str, expected: Option<&str>| assert_eq!(media_type(name), expected, "{name}");
        check("map.js", Some("text/javascript; charset=utf-8"));
        check("maplibre-gl.mjs", Some("text/javascript; charset=utf-8"));
        check("page.css", Some("text/css; charset=utf-8"));
        check("icon.svg", Some("image/svg+xml"));
        check("package.json", None);
        check("maplibre-gl.mjs.map", None);
        check("", None);
        check(".", None);
    }

    #[test]
    #[cfg(feature = "page")]
    fn answers_pages_and_their_files() {
        let check = |path: &str, media: Option<&str>| {
            assert_eq!(answer(path).map(|asset| asset.media_type), media, "{path}");
        };
        check("/", Some(HTML));
        check("/leaflet", Some(HTML));
        check("/static/map.js", Some("text/javascript; charset=utf-8"));
        check("/static/maplibre-gl-worker.mjs", Some("text/javascript; charset=utf-8"));
        check("/static/licenses.txt", Some("text/plain; charset=utf-8"));
        for path in ["", "/leaflet/", "/index.html", "/static/", "/static", "/static/index.html", "/static/nope.js"] {
            check(path, None);
        }
        for path in ["/static/../map.js", "/static//map.js", "/static/package.json", "/static/%6dap.js"] {
            check(path, None);
        }
    }

    #[test]
    #[cfg(feature = "page")]
    fn pages_name_only_files_that_are_there() {
        for page in ["/", "/leaflet"] {
            let body = answer(page).unwrap().body;
            let html = std::str::from_utf8(&body).unwrap();
            let names: Vec<_> = html.split('"').filter(|text| text.starts_with("static/")).collect();
            assert!(names.len() >= 5, "{page} names {names:?}");
            for name in names {
                assert!(answer(&format!("/{name}")).is_some(), "{page} names {name}");
            }
        }
    }

    #[test]
    #[cfg(feature = "page")]
    fn tags_tell_files_apart_and_stay() {
        let tag = |path: &str| answer(path).unwrap().etag;
        assert_eq!(tag("/"), tag("/"));
        assert_ne!(tag("/"), tag("/leaflet"));
        assert!(tag("/").starts_with('"') && tag("/").ends_with('"') && tag("/").len() == 34);
    }

    #[test]
    #[cfg(feature = "page")]
    fn names_the_licence_of_every_library() {
        let body = answer("/static/licenses.txt").unwrap().body;
        let text = std::str::from_utf8(&body).unwrap();
        for holder in ["MapLibre contributors", "Volodymyr Agafonkin"] {
            assert!(text.contains(holder), "{holder}");
        }
        assert!(!text.contains("sourceMappingURL"));
    }

    #[test]
    #[cfg(not(feature = "page"))]
    fn has_no_pages_without_the_feature() {
        assert_eq!(answer("/"), None);
        assert_eq!(answer("/static/map.js"), None);
    }
}
