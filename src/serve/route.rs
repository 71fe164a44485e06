//! Which resource a request path names.
//!
//! Responsible for one pure function from the path as it was sent to a [`Route`] or a
//! [`Refusal`]. Every resource has one spelling: whatever means the same in other words
//! (leading zeros, `%2e`, doubled or trailing slashes) is refused, so that no cache keeps a tile
//! under two names. It does not know which tilesets and versions exist.

/// Decimal digits a number in a path may have; the longest that any column, row or version needs.
const MAX_DIGITS: usize = 10;

/// Segments of the longest path that is not a page's: `world/v8/5/10/12.mvt`.
const MAX_SEGMENTS: usize = 5;

/// A resource of the origin, by its canonical path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route<'p> {
    /// One tile of one version; without a name, of the default tileset.
    Tile { tileset: Option<&'p str>, version: u64, tile: Address },
    /// The same tile of whatever version is current: a redirect.
    Latest { tileset: &'p str, tile: Address },
    /// A tile under its other suffix, `.pbf`: a redirect to this last path segment.
    Suffix { row: &'p str },
    /// The TileJSON of the current version; without a name, of the default tileset.
    Current { tileset: Option<&'p str> },
    /// The TileJSON of one version.
    Version { tileset: &'p str, version: u64 },
    /// Every tileset with its versions.
    Catalog,
    /// Whether the process lives.
    Health,
    /// Whether requests should be sent here.
    Ready,
    /// A page or a file that belongs to one, if the program has pages.
    Page(&'p str),
}

/// Zoom, column and row as they stand in a path: numbers, but not yet known to lie in any grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Address {
    pub z: u64,
    pub x: u64,
    pub y: u64,
}

/// Why a path names nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It means something, but there is another spelling for it.
    NotCanonical,
    /// No resource has such a path.
    Unknown,
}

use Refusal::{NotCanonical, Unknown};

/// The resource under `path`, which is the path of the request target before any decoding.
pub(super) fn route(path: &str) -> Result<Route<'_>, Refusal> {
    if path == "/" {
        return Ok(Route::Page(path));
    }
    let rest = path.strip_prefix('/').ok_or(Unknown)?;
    // Nothing here needs an escape, so every escaped path has another, shorter spelling.
    if rest.contains('%') || rest.split('/').any(|s| matches!(s, "" | "." | "..")) {
        return Err(NotCanonical);
    }
    if rest.split('/').next().is_some_and(is_page) {
        return Ok(Route::Page(path));
    }
    let mut parts = [""; MAX_SEGMENTS];
    let mut count = 0;
    for part in rest.split('/') {
        *parts.get_mut(count).ok_or(Unknown)? = part;
        count += 1;
    }
    match parts[..count] {
        [file] => document(file),
        [tileset, file] => version_document(tileset, file),
        [v, z, x, y] => tile(None, v, [z, x, y]),
        [tileset, v, z, x, y] => tile(Some(tileset), v, [z, x, y]),
        _ => Err(Unknown),
    }
}

/// First segments that belong to the pages; none of them can be a tileset.
fn is_page(first: &str) -> bool {
    matches!(first, "leaflet" | "static" | "assets")
}

fn document(file: &str) -> Result<Route<'_>, Refusal> {
    match file {
        "health" => Ok(Route::Health),
        "ready" => Ok(Route::Ready),
        "catalog.json" => Ok(Route::Catalog),
        "tiles.json" => Ok(Route::Current { tileset: None }),
        _ => file.strip_suffix(".json").map(|tileset| Route::Current { tileset: Some(tileset) }).ok_or(Unknown),
    }
}

fn version_document<'p>(tileset: &'p str, file: &'p str) -> Result<Route<'p>, Refusal> {
    let version = version(file.strip_suffix(".json").ok_or(Unknown)?)?;
    Ok(Route::Version { tileset, version })
}

fn tile<'p>(tileset: Option<&'p str>, v: &'p str, [z, x, row]: [&'p str; 3]) -> Result<Route<'p>, Refusal> {
    let (y, suffix) = row.split_once('.').ok_or(Unknown)?;
    if suffix != "mvt" && suffix != "pbf" {
        return Err(Unknown);
    }
    let latest = tileset.filter(|_| v == "latest");
    let version = if latest.is_some() { 0 } else { version(v)? };
    let tile = Address { z: number(z)?, x: number(x)?, y: number(y)? };
    match (suffix, latest) {
        ("pbf", _) => Ok(Route::Suffix { row: y }),
        (_, Some(tileset)) => Ok(Route::Latest { tileset, tile }),
        (_, None) => Ok(Route::Tile { tileset, version, tile }),
    }
}

/// `v8`; what is no attempt at a version is an unknown path.
fn version(segment: &str) -> Result<u64, Refusal> {
    let digits = segment.strip_prefix('v').ok_or(Unknown)?;
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') {
        return Err(Unknown);
    }
    number(digits)
}

/// A whole number in the one way to write it.
fn number(text: &str) -> Result<u64, Refusal> {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    let fits = (1..=MAX_DIGITS).contains(&text.len());
    let padded = text.len() > 1 && text.starts_with('0');
    if digits && fits && !padded { text.parse().map_err(|_| NotCanonical) } else { Err(NotCanonical) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(path: &str, expected: Result<Route<'_>, Refusal>) {
        assert_eq!(route(path), expected, "{path}");
    }

    const TILE: Address = Address { z: 5, x: 10, y: 12 };

    #[test]
    fn every_resource_has_one_path() {
        check("/", Ok(Route::Page("/")));
        check("/leaflet", Ok(Route::Page("/leaflet")));
        check("/static/a.js", Ok(Route::Page("/static/a.js")));
        check("/assets/1/2/3/4/5/a.js", Ok(Route::Page("/assets/1/2/3/4/5/a.js")));
        check("/health", Ok(Route::Health));
        check("/ready", Ok(Route::Ready));
        check("/catalog.json", Ok(Route::Catalog));
        check("/tiles.json", Ok(Route::Current { tileset: None }));
        check("/world.json", Ok(Route::Current { tileset: Some("world") }));
        check("/world/v8.json", Ok(Route::Version { tileset: "world", version: 8 }));
        check("/v8/5/10/12.mvt", Ok(Route::Tile { tileset: None, version: 8, tile: TILE }));
        check("/world/v8/5/10/12.mvt", Ok(Route::Tile { tileset: Some("world"), version: 8, tile: TILE }));
        check("/world/latest/5/10/12.mvt", Ok(Route::Latest { tileset: "world", tile: TILE }));
        check("/v8/5/10/12.pbf", Ok(Route::Suffix { row: "12" }));
        check("/world/v8/5/10/12.pbf", Ok(Route::Suffix { row: "12" }));
        check("/world/latest/5/10/12.pbf", Ok(Route::Suffix { row: "12" }));
    }

    #[test]
    fn other_spellings_are_refused() {
        for path in [
            "//",
            "//v8/5/10/12.mvt",
            "/v8//5/10/12.mvt",
            "/v8/5/10/12.mvt/",
            "/world.json/",
            "/health/",
            "/leaflet/",
            "/v8/5/10/%31%32.mvt",
            "/v8/5/10/12%2emvt",
            "/%2e/v8/5/10/12.mvt",
            "/./v8/5/10/12.mvt",
            "/a/../world.json",
            "/static/../v8",
            "/world%2Ejson",
            "/%",
            "/v8/05/10/12.mvt",
            "/v8/5/010/12.mvt",
            "/v8/5/10/012.mvt",
            "/v08/5/10/12.mvt",
            "/v+8/5/10/12.mvt",
            "/v-8/5/10/12.mvt",
            "/v8/-5/10/12.mvt",
            "/v8/+5/10/12.mvt",
            "/v8/5/1e3/12.mvt",
            "/v8/5/10/-1.mvt",
            "/v8/5/10/+1.mvt",
            "/v8/5/10/.mvt",
            "/v8/nan/0/0.mvt",
            "/v8/0x5/0/0.mvt",
            "/v8/5/10/12_0.mvt",
            "/v8e1/5/10/12.mvt",
            "/world/v08.json",
            "/world/v8e1.json",
            "/v8/12345678901/0/0.mvt",
            "/v8/0/12345678901/0.mvt",
            "/v8/0/0/12345678901.mvt",
            "/v12345678901/0/0/0.mvt",
            "/world/latest/05/10/12.mvt",
            "/v8/5/10/012.pbf",
            "/v8/00/0/0.mvt",
            "/v8/5/\u{661}/0.mvt",
        ] {
            check(path, Err(NotCanonical));
        }
    }

    #[test]
    fn numbers_end_at_ten_digits() {
        let tile = Address { z: 9_999_999_999, x: 4_294_967_296, y: 0 };
        check(
            "/v9999999999/9999999999/4294967296/0.mvt",
            Ok(Route::Tile { tileset: None, version: 9_999_999_999, tile }),
        );
        check("/v0/0/0/0.mvt", Ok(Route::Tile { tileset: None, version: 0, tile: Address { z: 0, x: 0, y: 0 } }));
    }

    #[test]
    fn everything_else_is_unknown() {
        for path in [
            "",
            "*",
            "v8/0/0/0.mvt",
            "/favicon.ico",
            "/no/such/thing",
            "/v8",
            "/v8/0",
            "/v8/0/0",
            "/v8/0/0/0",
            "/v8/0/0/0.mvt.gz",
            "/v8/0/0/0.json",
            "/v8/0/0/0.MVT",
            "/world/v8",
            "/world/8.json",
            "/vector/0/0/0.mvt",
            "/world/vector/0/0/0.mvt",
            "/latest/0/0/0.mvt",
            "/a/b/v8/0/0/0.mvt",
            "/V8/0/0/0.mvt",
            "/world/latest.json",
            "/v/0/0/0.mvt",
            "/metrics",
            "/world/v8/features",
        ] {
            check(path, Err(Unknown));
        }
    }

    /// Half of them have eleven digits.
    const NUMBERS: std::ops::Range<u64> = 0..20_000_000_000;

    proptest! {
        #[test]
        fn no_two_paths_name_one_tile(v in NUMBERS, z in NUMBERS, x in NUMBERS, y in NUMBERS, noise in "[0-9+./%v-]{0,24}") {
            let canonical = format!("/v{v}/{z}/{x}/{y}.mvt");
            let fits = [v, z, x, y].iter().all(|n| *n < 10_000_000_000);
            let expected = Route::Tile { tileset: None, version: v, tile: Address { z, x, y } };
            prop_assert_eq!(route(&canonical), if fits { Ok(expected) } else { Err(NotCanonical) });
            let odd = format!("/{noise}.mvt");
            if let Ok(Route::Tile { tileset: None, version, tile }) = route(&odd) {
                prop_assert_eq!(format!("/v{version}/{}/{}/{}.mvt", tile.z, tile.x, tile.y), odd);
            }
        }
    }
}
