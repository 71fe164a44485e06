//! One zoom: every feature's pieces, sorted by tile.

use super::Error;
use super::layer::Layer;
use crate::cut::{self, Piece, Shape, ZoomGrid};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Pieces of one zoom that are held at a time, 40 bytes each and as much again to sort them: a
/// polygon around the world has 4^20 tiles at zoom 20, which no machine holds and no map needs.
const MAX_PIECES: u64 = 100_000_000;

/// Shapes that one task cuts at a time.
const SHAPES_PER_TASK: usize = 64;

/// What one feature leaves in one tile; a tile may have several of one feature.
#[derive(Debug)]
pub(super) struct Item {
    /// Column and row, sorting by column first.
    pub tile: u64,
    /// Number of the layer.
    pub layer: u16,
    /// Place in the layer's order.
    pub place: u32,
    pub piece: Piece,
}

impl Item {
    pub(super) const fn key(&self) -> (u64, u16, u32) {
        (self.tile, self.layer, self.place)
    }

    pub(super) const fn tile_xy(&self) -> (u32, u32) {
        ((self.tile >> 32) as u32, self.tile as u32)
    }
}

/// Cuts all layers at one zoom. Counts enlarged shapes into `enlarged`, one counter a layer.
pub(super) fn pieces(layers: &[Layer], zoom: u8, enlarged: &[AtomicU64]) -> Result<Vec<Item>, Error> {
    let count = AtomicU64::new(0);
    let mut tasks = Vec::new();
    for (number, layer) in layers.iter().enumerate().filter(|(_, layer)| layer.has(zoom)) {
        for chunk in 0..layer.chunks.len() {
            let shapes = layer.chunks[chunk].shapes.len();
            tasks.extend(
                (0..shapes)
                    .step_by(SHAPES_PER_TASK)
                    .map(|start| (number, chunk, start..shapes.min(start + SHAPES_PER_TASK))),
            );
        }
    }
    let mut items: Vec<Item> = tasks
        .into_par_iter()
        .flat_map_iter(|(number, chunk, shapes)| {
            let layer = &layers[number];
            let mut items = Vec::new();
            for index in shapes {
                let shape = layer.chunks[chunk].shapes.get(index);
                let place = layer.order[chunk][index];
                let mut emit = |x: u32, y: u32, piece| {
                    items.push(Item { tile: u64::from(x) << 32 | u64::from(y), layer: number as u16, place, piece });
                };
                let grid = layer.options.grid(zoom);
                if count.load(Relaxed) > MAX_PIECES || squares(&shape, grid) > MAX_PIECES {
                    count.store(u64::MAX / 2, Relaxed);
                    break;
                }
                if zoom < layer.options.maxzoom {
                    cut::clip(&shape, grid, &mut emit);
                } else if cut::clip_or_enlarge(&shape, grid, &mut emit) {
                    enlarged[number].fetch_add(1, Relaxed);
                }
            }
            count.fetch_add(items.len() as u64, Relaxed);
            items
        })
        .collect();
    if count.load(Relaxed) > MAX_PIECES {
        return Err(Error::TooManyTiles { zoom, limit: MAX_PIECES });
    }
    // Stable: the pieces of one feature in one tile come from one task, in the shape's own order.
    items.par_sort_by_key(Item::key);
    Ok(items)
}

/// Tiles in the box of the largest polygon of a shape: as many as it may fill.
fn squares(shape: &Shape, grid: ZoomGrid) -> u64 {
    let side = |low: u32, high: u32| u64::from((high - low).checked_shr(32 - u32::from(grid.zoom)).unwrap_or(0)) + 1;
    let of = |exterior: usize| {
        let ring = shape.path(exterior).0;
        let none = (u32::MAX, 0, u32::MAX, 0);
        let (left, right, top, bottom) =
            ring.iter().fold(none, |b, p| (b.0.min(p.x), b.1.max(p.x), b.2.min(p.y), b.3.max(p.y)));
        if ring.is_empty() { 0 } else { side(left, right).saturating_mul(side(top, bottom)) }
    };
    shape.polygons().map(|group| of(group.start)).max().unwrap_or(0)
}
