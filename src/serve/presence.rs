//! Which places of a version are empty, so that requests for nothing never reach a file twice.
//!
//! Places come in blocks of 64 × 64 tiles of one zoom. The first request that finds nothing in
//! the file has the whole block looked at by the reader that found so; from then on the block's
//! empty places are known. A tile that is there costs no more than the question.
//!
//! Bounded: at most [`BUDGET`], a version with zooms 0 to 8 needs 30 kB at most. In versions with
//! more blocks than fit the blocks that were asked for least are forgotten and looked at again.

use super::snapshot::Served;
use crate::store::{BLOCK_SIDE, Block};
use crate::tile::TileCoord;
use moka::future::Cache;
use std::sync::Arc;

/// Memory for blocks in bytes: some 22,000 of them with tiles in them, 60,000 without any.
const BUDGET: u64 = 16 << 20;

/// What a block costs beside its bits: key, moka's entry and queue nodes, the allocator's rounding.
const ENTRY_OVERHEAD: usize = 270;

/// Names a block. The slot stands for tileset and version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    slot: u32,
    z: u8,
    column: u32,
    row: u32,
}

/// The known blocks of all versions. A block without any tile has no bits.
pub(super) struct Presence(Cache<Key, Option<Arc<Block>>, hashbrown::DefaultHashBuilder>);

impl Presence {
    pub(super) fn new() -> Self {
        let weigh = |_: &Key, block: &Option<Arc<Block>>| {
            let bits = if block.is_some() { size_of::<Block>() } else { 0 };
            u32::try_from(bits + ENTRY_OVERHEAD).unwrap_or(u32::MAX)
        };
        let cache = Cache::builder().max_capacity(BUDGET).weigher(weigh);
        Self(cache.build_with_hasher(hashbrown::DefaultHashBuilder::default()))
    }

    /// Whether nothing is known to lie here.
    pub(super) async fn is_empty(&self, of: &Served, tile: TileCoord) -> bool {
        let block = self.0.get(&Key::of(of.slot, tile)).await;
        block.is_some_and(|block| block.is_none_or(|block| !block.has(tile)))
    }

    /// Remembers the block around a tile.
    pub(super) async fn remember(&self, of: &Served, tile: TileCoord, block: Block) {
        let block = Some(block).filter(|b| !b.is_empty()).map(Arc::new);
        self.0.insert(Key::of(of.slot, tile), block).await;
    }

    /// Bytes that are in use.
    pub(super) async fn bytes(&self) -> u64 {
        self.0.run_pending_tasks().await;
        self.0.weighted_size()
    }
}

impl Key {
    fn of(slot: u32, tile: TileCoord) -> Self {
        Self { slot, z: tile.z(), column: tile.x() / BLOCK_SIDE, row: tile.y() / BLOCK_SIDE }
    }
}
