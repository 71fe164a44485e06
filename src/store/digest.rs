//! The digest of a tile file: one name for all that it says.

use super::{ContentHash, Metadata};
use std::fmt;

/// BLAKE3 over the canonical content of a tile file: the metadata that describes the tiles, then
/// every tile in the file's order as zoom, column, row and hash of its uncompressed bytes.
///
/// File bytes, compression levels, build reports and tool versions do not count, so another
/// release of SQLite or of a compressor gives the same digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

/// Takes tiles in the order of `(zoom, column, TMS row)` and ends in their digest.
pub(super) struct Digester(blake3::Hasher);

impl Digester {
    pub(super) fn new(metadata: &Metadata) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("immutile tile file, canonical content, 1");
        let text = metadata.canonical();
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        Self(hasher)
    }

    pub(super) fn tile(&mut self, zoom: u8, column: u32, row: u32, hash: ContentHash) {
        let mut entry = [0; 25];
        entry[0] = zoom;
        entry[1..5].copy_from_slice(&column.to_le_bytes());
        entry[5..9].copy_from_slice(&row.to_le_bytes());
        entry[9..].copy_from_slice(&hash.0);
        self.0.update(&entry);
    }

    pub(super) fn finish(self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
