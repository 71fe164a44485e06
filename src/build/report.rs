//! What a build tells: progress while it runs, and the report at its end.

use serde::Serialize;
use std::collections::BTreeMap;

/// Progress, for whoever shows it.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Bytes of input read so far, of this many; 0 where the size is unknown.
    Reading {
        /// Bytes read.
        done: u64,
        /// Bytes in all.
        total: u64,
    },
    /// Features are read; levels and order are being decided.
    Preparing,
    /// A zoom is being cut.
    Zoom {
        /// The zoom.
        zoom: u8,
        /// Tiles written so far, over all zooms.
        tiles: u64,
    },
    /// The last tile is written; the file is being finished.
    Finishing,
}

/// All that a build did.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// Per layer: what came in and what was skipped.
    pub layers: Vec<LayerReport>,
    /// Per zoom: what came out.
    pub zooms: Vec<ZoomReport>,
    /// The ten largest tiles.
    pub biggest: Vec<BigTile>,
    /// Tiles in the file.
    pub tiles: u64,
    /// Different contents among them.
    pub distinct: u64,
    /// Compressed bytes of the different contents.
    pub bytes: u64,
    /// The same in each encoding beside gzip.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub encoded: BTreeMap<&'static str, u64>,
    /// Features skipped in all layers.
    pub skipped: u64,
    /// The file's digest.
    pub digest: String,
    /// Seconds of each phase; they differ from run to run and are not in the file.
    pub seconds: BTreeMap<&'static str, f64>,
}

/// What came of one layer's sources.
#[derive(Debug, Clone, Default, Serialize)]
pub struct LayerReport {
    /// The layer's name.
    pub id: String,
    /// Features read, the skipped ones included.
    pub read: u64,
    /// Features that were skipped, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Other things worth knowing, by kind.
    pub warnings: BTreeMap<String, u64>,
    /// The first few skips and warnings of each kind.
    pub examples: Vec<SkipExample>,
    /// Features drawn as the smallest line or ring at the largest zoom, because they are smaller.
    pub enlarged: u64,
    /// Features with a part beyond latitude ±85.0511°, which was cut off.
    pub clipped: u64,
}

/// One feature that was skipped, or read with a warning.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SkipExample {
    /// Why.
    pub reason: String,
    /// The source's file name.
    pub file: String,
    /// The feature's number in it, from 1.
    pub feature: u64,
    /// Bytes from the start of the (unpacked) file.
    pub offset: u64,
    /// What exactly was found.
    pub detail: String,
}

/// What one zoom holds.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ZoomReport {
    /// The zoom.
    pub zoom: u8,
    /// Tiles.
    pub tiles: u64,
    /// Compressed bytes, equal tiles counted every time.
    pub bytes: u64,
    /// Compressed bytes of the largest tile.
    pub largest: u64,
    /// Per layer: features that could be drawn at this zoom.
    pub features: BTreeMap<String, u64>,
    /// Per layer: features that were.
    pub drawn: BTreeMap<String, u64>,
    /// Per layer: points left out for one of higher rank nearby.
    pub thinned: BTreeMap<String, u64>,
}

/// A tile and its size.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct BigTile {
    /// Compressed bytes.
    pub bytes: u64,
    /// `z/x/y`.
    pub tile: String,
    /// Features in it.
    pub features: u32,
}

impl Report {
    /// The part that goes into the file: all but what differs from run to run.
    pub fn frozen(&self) -> serde_json::Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Some(object) = value.as_object_mut() {
            object.remove("seconds");
            object.remove("digest");
        }
        value
    }
}
