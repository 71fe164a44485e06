//! Writes a tile file in one pass, beside its final place, and moves it there when it is whole.

use super::digest::Digester;
use super::{ContentHash, Digest, Error, Metadata, schema};
use crate::tile::{Encoding, TileCoord};
use hashbrown::HashMap;
use libdeflater::{CompressionLvl, Compressor};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// Compression level of stored gzip: libdeflate's 6 makes tiles as small as zlib's 9 does, in
/// half of zlib's time at 6.
const GZIP_LEVEL: i32 = 6;

/// What a finished file holds.
#[derive(Debug, Clone, Copy)]
pub struct Summary {
    /// Tiles in the file.
    pub tiles: u64,
    /// Different contents among them.
    pub distinct: u64,
    /// Compressed bytes of the different contents.
    pub bytes: u64,
    /// The name of the content.
    pub digest: Digest,
}

/// One new tile file. Dropped before [`Writer::finish`], it leaves nothing behind.
pub struct Writer {
    db: Option<Connection>,
    target: PathBuf,
    temporary: PathBuf,
    /// Encodings beside gzip, each with its table and the number of contents in it.
    further: Vec<(Encoding, &'static str, usize)>,
    known: HashMap<ContentHash, i64>,
    hashes: Vec<ContentHash>,
    /// Rows of the column being written. They arrive north to south, which is backwards for the
    /// file's south-to-north rows; turned over column by column, pages fill up completely.
    column: Vec<(TileCoord, i64)>,
    tiles: u64,
    bytes: u64,
}

impl Writer {
    /// Starts a file that will be at `target`; until then it is a hidden file in the same folder.
    pub fn create(target: &Path) -> Result<Self, Error> {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let temporary = target.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
        let _ = std::fs::remove_file(&temporary);
        let db = Some(schema::create(&temporary)?);
        Ok(Self {
            db,
            target: target.to_owned(),
            temporary,
            further: Vec::new(),
            known: HashMap::new(),
            hashes: Vec::new(),
            column: Vec::new(),
            tiles: 0,
            bytes: 0,
        })
    }

    /// Makes room for the tiles in encodings beside gzip.
    ///
    /// # Errors
    /// When one comes twice or is none that files hold.
    pub fn add_encodings(&mut self, further: &[Encoding]) -> Result<(), Error> {
        for &encoding in further {
            let table = schema::contents(encoding).filter(|_| encoding != Encoding::Gzip);
            let table =
                table.filter(|_| self.further.iter().all(|(known, ..)| *known != encoding)).ok_or_else(|| {
                    Error::damaged(&self.temporary, format!("{} is no further encoding", encoding.token()))
                })?;
            schema::add_contents(self.db()?, &self.temporary, table)?;
            self.further.push((encoding, table, 0));
        }
        Ok(())
    }

    /// Whether content with this hash is in the file already, so that nobody needs to compress it.
    pub fn knows(&self, hash: ContentHash) -> bool {
        self.known.contains_key(&hash)
    }

    /// Adds a tile. Tiles come sorted by zoom, column and row, each once; `gzip` holds the
    /// content when [`Writer::knows`] denied it, and is not looked at otherwise.
    pub fn put(&mut self, tile: TileCoord, hash: ContentHash, gzip: Option<&[u8]>) -> Result<(), Error> {
        let id = match self.known.get(&hash) {
            Some(&id) => id,
            None => self.put_content(hash, gzip.unwrap_or_default())?,
        };
        if self.column.first().is_some_and(|(first, _)| (first.z(), first.x()) != (tile.z(), tile.x())) {
            self.flush_column()?;
        }
        self.column.push((tile, id));
        self.tiles += 1;
        Ok(())
    }

    /// Adds one of the further encodings of the content that [`Writer::put`] added last.
    pub fn put_encoded(&mut self, encoding: Encoding, bytes: &[u8]) -> Result<(), Error> {
        let id = self.hashes.len();
        let misplaced = || Error::damaged(&self.temporary, format!("a tile came out of turn in {}", encoding.token()));
        let at = self.further.iter().position(|&(known, _, count)| known == encoding && count + 1 == id);
        let at = at.ok_or_else(misplaced)?;
        let table = self.further[at].1;
        self.db()?
            .prepare_cached(&format!("INSERT INTO {table} (tile_data_id, tile_data) VALUES (?1, ?2)"))
            .and_then(|mut s| s.execute((id as i64, bytes)))
            .map_err(Error::sqlite(&self.temporary, "write a tile"))?;
        self.further[at].2 = id;
        Ok(())
    }

    fn put_content(&mut self, hash: ContentHash, gzip: &[u8]) -> Result<i64, Error> {
        if gzip.is_empty() {
            return Err(Error::damaged(&self.temporary, "a new tile came without its bytes"));
        }
        let id = self.hashes.len() as i64 + 1;
        self.db()?
            .prepare_cached("INSERT INTO tiles_data (tile_data_id, tile_data) VALUES (?1, ?2)")
            .and_then(|mut s| s.execute((id, gzip)))
            .map_err(Error::sqlite(&self.temporary, "write a tile"))?;
        self.known.insert(hash, id);
        self.hashes.push(hash);
        self.bytes += gzip.len() as u64;
        Ok(id)
    }

    fn flush_column(&mut self) -> Result<(), Error> {
        let column = std::mem::take(&mut self.column);
        let db = self.db()?;
        let mut insert = db
            .prepare_cached("INSERT INTO tiles_shallow VALUES (?1, ?2, ?3, ?4, ?5)")
            .map_err(Error::sqlite(&self.temporary, "write a tile"))?;
        for &(tile, id) in column.iter().rev() {
            let tag = self.hashes[id as usize - 1].tag().0 as i64;
            insert
                .execute((tile.z(), tile.x(), schema::tms_row(tile), id, tag))
                .map_err(Error::sqlite(&self.temporary, "write a tile"))?;
        }
        Ok(())
    }

    /// Writes the metadata, makes the file durable and renames it to its final name.
    pub fn finish(mut self, metadata: &Metadata) -> Result<Summary, Error> {
        self.flush_column()?;
        self.check_encodings(metadata)?;
        let path = self.temporary.clone();
        metadata.write(self.db()?, &path)?;
        let digest = self.digest(metadata).map_err(Error::sqlite(&path, "read the tiles back"))?;
        self.db()?.execute_batch("COMMIT").map_err(Error::sqlite(&path, "finish the file"))?;
        if let Some(db) = self.db.take() {
            db.close().map_err(|(_, e)| Error::sqlite(&path, "close the file")(e))?;
        }
        persist(&path, &self.target)?;
        Ok(Summary { tiles: self.tiles, distinct: self.hashes.len() as u64, bytes: self.bytes, digest })
    }

    /// What the metadata promises must be there, for every content.
    fn check_encodings(&self, metadata: &Metadata) -> Result<(), Error> {
        let there: Vec<_> = [Encoding::Gzip].into_iter().chain(self.further.iter().map(|f| f.0)).collect();
        let whole = self.further.iter().all(|&(.., count)| count == self.hashes.len());
        if whole && metadata.encodings == there {
            return Ok(());
        }
        Err(Error::damaged(&self.temporary, "not every tile is there in every encoding"))
    }

    fn digest(&self, metadata: &Metadata) -> rusqlite::Result<Digest> {
        let mut digester = Digester::new(metadata);
        let Some(db) = &self.db else { return Ok(digester.finish()) };
        let mut select = db.prepare(super::reader::ALL_TILES)?;
        let mut rows = select.query([])?;
        while let Some(r) = rows.next()? {
            let id: i64 = r.get(3)?;
            digester.tile(r.get(0)?, r.get(1)?, r.get(2)?, self.hashes[id as usize - 1]);
        }
        Ok(digester.finish())
    }

    fn db(&self) -> Result<&Connection, Error> {
        self.db.as_ref().ok_or_else(|| Error::damaged(&self.temporary, "the file is closed already"))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.db.take();
        let _ = std::fs::remove_file(&self.temporary);
    }
}

/// Flushes a finished file to the disk and gives it its name, so that after a crash there is
/// either the old file or the whole new one.
fn persist(temporary: &Path, target: &Path) -> Result<(), Error> {
    let file = std::fs::File::open(temporary).map_err(Error::io(temporary, "open the finished file"))?;
    file.sync_all().map_err(Error::io(temporary, "flush the file to the disk"))?;
    std::fs::rename(temporary, target).map_err(Error::io(target, "put the finished file in place"))?;
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::File::open(folder).and_then(|d| d.sync_all()).map_err(Error::io(folder, "flush the folder to the disk"))
}

/// The stored form of a tile's bytes: one gzip member without name or time, so that equal
/// tiles give equal bytes.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    thread_local! {
        static COMPRESSOR: std::cell::RefCell<Compressor> =
            std::cell::RefCell::new(Compressor::new(CompressionLvl::new(GZIP_LEVEL).unwrap_or_default()));
    }
    COMPRESSOR.with_borrow_mut(|compressor| {
        let mut out = vec![0; compressor.gzip_compress_bound(bytes.len())];
        // The bound is libdeflate's own, so the output always fits.
        let length = compressor.gzip_compress(bytes, &mut out).unwrap_or_default();
        out.truncate(length);
        out.shrink_to_fit();
        out
    })
}
