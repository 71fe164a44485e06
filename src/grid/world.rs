//! The world grid: Web Mercator in 32-bit integers, so that equal input stays equal for ever.

use super::Mercator;

/// Bits of one world coordinate.
pub const WORLD_BITS: u32 = 32;

/// World units around the world, `2^32`; one past the largest coordinate.
pub const WORLD_SIZE: i64 = 1 << WORLD_BITS;

/// A position on the world grid: the Web Mercator square cut into `2^32 × 2^32` units.
///
/// `(0, 0)` is the north-west corner, `x` grows eastwards and `y` southwards. The east and
/// south rims (`2^32`) are stored as `2^32 − 1`, which is less than a centimetre off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct World {
    /// Units east of longitude −180°.
    pub x: u32,
    /// Units south of latitude 85.0511°.
    pub y: u32,
}

impl World {
    /// The position nearest to `(x, y)` in world units; the rims are pulled onto the grid.
    pub fn saturating(x: i64, y: i64) -> Self {
        let onto = |v: i64| v.clamp(0, WORLD_SIZE - 1) as u32;
        Self { x: onto(x), y: onto(y) }
    }

    /// Both coordinates in one number, for hashing and sorting.
    pub const fn key(self) -> u64 {
        ((self.x as u64) << 32) | self.y as u64
    }

    /// The position in the unit square.
    pub fn mercator(self) -> Mercator {
        let unit = |v: u32| f64::from(v) / WORLD_SIZE as f64;
        Mercator { x: unit(self.x), y: unit(self.y) }
    }
}

impl Mercator {
    /// World units, rounded half up, not bound to one world: `x` may lie in another copy of it.
    pub fn to_units(self) -> (i64, i64) {
        let scale = |v: f64| (v * WORLD_SIZE as f64).round() as i64;
        (scale(self.x), scale(self.y))
    }
}

#[cfg(test)]
mod tests {
    use super::super::LonLat;
    use super::*;

    #[test]
    fn units() {
        let check = |lon, lat, want| {
            let (x, y) = LonLat::new(lon, lat).project().to_units();
            assert_eq!((x, y), want, "{lon} {lat}");
        };
        check(0.0, 0.0, (WORLD_SIZE / 2, WORLD_SIZE / 2));
        check(-180.0, 0.0, (0, WORLD_SIZE / 2));
        check(180.0, 0.0, (WORLD_SIZE, WORLD_SIZE / 2));
        check(190.0, 0.0, (WORLD_SIZE + 119_304_647, WORLD_SIZE / 2));
    }

    #[test]
    fn rims_saturate() {
        assert_eq!(World::saturating(WORLD_SIZE, -5), World { x: u32::MAX, y: 0 });
    }
}
