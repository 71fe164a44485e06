//! The world tileset and random inputs: valid everywhere, the same bytes on every run.

use crate::common::{cut, to, world_definition, world_file};
use crate::look::check_tile;
use immutile::build::{Definition, LayerDefinition, build};
use immutile::store::{self, Reader};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

fn check_every_tile(file: &Path) -> u64 {
    let mut tiles = 0;
    let digest = Reader::open(file).unwrap().verify(|coord, bytes| {
        tiles += 1;
        check_tile(coord, bytes, 64);
        Ok::<_, store::Error>(())
    });
    digest.unwrap();
    tiles
}

#[test]
fn every_tile_of_the_world_is_valid() {
    assert!(check_every_tile(world_file()) > 10_000);
}

#[test]
fn the_world_is_complete() {
    let metadata = Reader::open(world_file()).unwrap().metadata().unwrap();
    let drawn = &metadata.report["zooms"][8]["drawn"];
    for (layer, features) in [("countries", 250), ("boundaries", 515), ("lakes", 1355), ("places", 24_323)] {
        assert_eq!(drawn[layer], features, "{layer} at zoom 8");
    }
    assert!(metadata.attribution.unwrap().contains("GeoNames"));
}

/// Digest and bytes of a build.
fn built(definition: &Definition, threads: usize) -> (String, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out.mbtiles");
    let report = build(definition, &to(&file, threads), &|_| ()).unwrap();
    (report.digest, std::fs::read(&file).unwrap())
}

#[test]
fn threads_do_not_matter() {
    let mut world = world_definition();
    world.maxzoom = 5;
    let one = built(&world, 1);
    for threads in [2, 4, 8] {
        let many = built(&world, threads);
        assert_eq!(one.0, many.0, "digest with {threads} threads");
        assert!(one.1 == many.1, "bytes with {threads} threads");
    }
}

/// A layer from lines of text.
fn tileset(folder: &Path, lines: &[String]) -> Definition {
    let file = folder.join("t.geojsonl");
    std::fs::write(&file, lines.join("\n")).unwrap();
    Definition::from_files("t", &[file], None)
}

/// Features of the world's countries and places, some hundreds.
fn some_of_the_world() -> Vec<String> {
    use std::io::Read;
    let world = world_definition();
    let text = |layer: &LayerDefinition| {
        let mut text = String::new();
        flate2::read::GzDecoder::new(std::fs::File::open(&layer.source[0]).unwrap()).read_to_string(&mut text).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let mut lines = text(&world.layers[0]);
    lines.truncate(60);
    lines.extend(text(&world.layers[3]).into_iter().step_by(50));
    lines
}

#[test]
fn the_order_of_the_input_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = some_of_the_world();
    lines.push(lines[3].clone());
    let cut = |lines: &[String]| {
        let mut definition = tileset(folder.path(), lines);
        definition.maxzoom = 5;
        built(&definition, 2).0
    };
    let want = cut(&lines);
    lines.reverse();
    assert_eq!(cut(&lines), want);
    lines.rotate_left(77);
    assert_eq!(cut(&lines), want);
}

/// Content of every tile.
fn tiles(file: &Path) -> BTreeMap<(u8, u32, u32), Vec<u8>> {
    let mut tiles = BTreeMap::new();
    let all = Reader::open(file).unwrap().for_each(|c, bytes| {
        tiles.insert((c.z(), c.x(), c.y()), bytes.to_vec());
        Ok::<_, store::Error>(())
    });
    all.unwrap();
    tiles
}

#[test]
fn a_deleted_point_changes_tiles_around_it_only() {
    let folder = tempfile::tempdir().unwrap();
    let mut definition = world_definition();
    let places = definition.layers.remove(3);
    let mut text = String::new();
    let file = std::fs::File::open(&places.source[0]).unwrap();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(file), &mut text).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let cut = |lines: &[&str]| {
        let source = folder.path().join("places.geojsonl");
        std::fs::write(&source, lines.join("\n")).unwrap();
        definition.layers = vec![LayerDefinition { source: vec![source], ..places.clone() }];
        let file = folder.path().join("out.mbtiles");
        build(&definition, &to(&file, 0), &|_| ()).unwrap();
        tiles(&file)
    };
    let mut cut = cut;
    let before = cut(&lines);
    for gone in [0, 12_345, lines.len() - 1] {
        let fewer: Vec<&str> = lines.iter().enumerate().filter(|(i, _)| *i != gone).map(|(_, line)| *line).collect();
        let after = cut(&fewer);
        let changed = before
            .keys()
            .filter(|k| before.get(k) != after.get(k))
            .chain(after.keys().filter(|k| !before.contains_key(k)))
            .count();
        let share = changed as f64 / before.len() as f64;
        assert!(changed > 0 && share <= 0.005, "point {gone}: {changed} of {} tiles", before.len());
    }
}

/// A ring of a few corners anywhere, as GeoJSON.
fn ring() -> impl Strategy<Value = String> {
    (proptest::collection::vec((-3.0f64..3.0, -3.0f64..3.0), 3..12), -170.0f64..170.0, -80.0f64..80.0).prop_map(
        |(corners, lon, lat)| {
            let corner = |(x, y): &(f64, f64)| format!("[{},{}]", lon + x, lat + y);
            let mut text: Vec<String> = corners.iter().map(corner).collect();
            text.push(text[0].clone());
            format!("[{}]", text.join(","))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn random_polygons_are_valid_everywhere(polygons in proptest::collection::vec(proptest::collection::vec(ring(), 1..3), 1..8)) {
        let parts: Vec<String> = polygons.iter().map(|rings| format!("[{}]", rings.join(","))).collect();
        let text = format!(r#"{{"type":"MultiPolygon","coordinates":[{}]}}"#, parts.join(","));
        let (_folder, file, _) = cut(&text, 0, 5).unwrap();
        check_every_tile(&file);
    }
}
