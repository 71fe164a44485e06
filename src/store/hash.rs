//! Names for content: 128 bits to find equal tiles, 64 of them for HTTP.

use std::fmt;

/// The first 128 bits of BLAKE3 over the uncompressed bytes of a tile.
///
/// Equal tiles are stored once by this hash; it is cryptographic, so no two different tiles of
/// any honest or hostile input share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(pub [u8; 16]);

/// 64 bits of a tile's content hash: the stored part of its `ETag`.
///
/// Made from the uncompressed bytes, so it stays the same from version to version as long as
/// the tile does, whatever compressor wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tag(pub u64);

impl ContentHash {
    /// The hash of these uncompressed bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut first = [0; 16];
        first.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
        Self(first)
    }

    /// The part that is stored with every tile.
    pub fn tag(self) -> Tag {
        let mut first = [0; 8];
        first.copy_from_slice(&self.0[..8]);
        Tag(u64::from_be_bytes(first))
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
