//! The house keeps its floors: a room imports only from lower ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Rooms from the ground up; rooms of one floor do not know each other.
const FLOORS: [&[&str]; 8] = [
    &["grid"],
    &["tile", "feature"],
    &["source", "cut", "encode", "tilejson"],
    &["store"],
    &["tileset"],
    &["build", "publish", "serve"],
    &["ops"],
    &["cli"],
];

/// Crates that may be named in some rooms only.
const FENCED: [(&str, &[&str]); 9] = [
    ("rusqlite", &["store"]),
    ("actix_web", &["serve"]),
    ("actix_http", &["serve"]),
    ("moka", &["serve"]),
    ("clap", &["cli"]),
    ("anyhow", &["cli"]),
    ("i_overlay", &["cut"]),
    ("rstar", &["cut"]),
    ("indicatif", &["cli"]),
];

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

fn source_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            source_files(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

/// Every file of a room with the room's name; `lib.rs` and `main.rs` belong to none.
fn rooms() -> BTreeMap<PathBuf, String> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&src, &mut files);
    files
        .into_iter()
        .filter_map(|path| {
            let inside = path.strip_prefix(&src).unwrap();
            let first = inside.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
            let room = first.trim_end_matches(".rs").to_owned();
            (room != "lib" && room != "main").then_some((path, room))
        })
        .collect()
}

/// Names that follow `crate::` in a line of code, also inside braces: `use crate::{a, b::c}`.
fn imports(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for rest in code.split("crate::").skip(1) {
        let list = rest.strip_prefix('{').map_or(rest, |group| group.split("};").next().unwrap());
        let mut depth = 0;
        let mut name = String::new();
        let grouped = rest.starts_with('{');
        for c in list.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                c if depth == 0 && (c.is_alphanumeric() || c == '_') => {
                    name.push(c);
                    continue;
                }
                ',' if depth == 0 && grouped => {
                    found.push(std::mem::take(&mut name));
                    continue;
                }
                _ if !grouped => break,
                _ => {}
            }
            if depth == 0 && !name.is_empty() && !c.is_whitespace() {
                found.push(std::mem::take(&mut name));
            }
            if depth < 0 {
                break;
            }
        }
        found.push(name);
    }
    found.retain(|name| floor(name).is_some());
    found
}

/// What a file imports against the rules, in words.
fn faults(room: &str, code: &str) -> Vec<String> {
    let Some(own) = floor(room) else { return vec![format!("room `{room}` has no floor")] };
    let mut faults = Vec::new();
    for import in imports(code) {
        let other = floor(&import).unwrap();
        if import != room && other >= own {
            let way = if other == own { "sideways" } else { "up" };
            faults.push(format!("`{room}` (floor {own}) imports `{import}` (floor {other}): {way}"));
        }
    }
    for (name, allowed) in FENCED {
        let named = code.contains(&format!("{name}::"));
        if named && !allowed.contains(&room) {
            faults.push(format!("`{room}` names the crate `{name}`, which lives in {allowed:?}"));
        }
    }
    faults
}

#[test]
fn rooms_import_from_lower_floors_only() {
    let rooms = rooms();
    assert!(rooms.len() > 50, "the rooms were not found");
    for room in FLOORS.iter().copied().flatten() {
        assert!(rooms.values().any(|r| r == room), "no file belongs to `{room}`");
    }
    let mut all = Vec::new();
    for (path, room) in &rooms {
        let code = fs::read_to_string(path).unwrap();
        all.extend(faults(room, &code).into_iter().map(|fault| format!("{}: {fault}", path.display())));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn the_check_itself_finds_faults() {
    let check = |room: &str, code: &str, want: &[&str]| assert_eq!(faults(room, code), want, "{code}");
    check("cut", "use crate::grid::Point;", &[]);
    check("cut", "use crate::encode::pack;", &["`cut` (floor 2) imports `encode` (floor 2): sideways"]);
    check("store", "fn f() { crate::serve::run() }", &["`store` (floor 3) imports `serve` (floor 5): up"]);
    check("grid", "use crate::{tile, grid::Point};", &["`grid` (floor 0) imports `tile` (floor 1): up"]);
    check(
        "build",
        "use crate::{source, store::{self, Writer}, publish};",
        &["`build` (floor 5) imports `publish` (floor 5): sideways"],
    );
    check("build", "use crate::tile::TileCoord;\nuse crate::cut::{self, Piece};", &[]);
    check("build", "use rusqlite::Connection;", &["`build` names the crate `rusqlite`, which lives in [\"store\"]"]);
    check("attic", "", &["room `attic` has no floor"]);
}

#[test]
fn every_module_says_what_it_is() {
    for path in rooms().keys() {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.starts_with("//!"), "{} has no module documentation", path.display());
    }
}
