//! The store changes while the origin runs.

use super::client::{ask, get};
use super::fixture::{Origin, Store, usual};
use immutile::tile::Empty;
use immutile::tileset::Happened;
use std::time::{Duration, Instant};

/// Asks until the answer is as wished; the origin looks at the store every few milliseconds.
fn await_status(origin: &Origin, target: &str, status: u16) {
    let patience = Instant::now() + Duration::from_secs(20);
    while get(origin.at, target).status != status {
        assert!(Instant::now() < patience, "{target} never became {status}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn publish_five(store: &Store) {
    store.publish("world", 5, Empty::NoContent, &[("0/0/0", "five")]);
}

#[test]
fn a_higher_version_is_found_by_asking_for_it() {
    let store = usual();
    let origin = Origin::start(&store, |_| ());
    publish_five(&store);
    assert_eq!(get(origin.at, "/v5/0/0/0.mvt").status, 200);
    assert_eq!(get(origin.at, "/world.json").json()["version_number"], 5, "it is current, too");
    assert_eq!(get(origin.at, "/v4/0/0/0.mvt").status, 200, "the old one stays");
    // Within the same second the store is not looked at again.
    store.publish("world", 6, Empty::NoContent, &[("0/0/0", "six")]);
    let started = Instant::now();
    let status = get(origin.at, "/v6/0/0/0.mvt").status;
    assert!(status == 404 || started.elapsed() > Duration::from_millis(900));
    await_status(&origin, "/v6/0/0/0.mvt", 200);
}

#[test]
fn a_new_tileset_is_found_by_asking_for_it() {
    let store = usual();
    let origin = Origin::start(&store, |_| ());
    store.publish("roads", 1, Empty::NoContent, &[("0/0/0", "roads")]);
    assert_eq!(get(origin.at, "/roads/v1/0/0/0.mvt").status, 200);
}

#[test]
fn pointers_and_ends_are_noticed() {
    let store = usual();
    let origin = Origin::start(&store, |c| c.poll = Duration::from_millis(10));
    assert_eq!(get(origin.at, "/v3/0/0/0.mvt").status, 200);
    store.switch("world", 3);
    store.retire("world", 4, Happened::Withdraw);
    await_status(&origin, "/v4/0/0/0.mvt", 410);
    assert_eq!(get(origin.at, "/world.json").json()["version_number"], 3);
    assert_eq!(get(origin.at, "/world/latest/0/0/0.mvt").field("location"), Some("../../../../v3/0/0/0.mvt"));
    assert_eq!(get(origin.at, "/world/v4.json").status, 410);
}

#[test]
fn a_store_that_comes_later() {
    let store = Store::new();
    let origin = Origin::start(&store, |c| c.store = store.path().join("later"));
    assert_eq!(get(origin.at, "/v1/0/0/0.mvt").status, 404);
    assert_eq!(get(origin.at, "/catalog.json").json()["tilesets"], serde_json::json!([]));
}

#[test]
fn what_cannot_be_read_for_a_moment_stays() {
    let store = usual();
    let origin = Origin::start(&store, |c| c.poll = Duration::from_millis(10));
    let ledger = store.path().join("world").join("ledger.jsonl");
    let aside = store.path().join("aside");
    // A folder in its place can be examined, but not read; another tileset shows that it was looked at.
    std::fs::rename(&ledger, &aside).unwrap();
    std::fs::create_dir(&ledger).unwrap();
    store.publish("roads", 1, Empty::NoContent, &[("0/0/0", "roads")]);
    await_status(&origin, "/roads/v1/0/0/0.mvt", 200);
    assert_eq!(get(origin.at, "/v4/0/0/0.mvt").status, 200);
    std::fs::remove_dir(&ledger).unwrap();
    std::fs::rename(&aside, &ledger).unwrap();
    publish_five(&store);
    await_status(&origin, "/v5/0/0/0.mvt", 200);
}

#[test]
fn a_file_that_was_changed_in_place() {
    let store = usual();
    let origin = Origin::start(&store, |_| ());
    let kept = get(origin.at, "/v4/0/0/0.mvt");
    let file = store.file("world", 4);
    let other = store.path().join("other.mbtiles");
    store.write(&other, Empty::NoContent, &[("0/0/0", "forged"), ("1/1/0", "forged"), ("4/15/15", "forged")]);
    std::fs::write(&file, std::fs::read(&other).unwrap()).unwrap();
    assert_eq!(get(origin.at, "/v4/0/0/0.mvt").body, kept.body, "what is in memory is what was published");
    for (target, fields) in [("/v4/1/1/0.mvt", ("A", "b")), ("/v4/4/15/15.mvt", ("If-None-Match", "*"))] {
        let answer = ask(origin.at, "GET", target, &[fields]);
        assert_eq!((answer.status, answer.field("cache-control")), (503, Some("no-store")));
        assert!(answer.field("retry-after").is_some());
    }
    assert_eq!(get(origin.at, "/v3/1/1/0.mvt").status, 200, "other versions are not concerned");
}

#[test]
fn files_that_cannot_be_served() {
    let store = usual();
    let cut = store.file("world", 4);
    let bytes = std::fs::read(&cut).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    std::fs::write(
        store.file("world", 3),
        vec![b'x'; std::fs::metadata(store.file("world", 3)).unwrap().len() as usize],
    )
    .unwrap();
    std::fs::write(store.file("world", 77), &bytes).unwrap();
    let origin = Origin::start(&store, |_| ());
    for target in ["/v4/0/0/0.mvt", "/v3/0/0/0.mvt", "/world/v4.json", "/world.json", "/world/latest/0/0/0.mvt"] {
        let answer = get(origin.at, target);
        assert_eq!((answer.status, answer.field("cache-control")), (503, Some("no-store")), "{target}");
    }
    assert_eq!(get(origin.at, "/v77/0/0/0.mvt").status, 404, "a file that was dropped in does not count");
    assert_eq!(get(origin.at, "/sparse/v1/0/0/0.mvt").status, 200);
}
