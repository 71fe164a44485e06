//! Boxes in degrees.

use super::LonLat;
use serde::{Deserialize, Serialize};

/// A box in degrees that never wraps: `west <= east`, `south <= north`.
///
/// Data on both sides of ±180° has a box from −180 to 180 (MBTiles 1.3 and TileJSON 3.0.0,
/// `bounds`). Reads and writes as `[west, south, east, north]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f64; 4]", into = "[f64; 4]")]
pub struct Bounds {
    /// Degrees east of the western side.
    pub west: f64,
    /// Degrees north of the southern side.
    pub south: f64,
    /// Degrees east of the eastern side.
    pub east: f64,
    /// Degrees north of the northern side.
    pub north: f64,
}

impl Bounds {
    /// The box of one position.
    pub const fn of(p: LonLat) -> Self {
        Self { west: p.lon, south: p.lat, east: p.lon, north: p.lat }
    }

    /// Grows to hold `other` as well.
    pub fn join(&mut self, other: &Self) {
        self.west = self.west.min(other.west);
        self.south = self.south.min(other.south);
        self.east = self.east.max(other.east);
        self.north = self.north.max(other.north);
    }

    /// The position in the middle, in degrees.
    pub fn center(&self) -> LonLat {
        LonLat::new(f64::midpoint(self.west, self.east), f64::midpoint(self.south, self.north))
    }
}

impl From<[f64; 4]> for Bounds {
    fn from([west, south, east, north]: [f64; 4]) -> Self {
        Self { west, south, east, north }
    }
}

impl From<Bounds> for [f64; 4] {
    fn from(b: Bounds) -> Self {
        [b.west, b.south, b.east, b.north]
    }
}
