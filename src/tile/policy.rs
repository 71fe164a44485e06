//! What a tileset answers where it has nothing.

use serde::{Deserialize, Serialize};

/// The answer for a tile inside the tileset's zooms that has no features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Empty {
    /// `204 No Content`: empty here, nothing to look for elsewhere.
    #[default]
    #[serde(rename = "204")]
    NoContent,
    /// `200 OK` with no bytes, for caches that do not keep a 204.
    #[serde(rename = "200")]
    Ok,
    /// `404 Not Found`: the TileJSON says `"sparse": true` and clients draw the parent tile.
    #[serde(rename = "404")]
    NotFound,
}
