//! Reads a tile file that nobody changes: no locks, no memory map, one connection per thread.

use super::block::{BLOCK_SIDE, Block};
use super::coding::decode;
use super::digest::Digester;
use super::{ContentHash, Digest, Error, Metadata, Tag, schema};
use crate::tile::{Encoding, TileCoord};
use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension};
use std::path::{Path, PathBuf};

/// Every tile in the file's own order.
pub(super) const ALL_TILES: &str = "SELECT zoom_level, tile_column, tile_row, tile_data_id, tag FROM tiles_shallow
     ORDER BY zoom_level, tile_column, tile_row";

/// The largest tile that is unpacked, in bytes; a gzip bomb in a file is an error, not a crash.
pub const MAX_TILE_BYTES: usize = 256 << 20;

/// A tile as it lies in the file.
#[derive(Debug, Clone)]
pub struct StoredTile {
    /// The stored part of its `ETag`.
    pub tag: Tag,
    /// Its gzip bytes.
    pub gzip: Bytes,
}

/// What a file holds, without a look at any tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Census {
    /// Tiles in the file.
    pub tiles: u64,
    /// The smallest and the largest zoom among them; `None` when there are no tiles.
    pub zooms: Option<(u32, u32)>,
}

/// One read-only connection to a tile file. It may move between threads but is used by one at a time.
pub struct Reader {
    db: Connection,
    path: PathBuf,
}

impl Reader {
    /// Opens a finished file; costs the same for one of 1 MB and one of 100 GB.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self { db: schema::open(path)?, path: path.to_owned() })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file says about itself.
    pub fn metadata(&self) -> Result<Metadata, Error> {
        Metadata::read(&self.db, &self.path)
    }

    /// The tag of a tile from one indexed row, without touching its bytes.
    pub fn tag(&self, tile: TileCoord) -> Result<Option<Tag>, Error> {
        self.db
            .prepare_cached(
                "SELECT tag FROM tiles_shallow WHERE zoom_level = ?1 AND tile_column = ?2 AND tile_row = ?3",
            )
            .and_then(|mut s| s.query_row((tile.z(), tile.x(), schema::tms_row(tile)), |r| r.get(0)).optional())
            .map(|found: Option<i64>| found.map(|tag| Tag(tag as u64)))
            .map_err(Error::sqlite(&self.path, "read a tag"))
    }

    /// A tile with its gzip bytes; `None` where there is nothing.
    pub fn tile(&self, tile: TileCoord) -> Result<Option<StoredTile>, Error> {
        Ok(self.stored(tile, Encoding::Gzip)?.map(|(tag, gzip)| StoredTile { tag, gzip }))
    }

    /// A tile's tag and its bytes in an encoding that the file holds; `None` where there is nothing.
    pub fn stored(&self, tile: TileCoord, encoding: Encoding) -> Result<Option<(Tag, Bytes)>, Error> {
        let table = self.table(encoding)?;
        self.db
            // Joined from the left: a tile without its bytes is damage, not an empty place.
            .prepare_cached(&format!(
                "SELECT tag, tile_data FROM tiles_shallow LEFT JOIN {table} USING (tile_data_id)
                 WHERE zoom_level = ?1 AND tile_column = ?2 AND tile_row = ?3"
            ))
            .and_then(|mut s| {
                s.query_row((tile.z(), tile.x(), schema::tms_row(tile)), |r| {
                    let bytes = Bytes::copy_from_slice(r.get_ref(1)?.as_blob()?);
                    Ok((Tag(r.get::<_, i64>(0)? as u64), bytes))
                })
                .optional()
            })
            .map_err(Error::sqlite(&self.path, "read a tile"))
    }

    /// Which tiles are there in the block around a place: 64 short walks over the index.
    pub fn block(&self, around: TileCoord) -> Result<Block, Error> {
        let broken = |e| Error::sqlite(&self.path, "look for tiles")(e);
        let mut select = self
            .db
            .prepare_cached(
                "SELECT tile_row FROM tiles_shallow
                 WHERE zoom_level = ?1 AND tile_column = ?2 AND tile_row BETWEEN ?3 AND ?4",
            )
            .map_err(broken)?;
        let (z, last) = (around.z(), (1 << around.z()) - 1);
        let first = |n: u32| n / BLOCK_SIDE * BLOCK_SIDE;
        let end = |n: u32| (first(n) + (BLOCK_SIDE - 1)).min(last);
        // The northernmost row of XYZ is the highest of TMS.
        let (low, high) = (last - end(around.y()), last - first(around.y()));
        let mut block = Block::EMPTY;
        for column in first(around.x())..=end(around.x()) {
            let mut rows = select.query((z, column, low, high)).map_err(broken)?;
            while let Some(row) = rows.next().map_err(broken)? {
                block.add(self.coord(u32::from(z), column, row.get(0).map_err(broken)?)?);
            }
        }
        Ok(block)
    }

    /// How many tiles there are, and at which zooms, from the index alone.
    pub fn census(&self) -> Result<Census, Error> {
        self.db
            .query_row("SELECT count(*), min(zoom_level), max(zoom_level) FROM tiles_shallow", [], |r| {
                let (min, max): (Option<u32>, Option<u32>) = (r.get(1)?, r.get(2)?);
                Ok(Census { tiles: r.get::<_, i64>(0)? as u64, zooms: min.zip(max) })
            })
            .map_err(Error::sqlite(&self.path, "count the tiles"))
    }

    /// Calls `visit` with every tile and its uncompressed bytes, in the file's order. Equal tiles
    /// are unpacked each time they occur.
    pub fn for_each<E: From<Error>>(&self, mut visit: impl FnMut(TileCoord, &[u8]) -> Result<(), E>) -> Result<(), E> {
        let broken = |e| E::from(Error::sqlite(&self.path, "read the tiles")(e));
        let mut select = self.db.prepare(ALL_TILES).map_err(broken)?;
        let mut rows = select.query([]).map_err(broken)?;
        while let Some(r) = rows.next().map_err(broken)? {
            let row = |i| r.get::<_, u32>(i).map_err(broken);
            let tile = self.coord(row(0)?, row(1)?, row(2)?)?;
            let id: i64 = r.get(3).map_err(broken)?;
            visit(tile, &self.content(id)?)?;
        }
        Ok(())
    }

    /// Unpacks every content, compares its further encodings with it and computes the digest anew. `visit` sees each different content
    /// once, with one of the tiles that hold it; what it returns as an error ends the walk.
    pub fn verify<E: From<Error>>(
        &self,
        mut visit: impl FnMut(TileCoord, &[u8]) -> Result<(), E>,
    ) -> Result<Digest, E> {
        let broken = |e| E::from(Error::sqlite(&self.path, "read the tiles")(e));
        let metadata = self.metadata()?;
        let mut digester = Digester::new(&metadata);
        let mut hashes: hashbrown::HashMap<i64, ContentHash> = hashbrown::HashMap::new();
        let mut select = self.db.prepare(ALL_TILES).map_err(broken)?;
        let mut rows = select.query([]).map_err(broken)?;
        while let Some(r) = rows.next().map_err(broken)? {
            let number = |i| r.get::<_, u32>(i).map_err(broken);
            let (zoom, column, row) = (number(0)?, number(1)?, number(2)?);
            let tile = self.coord(zoom, column, row)?;
            let id: i64 = r.get(3).map_err(broken)?;
            let hash = if let Some(&hash) = hashes.get(&id) {
                hash
            } else {
                let bytes = self.content(id)?;
                for &encoding in metadata.encodings.iter().filter(|&&e| e != Encoding::Gzip) {
                    self.check_encoded(id, encoding, &bytes)?;
                }
                visit(tile, &bytes)?;
                *hashes.entry(id).insert(ContentHash::of(&bytes)).get()
            };
            let tag: i64 = r.get(4).map_err(broken)?;
            if hash.tag().0 as i64 != tag {
                return Err(
                    Error::damaged(&self.path, format!("the tag of tile {tile} is not that of its bytes")).into()
                );
            }
            digester.tile(zoom as u8, column, row, hash);
        }
        Ok(digester.finish())
    }

    fn coord(&self, zoom: u32, column: u32, row: u32) -> Result<TileCoord, Error> {
        u8::try_from(zoom)
            .ok()
            .and_then(|z| schema::from_tms(z, column, row))
            .ok_or_else(|| Error::damaged(&self.path, format!("row {zoom}/{column}/{row} lies outside the grid")))
    }

    /// Whether a content in a further encoding unpacks to the same bytes.
    fn check_encoded(&self, id: i64, encoding: Encoding, bytes: &[u8]) -> Result<(), Error> {
        let table = self.table(encoding)?;
        let found = self
            .db
            .prepare_cached(&format!("SELECT tile_data FROM {table} WHERE tile_data_id = ?1"))
            .and_then(|mut s| {
                s.query_row([id], |r| Ok(decode(encoding, r.get_ref(0)?.as_blob()?, bytes.len()))).optional()
            })
            .map_err(Error::sqlite(&self.path, "read a tile"))?;
        let token = encoding.token();
        match found {
            Some(Ok(plain)) if plain == bytes => Ok(()),
            Some(Ok(_)) => Err(format!("tile content {id} is another one in {token}")),
            Some(Err(why)) => Err(format!("tile content {id} does not unpack from {token}: {why}")),
            None => Err(format!("tile content {id} is missing in {token}")),
        }
        .map_err(|why| Error::damaged(&self.path, why))
    }

    fn table(&self, encoding: Encoding) -> Result<&'static str, Error> {
        schema::contents(encoding).ok_or_else(|| Error::damaged(&self.path, "no file holds tiles as identity"))
    }

    /// The uncompressed bytes of one content.
    fn content(&self, id: i64) -> Result<Vec<u8>, Error> {
        let found = self
            .db
            .prepare_cached("SELECT tile_data FROM tiles_data WHERE tile_data_id = ?1")
            .and_then(|mut s| s.query_row([id], |r| Ok(gunzip(r.get_ref(0)?.as_blob()?))).optional())
            .map_err(Error::sqlite(&self.path, "read a tile"))?;
        let bytes = found.ok_or_else(|| Error::damaged(&self.path, format!("tile content {id} is missing")))?;
        bytes.map_err(|why| Error::damaged(&self.path, format!("tile content {id} does not unpack: {why}")))
    }
}

/// Unpacks one gzip member.
///
/// # Errors
/// Says why when the bytes are damaged or unpack to more than [`MAX_TILE_BYTES`].
pub fn gunzip(gzip: &[u8]) -> Result<Vec<u8>, String> {
    thread_local! {
        static DECOMPRESSOR: std::cell::RefCell<libdeflater::Decompressor> =
            std::cell::RefCell::new(libdeflater::Decompressor::new());
    }
    // The last four bytes of a member are its length (RFC 1952, section 2.3.1).
    let Some(trailer) = gzip.last_chunk::<4>() else { return Err("too short for gzip".into()) };
    let length = u32::from_le_bytes(*trailer) as usize;
    if length > MAX_TILE_BYTES {
        return Err(format!("says it is {length} bytes long, the limit is {MAX_TILE_BYTES}"));
    }
    let mut out = vec![0; length];
    match DECOMPRESSOR.with_borrow_mut(|d| d.gzip_decompress(gzip, &mut out)) {
        Ok(n) if n == length => Ok(out),
        Ok(_) | Err(_) => Err("not a valid gzip member".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Writer;
    use crate::tile::Empty;

    fn metadata() -> Metadata {
        Metadata {
            name: "test".into(),
            description: None,
            attribution: None,
            minzoom: 0,
            maxzoom: 8,
            bounds: [-180.0, -85.0, 180.0, 85.0].into(),
            center: [0.0, 0.0, 0.0],
            vector_layers: Vec::new(),
            empty: Empty::NoContent,
            encodings: vec![Encoding::Gzip],
            built_by: String::new(),
            inputs: None,
            report: serde_json::Value::Null,
        }
    }

    #[test]
    fn blocks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.mbtiles");
        let there = [(0, 0, 0), (3, 0, 0), (3, 7, 5), (8, 63, 0), (8, 64, 63), (8, 64, 64), (8, 255, 255)];
        let at = |(z, x, y)| TileCoord::new(z, x, y).unwrap();
        let mut writer = Writer::create(&path).unwrap();
        for place in there {
            let hash = ContentHash::of(b"x");
            writer.put(at(place), hash, Some(&crate::store::gzip(b"x"))).unwrap();
        }
        writer.finish(&metadata()).unwrap();
        let reader = Reader::open(&path).unwrap();
        for (z, x, y) in there.into_iter().chain([(8, 128, 128), (8, 0, 255), (3, 1, 1)]) {
            let block = reader.block(at((z, x, y))).unwrap();
            let first = |n: u32| n / BLOCK_SIDE * BLOCK_SIDE;
            let mut any = false;
            for (dx, dy) in (0..64).flat_map(|dx| (0..64).map(move |dy| (dx, dy))) {
                let Ok(tile) = TileCoord::new(z, first(x) + dx, first(y) + dy) else { continue };
                let expected = there.contains(&(z, tile.x(), tile.y()));
                assert_eq!(block.has(tile), expected, "{tile}");
                any |= expected;
            }
            assert_eq!(block.is_empty(), !any, "around {z}/{x}/{y}");
        }
    }
}
