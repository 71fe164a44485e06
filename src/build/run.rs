//! The build from end to end.

use super::definition::Definition;
use super::ingest::ingest;
use super::layer::Layer;
use super::output::Output;
use super::report::{Event, Report, ZoomReport};
use super::tile::{Drawn, cut_tile};
use super::zoom::{Item, pieces};
use super::{Error, bounds};
use crate::store::Metadata;
use crate::tile::TileCoord;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Pieces that are encoded before the writer gets them: enough for all cores, little to hold.
const PIECES_PER_BATCH: usize = 1 << 15;

/// How a build runs; none of it changes what comes out.
#[derive(Debug, Clone)]
pub struct Options {
    /// The file to write.
    pub output: PathBuf,
    /// Worker threads; 0 means one for each core.
    pub threads: usize,
    /// End with an error when a feature is skipped.
    pub strict: bool,
    /// The hash from [`super::fingerprint`], to be kept in the file.
    pub inputs: Option<String>,
}

/// What goes into a file as the program that made it.
pub(super) const fn built_by() -> &'static str {
    concat!("immutile ", env!("CARGO_PKG_VERSION"))
}

/// Cuts a tileset into a new tile file; an existing file is replaced only when the new one is whole.
pub fn build(definition: &Definition, options: &Options, progress: &(dyn Fn(Event) + Sync)) -> Result<Report, Error> {
    definition.validate().map_err(|why| Error::Definition { path: definition.name.clone().into(), why })?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .map_err(|e| Error::Threads(e.to_string()))?
        .install(|| run(definition, options, progress))
}

fn run(definition: &Definition, options: &Options, progress: &(dyn Fn(Event) + Sync)) -> Result<Report, Error> {
    let mut report = Report::default();
    let mut clock = Instant::now();
    let mut lap = |report: &mut Report, phase| {
        report.seconds.insert(phase, clock.elapsed().as_secs_f64());
        clock = Instant::now();
    };
    let done = AtomicU64::new(0);
    let mut layers = Vec::new();
    for layer in &definition.layers {
        layers.push(ingest(definition, layer, &done, progress)?);
    }
    lap(&mut report, "read");
    report.skipped = layers.iter().flat_map(|l| l.report.skipped.values()).sum();
    if options.strict && report.skipped > 0 {
        report.layers = layers.iter().map(|layer| layer.report.clone()).collect();
        return Err(Error::Strict { report: Box::new(report) });
    }
    progress(Event::Preparing);
    layers.iter_mut().for_each(Layer::prepare);
    lap(&mut report, "prepare");

    let mut output = Output::create(&options.output, &definition.encodings)?;
    let enlarged: Vec<AtomicU64> = layers.iter().map(|_| AtomicU64::new(0)).collect();
    for zoom in definition.minzoom..=definition.maxzoom {
        progress(Event::Zoom { zoom, tiles: output.tiles });
        let items = pieces(&layers, zoom, &enlarged)?;
        let zoom_report = cut_zoom(definition, &layers, zoom, items, &mut output, progress)?;
        report.zooms.push(zoom_report);
    }
    lap(&mut report, "cut");
    progress(Event::Finishing);
    for (layer, enlarged) in layers.iter_mut().zip(&enlarged) {
        layer.report.enlarged = enlarged.load(Relaxed);
    }
    report.layers = layers.iter().map(|layer| layer.report.clone()).collect();
    output.finish(&mut report, |report| metadata(definition, &layers, options, report))?;
    lap(&mut report, "finish");
    Ok(report)
}

fn cut_zoom(
    definition: &Definition,
    layers: &[Layer],
    zoom: u8,
    mut items: Vec<Item>,
    output: &mut Output,
    progress: &(dyn Fn(Event) + Sync),
) -> Result<ZoomReport, Error> {
    let mut report = ZoomReport { zoom, ..Default::default() };
    let drawn: Vec<Drawn> = layers.iter().map(|layer| Drawn::none_of(layer.sorted.len())).collect();
    let mut rest = items.as_mut_slice();
    while !rest.is_empty() {
        let (batch, more) = rest.split_at_mut(batch_end(rest));
        rest = more;
        let tiles = batch
            .par_chunk_by_mut(|a, b| a.tile == b.tile)
            .filter_map(|items| {
                let (x, y) = items[0].tile_xy();
                let coord = TileCoord::new(zoom, x, y).ok()?;
                cut_tile(items, layers, coord, definition.extent, definition.buffer, &drawn)
            })
            .collect();
        output.put(tiles, &mut report)?;
        progress(Event::Zoom { zoom, tiles: output.tiles });
    }
    for (layer, drawn) in layers.iter().zip(&drawn).filter(|(layer, _)| layer.has(zoom)) {
        let id = &layer.definition.id;
        report.features.insert(id.clone(), layer.sorted.len() as u64);
        report.drawn.insert(id.clone(), drawn.count());
        if layer.definition.thin.rule().is_some() {
            report.thinned.insert(id.clone(), layer.thinned(zoom));
        }
    }
    Ok(report)
}

/// The end of the first tile that reaches the size of a batch.
fn batch_end(items: &[Item]) -> usize {
    let least = PIECES_PER_BATCH.min(items.len());
    let tile = items[least - 1].tile;
    least + items[least..].iter().take_while(|item| item.tile == tile).count()
}

fn metadata(definition: &Definition, layers: &[Layer], options: &Options, report: &Report) -> Metadata {
    let mut extent = bounds::Extent::default();
    for layer in layers {
        extent.join(layer.extent);
    }
    let bounds = extent.degrees();
    Metadata {
        name: definition.name.clone(),
        description: definition.description.clone(),
        attribution: definition.attribution.clone(),
        minzoom: definition.minzoom,
        maxzoom: definition.maxzoom,
        bounds,
        center: bounds::center(&bounds, definition.minzoom, definition.maxzoom),
        vector_layers: layers.iter().map(Layer::vector_layer).collect(),
        empty: definition.empty,
        encodings: definition.encodings.clone(),
        built_by: built_by().to_owned(),
        inputs: options.inputs.clone(),
        report: report.frozen(),
    }
}
