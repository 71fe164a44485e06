//! One layer in memory, made ready to be cut.

use super::bounds::Extent;
use super::definition::{Definition, LayerDefinition};
use super::ingest::{Chunk, Record};
use super::report::LayerReport;
use crate::cut::{self, Nodes, Options};
use crate::encode::Keys;
use crate::grid::{Kind, World};
use crate::tilejson::VectorLayer;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// A layer's features with all that the cut needs to know about them.
pub(super) struct Layer {
    pub definition: LayerDefinition,
    pub options: Options,
    pub chunks: Vec<Chunk>,
    pub keys: Keys,
    /// Place of every record in the layer's order, chunk by chunk.
    pub order: Vec<Vec<u32>>,
    /// Chunk and record at each place of the order.
    pub sorted: Vec<(u32, u32)>,
    pub fields: BTreeMap<String, &'static str>,
    pub extent: Extent,
    pub report: LayerReport,
}

impl Layer {
    pub(super) fn new(
        layer: LayerDefinition,
        definition: &Definition,
        chunks: Vec<Chunk>,
        keys: Keys,
        fields: BTreeMap<String, &'static str>,
        extent: Extent,
        report: LayerReport,
    ) -> Self {
        let options = layer.cut(definition);
        Self { definition: layer, options, chunks, keys, order: Vec::new(), sorted: Vec::new(), fields, extent, report }
    }

    /// Decides the order of features and the lowest zoom of every vertex and point.
    pub(super) fn prepare(&mut self) {
        self.sort();
        self.level_paths();
        if let Some(thin) = self.definition.thin.rule() {
            self.thin(thin.spacing, thin.crowd);
        }
    }

    /// By place, then by content: never by the order of the input.
    fn sort(&mut self) {
        let mut keyed: Vec<(u64, u64, u32, u32)> = Vec::new();
        for (c, chunk) in self.chunks.iter().enumerate() {
            keyed.extend(
                chunk.records.iter().enumerate().map(|(r, record)| (record.hilbert, record.hash, c as u32, r as u32)),
            );
        }
        keyed.par_sort_unstable();
        self.order = self.chunks.iter().map(|chunk| vec![0; chunk.records.len()]).collect();
        self.sorted = keyed.iter().map(|&(_, _, chunk, record)| (chunk, record)).collect();
        for (place, &(chunk, record)) in self.sorted.iter().enumerate() {
            self.order[chunk as usize][record as usize] = place as u32;
        }
    }

    fn level_paths(&mut self) {
        let vertices = self
            .chunks
            .par_iter()
            .flat_map_iter(|chunk| chunk.shapes.iter())
            .filter(|shape| shape.kind != Kind::Point)
            .map(|shape| shape.positions().len())
            .sum();
        let nodes = Nodes::with_capacity(vertices);
        self.chunks.par_iter().for_each(|chunk| {
            for shape in chunk.shapes.iter().filter(|shape| shape.kind != Kind::Point) {
                (0..shape.path_count()).for_each(|i| nodes.pass(shape.path(i).0, shape.kind == Kind::Polygon));
            }
        });
        let options = self.options;
        self.chunks.par_iter_mut().for_each(|chunk| {
            chunk
                .shapes
                .level_paths(|path, ring, levels| cut::simplify(path, ring, |p| nodes.is_node(p), &options, levels));
        });
    }

    /// Levels of points by rank; among equals by content, then by place.
    fn thin(&mut self, spacing: f64, crowd: u32) {
        let mut points: Vec<Ranked> = Vec::new();
        for (chunk, of) in self.chunks.iter().enumerate() {
            for (record, (shape, Record { rank, hash, .. })) in of.shapes.iter().zip(&of.records).enumerate() {
                if shape.kind == Kind::Point {
                    points.extend(shape.positions().iter().enumerate().map(|(point, &at)| Ranked {
                        rank: *rank,
                        hash: *hash,
                        at,
                        place: (chunk as u32, record as u32, point as u32),
                    }));
                }
            }
        }
        points.par_sort_unstable_by(Ranked::order);
        let at: Vec<World> = points.iter().map(|p| p.at).collect();
        let mut places: Vec<_> = points.into_iter().map(|p| (p.place, 0)).collect();
        let Options { minzoom, maxzoom, .. } = self.options;
        let spacing = spacing * f64::from(self.options.grid(0).shift()).exp2();
        let levels = cut::thin(&at, cut::Thinning { spacing, crowd, minzoom, maxzoom });
        places.iter_mut().zip(levels).for_each(|(place, level)| place.1 = level);
        places.par_sort_unstable();
        let mut levels = places.into_iter().map(|(_, level)| level);
        for chunk in &mut self.chunks {
            chunk.shapes.level_points(|_, _| levels.next().unwrap_or(0));
        }
    }

    /// The record at a place of the order.
    pub(super) fn record(&self, place: u32) -> (&Record, &[u8]) {
        let (chunk, record) = self.sorted[place as usize];
        let chunk = &self.chunks[chunk as usize];
        let record = &chunk.records[record as usize];
        (record, &chunk.attributes[record.attributes.0 as usize..record.attributes.1 as usize])
    }

    /// What the record at a place of the order is made of.
    pub(super) fn kind(&self, place: u32) -> Kind {
        let (chunk, record) = self.sorted[place as usize];
        self.chunks[chunk as usize].shapes.get(record as usize).kind
    }

    /// How many shapes of points have none that is shown at this zoom.
    pub(super) fn thinned(&self, zoom: u8) -> u64 {
        let hidden = |shape: &cut::Shape| shape.kind == Kind::Point && shape.points().all(|(_, level)| level > zoom);
        self.chunks.par_iter().map(|chunk| chunk.shapes.iter().filter(hidden).count() as u64).sum()
    }

    /// Whether the layer appears at a zoom.
    pub(super) fn has(&self, zoom: u8) -> bool {
        (self.options.minzoom..=self.options.maxzoom).contains(&zoom)
    }

    /// The layer's entry in `vector_layers`.
    pub(super) fn vector_layer(&self) -> VectorLayer {
        VectorLayer {
            id: self.definition.id.clone(),
            description: self.definition.description.clone(),
            minzoom: Some(self.options.minzoom),
            maxzoom: Some(self.options.maxzoom),
            fields: self.fields.iter().map(|(name, kind)| (name.clone(), (*kind).to_owned())).collect(),
        }
    }
}

/// A point in the order in which points matter.
struct Ranked {
    rank: f64,
    hash: u64,
    at: World,
    /// Chunk, record, and number of the point in it.
    place: (u32, u32, u32),
}

impl Ranked {
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        other
            .rank
            .total_cmp(&self.rank)
            .then_with(|| (self.hash, self.at, self.place).cmp(&(other.hash, other.at, other.place)))
    }
}
