//! What people's files are like: each kind of oddity with what must come of it.

use crate::common::{cut, cut_as};
use crate::look::{area, check_tile, covered, named, tile};
use immutile::build::Error;
use immutile::feature::Value;
use immutile::grid::Kind;
use immutile::store::{self, Reader};

/// A feature with the name `k` and this geometry.
fn feature(k: &str, geometry: &str) -> String {
    format!(r#"{{"type":"Feature","properties":{{"k":"{k}"}},"geometry":{geometry}}}"#)
}

fn collection(features: &[String]) -> String {
    format!(r#"{{"type":"FeatureCollection","features":[{}]}}"#, features.join(","))
}

fn polygon(k: &str, rings: &str) -> String {
    feature(k, &format!(r#"{{"type":"Polygon","coordinates":{rings}}}"#))
}

/// Where degrees lie in tile `z/x/y`, in tile units.
fn units(lon: f64, lat: f64, (z, x, y): (u8, u32, u32)) -> (f64, f64) {
    let at = immutile::grid::LonLat::new(lon, lat).project();
    let across = f64::from(1u32 << z);
    ((at.x * across - f64::from(x)) * 4096.0, (at.y * across - f64::from(y)) * 4096.0)
}

const WORLD: (u8, u32, u32) = (0, 0, 0);

#[test]
fn marks_line_ends_and_encodings() {
    let point = feature("a", r#"{"type":"Point","coordinates":[10,50]}"#);
    let check =
        |name: &str, bytes: &[u8], want: Result<usize, &str>| match (cut_as(name, bytes, |d| d.maxzoom = 0), want) {
            (Ok((_folder, file, _)), Ok(n)) => assert_eq!(named(&file, WORLD, "a").len(), n, "{name}"),
            (Err(e), Err(want)) => {
                let text =
                    format!("{e}: {}", std::error::Error::source(&e).map(ToString::to_string).unwrap_or_default());
                assert!(text.contains(want), "{name}: {text}");
            }
            (got, want) => panic!("{name}: {:?}, wanted {want:?}", got.map(|_| ())),
        };
    check(
        "a.geojson",
        format!("\u{feff}{}", collection(std::slice::from_ref(&point)).replace(',', ",\r\n")).as_bytes(),
        Ok(1),
    );
    check("a.geojsonl", format!("{point}\r\n\r\n{point}\n").as_bytes(), Ok(2));
    check("a.json", format!("\u{1e}{point}\n\u{1e}{point}\n").as_bytes(), Ok(2));
    check("a.geojson", point.as_bytes(), Ok(1));
    let utf16: Vec<u8> = "\u{feff}{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    check("a.geojson", &utf16, Err("UTF-16"));
    let mut gz = flate2::read::GzEncoder::new(point.as_bytes(), flate2::Compression::fast());
    let mut packed = Vec::new();
    std::io::Read::read_to_end(&mut gz, &mut packed).unwrap();
    check("a.geojson.gz", &packed, Ok(1));
    check("named-otherwise", &packed, Ok(1));
    check("a.geojson", collection(&[point]).trim_end_matches("]}").as_bytes(), Err("hint"));
    check("a.geojson", b"id,lon,lat\n1,2,3\n", Err("GeoJSON"));
}

#[test]
fn reference_systems_are_never_guessed() {
    let with_crs = |crs: &str, x: f64, y: f64| {
        let geometry = format!(r#"{{"type":"Point","coordinates":[{x},{y}]}}"#);
        collection(&[feature("a", &geometry)]).replacen(
            '{',
            &format!(r#"{{"crs":{{"type":"name","properties":{{"name":"{crs}"}}}},"#),
            1,
        )
    };
    let check = |text: &str, want: Option<&str>| {
        let result = cut(text, 0, 0).map(|_| ());
        let error = result.err().map(|e| format!("{e:?}"));
        match want {
            None => assert_eq!(error, None, "{text}"),
            Some(part) => assert!(error.as_deref().unwrap_or_default().contains(part), "{text}: {error:?}"),
        }
    };
    check(&with_crs("urn:ogc:def:crs:OGC:1.3:CRS84", 10.0, 50.0), None);
    check(&with_crs("EPSG:4326", 10.0, 50.0), None);
    check(&with_crs("urn:ogc:def:crs:EPSG::3857", 1_113_194.0, 6_446_275.0), Some("3857"));
    check(
        &collection(&[feature("a", r#"{"type":"Point","coordinates":[1113194.9,6446275.8]}"#)]),
        Some("out_of_range"),
    );
}

#[test]
fn places_that_are_missing_are_counted_and_the_rest_stays() {
    let features: Vec<String> = [
        ("null", "null"),
        ("point", r#"{"type":"Point","coordinates":[]}"#),
        ("polygons", r#"{"type":"MultiPolygon","coordinates":[]}"#),
        ("collection", r#"{"type":"GeometryCollection","geometries":[]}"#),
        ("short", r#"{"type":"LineString","coordinates":[[1,2]]}"#),
        ("one", r#"{"type":"Point","coordinates":[1]}"#),
        ("text", r#"{"type":"Point","coordinates":["1","2"]}"#),
        ("good", r#"{"type":"Point","coordinates":[10,50,400,7]}"#),
    ]
    .map(|(k, g)| feature(k, g))
    .into();
    let (_folder, file, report) = cut(&collection(&features), 0, 0).unwrap();
    let layer = &report.layers[0];
    assert_eq!((layer.read, report.skipped), (8, 7));
    assert_eq!(layer.skipped["empty_geometry"], 3);
    assert_eq!(layer.skipped["bad_position"], 2);
    assert_eq!(layer.examples.iter().find(|e| e.reason == "too_few_positions").unwrap().feature, 5);
    assert_eq!(tile(&file, 0, 0, 0)[0].features.len(), 1);
    let Err(Error::NothingUsable { features: 1, .. }) = cut(&feature("a", "null"), 0, 0) else {
        panic!("a file with nothing to draw is an error")
    };
}

#[test]
fn collections_become_one_feature_for_each_kind() {
    let geometry = r#"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[10,50]},null,
        {"type":"LineString","coordinates":[[0,0],[20,10]]},
        {"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[-10,-20]}]}]}"#;
    let (_folder, file, report) =
        cut(&collection(&[feature("a", geometry), feature("b", r#"{"type":"Point","coordinates":[60,0]}"#)]), 0, 0)
            .unwrap();
    let mut kinds: Vec<(Kind, usize)> =
        named(&file, WORLD, "a").iter().map(|f| (f.geometry.kind, f.geometry.positions.len())).collect();
    kinds.sort();
    assert_eq!(kinds, [(Kind::Point, 2), (Kind::Line, 2)]);
    assert_eq!(named(&file, WORLD, "b").len(), 1);
    assert_eq!(report.layers[0].warnings.values().sum::<u64>(), 1);
}

#[test]
fn ids_and_attributes_arrive_as_they_are() {
    let check = |id: &str, want: Option<u64>| {
        let text = feature("a", r#"{"type":"Point","coordinates":[1,2]}"#).replacen('{', &format!("{{\"id\":{id},"), 1);
        let (_folder, file, _) = cut(&text, 0, 0).unwrap();
        assert_eq!(named(&file, WORLD, "a")[0].id, want, "{id}");
    };
    for (id, want) in
        [("0", Some(0)), ("9007199254740993", Some(9_007_199_254_740_993)), ("18446744073709551615", Some(u64::MAX))]
    {
        check(id, want);
    }
    for id in ["18446744073709551616", "-1", "1.5", "\"abc\"", "true", "{}", "null"] {
        check(id, None);
    }
    let properties = r#"{"type":"Feature","properties":{"k":"a","v":null,"n":1,"d":0.1,"t":"","é":"a\u0000b","x":{"type":"Point","coordinates":[9,9]},"l":[1,"two",null],"big":18446744073709551615},"geometry":{"type":"Point","coordinates":[1,2]}}"#;
    let (_folder, file, _) = cut(properties, 0, 0).unwrap();
    let got = named(&file, WORLD, "a").remove(0).properties;
    let want = [
        ("big", Value::Uint(u64::MAX)),
        ("d", Value::Double(0.1)),
        ("k", Value::String("a".into())),
        ("l", Value::String("[1,\"two\",null]".into())),
        ("n", Value::Int(1)),
        ("t", Value::String(String::new())),
        ("x", Value::String(r#"{"type":"Point","coordinates":[9,9]}"#.into())),
        ("é", Value::String("a\0b".into())),
    ];
    assert_eq!(got, want.map(|(k, v)| (k.to_owned(), v)));
    let fields = &Reader::open(&file).unwrap().metadata().unwrap().vector_layers[0].fields;
    assert_eq!((fields.get("v"), fields["n"].as_str(), fields["é"].as_str()), (None, "Number", "String"));
}

#[test]
fn mixed_attributes_keep_their_types() {
    let typed = |v: &str| {
        feature("a", r#"{"type":"Point","coordinates":[1,2]}"#).replacen(
            "\"k\":\"a\"",
            &format!("\"k\":\"a\",\"v\":{v}"),
            1,
        )
    };
    let (_folder, file, _) = cut(&collection(&["1", "\"1\"", "true", "null"].map(typed)), 0, 0).unwrap();
    let values: Vec<Option<Value>> = named(&file, WORLD, "a")
        .into_iter()
        .map(|f| f.properties.into_iter().find(|(k, _)| k == "v").map(|(_, v)| v))
        .collect();
    assert_eq!(values.len(), 4);
    for want in [Some(Value::Int(1)), Some(Value::String("1".into())), Some(Value::Bool(true)), None] {
        assert!(values.contains(&want), "{want:?} is not in {values:?}");
    }
    assert_eq!(Reader::open(&file).unwrap().metadata().unwrap().vector_layers[0].fields["v"], "String");
}

#[test]
fn rings_are_what_they_mean() {
    // Rings, points that must be inside, points that must be outside.
    type Case<'a> = (&'a str, &'a [(f64, f64)], &'a [(f64, f64)]);
    let hole = "[20,20],[20,30],[30,30],[30,20],[20,20]";
    let check = |(rings, inside, outside): Case| {
        let (_folder, file, _) = cut(&polygon("a", rings), 0, 2).unwrap();
        let features = named(&file, WORLD, "a");
        for (points, want) in [(inside, true), (outside, false)] {
            for &(lon, lat) in points {
                let (x, y) = units(lon, lat, WORLD);
                assert_eq!(covered(&features, x, y), want, "{lon} {lat} in {rings}");
            }
        }
    };
    let around = [(5.0, 5.0), (35.0, 35.0)];
    check((&format!("[[[0,0],[40,0],[40,40],[0,40],[0,0]],[{hole}]]"), &around, &[(25.0, 25.0), (50.0, 5.0)]));
    check((&format!("[[[0,0],[0,40],[40,40],[40,0],[0,0]],[{hole}]]"), &around, &[(25.0, 25.0)]));
    check(("[[[0,0],[40,0],[40,40],[0,40]]]", &[(39.0, 39.0), (1.0, 1.0)], &[]));
    check(("[[[0,0],[40,40],[40,0],[0,40],[0,0]]]", &[(2.0, 20.0), (38.0, 20.0)], &[(20.0, 38.0), (20.0, 2.0)]));
    check(("[[[0,0],[40,0],[40,40],[0,40],[0,0]],[[60,0],[70,0],[70,10],[60,10],[60,0]]]", &around, &[(65.0, 5.0)]));
    let pinched = "[[[0,0],[40,0],[40,40],[0,40],[0,0]],[[10,10],[20,20],[10,30],[30,30],[20,20],[30,10],[10,10]]]";
    check((pinched, &[(12.0, 20.0), (28.0, 20.0), (2.0, 2.0)], &[(20.0, 12.0), (20.0, 28.0)]));
}

#[test]
fn what_collapses_is_left_out_or_enlarged_but_never_invalid() {
    let thin = collection(&[
        polygon("sliver", "[[[10,50],[12,50.0000001],[12,50],[10,50]]]"),
        polygon("spike", "[[[11,53],[12,53],[12,54],[11.5,54],[11.5,60],[11.5,54],[11,54],[11,53]]]"),
        polygon("dot", "[[[20,20],[20.0000001,20],[20.0000001,20.0000001],[20,20]]]"),
        feature("short", r#"{"type":"LineString","coordinates":[[30,30],[30.0000001,30]]}"#),
        feature("still", r#"{"type":"LineString","coordinates":[[10,40],[10,40]]}"#),
    ]);
    let (_folder, file, report) = cut(&thin, 0, 9).unwrap();
    let mut tiles = 0;
    Reader::open(&file)
        .unwrap()
        .for_each(|coord, bytes| {
            tiles += 1;
            check_tile(coord, bytes, 64);
            Ok::<_, store::Error>(())
        })
        .unwrap();
    assert!(tiles > 10);
    assert_eq!((report.skipped, report.layers[0].enlarged), (1, 3));
    let last = report.zooms.last().unwrap();
    assert_eq!(last.drawn["t"], 4, "at the largest zoom everything that has an extent is there");
}

#[test]
fn the_world_has_two_edges_and_they_meet() {
    let text = collection(&[
        polygon("beyond", "[[[170,20],[190,20],[190,40],[170,40],[170,20]]]"),
        feature("meridian", r#"{"type":"LineString","coordinates":[[180,-60],[180,60]]}"#),
        feature("p180", r#"{"type":"Point","coordinates":[180,50]}"#),
        feature("p185", r#"{"type":"Point","coordinates":[185,60]}"#),
        feature("pole", r#"{"type":"Point","coordinates":[0,89]}"#),
        polygon("cap", "[[[-180,80],[180,80],[180,90],[-180,90],[-180,80]]]"),
    ]);
    let (_folder, file, report) = cut(&text, 0, 2).unwrap();
    let beyond = named(&file, WORLD, "beyond");
    for (lon, want) in [(175.0, true), (-175.0, true), (0.0, false)] {
        let (x, y) = units(lon, 30.0, WORLD);
        assert_eq!(covered(&beyond, x, y), want, "{lon}");
    }
    for (k, x, want) in
        [("meridian", 0, 1), ("meridian", 3, 1), ("p180", 3, 1), ("p180", 0, 1), ("p185", 0, 1), ("p185", 3, 0)]
    {
        assert_eq!(named(&file, (2, x, 1), k).len(), want, "{k} in column {x}");
    }
    assert_eq!(report.layers[0].skipped["outside_mercator"], 1);
    let cap = &named(&file, WORLD, "cap")[0];
    assert!(cap.geometry.positions.iter().all(|p| p.y >= 0), "cut at 85.0511°, not moved: {cap:?}");
    let bounds = Reader::open(&file).unwrap().metadata().unwrap().bounds;
    assert_eq!((bounds.west, bounds.east), (-180.0, 180.0));
}

#[test]
fn tiles_know_each_other_at_their_edges() {
    let text = collection(&[
        feature("line", r#"{"type":"LineString","coordinates":[[-60,-30],[70,55]]}"#),
        polygon("west", "[[[0,0],[3.1,7.7],[1.3,19.1],[4.9,33.3],[-20,30],[-20,2],[0,0]]]"),
        polygon("east", "[[[0,0],[30,3],[30,30],[4.9,33.3],[1.3,19.1],[3.1,7.7],[0,0]]]"),
        feature("corner", r#"{"type":"Point","coordinates":[0,0]}"#),
    ]);
    let (_folder, file, _) = cut(&text, 0, 6).unwrap();
    // Where the line crosses x = 0 between tiles 2/1/1 and 2/2/1, both have it at the same height.
    let crossing = |x: u32, edge: i32| {
        let line = named(&file, (2, x, 1), "line").remove(0).geometry;
        let (a, b) = (line.positions[0], line.positions[line.positions.len() - 1]);
        f64::from(a.y) + f64::from(b.y - a.y) * f64::from(edge - a.x) / f64::from(b.x - a.x)
    };
    assert!((crossing(1, 4096) - crossing(2, 0)).abs() < 1.0);
    // The border of west and east is the same vertices in both, in the order of walking back.
    for z in 0..=6u8 {
        let (x, y) = (1u32 << z >> 1, (1u32 << z >> 1).saturating_sub(1));
        let border = |k: &str| {
            let rings = named(&file, (z, x, y), k);
            rings
                .iter()
                .flat_map(|f| f.geometry.positions.clone())
                .filter(|p| (0..4096).contains(&p.x) && (0..4096).contains(&p.y))
                .collect::<std::collections::BTreeSet<_>>()
        };
        let (west, east) = (border("west"), border("east"));
        assert!(west.intersection(&east).count() >= west.len().min(east.len()) / 2, "zoom {z}: {west:?} {east:?}");
    }
    // A point on the corner of four tiles is in the buffer of all of them.
    for (x, y) in [(1, 1), (2, 1), (1, 2), (2, 2)] {
        assert_eq!(named(&file, (2, x, y), "corner").len(), 1, "{x} {y}");
    }
}

#[test]
fn areas_survive_the_way() {
    let (_folder, file, _) = cut(&polygon("a", "[[[8,47],[9,47],[9,48],[8,48],[8,47]]]"), 8, 8).unwrap();
    let mut sum = 0.0;
    Reader::open(&file)
        .unwrap()
        .for_each(|coord, bytes| {
            check_tile(coord, bytes, 64);
            sum += 1.0;
            Ok::<_, store::Error>(())
        })
        .unwrap();
    assert!(sum >= 4.0);
    let (_folder, whole, _) = cut(&polygon("a", "[[[8,47],[9,47],[9,48],[8,48],[8,47]]]"), 0, 0).unwrap();
    let (left, top) = units(8.0, 48.0, WORLD);
    let (right, bottom) = units(9.0, 47.0, WORLD);
    let want = (right.round() - left.round()) * (bottom.round() - top.round());
    assert!((area(&named(&whole, WORLD, "a")[0]) - want).abs() < 1e-9);
}

#[test]
fn more_tiles_than_a_machine_holds_are_refused() {
    let around = polygon("a", "[[[-179,-80],[179,-80],[179,80],[-179,80],[-179,-80]]]");
    let result = cut(&around, 18, 18).map(|_| ());
    assert!(matches!(result, Err(Error::TooManyTiles { zoom: 18, .. })), "{result:?}");
    // Small things on both sides of the world are no large thing.
    let apart = r#"{"type":"MultiPolygon","coordinates":[[[[-170,-70],[-170,-69.9999],[-169.9999,-70],[-170,-70]]],[[[170,70],[170,70.0001],[170.0001,70],[170,70]]]]}"#;
    let (_folder, file, _) = cut(&feature("a", apart), 18, 18).unwrap();
    assert!(Reader::open(&file).unwrap().census().unwrap().tiles < 10);
}

#[test]
fn metadata_says_what_is_in_the_tiles() {
    let text = collection(&[
        polygon("l", "[[[-100,60],[100,60],[100,50],[-90,50],[-90,-50],[-100,-50],[-100,60]]]"),
        feature("p", r#"{"type":"Point","coordinates":[-122.34,47.65]}"#),
    ]);
    let (_folder, file, _) = cut(&text, 1, 3).unwrap();
    let db = rusqlite::Connection::open(&file).unwrap();
    let row = |name: &str| {
        db.query_row("SELECT value FROM metadata WHERE name = ?1", [name], |r| r.get::<_, String>(0)).unwrap()
    };
    for (name, want) in [("format", "pbf"), ("minzoom", "1"), ("maxzoom", "3"), ("name", "test")] {
        assert_eq!(row(name), want, "{name}");
    }
    let numbers = |name: &str| row(name).split(',').map(|n| n.parse::<f64>().unwrap()).collect::<Vec<_>>();
    let (bounds, center) = (numbers("bounds"), numbers("center"));
    assert!((bounds[0] + 122.34).abs() < 1e-6 && (bounds[2] - 100.0).abs() < 1e-6, "{bounds:?}");
    assert!(center[0] >= bounds[0] && center[0] <= bounds[2] && (1.0..=3.0).contains(&center[2]), "{center:?}");
    // The arms of the L leave no row for the cells between them.
    let rows = |x: u32, row: u32| {
        let count = "SELECT count(*) FROM tiles WHERE zoom_level = 3 AND tile_column = ?1 AND tile_row = ?2";
        db.query_row(count, [x, row], |r| r.get::<_, u32>(0)).unwrap()
    };
    assert_eq!((rows(5, 3), rows(1, 3)), (0, 1));
    let gzip: Vec<u8> = db.query_row("SELECT tile_data FROM tiles LIMIT 1", [], |r| r.get(0)).unwrap();
    assert_eq!(
        (&gzip[..3], &gzip[4..8], gzip[3] & 8),
        (&[0x1f, 0x8b, 8][..], &[0u8; 4][..], 0),
        "no time and no name in the gzip header"
    );
}
