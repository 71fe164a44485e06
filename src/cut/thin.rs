//! Fewer points at low zooms: who is shown when, told by rank and distance alone.
//!
//! ```text
//!   zoom 5   · ·:·· ·     of the points shown at a zoom, those stay at the zoom before that
//!   zoom 4   ·  ·  ·      have fewer than `crowd` of higher rank within the spacing
//! ```
//!
//! That is local (each step looks as far as the spacing of its zoom, which halves with every
//! zoom, so all of them together less than twice as far), even (no grid shows through), monotonic
//! (nothing that was shown goes away), and leaves alone what is not crowded.

use crate::grid::{WORLD_SIZE, World};
use rayon::prelude::*;

/// Which points are hidden at low zooms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thinning {
    /// How far to look around a point, in world units at zoom 0.
    pub spacing: f64,
    /// A point is hidden when this many of higher rank are near; at least one.
    pub crowd: u32,
    /// The smallest zoom.
    pub minzoom: u8,
    /// The largest zoom; there everything is shown.
    pub maxzoom: u8,
}

/// The lowest zoom of each point of a layer.
///
/// `points` come in the order of their rank, highest first, ties broken by the caller in a way
/// that does not depend on the input's order.
pub fn thin(points: &[World], thinning: Thinning) -> Vec<u8> {
    let mut levels = vec![thinning.maxzoom; points.len()];
    let mut shown: Vec<u32> = (0..points.len() as u32).collect();
    for zoom in (thinning.minzoom..thinning.maxzoom).rev() {
        shown = uncrowded(points, shown, thinning.spacing / f64::from(zoom).exp2(), thinning.crowd);
        for &i in &shown {
            levels[i as usize] = zoom;
        }
    }
    levels
}

/// Of some points, given by rising numbers, those that have fewer than `crowd` with smaller
/// numbers within `radius` world units.
pub(super) fn uncrowded(points: &[World], shown: Vec<u32>, radius: f64, crowd: u32) -> Vec<u32> {
    if radius <= 0.0 || shown.len() <= crowd as usize {
        return shown;
    }
    let grid = Grid::new(radius);
    let mut cells: Vec<(u64, u32)> = shown.par_iter().map(|&i| (grid.cell(points[i as usize]), i)).collect();
    cells.par_sort_unstable();
    let cells = Cells::of(&cells);
    let mut kept: Vec<u32> = (0..cells.starts.len() - 1)
        .into_par_iter()
        .flat_map_iter(|number| {
            let near = cells.around(number, grid);
            let few = near.iter().map(|members| members.len()).sum::<usize>() <= crowd as usize;
            let stays = move |i: u32| {
                let higher = near.iter().flat_map(|members| members.iter().take_while(move |m| m.1 < i));
                let near = higher.filter(|m| grid.near(points[m.1 as usize], points[i as usize]));
                few || near.take(crowd as usize).count() < crowd as usize
            };
            cells.members(number).iter().map(|&(_, i)| i).filter(move |&i| stays(i))
        })
        .collect();
    kept.par_sort_unstable();
    kept
}

/// Points by cell and rank, and where each cell starts.
struct Cells<'a> {
    points: &'a [(u64, u32)],
    keys: Vec<u64>,
    /// One more than there are cells.
    starts: Vec<u32>,
}

impl<'a> Cells<'a> {
    fn of(points: &'a [(u64, u32)]) -> Self {
        let mut cells = Self { points, keys: Vec::new(), starts: vec![0] };
        for cell in points.chunk_by(|a, b| a.0 == b.0) {
            cells.keys.push(cell[0].0);
            cells.starts.push(cells.starts[cells.starts.len() - 1] + cell.len() as u32);
        }
        cells
    }

    fn members(&self, number: usize) -> &'a [(u64, u32)] {
        &self.points[self.starts[number] as usize..self.starts[number + 1] as usize]
    }

    /// What is in a cell, first, and in those around it.
    fn around(&self, number: usize, grid: Grid) -> Vec<&'a [(u64, u32)]> {
        let mut around = vec![self.members(number)];
        for (low, high) in grid.around(self.keys[number]).into_iter().flatten() {
            let first = self.keys.partition_point(|&key| key < low);
            let others = (first..self.keys.len()).take_while(|&other| self.keys[other] <= high);
            around.extend(others.filter(|&other| other != number).map(|other| self.members(other)));
        }
        around
    }
}

/// Square cells at least as wide as the radius; columns go on around the back of the world.
#[derive(Debug, Clone, Copy)]
struct Grid {
    across: u64,
    radius: f64,
}

impl Grid {
    fn new(radius: f64) -> Self {
        let across = (WORLD_SIZE as f64 / radius).floor().clamp(1.0, f64::from(1 << 30)) as u64;
        Self { across, radius }
    }

    fn cell(self, p: World) -> u64 {
        let on = |v: u32| (u64::from(v) * self.across) >> 32;
        on(p.y) << 32 | on(p.x)
    }

    /// The cells around one, itself among them, as ranges of keys: along a row they follow each
    /// other, but for the one on the other side of the world.
    fn around(self, cell: u64) -> [Option<(u64, u64)>; 6] {
        let (x, y) = (cell & u64::from(u32::MAX), cell >> 32);
        let last = self.across - 1;
        let along = (x.saturating_sub(1), (x + 1).min(last));
        let across = match x {
            0 if last > 1 => Some(last),
            _ if x == last && last > 1 => Some(0),
            _ => None,
        };
        let rows = [Some(y), y.checked_sub(1), Some(y + 1).filter(|&y| y < self.across)];
        std::array::from_fn(|i| {
            let row = rows[i % 3]? << 32;
            if i < 3 { Some((row | along.0, row | along.1)) } else { across.map(|x| (row | x, row | x)) }
        })
    }

    /// Whether two points are nearer than the radius, around the back of the world too.
    fn near(self, a: World, b: World) -> bool {
        let across = a.x.abs_diff(b.x);
        let (dx, dy) = (f64::from(across.min(across.wrapping_neg())), f64::from(a.y.abs_diff(b.y)));
        dx * dx + dy * dy < self.radius * self.radius
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstar::RTree;

    fn thinning(crowd: u32) -> Thinning {
        Thinning { spacing: 1024.0, crowd, minzoom: 0, maxzoom: 8 }
    }

    #[test]
    fn nearer_means_later() {
        let at = |x: u32| World { x, y: 1 << 31 };
        let check = |points: &[World], want: &[u8]| assert_eq!(thin(points, thinning(1)), want, "{points:?}");
        check(&[at(0)], &[0]);
        check(&[at(0), at(1024)], &[0, 0]);
        check(&[at(0), at(1023)], &[0, 1]);
        check(&[at(0), at(512), at(511)], &[0, 1, 8]);
        check(&[at(7), at(7)], &[0, 8]);
        check(&[at(10), at(u32::MAX)], &[0, 7]);
    }

    #[test]
    fn a_few_are_no_crowd() {
        let at = |x: u32| World { x, y: 1 << 31 };
        let check = |points: &[World], want: &[u8]| assert_eq!(thin(points, thinning(3)), want, "{points:?}");
        check(&[at(7), at(7), at(7)], &[0, 0, 0]);
        check(&[at(7), at(7), at(7), at(7)], &[0, 0, 0, 8]);
        check(&[at(0), at(0), at(0), at(1023), at(1024)], &[0, 0, 0, 1, 0]);
    }

    proptest! {
        /// The same rule by an R-tree.
        #[test]
        fn as_an_r_tree_sees_it(
            points in proptest::collection::vec((0u32..40, 0u32..40), 1..200),
            crowd in 1u32..5,
            spacing in 1u32..19,
        ) {
            // Cells of a fortieth of the world: spacings reach around it.
            let step = u32::MAX / 40;
            let points: Vec<World> = points.into_iter().map(|(x, y)| World { x: x * step, y: y * step }).collect();
            let radius = f64::from(spacing) * f64::from(step) * 0.999;
            let mut tree: RTree<[f64; 2]> = RTree::new();
            let world = WORLD_SIZE as f64;
            let want: Vec<u32> = (0..points.len() as u32)
                .filter(|&i| {
                    let [x, y] = [f64::from(points[i as usize].x), f64::from(points[i as usize].y)];
                    let near = |x: f64| tree.locate_within_distance([x, y], radius * radius).count();
                    let count = near(x - world) + near(x) + near(x + world);
                    tree.insert([x, y]);
                    count < crowd as usize
                })
                .collect();
            prop_assert_eq!(uncrowded(&points, (0..points.len() as u32).collect(), radius, crowd), want);
        }
    }
}
