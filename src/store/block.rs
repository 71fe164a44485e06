//! Which tiles of a square are there.

use crate::tile::TileCoord;

/// Tiles along one side of a block.
pub const BLOCK_SIDE: u32 = 64;

/// The places of 64 × 64 neighbouring tiles of one zoom, whose first column and row are multiples
/// of 64: one word for each column, one bit for each XYZ row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block([u64; BLOCK_SIDE as usize]);

impl Block {
    pub(super) const EMPTY: Self = Self([0; BLOCK_SIDE as usize]);

    pub(super) fn add(&mut self, tile: TileCoord) {
        self.0[(tile.x() % BLOCK_SIDE) as usize] |= 1 << (tile.y() % BLOCK_SIDE);
    }

    /// Whether a tile of this block is there.
    pub fn has(&self, tile: TileCoord) -> bool {
        self.0[(tile.x() % BLOCK_SIDE) as usize] >> (tile.y() % BLOCK_SIDE) & 1 == 1
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|column| *column == 0)
    }
}
