//! Fewer points at low zooms: who is shown when, told by rank and distance alone.
//!
//! A point is shown at a zoom when no point of higher rank lies within the spacing of that zoom.
//! That is local (only points within the spacing matter), even (no grid shows through) and
//! monotonic (the spacing halves with every zoom, so nothing that was shown goes away).

use crate::grid::{WORLD_SIZE, World};
use rstar::RTree;

/// The lowest zoom of each point of a layer.
///
/// `points` come in the order of their rank, highest first, ties broken by the caller in a way
/// that does not depend on the input's order. `spacing` is the least distance in world units at
/// zoom 0. No point's zoom is above `maxzoom`: there everything is shown.
pub fn thin(points: &[World], spacing: f64, minzoom: u8, maxzoom: u8) -> Vec<u8> {
    let mut higher: RTree<[f64; 2]> = RTree::new();
    points
        .iter()
        .map(|p| {
            let at = [f64::from(p.x), f64::from(p.y)];
            let zoom = nearest(&higher, at).map_or(f64::MIN, |distance| (spacing / distance).log2().ceil());
            higher.insert(at);
            (zoom.clamp(f64::from(minzoom), f64::from(maxzoom))) as u8
        })
        .collect()
}

/// Distance in world units to the nearest point so far, around the back of the world too.
fn nearest(higher: &RTree<[f64; 2]>, at: [f64; 2]) -> Option<f64> {
    let around = if at[0] * 2.0 < WORLD_SIZE as f64 { WORLD_SIZE as f64 } else { -(WORLD_SIZE as f64) };
    [at, [at[0] + around, at[1]]]
        .into_iter()
        .filter_map(|at| higher.nearest_neighbor(at).map(|q| (q[0] - at[0]).hypot(q[1] - at[1])))
        .min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearer_means_later() {
        let at = |x: u32| World { x, y: 1 << 31 };
        let check = |points: &[World], want: &[u8]| assert_eq!(thin(points, 1024.0, 0, 8), want, "{points:?}");
        check(&[at(0)], &[0]);
        check(&[at(0), at(1024)], &[0, 0]);
        check(&[at(0), at(1023)], &[0, 1]);
        check(&[at(0), at(512), at(511)], &[0, 1, 8]);
        check(&[at(7), at(7)], &[0, 8]);
        check(&[at(10), at(u32::MAX)], &[0, 7]);
    }
}
