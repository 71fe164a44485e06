//! One tile: the pieces of its features become its bytes.

use super::layer::Layer;
use super::zoom::Item;
use crate::cut::{self, Piece};
use crate::encode::{LayerWriter, write_geometry};
use crate::grid::{Kind, Parts, Point};
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
    let mut bytes = Vec::new();
    let mut features = 0;
    for items in items.chunk_by_mut(|a, b| a.layer == b.layer) {
        let number = items[0].layer as usize;
        let layer = &layers[number];
        let mut writer = LayerWriter::new(&layer.keys);
        for feature in encode_layer(items, layer, extent as i32, buffer as i32) {
            let (record, attributes) = layer.record(feature.place);
            writer.feature(record.id, feature.kind, &feature.geometry, attributes);
            drawn[number].mark(feature.place);
        }
        features += writer.count();
        writer.finish(&layer.definition.id, extent, &mut bytes);
    }
    (features > 0).then(|| Cut { coord, hash: ContentHash::of(&bytes), bytes, features })
}

/// Cleans what one layer has in this tile: polygons with each other, the rest one by one.
fn encode_layer(items: &mut [Item], layer: &Layer, extent: i32, buffer: i32) -> Vec<Encoded> {
    let mut polygons: (Vec<u32>, Vec<Vec<Piece>>) = Default::default();
    let mut others: Vec<(u32, Kind, &mut [Item])> = Vec::new();
    for items in items.chunk_by_mut(|a, b| a.place == b.place) {
        let place = items[0].place;
        // Points are so many that they are not looked up.
        let kind = if matches!(items[0].piece, Piece::Point(_)) { Kind::Point } else { layer.kind(place) };
        match kind {
            Kind::Polygon => {
                polygons.0.push(place);
                polygons.1.push(take_pieces(items));
            }
            kind => others.push((place, kind, items)),
        }
    }
    let cleaned = cut::clean_polygons(&polygons.1, extent, buffer);
    let mut encoded: Vec<Encoded> =
        polygons.0.par_iter().zip(cleaned).filter_map(|(&place, parts)| encode(place, &parts)).collect();
    encoded.par_extend(
        others.into_par_iter().filter_map(|(place, kind, items)| encode(place, &cut::clean(kind, take_pieces(items)))),
    );
    encoded.sort_unstable_by_key(|feature| feature.place);
    encoded
}

fn take_pieces(items: &mut [Item]) -> Vec<Piece> {
    items.iter_mut().map(|item| std::mem::replace(&mut item.piece, Piece::Filled)).collect()
}

fn encode(place: u32, parts: &Parts<Point>) -> Option<Encoded> {
    if parts.is_empty() {
        return None;
    }
    let mut geometry = Vec::with_capacity(parts.positions.len() * 3);
    write_geometry(&mut geometry, parts);
    Some(Encoded { place, kind: parts.kind, geometry })
}
