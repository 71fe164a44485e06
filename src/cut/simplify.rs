//! The lowest zoom each vertex is needed at.
//!
//! At every zoom a line is cut into pieces at *anchors*, and each piece is simplified by itself
//! (Ramer, Douglas and Peucker). Anchors are nodes and the ends of edges that cross a fixed
//! lattice, so a piece never reaches further than one lattice cell and one edge:
//!
//! ```text
//!      │         │
//!   ●──┼─●·····●─┼──●     ● anchors: of an edge that crosses a lattice line, the smaller end
//!      │   ·  ·  │        · vertices that the tolerance may drop
//!   ───┼────··───┼───
//! ```
//!
//! Nothing here knows which ring a piece belongs to or in which direction it runs: whoever has
//! the same vertices keeps the same ones. The vertices of a zoom are a subset of the next one's.

use super::options::Options;
use crate::grid::World;

/// The side of a lattice cell in tile units; also how far the effect of an edit can reach.
pub const LATTICE: u32 = 256;

/// The level of a vertex that no zoom needs.
pub const NEVER: u8 = u8::MAX;

/// Longer runs without an anchor get more of them, so that no input makes the work quadratic.
const LONGEST_PIECE: usize = 4096;

/// Fills in the lowest zoom of each vertex of a line or (open) ring.
pub fn simplify(path: &[World], ring: bool, is_node: impl Fn(World) -> bool, options: &Options, levels: &mut [u8]) {
    levels.fill(NEVER);
    let nodes: Vec<bool> = path.iter().map(|&p| is_node(p)).collect();
    let mut kept: Vec<u32> = (0..path.len() as u32).collect();
    for zoom in (options.minzoom..=options.maxzoom).rev() {
        kept = Pass { path, ring, nodes: &nodes, options, zoom, keep: vec![false; kept.len()], kept: &kept }.run();
        for &i in &kept {
            levels[i as usize] = zoom;
        }
    }
}

/// One zoom over the vertices that the zoom above kept.
struct Pass<'a> {
    path: &'a [World],
    ring: bool,
    nodes: &'a [bool],
    options: &'a Options,
    zoom: u8,
    kept: &'a [u32],
    keep: Vec<bool>,
}

impl Pass<'_> {
    fn run(mut self) -> Vec<u32> {
        let n = self.kept.len();
        if n < 3 {
            return self.kept.to_vec();
        }
        self.anchor();
        let first = self.keep.iter().position(|&k| k).unwrap_or(0);
        // Walk from anchor to anchor; around the end for a ring.
        let end = if self.ring { first + n } else { n - 1 };
        let mut start = first;
        for i in first + 1..=end {
            if self.keep[i % n] {
                self.piece(start, i);
                start = i;
            }
        }
        let keep = std::mem::take(&mut self.keep);
        self.kept.iter().zip(keep).filter(|(_, keep)| *keep).map(|(&i, _)| i).collect()
    }

    fn at(&self, i: usize) -> World {
        self.path[self.kept[i % self.kept.len()] as usize]
    }

    /// Marks the vertices that stay because of where they are.
    fn anchor(&mut self) {
        let n = self.kept.len();
        for i in 0..n {
            if self.nodes[self.kept[i] as usize] {
                self.keep[i] = true;
            }
        }
        let shift = (self.options.grid(self.zoom).shift() + LATTICE.ilog2()).min(31);
        let cell = |p: World| (p.x >> shift, p.y >> shift);
        for i in 0..if self.ring { n } else { n - 1 } {
            let (a, b) = (self.at(i), self.at(i + 1));
            if cell(a) != cell(b) {
                self.keep[if a <= b { i } else { (i + 1) % n }] = true;
            }
        }
        if !self.ring {
            (self.keep[0], self.keep[n - 1]) = (true, true);
        } else if !self.keep.contains(&true) {
            // A ring inside one cell: start where every copy of it would.
            let smallest = (0..n).min_by_key(|&i| self.at(i)).unwrap_or(0);
            self.keep[smallest] = true;
        }
    }

    /// Simplifies the vertices strictly between two anchors.
    fn piece(&mut self, start: usize, end: usize) {
        if end - start < 2 {
            return;
        }
        let n = self.kept.len();
        if self.at(start) == self.at(end) {
            // A loop: its farthest vertex is an anchor too.
            let far = self.farthest(start, end, |p| distance(p, self.at(start), self.at(start)));
            self.keep[far.1 % n] = true;
            self.split(start, far.1);
            self.split(far.1, end);
        } else {
            self.split(start, end);
        }
    }

    /// Cuts an overlong piece where every copy of it would be cut, then simplifies the parts.
    fn split(&mut self, start: usize, end: usize) {
        if end - start <= LONGEST_PIECE {
            self.douglas_peucker(start, end);
            return;
        }
        // A vertex whose position has the smallest hash of all within reach on both sides.
        let reach = LONGEST_PIECE / 4;
        let hash = |i: usize| (self.at(i).key().wrapping_mul(0x9e37_79b9_7f4a_7c15), self.at(i));
        let hashes: Vec<_> = (start..=end).map(hash).collect();
        let mut previous = start;
        let mut window: std::collections::VecDeque<usize> = std::collections::VecDeque::new();
        let mut anchors = Vec::new();
        for i in 0..hashes.len() {
            while window.back().is_some_and(|&j| hashes[j] >= hashes[i]) {
                window.pop_back();
            }
            window.push_back(i);
            while window.front().is_some_and(|&j| j + 2 * reach < i) {
                window.pop_front();
            }
            let middle = i.checked_sub(reach);
            if let (Some(middle), Some(&least)) = (middle, window.front())
                && middle == least
                && middle > 0
                && middle + 1 < hashes.len()
            {
                anchors.push(start + middle);
            }
        }
        for anchor in anchors {
            let n = self.kept.len();
            self.keep[anchor % n] = true;
            self.douglas_peucker(previous, anchor);
            previous = anchor;
        }
        self.douglas_peucker(previous, end);
    }

    fn douglas_peucker(&mut self, start: usize, end: usize) {
        let n = self.kept.len();
        let unit = f64::from(self.options.grid(self.zoom).shift()).exp2();
        let limit = (self.options.tolerance(self.zoom) * unit).powi(2);
        let mut stack = vec![(start, end)];
        while let Some((start, end)) = stack.pop() {
            if end - start < 2 {
                continue;
            }
            // The segment in a fixed direction: the same vertices give the same distances.
            let (a, b) = (self.at(start).min(self.at(end)), self.at(start).max(self.at(end)));
            let (distance, far) = self.farthest(start, end, |p| distance(p, a, b));
            if distance > limit {
                self.keep[far % n] = true;
                stack.push((start, far));
                stack.push((far, end));
            }
        }
    }

    /// The vertex strictly between two others that is farthest by `measure`; of equals, the one
    /// that comes first in the order of positions, not in the order of the path.
    fn farthest(&self, start: usize, end: usize, measure: impl Fn(World) -> f64) -> (f64, usize) {
        let mut best = (f64::MIN, start + 1);
        for i in start + 1..end {
            let d = measure(self.at(i));
            if d > best.0 || (d == best.0 && self.at(i) < self.at(best.1)) {
                best = (d, i);
            }
        }
        best
    }
}

/// Squared distance in world units from `p` to the segment from `a` to `b`.
fn distance(p: World, a: World, b: World) -> f64 {
    let from_a = |q: World| (f64::from(q.x) - f64::from(a.x), f64::from(q.y) - f64::from(a.y));
    let ((px, py), (bx, by)) = (from_a(p), from_a(b));
    let length = bx * bx + by * by;
    let along = if length > 0.0 { ((px * bx + py * by) / length).clamp(0.0, 1.0) } else { 0.0 };
    (px - along * bx).powi(2) + (py - along * by).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OPTIONS: Options =
        Options { minzoom: 0, maxzoom: 6, extent_bits: 12, buffer: 64, tolerance: 1.0, tolerance_at_max: 0.5 };

    fn levels(path: &[World], ring: bool) -> Vec<u8> {
        let mut levels = vec![0; path.len()];
        simplify(path, ring, |_| false, &OPTIONS, &mut levels);
        levels
    }

    #[test]
    fn a_straight_line_keeps_its_ends_only() {
        // Inside one cell of the lattice at every zoom, so that no anchor is in the way.
        let path: Vec<World> = (0..50).map(|i| World { x: 1000 + i * 100, y: 1000 + i * 100 }).collect();
        let levels = levels(&path, false);
        assert_eq!((levels[0], levels[49]), (0, 0));
        assert!(levels[1..49].iter().all(|&l| l == NEVER));
    }

    #[test]
    fn a_corner_appears_when_it_is_large_enough() {
        // 3 units of zoom 4 high: within the tolerance of 1 up to zoom 2.
        let unit = 1u32 << OPTIONS.grid(4).shift();
        let path = [World { x: 0, y: 0 }, World { x: 10 * unit, y: 3 * unit }, World { x: 20 * unit, y: 0 }];
        assert_eq!(levels(&path, false), [0, 3, 0]);
    }

    fn walk() -> impl Strategy<Value = Vec<World>> {
        proptest::collection::vec((-3000i64..3000, -3000i64..3000), 3..300).prop_map(|steps| {
            let (mut x, mut y) = (1i64 << 31, 1i64 << 31);
            let mut path: Vec<World> = Vec::new();
            for (dx, dy) in steps {
                (x, y) = (x + dx * 997, y + dy * 997);
                let p = World::saturating(x, y);
                if !path.contains(&p) {
                    path.push(p);
                }
            }
            path
        })
    }

    proptest! {
        #[test]
        fn direction_and_start_do_not_matter(path in walk(), start in 0usize..300) {
            let forward = levels(&path, true);
            let mut turned = path.clone();
            turned.rotate_left(start % path.len());
            turned.reverse();
            let by_vertex: std::collections::HashMap<_, _> = turned.iter().copied().zip(levels(&turned, true)).collect();
            for (p, level) in path.iter().zip(forward) {
                prop_assert_eq!(by_vertex[p], level);
            }
        }

        #[test]
        fn an_edit_far_away_changes_nothing_here(path in walk(), other in walk(), cut in 0usize..300) {
            // Two lines that part somewhere: each of the three zooms may feel that one lattice cell
            // further back, not more.
            let options = Options { minzoom: 6, maxzoom: 8, ..OPTIONS };
            let shift = options.grid(6).shift() + LATTICE.ilog2();
            let cell = |p: World| (p.x >> shift, p.y >> shift);
            let shared = cut % path.len();
            let crossings: Vec<usize> = (1..shared).filter(|&i| cell(path[i]) != cell(path[i - 1])).collect();
            prop_assume!(crossings.len() > 3);
            let edited: Vec<World> = path[..shared].iter().chain(&other).copied().collect();
            let levels = |path: &[World]| {
                let mut levels = vec![0; path.len()];
                simplify(path, false, |_| false, &options, &mut levels);
                levels
            };
            let far = crossings[crossings.len() - 4];
            prop_assert_eq!(&levels(&path)[..far], &levels(&edited)[..far]);
        }

        #[test]
        fn no_vertex_is_farther_than_the_tolerances_allow(path in walk()) {
            let levels = levels(&path, false);
            for zoom in 0..=6u8 {
                let unit = f64::from(OPTIONS.grid(zoom).shift()).exp2();
                // Every zoom above has moved the line by at most its own tolerance, halved each time.
                let limit = (2.0 * unit).powi(2);
                let kept: Vec<usize> = (0..path.len()).filter(|&i| levels[i] <= zoom).collect();
                for pair in kept.windows(2) {
                    for p in &path[pair[0]..=pair[1]] {
                        prop_assert!(distance(*p, path[pair[0]], path[pair[1]]) <= limit * 1.0001);
                    }
                }
            }
        }
    }
}
