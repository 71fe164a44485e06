//! From a tile file to a version in a store, and what other things in a store mean.

mod faults;
mod files;
mod refusals;

use files::{Store, world};
use immutile::publish::{Options, publish};
use immutile::tileset::{Catalog, Error, State, TilesetName, Version, versions};
use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

fn version(number: u64) -> Version {
    number.try_into().unwrap()
}

#[test]
fn a_first_version() {
    let store = Store::new();
    let done = store.publish(1);
    assert_eq!((done.version, done.published, done.switched), (version(1), true, true));
    assert_eq!(
        serde_json::to_value(&done).unwrap(),
        serde_json::json!({
            "tileset": "world", "version": 1, "digest": done.digest, "published": true, "switched": true
        })
    );
    let catalog = store.catalog();
    assert_eq!(catalog.default_tileset, Some(world()));
    let published = &catalog.tilesets["world"];
    assert_eq!(published.current, Some(version(1)));
    let entry = &published.versions[&version(1)];
    let manifest = entry.manifest.as_ref().unwrap();
    assert_eq!(entry.state, State::Live);
    assert_eq!((manifest.tiles, manifest.distinct, manifest.minzoom, manifest.maxzoom), (3, 2, 0, 1));
    assert_eq!(manifest.bytes, fs::metadata(&entry.path).unwrap().len());
    assert_eq!(manifest.digest, done.digest);
    assert_eq!(manifest.published_at.len(), "2026-01-31T23:59:59Z".len());
    assert_eq!(fs::read(&entry.path).unwrap(), fs::read(store.file(1)).unwrap());
    assert_eq!(fs::read_to_string(store.path("store.json")).unwrap(), "{\"default_tileset\":\"world\"}\n");
    assert_eq!(fs::read_to_string(store.path("world/current.json")).unwrap(), "{\"version\":1}\n");
}

#[test]
fn a_store_that_is_not_there_or_empty() {
    let store = Store::new();
    assert_eq!(Catalog::read(&store.path("nowhere")).unwrap(), (Catalog::default(), vec![]));
    assert_eq!(store.catalog(), Catalog::default());
    fs::write(store.path("file"), "").unwrap();
    assert!(matches!(Catalog::read(&store.path("file")), Err(Error::Io { .. })));
}

#[test]
fn content_that_is_live_gets_no_new_number() {
    let store = Store::new();
    let first = store.publish(1);
    let before = store.snapshot();
    let again = store.publish(1);
    assert_eq!((again.version, again.published, again.switched), (version(1), false, false));
    assert_eq!(again.digest, first.digest);
    assert_eq!(store.snapshot(), before, "nothing is written");
    store.publish(2);
    let back = store.publish(1);
    assert_eq!((back.version, back.published, back.switched), (version(1), false, true));
    assert_eq!(store.current(), Some(version(1)));
}

#[test]
fn published_but_not_current() {
    let store = Store::new();
    let options = |n| Options { switch: false, ..store.options(n) };
    let first = publish(&options(1), &|_| ()).unwrap();
    assert_eq!((first.published, first.switched), (true, false));
    assert_eq!(store.current(), None);
    store.publish(2);
    publish(&options(3), &|_| ()).unwrap();
    assert_eq!(store.current(), Some(version(2)));
    assert_eq!(store.live(), [1, 2, 3]);
}

#[test]
fn a_number_is_never_given_twice() {
    let store = Store::new();
    store.publish(1);
    store.publish(2);
    for gone in ["world/v2.mbtiles", "world/v2.manifest.json", "world/current.json"] {
        fs::remove_file(store.path(gone)).unwrap();
    }
    assert_eq!(store.publish(3).version, version(3));
    // The same content as the version whose file is gone: nobody could serve that one.
    assert_eq!(store.publish(2).version, version(4));
    fs::remove_file(store.path("world/v4.mbtiles")).unwrap();
    assert_eq!(store.publish(2).version, version(5));
}

#[test]
fn files_that_somebody_drops_in_do_not_count() {
    let store = Store::new();
    store.publish(1);
    fs::copy(store.file(2), store.path("world/v7.mbtiles")).unwrap();
    fs::write(store.path("world/v9.manifest.json"), "{}").unwrap();
    fs::write(store.path("world/v99999999999.mbtiles"), "").unwrap();
    fs::write(store.path("world/notes.txt"), "").unwrap();
    fs::create_dir(store.path("lost+found")).unwrap();
    fs::create_dir(store.path("other")).unwrap();
    assert_eq!(store.live(), [1]);
    assert_eq!(store.publish(2).version, version(10));
    assert!(store.path("world/v7.mbtiles").exists());
}

#[test]
fn numbers_end() {
    let store = Store::new();
    fs::create_dir(store.path("world")).unwrap();
    fs::write(store.path("world/v9999999998.mbtiles"), "").unwrap();
    assert_eq!(store.publish(1).version, version(9_999_999_999));
    let error = publish(&store.options(2), &|_| ()).unwrap_err();
    assert!(matches!(error, immutile::publish::Error::Store(Error::NoNumbers { .. })), "{error}");
}

#[test]
fn a_torn_ledger_line_is_tolerated_and_put_right() {
    let check = |tail: &[u8], next: u64| {
        let store = Store::new();
        store.publish(1);
        let ledger = store.path("world/ledger.jsonl");
        let whole = fs::read(&ledger).unwrap();
        fs::write(&ledger, [&whole, tail].concat()).unwrap();
        assert_eq!((store.live(), store.current()), (vec![1], Some(version(1))));
        assert_eq!(store.publish(2).version, version(next));
        let text = fs::read_to_string(&ledger).unwrap();
        assert!(text.lines().all(|l| serde_json::from_str::<serde_json::Value>(l).is_ok()), "{text}");
        assert!(text.as_bytes().starts_with(&whole), "{text}");
        assert_eq!(store.live(), [1, next]);
    };
    check(b"", 2);
    check(b"{", 2);
    check(b"{\"event\":\"publish\",\"version\":6,\"dige", 7);
    check(b"{\"event\":\"switch\",\"version\":1,\"at\":\"\"}", 2);
    check(b"\0\0\0\0", 2);
}

#[test]
fn the_default_tileset_is_the_first_for_ever() {
    let store = Store::new();
    store.publish_as("roads", 1);
    store.publish_as("world", 1);
    assert_eq!(store.catalog().default_tileset.unwrap().as_str(), "roads");
    fs::remove_dir_all(store.path("roads")).unwrap();
    store.publish_as("world", 2);
    assert_eq!(store.catalog().default_tileset.unwrap().as_str(), "roads");
}

#[test]
fn a_lost_store_file_is_not_guessed() {
    let store = Store::new();
    store.publish_as("roads", 1);
    fs::remove_file(store.path("store.json")).unwrap();
    assert_eq!(store.catalog().default_tileset.unwrap().as_str(), "roads", "there is only one");
    store.publish_as("world", 1);
    assert_eq!(store.catalog().default_tileset.unwrap().as_str(), "roads");

    fs::remove_file(store.path("store.json")).unwrap();
    let (catalog, problems) = Catalog::read(store.root()).unwrap();
    assert_eq!((catalog.default_tileset, problems.len(), catalog.tilesets.len()), (None, 1, 2));
    assert!(publish(&store.options(2), &|_| ()).unwrap_err().to_string().contains("default_tileset"));
    fs::write(store.path("store.json"), "{").unwrap();
    assert!(publish(&store.options(2), &|_| ()).unwrap_err().to_string().contains("store.json"));
}

#[test]
fn a_broken_pointer_falls_back_to_the_last_switch() {
    let check = |pointer: Option<&str>, problems: usize| {
        let store = Store::new();
        store.publish(1);
        store.publish(2);
        match pointer {
            Some(text) => fs::write(store.path("world/current.json"), text).unwrap(),
            None => fs::remove_file(store.path("world/current.json")).unwrap(),
        }
        let (catalog, found) = Catalog::read(store.root()).unwrap();
        assert_eq!(catalog.tilesets["world"].current, Some(version(2)), "{pointer:?}");
        assert_eq!(found.len(), problems, "{found:?}");
        store.publish(1);
        assert_eq!(store.current(), Some(version(1)));
    };
    check(None, 0);
    check(Some(""), 1);
    check(Some("{\"version\":0}"), 1);
    check(Some("{\"version\":77}"), 1);
}

#[test]
fn pruned_and_withdrawn_versions_are_remembered() {
    let store = Store::new();
    for n in 1..=3 {
        store.publish(n);
    }
    store.append_to_ledger(r#"{"event":"prune","version":1,"at":""}"#);
    store.append_to_ledger(r#"{"event":"withdraw","version":3,"reason":"licence","at":""}"#);
    fs::remove_file(store.path("world/v1.mbtiles")).unwrap();
    fs::remove_file(store.path("world/v1.manifest.json")).unwrap();
    let (catalog, _) = Catalog::read(store.root()).unwrap();
    let published = &catalog.tilesets["world"];
    let states: Vec<State> = published.versions.values().map(|e| e.state).collect();
    assert_eq!(states, [State::Pruned, State::Live, State::Withdrawn]);
    assert_eq!(published.current, Some(version(2)), "the last switch to something live");
    assert_eq!(store.publish(1).version, version(4), "what was pruned is not live");
    assert_eq!(store.publish(3).version, version(5), "what was withdrawn is not live");
}

#[test]
fn one_damaged_tileset_among_good_ones() {
    let check = |damage: &dyn Fn(&Store)| {
        let store = Store::new();
        store.publish_as("good", 1);
        store.publish(1);
        damage(&store);
        let (catalog, problems) = Catalog::read(store.root()).unwrap();
        assert_eq!(catalog.tilesets.keys().map(TilesetName::as_str).collect::<Vec<_>>(), ["good"]);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].path.starts_with(store.path("world")), "{problems:?}");
        store.publish_as("good", 2);
    };
    check(&|store| {
        fs::remove_file(store.path("world/ledger.jsonl")).unwrap();
        fs::remove_file(store.path("world/current.json")).unwrap();
        fs::create_dir(store.path("world/ledger.jsonl")).unwrap();
    });
    let manifest_says = |text: &str| {
        check(&|store: &Store| {
            fs::remove_file(store.path("world/current.json")).unwrap();
            fs::remove_file(store.path("world/v1.manifest.json")).unwrap();
            fs::write(store.path("world/v1.manifest.json"), text).unwrap();
        });
    };
    manifest_says("{}");
    manifest_says("");
    check(&|store| {
        fs::remove_file(store.path("world/current.json")).unwrap();
        fs::remove_file(store.path("world/v1.manifest.json")).unwrap();
        fs::copy(store.path("good/v1.manifest.json"), store.path("world/v1.manifest.json")).unwrap();
    });
}

#[test]
fn publishers_at_once() {
    let store = Store::new();
    (1..=4).for_each(|n| drop(store.file(n)));
    let given: BTreeSet<Version> = std::thread::scope(|scope| {
        let running: Vec<_> = (1..=4)
            .map(|n| {
                scope.spawn({
                    let store = &store;
                    move || store.publish(n).version
                })
            })
            .collect();
        running.into_iter().map(|r| r.join().unwrap()).collect()
    });
    assert_eq!(given, (1..=4).map(version).collect());
    assert_eq!(store.live(), [1, 2, 3, 4]);
    assert_eq!(store.temporary(), 0);
}

#[test]
fn a_publisher_that_does_not_end_is_named() {
    let store = Store::new();
    store.publish(1);
    let disk = immutile::tileset::SystemDisk;
    let held = immutile::tileset::StoreWriter::lock(store.root(), &disk, Duration::ZERO).unwrap();
    let options = Options { wait: Duration::from_millis(60), ..store.options(2) };
    let error = publish(&options, &|_| ()).unwrap_err().to_string();
    assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
    drop(held);
    publish(&options, &|_| ()).unwrap();
}

#[test]
fn fingerprints_tell_of_news() {
    let store = Store::new();
    let mut last = Catalog::fingerprint(store.root());
    let mut changed = || {
        let now = Catalog::fingerprint(store.root());
        std::mem::replace(&mut last, now.clone()) != now
    };
    store.publish(1);
    assert!(changed());
    assert!(!changed());
    store.publish(2);
    assert!(changed());
    store.publish(1);
    assert!(changed(), "a switch and nothing else");
    store.publish(1);
    Catalog::read(store.root()).unwrap();
    assert!(!changed());
}

#[test]
fn listings() {
    let store = Store::new();
    store.publish(1);
    store.publish(2);
    let listing = serde_json::to_value(versions(store.root(), &world()).unwrap()).unwrap();
    assert_eq!(listing["current"], 2);
    assert_eq!(listing["versions"][0]["version"], 1);
    assert_eq!(listing["versions"][1]["state"], "live");
    let error = versions(store.root(), &"wolrd".parse().unwrap()).unwrap_err().to_string();
    assert!(error.contains("wolrd") && error.contains("there is world"), "{error}");
}

#[cfg(unix)]
#[test]
fn nobody_can_write_a_published_file() {
    use std::os::unix::fs::PermissionsExt;
    let store = Store::new();
    store.publish(1);
    for name in ["world/v1.mbtiles", "world/v1.manifest.json"] {
        let mode = fs::metadata(store.path(name)).unwrap().permissions().mode();
        assert_eq!((mode & 0o222, mode & 0o400), (0, 0o400), "{name} {mode:o}");
    }
}
