//! What is known about one version without opening its tile file.

use super::{TilesetName, Version};
use crate::grid::Bounds;
use serde::{Deserialize, Serialize};

/// `vN.manifest.json`: written once, before the ledger names the version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The tileset it belongs to.
    pub tileset: TilesetName,
    /// The number it has there.
    pub version: Version,
    /// The digest of the content, 64 hexadecimal digits.
    pub digest: String,
    /// The size of the tile file in bytes.
    pub bytes: u64,
    /// Tiles in the file.
    pub tiles: u64,
    /// Different contents among them.
    pub distinct: u64,
    /// The smallest zoom that has tiles.
    pub minzoom: u8,
    /// The largest zoom that has tiles.
    pub maxzoom: u8,
    /// The box of the data in degrees.
    pub bounds: Bounds,
    /// The program and release that cut the tiles.
    #[serde(default)]
    pub built_by: String,
    /// Hash over inputs and definition: equal hashes need no second build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<String>,
    /// The build's report.
    #[serde(default)]
    pub report: serde_json::Value,
    /// When it was published by the publisher's clock (RFC 3339, UTC). For people: nothing is
    /// ordered by it.
    #[serde(default)]
    pub published_at: String,
}
