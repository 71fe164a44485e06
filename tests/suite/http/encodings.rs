//! Tiles in brotli and zstd: from `encodings = [...]` to what a client gets.

use super::client::{ask, get};
use super::fixture::{Origin, Store};
use crate::common;
use immutile::build::Report;
use immutile::publish;
use immutile::store::{Reader, decode, gunzip};
use immutile::tile::Encoding::{Brotli, Gzip, Zstd};
use immutile::tile::{Encoding, TileCoord};
use std::path::{Path, PathBuf};

/// Tiles 0/0/0 to 2/x/y with enough points to be worth compressing, in these encodings.
fn cut(encodings: &[Encoding]) -> (tempfile::TempDir, PathBuf, Report) {
    let point = |i: u32| {
        let (x, y) = (f64::from(i * 7919 % 340) - 170.0, f64::from(i * 104_729 % 140) - 70.0);
        format!(
            "{{\"type\":\"Feature\",\"properties\":{{\"k\":\"name {i}\"}},\"geometry\":{{\"type\":\"Point\",\"coordinates\":[{x},{y}]}}}}\n"
        )
    };
    let text: String = (0..500).map(point).collect();
    let change = |d: &mut immutile::build::Definition| {
        (d.minzoom, d.maxzoom, d.encodings) = (0, 2, encodings.to_vec());
    };
    common::cut_as("in.geojsonl", text.as_bytes(), change).unwrap()
}

fn publish(file: &Path, store: &Path) -> Result<(), publish::Error> {
    publish::publish(&publish::Options::new(file, store, "world".parse().unwrap()), &|_| ()).map(|_| ())
}

#[test]
fn every_tile_in_every_encoding() {
    let (_folder, file, report) = cut(&[Gzip, Brotli, Zstd]);
    let reader = Reader::open(&file).unwrap();
    assert_eq!(reader.metadata().unwrap().encodings, [Gzip, Brotli, Zstd]);
    let mut bytes = [0; 2];
    reader
        .for_each::<immutile::store::Error>(|tile, plain| {
            let tag = reader.tag(tile)?;
            for (i, encoding) in [Brotli, Zstd].into_iter().enumerate() {
                let (stored_tag, stored) = reader.stored(tile, encoding)?.unwrap();
                assert_eq!((Some(stored_tag), decode(encoding, &stored, plain.len()).as_deref()), (tag, Ok(plain)));
                bytes[i] += stored.len() as u64;
            }
            Ok(())
        })
        .unwrap();
    assert!(reader.stored(TileCoord::new(2, 0, 0).unwrap(), Brotli).unwrap().is_some(), "the data cover the world");
    assert_eq!(report.distinct, report.tiles);
    assert_eq!(report.encoded.into_iter().collect::<Vec<_>>(), [("br", bytes[0]), ("zstd", bytes[1])]);
}

#[test]
fn only_the_encodings_that_were_asked_for() {
    let (_folder, file, report) = cut(&[Gzip]);
    let reader = Reader::open(&file).unwrap();
    let tile = TileCoord::new(0, 0, 0).unwrap();
    assert!(reader.stored(tile, Gzip).unwrap().is_some());
    for encoding in [Brotli, Zstd, Encoding::Identity] {
        assert!(reader.stored(tile, encoding).is_err(), "{encoding:?}");
    }
    assert!(report.encoded.is_empty());
}

#[test]
fn each_client_gets_what_it_likes_best() {
    let (_folder, file, _) = cut(&[Gzip, Brotli, Zstd]);
    let store = Store::new();
    publish(&file, store.path()).unwrap();
    let origin = Origin::start(&store, |_| ());
    let reader = Reader::open(&file).unwrap();
    let stored = reader.tile(TileCoord::new(1, 1, 0).unwrap()).unwrap().unwrap();
    let plain = gunzip(&stored.gzip).unwrap();
    let check = |accept: &str, expected: Encoding| {
        let fields = [("Accept-Encoding", accept)];
        for from in ["the file", "memory"] {
            let answer = ask(origin.at, "GET", "/v1/1/1/0.mvt", &fields);
            let token = Some(expected.token()).filter(|_| expected != Encoding::Identity);
            assert_eq!((answer.status, answer.field("content-encoding")), (200, token), "{accept}, {from}");
            assert_eq!(decode(expected, &answer.body, plain.len()).as_ref(), Ok(&plain), "{accept}, {from}");
            let tag = format!("\"{}-{}\"", stored.tag, expected.token());
            assert_eq!(answer.field("etag"), Some(tag.as_str()));
            assert_eq!(answer.field("vary"), Some("accept-encoding"));
            let again = ask(origin.at, "GET", "/v1/1/1/0.mvt", &[fields[0], ("If-None-Match", &tag)]);
            assert_eq!((again.status, again.field("etag")), (304, Some(tag.as_str())));
        }
    };
    check("gzip, deflate, br, zstd", Brotli);
    check("gzip, deflate, zstd", Zstd);
    check("gzip, deflate", Gzip);
    check("br;q=0.5, gzip", Gzip);
    check("br", Brotli);
    check("deflate", Encoding::Identity);
    let other = ask(
        origin.at,
        "GET",
        "/v1/1/1/0.mvt",
        &[("Accept-Encoding", "br"), ("If-None-Match", &format!("\"{}-gzip\"", stored.tag))],
    );
    assert_eq!(other.status, 200, "another encoding has another tag");
    assert_eq!(ask(origin.at, "GET", "/v1/1/1/0.mvt", &[("Accept-Encoding", "br;q=0,*;q=0")]).status, 406);
}

#[test]
fn what_does_not_unpack_to_the_same_is_not_published() {
    let refused = |sql: &str, why: &str| {
        let (_folder, file, _) = cut(&[Gzip, Brotli, Zstd]);
        rusqlite::Connection::open(&file).unwrap().execute_batch(sql).unwrap();
        let store = Store::new();
        let error = publish(&file, store.path()).unwrap_err();
        let text = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
        assert!(text.contains(why), "{sql}: {text}");
        assert_eq!(get(Origin::start(&store, |_| ()).at, "/v1/0/0/0.mvt").status, 404);
    };
    refused("DELETE FROM tiles_br WHERE tile_data_id = 3", "content 3 is missing in br");
    refused("UPDATE tiles_zstd SET tile_data = x'00' WHERE tile_data_id = 2", "content 2 does not unpack from zstd");
    let swapped = "(SELECT tile_data FROM tiles_br WHERE tile_data_id = 2)";
    refused(&format!("UPDATE tiles_br SET tile_data = {swapped} WHERE tile_data_id = 3"), "content 3 ");
    refused("DROP TABLE tiles_zstd", "cannot read a tile");
    refused(
        "ALTER TABLE tiles_br RENAME TO b; CREATE VIEW Tiles_BR AS SELECT * FROM b",
        "tiles_br or tiles_zstd is no table",
    );
    refused(
        "UPDATE metadata SET value = replace(value, '\"br\"', '\"gzip\"') WHERE name = 'immutile'",
        "has one twice",
    );
}
