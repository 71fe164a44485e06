//! One zoom: every feature's pieces, sorted by tile.

use super::layer::Layer;
use crate::cut::{self, Piece};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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
pub(super) fn pieces(layers: &[Layer], zoom: u8, enlarged: &[AtomicU64]) -> Vec<Item> {
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
                if zoom < layer.options.maxzoom {
                    cut::clip(&shape, grid, &mut emit);
                } else if cut::clip_or_enlarge(&shape, grid, &mut emit) {
                    enlarged[number].fetch_add(1, Relaxed);
                }
            }
            items
        })
        .collect();
    // Stable: the pieces of one feature in one tile come from one task, in the shape's own order.
    items.par_sort_by_key(Item::key);
    items
}
