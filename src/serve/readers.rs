//! The open tile files of one reader thread, and what is read from them.
//!
//! Responsible for having few files open, and for noticing a file that is no longer the one
//! that was published: what is read from such a file is not sent.

use super::snapshot::Served;
use crate::store::{self, Block, Reader, Tag};
use crate::tile::{Encoding, TileCoord};
use bytes::Bytes;
use std::sync::{Arc, Weak};

/// Tile files that one thread keeps open. Each may hold up to 2 MB of pages, so with the default
/// of 4 threads and more than 16 versions in use this is 128 MB and 64 descriptors at most; one
/// that has to be opened again costs some 80 µs.
const MAX_OPEN: usize = 16;

/// The connections of one thread, the one used last at the end.
#[derive(Default)]
pub(super) struct Readers(Vec<(Weak<Served>, Reader)>);

/// Why there are no bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Miss {
    /// Nothing lies at this place.
    Empty,
    /// The file cannot be read, or is no longer the one that was published.
    Unreadable,
    /// More is asked for than can be read in time.
    Busy,
}

impl Readers {
    /// A tile in this stored encoding, with its tag.
    pub(super) fn tile(&mut self, of: &Arc<Served>, tile: TileCoord, encoding: Encoding) -> Result<(Tag, Bytes), Miss> {
        self.read(of, |r| r.stored(tile, encoding))
    }

    /// A tile's tag alone.
    pub(super) fn tag(&mut self, of: &Arc<Served>, tile: TileCoord) -> Result<Tag, Miss> {
        self.read(of, |r| r.tag(tile))
    }

    /// Which tiles there are around a place.
    pub(super) fn block(&mut self, of: &Arc<Served>, around: TileCoord) -> Result<Block, Miss> {
        self.read(of, |r| r.block(around).map(Some))
    }

    /// Closes the files of versions that nobody can ask for any more.
    pub(super) fn close_gone(&mut self) {
        self.0.retain(|(of, _)| of.strong_count() > 0);
    }

    fn read<T>(
        &mut self,
        of: &Arc<Served>,
        read: impl Fn(&Reader) -> Result<Option<T>, store::Error>,
    ) -> Result<T, Miss> {
        let found = self.open(of).and_then(read);
        // Looked at after the read: a change before or during it shows now.
        if !of.is_untouched() {
            self.close(of);
            return Err(Miss::Unreadable);
        }
        match found {
            Ok(found) => found.ok_or(Miss::Empty),
            Err(error) => {
                tracing::error!(tileset = %of.tileset, version = of.version, error = %chain(&error), "cannot read a tile");
                self.close(of);
                Err(Miss::Unreadable)
            }
        }
    }

    fn open(&mut self, of: &Arc<Served>) -> Result<&Reader, store::Error> {
        if let Some(at) = self.position(of) {
            self.0[at..].rotate_left(1);
        } else {
            let reader = Reader::open(&of.path)?;
            self.close_gone();
            if self.0.len() >= MAX_OPEN {
                self.0.remove(0);
            }
            self.0.push((Arc::downgrade(of), reader));
        }
        Ok(&self.0[self.0.len() - 1].1)
    }

    fn close(&mut self, of: &Arc<Served>) {
        if let Some(at) = self.position(of) {
            self.0.remove(at);
        }
    }

    fn position(&self, of: &Arc<Served>) -> Option<usize> {
        self.0.iter().rposition(|(open, _)| open.as_ptr() == Arc::as_ptr(of))
    }
}

/// The plain bytes of a tile whose gzip bytes are known.
pub(super) fn unpack(of: &Served, tile: TileCoord, gzip: &[u8]) -> Result<Bytes, Miss> {
    store::gunzip(gzip).map(Bytes::from).map_err(|why| {
        tracing::error!(tileset = %of.tileset, version = of.version, %tile, %why, "a tile does not unpack");
        Miss::Unreadable
    })
}

/// An error with everything that led to it, on one line.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
