//! How a layer is cut, and the integer grid of one zoom.

use crate::grid::{WORLD_BITS, World};

/// The deepest zoom that can be cut at an extent of 4096: there a tile unit is a world unit,
/// less than a centimetre.
pub const MAX_CUT_ZOOM: u8 = 20;

/// How one layer is cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The smallest zoom.
    pub minzoom: u8,
    /// The largest zoom.
    pub maxzoom: u8,
    /// Base-2 logarithm of the extent: tile units along one side of a tile.
    pub extent_bits: u32,
    /// Tile units kept beyond each side of a tile.
    pub buffer: u32,
    /// How far a simplified line may be from the real one below the largest zoom, in tile units.
    pub tolerance: f64,
    /// The same at the largest zoom, which maps enlarge the most.
    pub tolerance_at_max: f64,
}

impl Options {
    /// The grid of tile units at a zoom.
    pub const fn grid(&self, zoom: u8) -> ZoomGrid {
        ZoomGrid { zoom, extent_bits: self.extent_bits, buffer: self.buffer as i64 }
    }

    /// The tolerance at a zoom, in tile units.
    pub fn tolerance(&self, zoom: u8) -> f64 {
        if zoom >= self.maxzoom { self.tolerance_at_max } else { self.tolerance }
    }
}

/// The tiles of one zoom laid side by side: `2^zoom × extent` units along each side of the
/// world, `(0, 0)` in the north-west.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZoomGrid {
    /// The zoom.
    pub zoom: u8,
    /// Base-2 logarithm of the extent.
    pub extent_bits: u32,
    /// Tile units kept beyond each side of a tile.
    pub buffer: i64,
}

impl ZoomGrid {
    /// World units are shifted right by this many bits to become units of this grid.
    pub const fn shift(self) -> u32 {
        (WORLD_BITS - self.extent_bits).saturating_sub(self.zoom as u32)
    }

    /// Units along one side of a tile.
    pub const fn extent(self) -> i64 {
        1 << self.extent_bits
    }

    /// Units around the world.
    pub const fn side(self) -> i64 {
        1 << (self.extent_bits + self.zoom as u32)
    }

    /// The nearest grid point. The same vertex is the same point in every tile it is in.
    pub fn snap(self, p: World) -> [i64; 2] {
        let shift = self.shift();
        let half = (1i64 << shift) >> 1;
        [(i64::from(p.x) + half) >> shift, (i64::from(p.y) + half) >> shift]
    }

    /// The columns (or rows) whose buffered squares hold any of `low..=high` on one axis; they may
    /// lie outside the world by one.
    pub fn tiles(self, low: f64, high: f64) -> (i64, i64) {
        let extent = self.extent() as f64;
        let buffer = self.buffer as f64;
        (((low - buffer) / extent).ceil() as i64 - 1, ((high + buffer) / extent).floor() as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: ZoomGrid = ZoomGrid { zoom: 2, extent_bits: 12, buffer: 64 };

    #[test]
    fn snapping_rounds_to_the_nearest() {
        let at = |x| GRID.snap(World { x, y: 0 })[0];
        let unit = 1 << GRID.shift();
        assert_eq!(at(0), 0);
        assert_eq!(at(unit / 2 - 1), 0);
        assert_eq!(at(unit / 2), 1);
        assert_eq!(at(u32::MAX), GRID.side());
    }

    #[test]
    fn tiles_of_a_range() {
        let check = |low: f64, high: f64, want| assert_eq!(GRID.tiles(low, high), want, "{low} {high}");
        check(100.0, 200.0, (0, 0));
        check(4096.0 - 64.0, 4096.0 - 64.0, (0, 1));
        check(4096.0 - 65.0, 4096.0 - 65.0, (0, 0));
        check(4096.0 + 64.0, 4096.0 + 64.0, (0, 1));
        check(4096.0 + 65.0, 4096.0 + 65.0, (1, 1));
        check(0.0, 0.0, (-1, 0));
        check(16384.0, 16384.0, (3, 4));
    }
}
