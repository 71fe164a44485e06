//! The tables of a tile file, and how a connection to one is set up.

use super::Error;
use crate::tile::{Encoding, TileCoord};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// Marks the file as ours in SQLite's header ("imut"); other MBTiles readers ignore it.
pub(super) const APPLICATION_ID: i32 = 0x696d_7574;

/// Grows when the tables change in a way that an older reader cannot follow.
pub(super) const SCHEMA_VERSION: i32 = 1;

/// Columns instead of one packed integer key: a view over a packed key cannot use its index for
/// the `WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?` that every other reader asks.
const TABLES: &str = "
CREATE TABLE metadata (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tiles_shallow (
    zoom_level INTEGER NOT NULL,
    tile_column INTEGER NOT NULL,
    tile_row INTEGER NOT NULL,
    tile_data_id INTEGER NOT NULL,
    tag INTEGER NOT NULL,
    PRIMARY KEY (zoom_level, tile_column, tile_row)
) WITHOUT ROWID;
CREATE TABLE tiles_data (tile_data_id INTEGER PRIMARY KEY, tile_data BLOB NOT NULL);
CREATE VIEW tiles AS
    SELECT zoom_level, tile_column, tile_row, tile_data
    FROM tiles_shallow JOIN tiles_data USING (tile_data_id);
";

/// A new file with empty tables, tuned for one writer that nobody watches: until it is renamed
/// into place a crash may leave anything, so neither journal nor sync is needed.
pub(super) fn create(path: &Path) -> Result<Connection, Error> {
    let db = Connection::open(path).map_err(Error::sqlite(path, "create the file"))?;
    db.execute_batch(&format!(
        "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
         PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY;
         PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION}; {TABLES} BEGIN;"
    ))
    .map_err(Error::sqlite(path, "create the tables"))?;
    Ok(db)
}

/// The table that holds the contents in an encoding; identity has none.
pub(super) const fn contents(encoding: Encoding) -> Option<&'static str> {
    match encoding {
        Encoding::Identity => None,
        Encoding::Gzip => Some("tiles_data"),
        Encoding::Brotli => Some("tiles_br"),
        Encoding::Zstd => Some("tiles_zstd"),
    }
}

/// Adds the table of an encoding to a new file.
pub(super) fn add_contents(db: &Connection, path: &Path, table: &str) -> Result<(), Error> {
    db.execute_batch(&format!("CREATE TABLE {table} (tile_data_id INTEGER PRIMARY KEY, tile_data BLOB NOT NULL);"))
        .map_err(Error::sqlite(path, "create the tables"))
}

/// A connection that takes no locks and writes nothing, for a file that nobody changes.
pub(super) fn open(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    std::fs::File::open(path).map_err(Error::io(path, "open the file"))?;
    let db = Connection::open_with_flags(uri(path), flags).map_err(Error::sqlite(path, "open the file"))?;
    check(&db, path)?;
    db.execute_batch("PRAGMA mmap_size = 0; PRAGMA query_only = 1; PRAGMA cache_size = -2048;")
        .map_err(Error::sqlite(path, "open the file"))?;
    Ok(db)
}

/// Refuses databases that are not ours.
fn check(db: &Connection, path: &Path) -> Result<(), Error> {
    let pragma = |name: &str| db.pragma_query_value(None, name, |r| r.get::<_, i32>(0));
    let read: rusqlite::Result<_> = (|| Ok((pragma("application_id")?, pragma("user_version")?)))();
    match read {
        Ok((APPLICATION_ID, SCHEMA_VERSION)) => check_tables(db, path),
        Ok((APPLICATION_ID, newer)) => {
            Err(Error::foreign(path, format!("its schema version is {newer}, this program knows {SCHEMA_VERSION}")))
        }
        Ok(_) => Err(Error::foreign(path, "another program made it")),
        Err(source) if source.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) => {
            Err(Error::foreign(path, "it is no SQLite database"))
        }
        Err(source) => Err(Error::sqlite(path, "read the header")(source)),
    }
}

/// Refuses views and virtual tables, which have no root page, in the place of tables: reading one
/// that a hostile file defines can take for ever.
fn check_tables(db: &Connection, path: &Path) -> Result<(), Error> {
    const OURS: &str = "SELECT count(*) FROM sqlite_schema
        WHERE type = 'table' AND rootpage > 0 AND name IN ('metadata', 'tiles_shallow', 'tiles_data')";
    const OTHERS: &str = "SELECT count(*) FROM sqlite_schema
        WHERE NOT (type = 'table' AND rootpage > 0) AND lower(name) IN ('tiles_br', 'tiles_zstd')";
    let count = |query| db.query_row(query, [], |r| r.get::<_, u32>(0));
    match count(OURS).and_then(|ours| Ok((ours, count(OTHERS)?))) {
        Ok((3, 0)) => Ok(()),
        Ok((3, _)) => Err(Error::damaged(path, "tiles_br or tiles_zstd is no table")),
        Ok(_) => Err(Error::damaged(path, "metadata, tiles_shallow and tiles_data are not all tables")),
        Err(source) => Err(Error::sqlite(path, "read the list of tables")(source)),
    }
}

/// `file:` URI of a path. Everything but unreserved characters and slashes is percent-encoded:
/// a `?`, `#` or `%` in a file name must not become a parameter.
fn uri(path: &Path) -> String {
    use std::fmt::Write;
    let mut uri = String::from("file:");
    for &b in path.as_os_str().as_encoded_bytes() {
        if b.is_ascii_alphanumeric() || b"/-_.~".contains(&b) {
            uri.push(char::from(b));
        } else {
            let _ = write!(uri, "%{b:02X}");
        }
    }
    uri + "?mode=ro&immutable=1"
}

/// The TMS row (row 0 in the south) of a tile: the one place where rows are turned over.
pub(super) fn tms_row(tile: TileCoord) -> u32 {
    flip(tile.z(), tile.y())
}

/// The tile at a TMS row; `None` when the file holds a row outside the grid.
pub(super) fn from_tms(zoom: u8, column: u32, row: u32) -> Option<TileCoord> {
    TileCoord::new(zoom, column, row).ok()?;
    TileCoord::new(zoom, column, flip(zoom, row)).ok()
}

fn flip(zoom: u8, row: u32) -> u32 {
    ((1u32 << zoom) - 1) - row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_special_characters_stay_names() {
        assert_eq!(uri(Path::new("/a b/c?d#e%.mbtiles")), "file:/a%20b/c%3Fd%23e%25.mbtiles?mode=ro&immutable=1");
    }

    #[test]
    fn tms_rows() {
        let check = |z, y, row| assert_eq!(tms_row(TileCoord::new(z, 0, y).unwrap()), row);
        check(0, 0, 0);
        check(1, 0, 1);
        check(30, 0, (1 << 30) - 1);
        assert_eq!(from_tms(2, 0, 4), None);
    }
}
