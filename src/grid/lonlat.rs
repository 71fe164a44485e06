//! Longitude and latitude in degrees, and their Web Mercator projection.

use std::f64::consts::PI;

/// The latitude in degrees where the Web Mercator square ends (EPSG:3857, "Pseudo-Mercator").
pub const MAX_LATITUDE: f64 = 85.051_128_779_806_59;

/// Latitudes nearer to a pole than this are projected as if they were this far from it:
/// the pole itself lies at infinity, and all of this is clipped away later.
const PROJECTION_LIMIT: f64 = 89.9;

/// A position in degrees: WGS 84 longitude (east positive) and latitude (north positive).
///
/// Longitudes may lie beyond ±180; they continue on the other side of the world.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LonLat {
    /// Degrees east.
    pub lon: f64,
    /// Degrees north.
    pub lat: f64,
}

/// A position in the Web Mercator plane where the world is the unit square.
///
/// `(0, 0)` is the north-west corner, `x` grows eastwards and `y` southwards. Values outside
/// `0..=1` are further copies of the world (`x`) or the polar caps (`y`).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mercator {
    /// Eastwards, one unit = once around the world.
    pub x: f64,
    /// Southwards, one unit = the height of the Mercator square.
    pub y: f64,
}

impl LonLat {
    /// A position from longitude and latitude in degrees.
    pub const fn new(lon: f64, lat: f64) -> Self {
        Self { lon, lat }
    }

    /// The Web Mercator position; latitudes beyond ±89.9° are taken as ±89.9°.
    pub fn project(self) -> Mercator {
        let lat = self.lat.clamp(-PROJECTION_LIMIT, PROJECTION_LIMIT);
        let sin = lat.to_radians().sin();
        Mercator { x: self.lon / 360.0 + 0.5, y: 0.5 - (sin.atanh()) / (2.0 * PI) }
    }
}

impl Mercator {
    /// The longitude and latitude in degrees of this position.
    pub fn unproject(self) -> LonLat {
        LonLat { lon: (self.x - 0.5) * 360.0, lat: ((0.5 - self.y) * 2.0 * PI).sinh().atan().to_degrees() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn corners_of_the_square() {
        let check = |lon: f64, lat: f64, x: f64, y: f64| {
            let m = LonLat::new(lon, lat).project();
            assert!((m.x - x).abs() < 1e-12 && (m.y - y).abs() < 1e-12, "{lon},{lat} gave {m:?}");
        };
        check(0.0, 0.0, 0.5, 0.5);
        check(-180.0, MAX_LATITUDE, 0.0, 0.0);
        check(180.0, -MAX_LATITUDE, 1.0, 1.0);
        check(-90.0, 0.0, 0.25, 0.5);
    }

    #[test]
    fn the_pole_is_finite() {
        assert!(LonLat::new(0.0, 90.0).project().y.is_finite());
        assert!(LonLat::new(0.0, -90.0).project().y > 1.0);
    }

    proptest! {
        #[test]
        fn unproject_undoes_project(lon in -180.0..180.0f64, lat in -85.0..85.0f64) {
            let back = LonLat::new(lon, lat).project().unproject();
            prop_assert!((back.lon - lon).abs() < 1e-9 && (back.lat - lat).abs() < 1e-9);
        }
    }
}
