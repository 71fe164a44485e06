//! Whole texts through the whole reader.

use super::super::{Batch, Error, Located, Skip, SkipReason, Summary, Warning, WarningKind};
use super::geometry::MAX_NESTING;
use super::read::{Limits, read, read_from, read_with};
use super::slices::MAX_FEATURE_BYTES;
use super::window::WINDOW_BYTES;
use crate::feature::{Feature, Id, Value};
use crate::grid::{Kind, LonLat, Parts};
use proptest::prelude::*;
use std::io::{Read, Write};
use std::sync::Mutex;

const POINT: &str = r#"{"type":"Feature","properties":{"k":"good"},"geometry":{"type":"Point","coordinates":[10,50]}}"#;

/// Everything that was delivered, in the order of the file.
fn collect(text: impl Read + Send, name: &str, limits: &Limits) -> (Result<Summary, Error>, Batch) {
    let all = Mutex::new(Batch::default());
    let result = read_with(text, name, limits, &|batch| {
        let mut all = all.lock().unwrap();
        all.features.extend(batch.features);
        all.skips.extend(batch.skips);
        all.warnings.extend(batch.warnings);
        all.bytes += batch.bytes;
    });
    let mut all = all.into_inner().unwrap();
    all.features.sort_by_key(|f| f.number);
    all.skips.sort_by_key(|s| s.number);
    all.warnings.sort_by_key(|w| (w.number, w.kind));
    if let Ok(summary) = &result {
        assert_eq!(summary.usable, all.features.len() as u64);
        assert_eq!(summary.skipped, all.skips.len() as u64);
        assert_eq!(summary.features, summary.usable + summary.skipped);
        assert_eq!(summary.bytes, all.bytes);
    }
    (result, all)
}

const WHOLE: Limits = Limits { feature: MAX_FEATURE_BYTES, window: WINDOW_BYTES };

fn all(text: impl AsRef<[u8]>) -> Batch {
    let (result, batch) = collect(text.as_ref(), "t.geojson", &WHOLE);
    result.unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(text.as_ref())));
    batch
}

fn error(text: impl AsRef<[u8]>) -> String {
    collect(text.as_ref(), "t.geojson", &WHOLE).0.expect_err(&String::from_utf8_lossy(text.as_ref())).to_string()
}

fn collection(features: &[&str]) -> String {
    format!(r#"{{"type":"FeatureCollection","features":[{}]}}"#, features.join(","))
}

fn feature(geometry: &str) -> String {
    format!(r#"{{"type":"Feature","properties":{{}},"geometry":{geometry}}}"#)
}

/// What stands for each feature: its number if it is usable, the reason if not.
fn outcome(batch: &Batch) -> Vec<String> {
    let mut list: Vec<(u64, String)> = batch.skips.iter().map(|s| (s.number, s.reason.to_string())).collect();
    list.extend(batch.features.iter().map(|f| (f.number, "ok".to_owned())));
    list.sort();
    list.into_iter().map(|(_, what)| what).collect()
}

fn kinds(batch: &Batch) -> Vec<WarningKind> {
    batch.warnings.iter().map(|w| w.kind).collect()
}

fn positions(flat: &[f64]) -> Vec<LonLat> {
    flat.chunks(2).map(|p| LonLat::new(p[0], p[1])).collect()
}

#[test]
fn every_shape_of_file() {
    let check = |text: &str, expected: usize| {
        let batch = all(text);
        assert_eq!((batch.features.len(), batch.skips.len()), (expected, 0), "{text:?}");
        for located in &batch.features {
            assert_eq!(text.as_bytes()[located.offset as usize], b'{', "{text:?}");
        }
    };
    let one = collection(&[POINT]);
    check("", 0);
    check(" \r\n", 0);
    check(&collection(&[]), 0);
    check(&one, 1);
    check(&format!("{one}\n"), 1);
    check(&collection(&[POINT, POINT]).replace(',', " ,\r\n "), 2);
    check(POINT, 1);
    check(r#"{"type":"Point","coordinates":[10,50]}"#, 1);
    check(r#"{"geometries":[{"type":"Point","coordinates":[10,50]}],"type":"GeometryCollection"}"#, 1);
    check(&format!("{POINT}\n{POINT}\r\n\n{POINT}"), 3);
    check(&format!("{POINT} {POINT}"), 2);
    check(&format!("{}\n{}", POINT.replace(',', ",\n"), POINT.replace(':', ":\n")), 2);
    check(&format!("\u{1e}{POINT}\n\u{1e}{}\n", POINT.replace(',', ",\n")), 2);
    check(&format!("{POINT}\n\u{1e}{POINT}\n"), 2);
    check(&format!("{POINT}\n{}\n{one}", collection(&[POINT, POINT])), 4);
    check(&format!("{}\n{POINT}", collection(&[POINT, POINT])), 3);
}

#[test]
fn a_mark_at_the_start_and_gzip_change_nothing() {
    let text = collection(&[POINT, POINT]);
    let plain = all(&text);
    let marked = all(format!("\u{feff}{text}"));
    assert_eq!(plain.features[0].feature, marked.features[0].feature);
    assert_eq!(plain.features[1].offset + 3, marked.features[1].offset);

    let mut packed = Vec::new();
    // Two members, one after another: RFC 1952 allows it, and `cat a.gz b.gz` makes it.
    for half in [&text[..50], &text[50..]] {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(half.as_bytes()).unwrap();
        packed.extend(encoder.finish().unwrap());
    }
    let unpacked = all(&packed);
    assert_eq!(unpacked.features, plain.features);
    assert_eq!(unpacked.bytes, packed.len() as u64);
    let cut = error(&packed[..packed.len() - 9]);
    assert!(cut.contains("ends too early") || cut.contains("cannot"), "{cut}");
    packed[45] ^= 0xff;
    assert!(error(&packed).starts_with("t.geojson: "));
}

#[test]
fn members_come_in_any_order_and_foreign_ones_do_not_count() {
    let pad = "x".repeat(3 * WINDOW_BYTES);
    let late = format!(
        r#"{{"properties":{{"k":"late","pad":"{pad}"}},"id":3,"geometry":{{"coordinates":[10,50],"type":"Point"}},"type":"Feature"}}"#
    );
    let text = format!(
        r#"{{"pad":{{"features":[{POINT}],"type":"FeatureCollection"}},"x":[{POINT}],"s":"\"features\":[{{","features":[{late}],"bbox":[1,2,3,4],"type":"FeatureCollection"}}"#
    );
    let batch = all(text);
    assert_eq!(outcome(&batch), ["ok"]);
    assert_eq!(batch.features[0].feature.id, Id::Number(3));
    assert_eq!(batch.features[0].feature.get("k"), Some(&Value::String("late".into())));
    assert_eq!(batch.features[0].feature.geometry[0].positions, positions(&[10.0, 50.0]));
    // A feature's own foreign members of these names.
    let odd =
        POINT.replace("\"type\":\"Feature\",", r#""type":"Feature","features":[{}],"coordinates":"x","geometries":0,"#);
    assert_eq!(outcome(&all(&odd)), ["ok"]);
    assert_eq!(outcome(&all(collection(&[&odd, POINT]))), ["ok", "ok"]);
    let escaped = collection(&[POINT]).replace("features", "f\\u0065atures");
    assert_eq!(outcome(&all(escaped)), ["ok"]);
    // Nested values that look like geometry are attributes.
    let nested = POINT.replace("\"good\"", r#"{"type":"LineString","coordinates":[[0,0],[1,1]]}"#);
    let batch = all(collection(&[&nested]));
    let text = r#"{"type":"LineString","coordinates":[[0,0],[1,1]]}"#;
    assert_eq!(batch.features[0].feature.get("k"), Some(&Value::String(text.into())));
}

#[test]
fn every_reason_to_skip() {
    use SkipReason as R;
    let check = |text: &str, expected: SkipReason| {
        let batch = all(collection(&[POINT, text, POINT]));
        assert_eq!(outcome(&batch), ["ok", expected.name(), "ok"], "{text}");
        assert_eq!((batch.skips[0].number, batch.features[1].number), (2, 3), "{text}");
        assert!(!batch.skips[0].detail.is_empty());
    };
    let geometry = |text: &str, expected| check(&feature(text), expected);
    geometry("null", R::NullGeometry);
    for empty in [
        r#"{"type":"Point","coordinates":[]}"#,
        r#"{"type":"MultiPoint","coordinates":[]}"#,
        r#"{"type":"LineString","coordinates":[]}"#,
        r#"{"type":"MultiLineString","coordinates":[[]]}"#,
        r#"{"type":"Polygon","coordinates":[]}"#,
        r#"{"type":"Polygon","coordinates":[[],[]]}"#,
        r#"{"type":"MultiPolygon","coordinates":[[],[[]]]}"#,
        r#"{"type":"GeometryCollection","geometries":[]}"#,
        r#"{"type":"GeometryCollection","geometries":[null]}"#,
    ] {
        geometry(empty, R::EmptyGeometry);
    }
    check(r#"{"type":"Feature","properties":{}}"#, R::NoGeometryMember);
    geometry("[1,2]", R::BadGeometry);
    geometry(r#""POINT (1 2)""#, R::BadGeometry);
    geometry(r#"{"type":"Point"}"#, R::BadGeometry);
    geometry(r#"{"type":"GeometryCollection","coordinates":[]}"#, R::BadGeometry);
    geometry(r#"{"type":"GeometryCollection","geometries":{}}"#, R::BadGeometry);
    geometry(r#"{"type":"GeometryCollection","geometries":[5]}"#, R::BadGeometry);
    geometry("{}", R::UnknownGeometryType);
    geometry(r#"{"type":"Circle","coordinates":[1,2]}"#, R::UnknownGeometryType);
    geometry(r#"{"type":"point","coordinates":[1,2]}"#, R::UnknownGeometryType);
    geometry(r#"{"type":null,"coordinates":[1,2]}"#, R::UnknownGeometryType);
    for other in ["null", "5", "[]", "\"x\"", "{}", r#"{"type":"Topology"}"#, r#"{"type":5}"#, &collection(&[POINT])] {
        check(other, R::NotAFeature);
    }
    for point in ["[10]", r#"["10","50"]"#, "[10,null]", "[[10,50]]", "10", "null", "{}", "[true,1]", "[10,\"50\"]"] {
        geometry(&format!(r#"{{"type":"Point","coordinates":{point}}}"#), R::BadPosition);
        geometry(&format!(r#"{{"coordinates":{point},"type":"Point"}}"#), R::BadPosition);
    }
    for line in ["[[]]", "[[1,2],[]]", "[1,2]", "[[[1,2],[3,4]]]", "[[1,2],null]"] {
        geometry(&format!(r#"{{"type":"LineString","coordinates":{line}}}"#), R::BadPosition);
    }
    for point in
        ["[1113194.9,6446275.8]", "[0,90.0000001]", "[0,-91]", "[1080.5,0]", "[-1081,0]", "[1e400,0]", "[0,-1e400]"]
    {
        geometry(&format!(r#"{{"type":"Point","coordinates":{point}}}"#), R::OutOfRange);
    }
    for (kind, few) in [
        ("LineString", "[[10,50]]"),
        ("MultiLineString", "[[[10,50]],[]]"),
        ("Polygon", "[[[50,0],[50,0],[50,0],[50,0]]]"),
        ("Polygon", "[[[80,0],[81,1],[80,0]]]"),
        ("Polygon", "[[[80,0],[81,1],[80,0],[81,1]]]"),
        ("Polygon", "[[],[[0,0],[1,0],[1,1],[0,0]]]"),
        ("MultiPolygon", "[[[[80,0]]]]"),
    ] {
        geometry(&format!(r#"{{"type":"{kind}","coordinates":{few}}}"#), R::TooFewPositions);
    }
    for point in ["[NaN,1]", "[1,Infinity]", "[01,2]", "[1.,2]", "[1,2,]", "[1 2]", "[1,2", "[+1,2]", "[.5,1]"] {
        geometry(&format!(r#"{{"type":"Point","coordinates":{point}}}"#), R::BadJson);
    }
    check(&POINT.replace("good", "a\\ud800b"), R::BadJson);
    check(&POINT.replace("good", "a\\x"), R::BadJson);
    check(&POINT.replace("good", "a\tb"), R::BadJson);
    check(&POINT.replace("\"k\"", "\"type\":1,k"), R::BadJson);
    check(&POINT.replace("\"type\":\"Feature\"", r#""type":"Feature","type":"Feature""#), R::BadJson);
    check(&feature(r#"{"type":"Point","coordinates":[1,2],"coordinates":[3,4]}"#), R::BadJson);
}

#[test]
fn text_that_is_not_utf8_costs_its_feature() {
    let mut text = collection(&[POINT, &POINT.replace("good", "caf#"), POINT]).into_bytes();
    let bad = text.iter().position(|b| *b == b'#').unwrap();
    text[bad] = 0xe9;
    let batch = all(&text);
    assert_eq!(outcome(&batch), ["ok", "bad_utf8", "ok"]);
    let said: u64 = batch.skips[0].detail.rsplit(' ').next().unwrap().parse().unwrap();
    assert_eq!(batch.skips[0].offset + said, bad as u64);
}

#[test]
fn a_broken_line_costs_only_itself() {
    let check = |lines: &[&str], name: &str, expected: &[&str]| {
        let (result, batch) = collect(lines.join("\n").as_bytes(), name, &WHOLE);
        result.unwrap_or_else(|e| panic!("{e}: {lines:?}"));
        assert_eq!(outcome(&batch), expected, "{lines:?}");
    };
    let short = &POINT[..POINT.len() - 1];
    check(&[POINT, short, POINT], "a", &["ok", "bad_json", "ok"]);
    check(&[POINT, "\"", POINT], "a", &["ok", "bad_json", "ok"]);
    check(&[POINT, "lon,lat", "[1,2]", POINT], "a", &["ok", "bad_json", "not_a_feature", "ok"]);
    check(&[POINT, &format!("{POINT},"), POINT], "a", &["ok", "bad_json", "ok"]);
    check(&[POINT, &format!("{POINT} {POINT}"), POINT], "a", &["ok", "bad_json", "ok"]);
    check(&[POINT, &collection(&[POINT, POINT]).replace("},{", "}{"), POINT], "a", &["ok", "ok", "bad_json", "ok"]);
    check(&[POINT, r#"{"type":"FeatureCollection"}"#, POINT], "a", &["ok", "bad_json", "ok"]);
    check(&[POINT, &POINT.replace("good", "FeatureCollection"), POINT], "a", &["ok", "ok", "ok"]);
    // Nothing in the first line says that there are lines: the name does.
    check(&[short, POINT, POINT], "a.geojsonl", &["bad_json", "ok", "ok"]);
    check(&[short, POINT, POINT], "a.NDJSON.gz", &["bad_json", "ok", "ok"]);
    check(&[&POINT.replace(',', ",\n"), POINT], "a.geojsonl", &["ok", "ok"]);
    check(&["\u{1e}", &format!("\u{1e}{short}\u{1e}{POINT}")], "a", &["bad_json", "ok"]);
}

#[test]
fn what_ends_the_reading() {
    let check = |text: &str, expected: &str| {
        let message = error(text);
        assert!(message.contains(expected), "{text}: {message}");
    };
    let two = collection(&[POINT, POINT]);
    let second = two.rfind("{\"type\":\"Feature\"").unwrap();
    for end in 1..two.len() {
        check(&two[..end], "ends too early");
        let (_, batch) = collect(&two.as_bytes()[..end], "t", &WHOLE);
        assert_eq!(
            batch.features.len(),
            usize::from(end >= second - 1) + usize::from(end >= second + POINT.len()),
            "{end}"
        );
    }
    check(&two[..two.len() - 2], &format!("at byte {} of the text", two.len() - 2));
    check(&two[..two.len() - 2], "2 features were found before");
    check(&format!("{POINT}\n{}", &POINT[..40]), "ends too early");
    check(&format!("{two}]"), "expected an object or the end, found ']'");
    check(&format!("{two}x"), "not JSON");
    check(&two.replace("},{", "} {"), "expected ',' or ']', found '{'");
    check(&two.replace("},{", "},,{"), "expected a value");
    check(&two.replace("}]", "},]"), "expected a value");
    check("[1]", "does not begin with '{'");
    check("hello", "does not begin with '{'");
    check("<gml/>", "XML");
    check("{a:1}", "expected a member's name");
    check(r#"{"type" "Feature"}"#, "expected ':'");
    check(r#"{"type":"FeatureCollection"}"#, "without an array \"features\"");
    check(r#"{"type":"FeatureCollection","features":{}}"#, "without an array \"features\"");
    check(r#"{"features":[]}"#, "lacks \"type\"");
    check(r#"{"features":[],"type":"Feature"}"#, "stands before the type \"Feature\"");
    let none = read(std::path::Path::new("does/not/exist.geojson"), &|_| {}).unwrap_err();
    assert_eq!(none.to_string(), "does/not/exist.geojson: cannot open");
}

#[test]
fn only_wgs84_is_taken_for_degrees() {
    let crs = |name: &str| format!(r#""crs":{{"type":"name","properties":{{"name":"{name}"}}}}"#);
    let before = |name: &str| collection(&[POINT]).replacen(',', &format!(",{},", crs(name)), 1);
    let own = |name: &str| collection(&[&POINT.replacen(',', &format!(",{},", crs(name)), 1)]);
    for good in ["urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326"] {
        assert_eq!(all(before(good)).features[0].feature.geometry[0].positions, positions(&[10.0, 50.0]));
    }
    for text in [before("urn:ogc:def:crs:EPSG::3857"), own("EPSG:3857"), format!("{POINT}\n{}", before("EPSG:3857"))] {
        let message = error(&text);
        assert!(
            message.contains("3857") && message.contains("hint: `ogr2ogr -t_srs EPSG:4326 out.geojson in.geojson`"),
            "{message}"
        );
    }
    let late = format!(r#"{{"features":[{POINT}],{},"type":"FeatureCollection"}}"#, crs("EPSG:25832"));
    assert!(error(late).contains("\"EPSG:25832\""));
    assert_eq!(all(collection(&[POINT]).replacen(',', ",\"crs\":null,", 1)).features.len(), 1);
}

#[test]
fn positions_keep_two_elements() {
    let batch = all(collection(&[
        &feature(r#"{"type":"Point","coordinates":[10,50,400.5]}"#),
        &feature(r#"{"type":"Point","coordinates":[12,50,400,null,{"m":1}]}"#),
        &feature(r#"{"type":"Polygon","coordinates":[[[30,10,0],[50,10,5],[50,30],[30,30,9],[30,10,0]]]}"#),
        &feature(r#"{"type":"MultiPoint","coordinates":[[-541,65],[1080,90],[-1080,-90],[1e1,-0.5E-1]]}"#),
    ]));
    let found = |n: usize| batch.features[n].feature.geometry[0].positions.clone();
    assert_eq!(found(0), positions(&[10.0, 50.0]));
    assert_eq!(found(1), positions(&[12.0, 50.0]));
    assert_eq!(found(2), positions(&[30.0, 10.0, 50.0, 10.0, 50.0, 30.0, 30.0, 30.0]));
    assert_eq!(found(3), positions(&[-541.0, 65.0, 1080.0, 90.0, -1080.0, -90.0, 10.0, -0.05]));
}

#[test]
fn rings_are_open_and_stay_in_order() {
    use WarningKind::{DegenerateRing, NoExterior, UnclosedRing};
    let check = |polygons: &str, paths: &[u32], ends: &[u32], warnings: &[WarningKind]| {
        let batch = all(feature(&format!(r#"{{"type":"MultiPolygon","coordinates":{polygons}}}"#)));
        assert_eq!(kinds(&batch), warnings, "{polygons}");
        let parts = &batch.features[0].feature.geometry[0];
        assert_eq!((parts.kind, &parts.paths[..], &parts.polygons[..]), (Kind::Polygon, paths, ends), "{polygons}");
        assert_eq!(parts.positions.len(), *paths.last().unwrap() as usize);
    };
    let outer = "[[0,0],[40,0],[40,40],[0,40],[0,0]]";
    let hole = "[[10,10],[10,30],[30,30],[10,10]]";
    check(&format!("[[{outer},{hole}]]"), &[4, 7], &[2], &[]);
    check(&format!("[[{hole},{outer}],[{hole}]]"), &[3, 7, 10], &[2, 3], &[]);
    check("[[[[0,0],[20,0],[20,20],[0,20]]]]", &[4], &[1], &[UnclosedRing]);
    check("[[[[40,0],[60,0],[60,20],[40,20],[40,0],[40,0]]]]", &[4], &[1], &[]);
    check(&format!("[[{outer},[[1,1],[2,2],[1,1]]]]"), &[4], &[1], &[DegenerateRing]);
    check(&format!("[[{outer},[]],[]]"), &[4], &[1], &[]);
    check(&format!("[[[[1,1],[2,2],[1,1]],{hole}],[{outer}]]"), &[4], &[1], &[DegenerateRing, NoExterior]);
    check(&format!("[[[],{hole}],[{outer}]]"), &[4], &[1], &[NoExterior]);
    // Repeated positions may stay, a ring of three different ones is one.
    check("[[[[0,0],[0,0],[1,0],[1,1],[0,0]]]]", &[4], &[1], &[]);
}

#[test]
fn lines_of_one_position_are_left_out() {
    let batch =
        all(feature(r#"{"type":"MultiLineString","coordinates":[[[0,0]],[[0,10],[20,10]],[[5,5]],[[1,1],[1,1]]]}"#));
    assert_eq!(batch.features[0].feature.geometry[0].paths, [2, 4]);
    assert_eq!(kinds(&batch), [WarningKind::DegenerateLine]);
    assert_eq!(batch.warnings[0].count, 2);
}

#[test]
fn collections_become_one_list_for_each_kind() {
    let text = r#"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[10,50]},
        {"type":"Polygon","coordinates":[[[30,10],[50,10],[50,30],[30,10]]]},null,
        {"type":"LineString","coordinates":[[0,0],[20,10]]},
        {"geometries":[{"coordinates":[-10,-20],"type":"Point"},{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}],"type":"GeometryCollection"}]}"#;
    let batch = all(collection(&[&feature(text), POINT]));
    assert_eq!(outcome(&batch), ["ok", "ok"]);
    assert_eq!(kinds(&batch), [WarningKind::NullMember]);
    let geometry = &batch.features[0].feature.geometry;
    assert_eq!(geometry.iter().map(|p| p.kind).collect::<Vec<_>>(), [Kind::Point, Kind::Line, Kind::Polygon]);
    assert_eq!(geometry[0].positions, positions(&[10.0, 50.0, -10.0, -20.0]));
    assert_eq!((&geometry[2].paths[..], &geometry[2].polygons[..]), (&[3, 6][..], &[1, 2][..]));
}

#[test]
fn nesting_ends_somewhere() {
    // Members in both orders: the slow one must not cost more than its depth.
    for (open, close) in [
        (r#"{"type":"GeometryCollection","geometries":["#, "]}"),
        (r#"{"geometries":["#, r#"],"type":"GeometryCollection"}"#),
    ] {
        let nested = |depth: usize| {
            feature(&format!(
                "{}{}{}",
                open.repeat(depth),
                r#"{"type":"Point","coordinates":[1,2]}"#,
                close.repeat(depth)
            ))
        };
        assert_eq!(outcome(&all(nested(MAX_NESTING - 1))), ["ok"]);
        assert_eq!(outcome(&all(nested(MAX_NESTING))), ["too_deep"]);
        assert_eq!(outcome(&all(nested(100_000))), ["too_deep"]);
    }
    let deep = "[".repeat(500_000) + &"]".repeat(500_000);
    assert_eq!(outcome(&all(feature(&format!(r#"{{"type":"Polygon","coordinates":{deep}}}"#)))), ["bad_position"]);
    assert_eq!(outcome(&all(POINT.replace("\"good\"", &deep))), ["ok"]);
}

#[test]
fn one_feature_may_be_so_large_and_no_larger() {
    let text = collection(&[POINT, &POINT.replace("good", "good!"), POINT]);
    for window in [1, 7, WINDOW_BYTES] {
        let (result, batch) = collect(text.as_bytes(), "t", &Limits { feature: POINT.len(), window });
        result.unwrap();
        assert_eq!(outcome(&batch), ["ok", "too_large", "ok"]);
        let lines = format!("{POINT}\n{} \n{POINT}\n", POINT.replace("good", "good!"));
        let (result, batch) = collect(lines.as_bytes(), "t", &Limits { feature: POINT.len(), window });
        result.unwrap();
        assert_eq!(outcome(&batch), ["ok", "too_large", "ok"]);
    }
    // What stands before the features of a collection is no feature, however long.
    let padded = collection(&[POINT]).replacen('{', &format!("{{\"pad\":\"{}\",", "x".repeat(500)), 1);
    let (result, batch) = collect(padded.as_bytes(), "t", &Limits { feature: POINT.len(), window: 64 });
    result.unwrap();
    assert_eq!(outcome(&batch), ["ok"]);
}

#[test]
fn ids_that_no_tile_carries_are_said() {
    let with = |id: &str| POINT.replacen(',', &format!(",\"id\":{id},"), 1);
    let batch = all(collection(&[&with("0"), &with("18446744073709551615"), &with("\"abc\""), &with("-1"), POINT]));
    let ids: Vec<_> = batch.features.iter().map(|f| f.feature.id.clone()).collect();
    let unusable = |text: &str| Id::Unusable(text.into());
    assert_eq!(ids, [Id::Number(0), Id::Number(u64::MAX), unusable("abc"), unusable("-1"), Id::None]);
    assert_eq!(kinds(&batch), [WarningKind::UnusableId; 2]);
    assert_eq!(batch.warnings.iter().map(|w| w.number).collect::<Vec<_>>(), [3, 4]);
}

#[test]
fn many_batches_arrive_complete() {
    // Some 4 MB of features, and more broken ones than a batch takes.
    let n = 40_000;
    let text = format!("{}{}", format!("{POINT}\n").repeat(n), "null\n".repeat(n));
    let batches = Mutex::new((0, Vec::new()));
    let summary = read_from(text.as_bytes(), "t", &|batch| {
        let mut batches = batches.lock().unwrap();
        batches.0 += 1;
        batches.1.extend(batch.features.iter().map(|f| f.number).chain(batch.skips.iter().map(|s| s.number)));
    })
    .unwrap();
    let (count, mut numbers) = batches.into_inner().unwrap();
    numbers.sort_unstable();
    assert!(count > 4, "{count} batches");
    assert!(numbers.iter().copied().eq(1..=2 * n as u64));
    let n = n as u64;
    let length = text.len() as u64;
    assert_eq!(summary, Summary { features: 2 * n, usable: n, skipped: n, bytes: length, text_bytes: length });
}

#[test]
fn one_thread_is_enough() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let text = format!("{POINT}\n").repeat(100_000);
    let summary = pool.install(|| read_from(text.as_bytes(), "t", &|_| {})).unwrap();
    assert_eq!(summary.usable, 100_000);
}

/// A reader that gives its bytes in pieces of one size.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.1.min(self.0.len()).min(buffer.len());
        buffer[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

fn position() -> impl Strategy<Value = LonLat> {
    (-1080.0..=1080.0f64, -90.0..=90.0f64).prop_map(|(lon, lat)| LonLat::new(lon, lat))
}

fn path(min: usize) -> impl Strategy<Value = Vec<LonLat>> {
    prop::collection::vec(position(), min..min + 5)
}

/// A feature and the members that it is written from, in any order.
fn any_feature() -> impl Strategy<Value = (Feature, String)> {
    let points = path(1).prop_map(|positions| Parts { positions, ..Parts::new(Kind::Point) });
    let lines = prop::collection::vec(path(2), 1..4).prop_map(|paths| {
        let mut parts = Parts::new(Kind::Line);
        for path in paths {
            parts.push_path(path);
        }
        parts
    });
    let polygons = prop::collection::vec(prop::collection::vec(path(3), 1..4), 1..4).prop_map(|polygons| {
        let mut parts = Parts::new(Kind::Polygon);
        for rings in polygons {
            for ring in rings {
                parts.push_path(ring);
            }
            parts.end_polygon();
        }
        parts
    });
    let value = prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (i64::MAX as u64 + 1..).prop_map(Value::Uint),
        any::<f64>().prop_filter("finite", |v| v.is_finite()).prop_map(Value::Double),
        any::<String>().prop_map(Value::String),
    ];
    let properties = prop::collection::btree_map(any::<String>(), value, 0..5);
    let id = prop_oneof![Just(Id::None), any::<u64>().prop_map(Id::Number)];
    (prop_oneof![points, lines, polygons], properties, id, Just([0, 1, 2, 3]).prop_shuffle(), any::<bool>()).prop_map(
        |(parts, properties, id, order, type_first)| {
            let feature = Feature { id, geometry: vec![parts], properties: properties.into_iter().collect() };
            let text = write(&feature, order, type_first);
            (feature, text)
        },
    )
}

fn write(feature: &Feature, order: [usize; 4], type_first: bool) -> String {
    let list = |items: Vec<String>| format!("[{}]", items.join(","));
    let one = |p: &LonLat| format!("[{:?},{:?}]", p.lon, p.lat);
    let parts = &feature.geometry[0];
    let path = |p: &[LonLat]| list(p.iter().map(one).collect());
    let ring = |p: &[LonLat]| list(p.iter().chain(&p[..1]).map(one).collect());
    let (kind, coordinates) = match parts.kind {
        Kind::Point if parts.positions.len() == 1 => ("Point", one(&parts.positions[0])),
        Kind::Point => ("MultiPoint", path(&parts.positions)),
        Kind::Line => ("MultiLineString", list(parts.paths().map(path).collect())),
        Kind::Polygon => {
            let polygon = |range: std::ops::Range<usize>| list(range.map(|i| ring(parts.path(i))).collect());
            ("MultiPolygon", list(parts.polygons().map(polygon).collect()))
        }
    };
    let (kind, coordinates) = (format!(r#""type":"{kind}""#), format!(r#""coordinates":{coordinates}"#));
    let geometry = if type_first { [kind, coordinates] } else { [coordinates, kind] };
    let text = |text: &str| serde_json::to_string(text).unwrap();
    let properties = feature.properties.iter().map(|(name, value)| {
        let value = match value {
            Value::Bool(v) => v.to_string(),
            Value::Int(v) => v.to_string(),
            Value::Uint(v) => v.to_string(),
            Value::Double(v) => format!("{v:?}"),
            Value::String(v) => text(v),
        };
        format!("{}:{value}", text(name))
    });
    let id = if let Id::Number(id) = feature.id { id.to_string() } else { "null".to_owned() };
    let members = [
        r#""type":"Feature""#.to_owned(),
        format!(r#""geometry":{{{}}}"#, geometry.join(",")),
        format!(r#""properties":{{{}}}"#, properties.collect::<Vec<_>>().join(",")),
        format!(r#""id":{id}"#),
    ];
    format!("{{{}}}", order.map(|i| members[i].clone()).join(","))
}

fn numbered(batch: &Batch) -> Vec<&Feature> {
    batch.features.iter().map(|Located { feature, .. }| feature).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn features_come_back_from_every_shape(features in prop::collection::vec(any_feature(), 1..6), size in 1usize..200) {
        let texts: Vec<&str> = features.iter().map(|(_, text)| text.as_str()).collect();
        let expected: Vec<&Feature> = features.iter().map(|(feature, _)| feature).collect();
        let sequence = format!("\u{1e}{}\n", texts.join("\n\u{1e}"));
        for text in [collection(&texts), texts.join("\n"), sequence, texts.join(" ")] {
            let whole = all(&text);
            prop_assert_eq!(numbered(&whole), &expected[..]);
            prop_assert!(whole.skips.is_empty() && whole.warnings.is_empty());
            let (_, pieces) = collect(Pieces(text.as_bytes(), size), "t", &WHOLE);
            prop_assert_eq!(&pieces, &whole);
            let (_, windows) = collect(text.as_bytes(), "t", &Limits { window: size, ..WHOLE });
            prop_assert_eq!(&windows, &whole);
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = collect(&bytes[..], "t", &WHOLE);
        let _ = super::parse_feature(&bytes);
        let _ = collect(&[b"{\"features\":[", &bytes[..]].concat()[..], "t", &WHOLE);
        let _ = collect(&[b"\x1e", &bytes[..]].concat()[..], "t.geojsonl", &WHOLE);
    }

    #[test]
    fn damage_is_found_or_harmless(
        (_, text) in any_feature(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, any::<u8>()), 1..4),
        size in 1usize..100,
    ) {
        let mut bytes = collection(&[&text, POINT]).into_bytes();
        for (at, how, byte) in damage {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                _ => bytes[at] = b"{}[]\",:0"[usize::from(byte % 8)],
            }
        }
        let (one, whole) = collect(&bytes[..], "t", &WHOLE);
        let (two, pieces) = collect(Pieces(&bytes, size), "t", &WHOLE);
        prop_assert_eq!(whole, pieces);
        prop_assert_eq!(one.map_err(|e| e.to_string()), two.map_err(|e| e.to_string()));
    }
}

/// The shapes that the rest of the crate relies on.
#[test]
fn problems_have_places() {
    let text = collection(&[POINT, &feature("null")]);
    let batch = all(&text);
    let Skip { number, offset, .. } = batch.skips[0];
    assert_eq!((number, offset), (2, text.rfind("{\"type\":\"Feature\"").unwrap() as u64));
    let open = feature(r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1]]]}"#);
    let Warning { number, offset, ref detail, .. } = all(format!("{POINT}\n{open}")).warnings[0];
    assert_eq!((number, offset), (2, POINT.len() as u64 + 1));
    assert!(detail.contains("[0, 0]"), "{detail}");
}
