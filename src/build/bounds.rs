//! The box of the data and where a map may start.

use crate::grid::{Bounds, LonLat, MAX_LATITUDE, Mercator, WORLD_SIZE, World};

/// Grows over world positions, in world units.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extent(Option<(World, World)>);

impl Extent {
    pub(super) fn add(&mut self, positions: &[World]) {
        for &p in positions {
            let (low, high) = self.0.unwrap_or((p, p));
            self.0 = Some((
                World { x: low.x.min(p.x), y: low.y.min(p.y) },
                World { x: high.x.max(p.x), y: high.y.max(p.y) },
            ));
        }
    }

    pub(super) fn join(&mut self, other: Self) {
        if let Some((low, high)) = other.0 {
            self.add(&[low, high]);
        }
    }

    /// The box in degrees; the whole Mercator square when there is nothing.
    pub(super) fn degrees(self) -> Bounds {
        let Some((low, high)) = self.0 else {
            return Bounds { west: -180.0, south: -MAX_LATITUDE, east: 180.0, north: MAX_LATITUDE };
        };
        let (north_west, south_east) = (degrees(low), degrees(high));
        Bounds { west: north_west.lon, south: south_east.lat, east: south_east.lon, north: north_west.lat }
    }
}

/// World units to degrees. The last unit stands for the rim of the world, see [`World`].
fn degrees(p: World) -> LonLat {
    let unit = |v: u32| if v == u32::MAX { 1.0 } else { f64::from(v) / WORLD_SIZE as f64 };
    let at = Mercator { x: unit(p.x), y: unit(p.y) }.unproject();
    let short = |v: f64| (v * 1e7).round() / 1e7;
    LonLat::new(short(at.lon), short(at.lat))
}

/// Longitude, latitude and zoom at which the whole box is in view.
pub(super) fn center(bounds: &Bounds, minzoom: u8, maxzoom: u8) -> [f64; 3] {
    let middle = bounds.center();
    let widest = (bounds.east - bounds.west).max((bounds.north - bounds.south) * 2.0).max(1e-9);
    let zoom = (360.0 / widest).log2().floor().clamp(f64::from(minzoom), f64::from(maxzoom));
    [middle.lon, middle.lat, zoom]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes() {
        let check = |points: &[(f64, f64)], want: [f64; 4]| {
            let mut extent = Extent::default();
            for &(lon, lat) in points {
                let (x, y) = LonLat::new(lon, lat).project().to_units();
                extent.add(&[World::saturating(x, y)]);
            }
            let got: [f64; 4] = extent.degrees().into();
            assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-6), "{points:?}: {got:?}");
        };
        check(&[(8.5, 47.0)], [8.5, 47.0, 8.5, 47.0]);
        check(&[(-180.0, -20.0), (180.0, -15.0)], [-180.0, -20.0, 180.0, -15.0]);
        check(&[], [-180.0, -MAX_LATITUDE, 180.0, MAX_LATITUDE]);
    }
}
