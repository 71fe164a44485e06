//! Reads a tile file once, from end to end, and believes nothing it says.
//!
//! Responsible for every claim that the origin later relies on without looking. Changes nothing.

use super::{Error, Progress};
use crate::encode;
use crate::store::{Metadata, Reader};
use crate::tile::{Encoding, MAX_ZOOM, TileCoord};
use std::collections::BTreeSet;
use std::path::Path;

/// How many contents are checked between two words about it.
const REPORT_EVERY: u64 = 1000;

/// What was found in a good file.
#[derive(Debug, Clone)]
pub struct Verified {
    /// What the file says about itself.
    pub metadata: Metadata,
    /// The digest over what was read, 64 hexadecimal digits.
    pub digest: String,
    /// Tiles in the file.
    pub tiles: u64,
    /// Different contents among them.
    pub distinct: u64,
}

/// Checks a tile file: its metadata, the zooms and places of its tiles, and that every content
/// unpacks from every encoding to the same bytes, decodes, has the tag it is filed under and only
/// layers that the metadata lists.
pub fn verify(path: &Path, progress: &dyn Fn(Progress)) -> Result<Verified, Error> {
    let reader = Reader::open(path)?;
    let metadata = reader.metadata()?;
    check_claims(&metadata).map_err(|why| Error::refused(path, why))?;
    let census = reader.census()?;
    check_zooms(census.zooms, &metadata).map_err(|why| Error::refused(path, why))?;
    let layers: BTreeSet<&str> = metadata.vector_layers.iter().map(|l| l.id.as_str()).collect();
    let mut distinct = 0;
    let digest = reader.verify(|tile, bytes| {
        distinct += 1;
        if distinct % REPORT_EVERY == 0 {
            progress(Progress::Checked { contents: distinct });
        }
        check_tile(path, tile, bytes, &layers)
    })?;
    progress(Progress::Checked { contents: distinct });
    Ok(Verified { digest: digest.to_string(), tiles: census.tiles, distinct, metadata })
}

/// One tile's uncompressed bytes.
fn check_tile(path: &Path, tile: TileCoord, bytes: &[u8], layers: &BTreeSet<&str>) -> Result<(), Error> {
    let decoded = encode::decode(bytes).map_err(|source| Error::Tile { path: path.to_owned(), tile, source })?;
    match decoded.iter().find(|layer| !layers.contains(layer.name.as_str())) {
        None => Ok(()),
        Some(layer) => Err(Error::refused(
            path,
            format!("tile {tile} has a layer {:?} that vector_layers does not list", layer.name),
        )),
    }
}

/// What the metadata says must be possible (MBTiles 1.3, "Content"; TileJSON 3.0.0, section 3).
fn check_claims(metadata: &Metadata) -> Result<(), String> {
    let Metadata { minzoom, maxzoom, bounds: b, center, .. } = metadata;
    if minzoom > maxzoom || *maxzoom > MAX_ZOOM {
        return Err(format!("zooms {minzoom} to {maxzoom} are no range within 0 to {MAX_ZOOM}"));
    }
    // Written so that NaN fails as well.
    let inside = |low: f64, high: f64, limit: f64| -limit <= low && low <= high && high <= limit;
    if !(inside(b.west, b.east, 180.0) && inside(b.south, b.north, 90.0)) {
        return Err(format!("bounds {},{},{},{} are no box in degrees", b.west, b.south, b.east, b.north));
    }
    let [lon, lat, zoom] = *center;
    if !(inside(lon, lon, 180.0) && inside(lat, lat, 90.0) && inside(zoom, zoom, f64::from(MAX_ZOOM)) && zoom >= 0.0) {
        return Err(format!("center {lon},{lat},{zoom} is no place on a map"));
    }
    let mut ids = BTreeSet::new();
    if let Some(layer) = metadata.vector_layers.iter().find(|l| !ids.insert(&l.id)) {
        return Err(format!("two of vector_layers are named {:?}", layer.id));
    }
    if metadata.vector_layers.iter().any(|l| l.id.is_empty()) {
        return Err("one of vector_layers has no name".into());
    }
    let encodings = &metadata.encodings;
    if !encodings.contains(&Encoding::Gzip) {
        return Err("gzip is not among its encodings".into());
    }
    if encodings.contains(&Encoding::Identity) || encodings.iter().collect::<BTreeSet<_>>().len() < encodings.len() {
        return Err("its list of encodings has one twice, or identity".into());
    }
    Ok(())
}

fn check_zooms(found: Option<(u32, u32)>, metadata: &Metadata) -> Result<(), String> {
    let (min, max) = (u32::from(metadata.minzoom), u32::from(metadata.maxzoom));
    match found {
        Some((first, last)) if first < min || last > max => {
            Err(format!("there are tiles at zooms {first} to {last}, but it says {min} to {max}"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Bounds;
    use crate::tile::Empty;
    use crate::tilejson::VectorLayer;

    fn metadata() -> Metadata {
        Metadata {
            name: "test".into(),
            description: None,
            attribution: None,
            minzoom: 0,
            maxzoom: 8,
            bounds: Bounds { west: -180.0, south: -90.0, east: 180.0, north: 90.0 },
            center: [0.0, 0.0, 0.0],
            vector_layers: vec![layer("a"), layer("b")],
            empty: Empty::NoContent,
            encodings: vec![Encoding::Gzip],
            built_by: String::new(),
            inputs: None,
            report: serde_json::Value::Null,
        }
    }

    fn layer(id: &str) -> VectorLayer {
        VectorLayer { id: id.into(), description: None, minzoom: None, maxzoom: None, fields: [].into() }
    }

    #[test]
    fn claims() {
        let check = |good: bool, change: &dyn Fn(&mut Metadata)| {
            let mut changed = metadata();
            change(&mut changed);
            assert_eq!(check_claims(&changed).is_ok(), good, "{changed:?}");
        };
        check(true, &|_| {});
        check(true, &|m| m.maxzoom = MAX_ZOOM);
        check(false, &|m| m.maxzoom = MAX_ZOOM + 1);
        check(true, &|m| m.minzoom = 8);
        check(false, &|m| m.minzoom = 9);
        check(true, &|m| m.bounds = [5.0, 6.0, 5.0, 6.0].into());
        check(false, &|m| m.bounds = [6.0, 5.0, 5.0, 6.0].into());
        check(false, &|m| m.bounds = [5.0, 7.0, 5.0, 6.0].into());
        check(false, &|m| m.bounds.north = 90.1);
        check(false, &|m| m.bounds.west = f64::NAN);
        check(false, &|m| m.center = [181.0, 0.0, 0.0]);
        check(false, &|m| m.center = [0.0, 0.0, -1.0]);
        check(false, &|m| m.vector_layers.push(layer("a")));
        check(false, &|m| m.vector_layers.push(layer("")));
        check(false, &|m| m.encodings.clear());
        check(true, &|m| m.encodings.extend([Encoding::Zstd, Encoding::Brotli]));
        check(false, &|m| m.encodings.push(Encoding::Gzip));
        check(false, &|m| m.encodings.push(Encoding::Identity));
    }

    #[test]
    fn zooms() {
        let check = |found, good: bool| assert_eq!(check_zooms(found, &metadata()).is_ok(), good, "{found:?}");
        check(None, true);
        check(Some((0, 8)), true);
        check(Some((3, 4)), true);
        check(Some((0, 9)), false);
    }
}
