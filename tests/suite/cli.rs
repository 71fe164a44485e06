//! The program itself: what it prints, where, and how it ends.

use std::path::Path;
use std::process::{Command, Output};

fn immutile(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_immutile"))
        .args(args)
        .current_dir(folder)
        .env_remove("IMMUTILE_STORE")
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const POINT: &str = r#"{"type":"Feature","properties":{"k":"a"},"geometry":{"type":"Point","coordinates":[10,50]}}"#;

#[test]
fn build_publish_versions() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.geojson"), POINT).unwrap();
    let run = |args: &[&str]| {
        let output = immutile(folder.path(), args);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let report: serde_json::Value =
        serde_json::from_str(&run(&["build", "a.geojson", "-o", "a.mbtiles", "--maxzoom", "2", "--json"])).unwrap();
    assert_eq!((&report["tiles"], &report["layers"][0]["id"]), (&3.into(), &"a".into()));
    let publish = ["publish", "a.mbtiles", "--tileset", "world", "--json"];
    let first: serde_json::Value = serde_json::from_str(&run(&publish)).unwrap();
    assert_eq!((&first["version"], &first["published"], &first["tileset"]), (&1.into(), &true.into(), &"world".into()));
    let again: serde_json::Value = serde_json::from_str(&run(&publish)).unwrap();
    assert_eq!(
        (&again["version"], &again["published"], &again["digest"]),
        (&1.into(), &false.into(), &report["digest"])
    );
    let list: serde_json::Value = serde_json::from_str(&run(&["versions", "world", "--json"])).unwrap();
    assert_eq!((&list["current"], &list["versions"][0]["version"]), (&1.into(), &1.into()));
}

#[test]
fn wrong_use_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.geojson"), POINT).unwrap();
    std::fs::write(folder.path().join("null.geojson"), r#"{"type":"Feature","properties":{},"geometry":null}"#)
        .unwrap();
    let check = |args: &[&str], code: i32, want: &[&str]| {
        let output = immutile(folder.path(), args);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {message}");
        assert!(output.stdout.is_empty(), "{args:?} printed {}", text(&output.stdout));
        for part in want {
            assert!(message.contains(part), "{args:?}: {message}");
        }
    };
    check(&["build"], 2, &["--output"]);
    check(&["build", "none.geojson", "-o", "x.mbtiles"], 1, &["none.geojson", "No such file"]);
    check(&["build", "a.geojson", "-o", "x.mbtiles", "--layer", ""], 1, &["empty name", "hint:"]);
    check(
        &["build", "null.geojson", "-o", "x.mbtiles"],
        1,
        &["null.geojson", "none of its 1 features", "null_geometry"],
    );
    check(&["build", "a.geojson", "-o", "x.mbtiles", "--maxzoom", "21"], 1, &["above 20"]);
    check(&["build", "a.geojson", "-o", "none/x.mbtiles"], 1, &["none/"]);
    check(&["publish", "a.geojson", "--tileset", "world"], 1, &["a.geojson", "hint:"]);
    check(&["publish", "x.mbtiles", "--tileset", "v8"], 2, &["v8"]);
    check(&["versions", "nowhere"], 1, &["nowhere"]);
    check(&["serve", "--public-url", "tiles"], 2, &["--public-url", "hint:"]);
    assert!(!folder.path().join("x.mbtiles").exists(), "a failed build leaves nothing");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "not even a temporary file");
}

#[test]
fn strict_fails_and_keeps_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let two = format!("{POINT}\n{{\"type\":\"Feature\",\"properties\":{{}},\"geometry\":null}}\n");
    std::fs::write(folder.path().join("a.geojsonl"), two).unwrap();
    std::fs::write(folder.path().join("a.mbtiles"), "kept").unwrap();
    let output = immutile(folder.path(), &["build", "a.geojsonl", "-o", "a.mbtiles", "--strict"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("null_geometry"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_to_string(folder.path().join("a.mbtiles")).unwrap(), "kept");
}

#[test]
fn standard_input_is_a_source() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_immutile"))
        .args(["build", "-", "--layer", "t", "-o", "x.mbtiles", "--maxzoom", "0", "--json"])
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), POINT.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["tiles"], 1);
}

#[test]
fn help_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["demo", "build", "publish", "serve", "versions"] {
        let output = immutile(folder.path(), &[command, "--help"]);
        let help = text(&output.stdout);
        assert!(output.status.success() && help.contains("Usage: immutile"), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    }
}
