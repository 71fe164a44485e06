//! The Hilbert curve over the world grid: a sort key that keeps neighbours near each other.

use super::World;

/// The place of `p` along the Hilbert curve through all `2^32 × 2^32` world units.
///
/// The classic quadrant walk: at every level the curve's quadrant is appended to the key and
/// the remaining square is turned so that the next level starts where this one ended.
pub fn hilbert(p: World) -> u64 {
    let (mut x, mut y, mut key) = (p.x, p.y, 0u64);
    for level in (0..32).rev() {
        let (rx, ry) = ((x >> level) & 1, (y >> level) & 1);
        key = (key << 2) | u64::from((3 * rx) ^ ry);
        if ry == 0 {
            if rx == 1 {
                (x, y) = (!x, !y);
            }
            (x, y) = (y, x);
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_on_the_curve_are_neighbours_on_the_grid() {
        let n = 16u32;
        let mut cells: Vec<(u64, u32, u32)> = (0..n * n)
            .map(|i| {
                let (x, y) = (i % n, i / n);
                (hilbert(World { x: x << 28, y: y << 28 }), x, y)
            })
            .collect();
        cells.sort_unstable();
        for pair in cells.windows(2) {
            let step = pair[0].1.abs_diff(pair[1].1) + pair[0].2.abs_diff(pair[1].2);
            assert_eq!(step, 1, "{pair:?}");
        }
    }
}
