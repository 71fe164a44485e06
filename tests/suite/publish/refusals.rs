//! Files that are not published, and that nothing is left of.

use super::files::{Store, metadata, tile, world};
use immutile::publish::{Error, Options, publish, publish_on};
use immutile::store::{ContentHash, Metadata, Writer, gzip};
use immutile::tile::TileCoord;
use immutile::tileset::{Disk, SystemDisk};
use std::fs;
use std::io::{Result, Write};
use std::path::Path;

/// Publishes what `make` wrote and checks that the refusal says `why` and changes nothing.
fn check(why: &str, make: impl Fn(&Path)) {
    let store = Store::new();
    store.publish(1);
    let before = store.snapshot();
    let file = store.file(2);
    make(&file);
    let error = publish(&Options::new(&file, store.root(), world()), &|_| ()).unwrap_err();
    let chain = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
    assert!(chain.contains(why), "{chain}");
    assert!(chain.contains("2.mbtiles"), "{chain}");
    assert_eq!(store.snapshot(), before);
}

fn write_at(path: &Path, offset: usize, bytes: &[u8]) {
    let mut content = fs::read(path).unwrap();
    content[offset..offset + bytes.len()].copy_from_slice(bytes);
    fs::write(path, content).unwrap();
}

fn written(path: &Path, metadata: &Metadata, at: (u8, u32, u32), hash: ContentHash, stored: &[u8]) {
    fs::remove_file(path).unwrap();
    let mut writer = Writer::create(path).unwrap();
    writer.put(TileCoord::new(at.0, at.1, at.2).unwrap(), hash, Some(stored)).unwrap();
    writer.finish(metadata).unwrap();
}

#[test]
fn no_tile_files() {
    check("cannot find the file", |file| fs::remove_file(file).unwrap());
    check("no SQLite database", |file| fs::write(file, "PMTiles").unwrap());
    check("no regular file", |file| {
        fs::remove_file(file).unwrap();
        fs::create_dir(file).unwrap();
    });
    check("another program made it", |file| {
        fs::remove_file(file).unwrap();
        let db = rusqlite::Connection::open(file).unwrap();
        db.execute_batch("CREATE TABLE metadata (name, value); CREATE TABLE tiles (zoom_level);").unwrap();
    });
}

/// Ended views here, so that the test fails where they are read; endless ones are possible.
#[test]
fn views_in_the_place_of_tables() {
    for table in ["metadata", "tiles_shallow", "tiles_data"] {
        check("are not all tables", |file| {
            let db = rusqlite::Connection::open(file).unwrap();
            let sql = format!("ALTER TABLE {table} RENAME TO moved; CREATE VIEW {table} AS SELECT * FROM moved;");
            db.execute_batch(&format!("DROP VIEW tiles; {sql}")).unwrap();
        });
    }
    check("are not all tables", |file| {
        let db = rusqlite::Connection::open(file).unwrap();
        db.execute_batch("DROP TABLE metadata; CREATE VIRTUAL TABLE metadata USING fts5(name, value);").unwrap();
    });
}

#[test]
fn content_in_other_files() {
    check("write-ahead-log mode", |file| write_at(file, 18, &[2, 2]));
    check("lies beside it", |file| fs::write(file.with_extension("mbtiles-wal"), "x").unwrap());
    check("lies beside it", |file| fs::write(file.with_extension("mbtiles-journal"), "x").unwrap());
}

#[test]
fn damaged_and_wrong_tiles() {
    let good = tile(1);
    let hash = ContentHash::of(&good);
    let zero = (0, 0, 0);
    check("does not unpack", |file| written(file, &metadata(), zero, hash, b"not gzip"));
    check("the tag of tile 0/0/0", |file| written(file, &metadata(), zero, hash, &gzip(&tile(2))));
    check("not a valid vector tile", |file| {
        let cut = &good[..good.len() - 1];
        written(file, &metadata(), zero, ContentHash::of(cut), &gzip(cut));
    });
    check("tiles at zooms 2 to 2", |file| written(file, &metadata(), (2, 0, 0), hash, &gzip(&good)));
    check("a layer \"a\"", |file| {
        written(file, &Metadata { vector_layers: vec![], ..metadata() }, zero, hash, &gzip(&good));
    });
    check("are no box", |file| {
        written(file, &Metadata { bounds: [1.0, 1.0, 0.0, 2.0].into(), ..metadata() }, zero, hash, &gzip(&good));
    });
}

/// Writes to the file that it has just copied.
struct Meddler;

impl Disk for Meddler {
    fn copy(&self, from: &Path, to: &Path) -> Result<u64> {
        let copied = SystemDisk.copy(from, to)?;
        fs::OpenOptions::new().append(true).open(from)?.write_all(b"x")?;
        Ok(copied)
    }
    fn create_folder(&self, folder: &Path) -> Result<()> {
        SystemDisk.create_folder(folder)
    }
    fn create(&self, path: &Path, bytes: &[u8], read_only: bool) -> Result<()> {
        SystemDisk.create(path, bytes, read_only)
    }
    fn append(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        SystemDisk.append(path, bytes)
    }
    fn truncate(&self, path: &Path, length: u64) -> Result<()> {
        SystemDisk.truncate(path, length)
    }
    fn sync(&self, path: &Path) -> Result<()> {
        SystemDisk.sync(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        SystemDisk.rename(from, to)
    }
    fn remove(&self, path: &Path) -> Result<()> {
        SystemDisk.remove(path)
    }
}

#[test]
fn a_file_that_changes_while_it_is_copied() {
    let store = Store::new();
    store.publish(1);
    let before = store.snapshot();
    let error = publish_on(&Meddler, &store.options(2), &|_| ()).unwrap_err();
    assert!(matches!(error, Error::Changed { .. }), "{error}");
    assert_eq!(store.snapshot(), before);
    assert_eq!(store.live(), [1]);
}
