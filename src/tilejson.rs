//! TileJSON 3.0.0: what a map client reads before it asks for tiles.
//!
//! Responsible for the document and its (de)serialisation only; whose URLs go into it, the
//! `serve` room decides.

use crate::grid::Bounds;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A TileJSON document (TileJSON 3.0.0, section 3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TileJson {
    /// The version of the specification, `3.0.0`.
    pub tilejson: String,
    /// URL templates with literal `{z}`, `{x}` and `{y}`.
    pub tiles: Vec<String>,
    /// The layers with their attributes.
    pub vector_layers: Vec<VectorLayer>,
    /// The tileset's name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whom to credit, as HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribution: Option<String>,
    /// The row scheme, always `xyz`.
    pub scheme: String,
    /// The smallest zoom that has tiles.
    pub minzoom: u8,
    /// The largest zoom that has tiles.
    pub maxzoom: u8,
    /// The box of the data in degrees.
    pub bounds: Bounds,
    /// Where a map may start: longitude, latitude (degrees) and zoom.
    pub center: [f64; 3],
    /// The published version these URLs name; not part of the specification.
    pub version_number: u64,
    /// Whether a missing tile means "draw the parent" (MapLibre's `sparse`); left out when not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sparse: bool,
}

/// One entry of `vector_layers` (TileJSON 3.0.0, section 3.3; MBTiles 1.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorLayer {
    /// The layer's name in the tiles.
    pub id: String,
    /// What the layer shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The smallest zoom the layer appears at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minzoom: Option<u8>,
    /// The largest zoom the layer appears at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maxzoom: Option<u8>,
    /// Each attribute with its type: `Number`, `Boolean` or `String`.
    pub fields: BTreeMap<String, String>,
}
