//! Looking into tile files: with SQLite as any other program would, and with a decoder that is
//! not ours.

use fast_mvt::MvtReaderRef;
use immutile::encode::{Decoded, DecodedFeature, decode};
use immutile::feature::Value;
use immutile::grid::{Kind, Point, check_polygons, double_area};
use immutile::store::Reader;
use immutile::tile::TileCoord;
use std::path::Path;

/// One decoded tile; empty where there is none.
pub fn tile(file: &Path, z: u8, x: u32, y: u32) -> Decoded {
    let reader = Reader::open(file).unwrap();
    let stored = reader.tile(TileCoord::new(z, x, y).unwrap()).unwrap();
    stored.map_or_else(Vec::new, |t| decode(&immutile::store::gunzip(&t.gzip).unwrap()).unwrap())
}

/// The features of layer `t` whose attribute `k` has this value.
pub fn named(file: &Path, (z, x, y): (u8, u32, u32), k: &str) -> Vec<DecodedFeature> {
    let want = Value::String(k.to_owned());
    tile(file, z, x, y)
        .into_iter()
        .filter(|layer| layer.name == "t")
        .flat_map(|layer| layer.features)
        .filter(|f| f.properties.iter().any(|(key, value)| key == "k" && value == &want))
        .collect()
}

/// Whether a point of the tile lies inside the polygons of these features.
pub fn covered(features: &[DecodedFeature], x: f64, y: f64) -> bool {
    let crossings = |ring: &[Point]| {
        (0..ring.len())
            .filter(|&i| {
                let (a, b) = (ring[i], ring[(i + 1) % ring.len()]);
                let (ax, ay, bx, by) = (f64::from(a.x), f64::from(a.y), f64::from(b.x), f64::from(b.y));
                (ay > y) != (by > y) && x < ax + (bx - ax) * (y - ay) / (by - ay)
            })
            .count()
    };
    features.iter().map(|f| f.geometry.paths().map(crossings).sum::<usize>()).any(|n| n % 2 == 1)
}

/// Checks everything that holds for every tile of every file: it decodes here and elsewhere to the
/// same, polygons are valid, nothing is empty, and no dictionary holds more than is used.
pub fn check_tile(coord: TileCoord, bytes: &[u8], buffer: i32) {
    let layers = decode(bytes).unwrap_or_else(|e| panic!("{coord}: {e}"));
    assert!(!layers.is_empty(), "{coord} has no layer");
    for layer in &layers {
        assert!(!layer.features.is_empty(), "{coord}: layer {} is empty", layer.name);
        for feature in &layer.features {
            check_feature(coord, feature, layer.extent as i32, buffer);
        }
        let used = |name: &String| layer.features.iter().any(|f| f.properties.iter().any(|(k, _)| k == name));
        assert!(layer.keys.iter().all(used), "{coord}: layer {} has unused keys", layer.name);
    }
    check_with_another_decoder(coord, bytes, &layers);
}

fn check_feature(coord: TileCoord, feature: &DecodedFeature, extent: i32, buffer: i32) {
    let inside = -buffer..=extent + buffer;
    let geometry = &feature.geometry;
    assert!(
        geometry.positions.iter().all(|p| inside.contains(&p.x) && inside.contains(&p.y)),
        "{coord}: beyond the buffer"
    );
    match geometry.kind {
        Kind::Polygon => check_polygons(geometry).unwrap_or_else(|fault| panic!("{coord}: {fault} in {feature:?}")),
        Kind::Line => {
            assert!(
                geometry.paths().all(|line| line.len() >= 2 && line.windows(2).all(|w| w[0] != w[1])),
                "{coord}: {feature:?}"
            );
        }
        Kind::Point => assert!(!geometry.is_empty()),
    }
}

/// The crate `fast-mvt` must see the same features, attributes and vertices.
fn check_with_another_decoder(coord: TileCoord, bytes: &[u8], ours: &Decoded) {
    let theirs = MvtReaderRef::new(bytes).unwrap().to_tile().unwrap_or_else(|e| panic!("{coord}: {e}"));
    assert_eq!(theirs.layers.len(), ours.len(), "{coord}");
    for (their, our) in theirs.layers.iter().zip(ours) {
        assert_eq!((their.name.as_str(), their.extent.get()), (our.name.as_str(), our.extent), "{coord}");
        assert_eq!(their.features.len(), our.features.len(), "{coord} {}", our.name);
        for (t, o) in their.features.iter().zip(&our.features) {
            let keys = |o: &DecodedFeature| o.properties.iter().map(|(k, _)| k.clone()).collect::<Vec<_>>();
            assert_eq!((t.id, t.properties.iter().map(|(k, _)| k.clone()).collect()), (o.id, keys(o)), "{coord}");
            // Their rings are closed: one more vertex each.
            let closing = if o.geometry.kind == Kind::Polygon { o.geometry.paths.len() } else { 0 };
            let vertices = geo::CoordsIter::coords_count(&t.geometry);
            assert_eq!(vertices, o.geometry.positions.len() + closing, "{coord} {}", our.name);
        }
    }
}

/// The area inside all rings, in square tile units.
pub fn area(feature: &DecodedFeature) -> f64 {
    feature.geometry.paths().map(double_area).sum::<i64>() as f64 / 2.0
}
