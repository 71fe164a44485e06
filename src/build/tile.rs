//! One tile: the pieces of its features become its bytes.

use super::layer::Layer;
use super::zoom::Item;
use crate::cut::{self, Piece};
use crate::encode::{LayerWriter, write_geometry};
use crate::grid::Kind;
use crate::store::ContentHash;
use crate::tile::TileCoord;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The bytes of a tile before compression.
#[derive(Debug)]
pub(super) struct Cut {
    pub coord: TileCoord,
    pub bytes: Vec<u8>,
    pub hash: ContentHash,
    pub features: u32,
}

/// Which records of a layer were drawn: one bit each.
#[derive(Debug)]
pub(super) struct Drawn(Vec<AtomicU64>);

impl Drawn {
    pub(super) fn none_of(records: usize) -> Self {
        Self((0..records.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    fn mark(&self, place: u32) {
        self.0[place as usize / 64].fetch_or(1 << (place % 64), Relaxed);
    }

    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.load(Relaxed).count_ones())).sum()
    }
}

/// Geometry of one feature in this tile, encoded.
struct Encoded {
    layer: u16,
    place: u32,
    kind: Kind,
    geometry: Vec<u8>,
}

/// Cleans and encodes the pieces of one tile, sorted by layer and place; `None` when nothing is left.
pub(super) fn cut_tile(
    items: &mut [Item],
    layers: &[Layer],
    coord: TileCoord,
    extent: u32,
    buffer: u32,
    drawn: &[Drawn],
) -> Option<Cut> {
    let encoded: Vec<Encoded> = items
        .par_chunk_by_mut(|a, b| a.key() == b.key())
        .filter_map(|pieces| encode_feature(pieces, layers, extent, buffer))
        .collect();
    let mut bytes = Vec::new();
    let mut features = 0;
    for run in encoded.chunk_by(|a, b| a.layer == b.layer) {
        let number = run[0].layer as usize;
        let layer = &layers[number];
        let mut writer = LayerWriter::new(&layer.keys);
        for feature in run {
            let (record, attributes) = layer.record(feature.place);
            writer.feature(record.id, feature.kind, &feature.geometry, attributes);
            drawn[number].mark(feature.place);
        }
        features += writer.count();
        writer.finish(&layer.definition.id, extent, &mut bytes);
    }
    (features > 0).then(|| Cut { coord, hash: ContentHash::of(&bytes), bytes, features })
}

fn encode_feature(items: &mut [Item], layers: &[Layer], extent: u32, buffer: u32) -> Option<Encoded> {
    let (layer, place) = (items[0].layer, items[0].place);
    let kind = kind_of(&layers[layer as usize], place);
    let pieces: Vec<Piece> = items.iter_mut().map(|item| std::mem::replace(&mut item.piece, Piece::Filled)).collect();
    let parts = cut::clean(kind, pieces, extent as i32, buffer as i32);
    if parts.is_empty() {
        return None;
    }
    let mut geometry = Vec::with_capacity(parts.positions.len() * 3);
    write_geometry(&mut geometry, &parts);
    Some(Encoded { layer, place, kind, geometry })
}

fn kind_of(layer: &Layer, place: u32) -> Kind {
    let (chunk, record) = layer.sorted[place as usize];
    layer.chunks[chunk as usize].shapes.get(record as usize).kind
}
