//! Sources into chunks: what the layer keeps of each feature, packed.

use super::bounds::Extent;
use super::definition::{Definition, LayerDefinition};
use super::report::{Event, LayerReport, SkipExample};
use super::{Error, layer::Layer};
use crate::cut::{Shapes, wrap};
use crate::encode::{self, Keys};
use crate::feature::{Feature, Id, Value};
use crate::grid::{Kind, Parts, World, hilbert};
use crate::source;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Examples kept of each kind of skip or warning.
const EXAMPLES: usize = 3;

/// Features that were read together, without an allocation for each.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub shapes: Shapes,
    /// One for each shape.
    pub records: Vec<Record>,
    /// Packed attributes of all records.
    pub attributes: Vec<u8>,
}

/// One shape's feature. A feature with several kinds of geometry has several records.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    pub id: Option<u64>,
    /// Where the shape starts, along the Hilbert curve: the first sort key inside a tile.
    pub hilbert: u64,
    /// Of all that the feature is: the second sort key, so that order never depends on the input's.
    pub hash: u64,
    /// For thinning; higher is more important.
    pub rank: f64,
    /// Start and end in [`Chunk::attributes`].
    pub attributes: (u32, u32),
}

/// What all threads share while one layer is read.
struct Shared<'a> {
    layer: &'a LayerDefinition,
    keys: Mutex<Keys>,
    chunks: Mutex<Vec<Chunk>>,
    tally: Mutex<Tally>,
    file: String,
}

/// What is counted along the way.
#[derive(Default)]
struct Tally {
    report: LayerReport,
    /// Types seen of each attribute.
    fields: BTreeMap<String, &'static str>,
    extent: Extent,
    usable: u64,
}

/// Reads all sources of a layer.
pub(super) fn ingest(
    definition: &Definition,
    layer: &LayerDefinition,
    done: &AtomicU64,
    progress: &(dyn Fn(Event) + Sync),
) -> Result<Layer, Error> {
    let mut shared = Shared {
        layer,
        keys: Mutex::default(),
        chunks: Mutex::default(),
        tally: Mutex::new(Tally {
            report: LayerReport { id: layer.id.clone(), ..Default::default() },
            ..Default::default()
        }),
        file: String::new(),
    };
    for path in &layer.source {
        shared.file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let before = lock(&shared.tally).usable;
        let total =
            definition.layers.iter().flat_map(|l| &l.source).filter_map(|p| p.metadata().ok()).map(|m| m.len()).sum();
        let summary = source::read(path, &|batch: source::Batch| {
            let read = done.fetch_add(batch.bytes, Relaxed) + batch.bytes;
            take(&shared, &batch);
            progress(Event::Reading { done: read, total });
        })
        .map_err(|source| Error::Source { layer: layer.id.clone(), source })?;
        let tally = lock(&shared.tally);
        if summary.features > 0 && tally.usable == before {
            return Err(nothing_usable(layer, path, &shared.file, summary.features, &tally.report));
        }
    }
    let tally = shared.tally.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut report = tally.report;
    report.examples.sort();
    Ok(Layer::new(
        layer.clone(),
        definition,
        into_inner(shared.chunks),
        into_inner(shared.keys),
        tally.fields,
        tally.extent,
        report,
    ))
}

fn nothing_usable(layer: &LayerDefinition, path: &Path, file: &str, features: u64, report: &LayerReport) -> Error {
    let reasons: Vec<String> = report
        .skipped
        .iter()
        .map(|(reason, n)| {
            let example = report.examples.iter().find(|e| &e.reason == reason && e.file == file);
            let example = example.map(|e| format!(" (feature {}: {})", e.feature, e.detail)).unwrap_or_default();
            format!("{n} × {reason}{example}")
        })
        .collect();
    let metres = report.skipped.keys().any(|reason| reason.contains("range"));
    let hint = if metres {
        "\n  hint: coordinates must be longitude and latitude in degrees (WGS 84); \
         `ogr2ogr -t_srs EPSG:4326 out.geojson in.geojson` converts other reference systems"
    } else {
        ""
    };
    let reasons = if reasons.is_empty() { "no geometry".to_owned() } else { reasons.join(", ") };
    Error::NothingUsable { layer: layer.id.clone(), path: path.to_owned(), features, reasons, hint: hint.to_owned() }
}

/// Packs one batch; runs on the reader's threads.
fn take(shared: &Shared, batch: &source::Batch) {
    let mut packer = Packer { shared, numbers: HashMap::new(), chunk: Chunk::default(), tally: Tally::default() };
    packer.tally.report.read = batch.features.len() as u64 + batch.skips.len() as u64;
    for located in &batch.features {
        packer.feature(located);
    }
    for skip in &batch.skips {
        let reason = skip.reason.to_string();
        *packer.tally.report.skipped.entry(reason.clone()).or_default() += 1;
        packer.example(reason, skip.number, skip.offset, skip.detail.clone());
    }
    for warning in &batch.warnings {
        let kind = warning.kind.to_string();
        packer.warn(kind, warning.count, warning.number, warning.offset, warning.detail.clone());
    }
    let Packer { chunk, tally, .. } = packer;
    if !chunk.records.is_empty() {
        lock(&shared.chunks).push(chunk);
    }
    lock(&shared.tally).join(tally);
}

/// Fills one chunk.
struct Packer<'a> {
    shared: &'a Shared<'a>,
    /// Numbers of attribute names, so that the shared list is asked once a batch for each.
    numbers: HashMap<String, u32>,
    chunk: Chunk,
    tally: Tally,
}

impl Packer<'_> {
    fn feature(&mut self, located: &source::Located) {
        let feature = &located.feature;
        let wrapped: Vec<Parts<World>> = feature
            .geometry
            .iter()
            .map(wrap)
            .map(|w| {
                self.tally.report.clipped += u64::from(w.clipped && !w.parts.is_empty());
                w.parts
            })
            .filter(|parts| !parts.is_empty())
            .collect();
        if wrapped.is_empty() {
            let reason = "outside_mercator".to_owned();
            *self.tally.report.skipped.entry(reason.clone()).or_default() += 1;
            self.example(
                reason,
                located.number,
                located.offset,
                "all of it lies beyond latitude ±85.0511°, or it has no extent".into(),
            );
            return;
        }
        self.tally.usable += 1;
        let id = self.id(located);
        let start = self.chunk.attributes.len() as u32;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&id.map_or([0; 9], |id| {
            let mut b = [1; 9];
            b[1..].copy_from_slice(&id.to_le_bytes());
            b
        }));
        self.attributes(feature, &mut hasher);
        let attributes = (start, self.chunk.attributes.len() as u32);
        let rank = self.rank(feature);
        for parts in wrapped {
            self.tally.extent.add(&parts.positions);
            let record = Record {
                id,
                hilbert: hilbert(parts.positions[0]),
                hash: hash(hasher.clone(), &parts),
                rank,
                attributes,
            };
            self.chunk.shapes.push(&parts);
            self.chunk.records.push(record);
        }
    }

    fn id(&mut self, located: &source::Located) -> Option<u64> {
        let Some(name) = &self.shared.layer.id_property else {
            return if let Id::Number(id) = located.feature.id { Some(id) } else { None };
        };
        match located.feature.get(name) {
            Some(Value::Int(v)) if *v >= 0 => Some(*v as u64),
            Some(Value::Uint(v)) => Some(*v),
            Some(Value::String(text)) if text.parse::<u64>().is_ok_and(|v| &v.to_string() == text) => text.parse().ok(),
            other => {
                let detail = other.map_or_else(|| format!("\"{name}\" is missing"), |v| format!("\"{name}\" is {v:?}"));
                self.warn("unusable_id_property".into(), 1, located.number, located.offset, detail);
                None
            }
        }
    }

    fn attributes(&mut self, feature: &Feature, hasher: &mut blake3::Hasher) {
        for (name, value) in &feature.properties {
            if self.shared.layer.properties.as_ref().is_some_and(|keep| !keep.contains(name)) {
                continue;
            }
            let key = match self.numbers.get(name) {
                Some(&key) => key,
                None => *self.numbers.entry(name.clone()).insert_entry(lock(&self.shared.keys).number(name)).get(),
            };
            let start = self.chunk.attributes.len();
            encode::pack(&mut self.chunk.attributes, key, value);
            hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
            // The key's number depends on the order of reading; a number of its own length stands before the value.
            hasher.update(&self.chunk.attributes[start + varint_length(key)..]);
            let seen = self.tally.fields.entry(name.clone()).or_insert(value.type_name());
            if *seen != value.type_name() {
                *seen = "String";
            }
        }
    }

    fn rank(&self, feature: &Feature) -> f64 {
        let by = self.shared.layer.thin.rule().and_then(|thin| thin.by.as_ref());
        by.and_then(|name| feature.get(name)).and_then(Value::number).unwrap_or(f64::MIN)
    }

    fn warn(&mut self, kind: String, count: u64, number: u64, offset: u64, detail: String) {
        *self.tally.report.warnings.entry(kind.clone()).or_default() += count;
        self.example(kind, number, offset, detail);
    }

    fn example(&mut self, reason: String, feature: u64, offset: u64, detail: String) {
        let example = SkipExample { reason, file: self.shared.file.clone(), feature, offset, detail };
        keep_examples(&mut self.tally.report.examples, vec![example]);
    }
}

impl Tally {
    fn join(&mut self, other: Self) {
        let (report, more) = (&mut self.report, other.report);
        report.read += more.read;
        report.clipped += more.clipped;
        for (into, from) in [(&mut report.skipped, more.skipped), (&mut report.warnings, more.warnings)] {
            for (reason, n) in from {
                *into.entry(reason).or_default() += n;
            }
        }
        keep_examples(&mut report.examples, more.examples);
        for (name, kind) in other.fields {
            let seen = self.fields.entry(name).or_insert(kind);
            if *seen != kind {
                *seen = "String";
            }
        }
        self.extent.join(other.extent);
        self.usable += other.usable;
    }
}

/// Keeps the first few examples of each kind, by file and number, whatever order they come in.
fn keep_examples(kept: &mut Vec<SkipExample>, more: Vec<SkipExample>) {
    kept.extend(more);
    kept.sort();
    let mut count = 0;
    let mut reason = String::new();
    kept.retain(|e| {
        count = if e.reason == reason { count + 1 } else { 0 };
        reason.clone_from(&e.reason);
        count < EXAMPLES
    });
}

/// Bytes of a varint.
const fn varint_length(v: u32) -> usize {
    (38 - v.leading_zeros() as usize) / 7 + (v == 0) as usize
}

/// Of id, attributes and geometry.
fn hash(mut hasher: blake3::Hasher, parts: &Parts<World>) -> u64 {
    hasher.update(&[match parts.kind {
        Kind::Point => 1,
        Kind::Line => 2,
        Kind::Polygon => 3,
    }]);
    let mut bytes = Vec::with_capacity(parts.positions.len() * 8 + (parts.paths.len() + parts.polygons.len()) * 4);
    parts.positions.iter().for_each(|p| bytes.extend_from_slice(&p.key().to_le_bytes()));
    parts.paths.iter().chain(&parts.polygons).for_each(|n| bytes.extend_from_slice(&n.to_le_bytes()));
    hasher.update(&bytes);
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// Takes a lock; a thread that panicked while it held one has ended the build anyway.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_are_as_long_as_they_are_written() {
        for v in [0, 1, 127, 128, 16383, 16384, u32::MAX] {
            let mut out = Vec::new();
            encode::pack(&mut out, v, &Value::Bool(true));
            assert_eq!(out.len() - 3, varint_length(v), "{v}");
        }
    }
}
