//! A sweep over edges from left to right: are they planar, and what lies on each side of each?
//!
//! ```text
//!            ╱▔▔▔▔╲          The status holds the edges that the sweep line meets, from the
//!      ─────●      ●───      lowest `y` up. At every vertex the edges that end there leave it
//!            ╲____╱          and those that start there enter: each takes what lies below it
//!             │              from its neighbour, and what lies above it from that and itself.
//!             └ sweep line
//! ```
//!
//! Words: *below* means smaller `y`, *above* larger `y`, whatever the screen shows. Points are
//! ordered by `x`, then `y`, so an upright edge starts at its end of smaller `y` and has its left
//! side above. Two edges may meet in a common end only; the sweep stops at the first that do more
//! (Shamos and Hoey's test: edges that meet are neighbours in the status just before).

use crate::grid::{Point, turn};

/// No edge: the vertex lies below all of them.
pub(super) const NONE: u32 = u32::MAX;

/// Edges that meet in their ends only, with what lies beside them.
#[derive(Debug)]
pub(super) struct Planar<L> {
    /// What lies below and above each edge.
    pub sides: Vec<(L, L)>,
    /// The numbers of each edge's start and end.
    pub ends: Vec<(u32, u32)>,
    /// For each vertex the edge directly below it.
    pub below: Vec<u32>,
}

/// An edge that does more than meet another one at an end, or has an impossible side.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Conflict;

/// Sweeps over edges with `start < end`, sorted by start, no two equal. `step` says what lies
/// above an edge when it is known what lies below, or that this cannot be.
pub(super) fn sweep<L: Copy>(
    edges: &[(Point, Point)],
    outside: L,
    step: impl FnMut(L, usize) -> Option<L>,
) -> Result<Planar<L>, Conflict> {
    let n = edges.len();
    let mut by_end: Vec<u32> = (0..n as u32).collect();
    by_end.sort_unstable_by_key(|&i| edges[i as usize].1);
    let planar = Planar { sides: vec![(outside, outside); n], ends: vec![(0, 0); n], below: Vec::new() };
    Sweep { edges, step, outside, status: Vec::with_capacity(64), fan: Vec::new(), planar }.run(&by_end)
}

struct Sweep<'a, L, F> {
    edges: &'a [(Point, Point)],
    step: F,
    outside: L,
    status: Vec<u32>,
    /// Edges that start at one vertex, from the lowest up.
    fan: Vec<u32>,
    planar: Planar<L>,
}

impl<L: Copy, F: FnMut(L, usize) -> Option<L>> Sweep<'_, L, F> {
    fn run(mut self, by_end: &[u32]) -> Result<Planar<L>, Conflict> {
        let (mut started, mut ended) = (0, 0);
        while ended < by_end.len() {
            let next_end = self.edges[by_end[ended] as usize].1;
            let at = self.edges.get(started).map_or(next_end, |edge| edge.0.min(next_end));
            let starts = started..started + self.edges[started..].iter().take_while(|edge| edge.0 == at).count();
            let ends = by_end[ended..].iter().take_while(|&&i| self.edges[i as usize].1 == at).count();
            self.vertex(at, starts.clone(), &by_end[ended..ended + ends])?;
            started = starts.end;
            ended += ends;
        }
        Ok(self.planar)
    }

    fn vertex(&mut self, at: Point, starts: std::ops::Range<usize>, ends: &[u32]) -> Result<(), Conflict> {
        let number = self.planar.below.len() as u32;
        let low = self.status.partition_point(|&i| self.turn(i, at) > 0);
        // All edges through the vertex must end here.
        let mut high = low;
        while high < self.status.len() && self.turn(self.status[high], at) == 0 {
            if self.edges[self.status[high] as usize].1 != at {
                return Err(Conflict);
            }
            high += 1;
        }
        if high - low != ends.len() {
            return Err(Conflict);
        }
        self.planar.below.push(low.checked_sub(1).map_or(NONE, |i| self.status[i]));
        for &edge in ends {
            self.planar.ends[edge as usize].1 = number;
        }
        let mut fan = std::mem::take(&mut self.fan);
        fan.clear();
        fan.extend(starts.map(|i| i as u32));
        if fan.len() > 1 {
            fan.sort_unstable_by(|&e, &f| 0.cmp(&self.turn(e, self.edges[f as usize].1)));
        }
        for pair in fan.windows(2) {
            if self.turn(pair[0], self.edges[pair[1] as usize].1) == 0 {
                return Err(Conflict);
            }
        }
        let mut below = low.checked_sub(1).map_or(self.outside, |i| self.planar.sides[self.status[i] as usize].1);
        for &edge in &fan {
            let above = (self.step)(below, edge as usize).ok_or(Conflict)?;
            self.planar.sides[edge as usize] = (below, above);
            self.planar.ends[edge as usize].0 = number;
            below = above;
        }
        let inserted = fan.len();
        if inserted == high - low {
            self.status[low..high].copy_from_slice(&fan);
        } else {
            self.status.splice(low..high, fan.iter().copied());
        }
        self.fan = fan;
        self.neighbours(low)?;
        if inserted > 0 { self.neighbours(low + inserted) } else { Ok(()) }
    }

    /// Looks at the edges on both sides of a place in the status.
    fn neighbours(&self, place: usize) -> Result<(), Conflict> {
        let edge = |i: u32| self.edges[i as usize];
        match (place.checked_sub(1).and_then(|i| self.status.get(i)), self.status.get(place)) {
            (Some(&e), Some(&f)) if meet(edge(e), edge(f)) => Err(Conflict),
            _ => Ok(()),
        }
    }

    fn turn(&self, edge: u32, p: Point) -> i64 {
        let (a, b) = self.edges[edge as usize];
        turn(a, b, p)
    }
}

/// Whether two edges share more than a common end.
pub(super) fn meet((a, b): (Point, Point), (c, d): (Point, Point)) -> bool {
    if a.y.max(b.y) < c.y.min(d.y) || c.y.max(d.y) < a.y.min(b.y) || b < c || d < a {
        return false;
    }
    let (abc, abd) = (turn(a, b, c).signum(), turn(a, b, d).signum());
    if abc * abd > 0 {
        return false;
    }
    let (cda, cdb) = (turn(c, d, a).signum(), turn(c, d, b).signum());
    if cda * cdb > 0 {
        return false;
    }
    if abc == 0 && abd == 0 {
        return a.max(c) < b.min(d);
    }
    // They touch or cross; at a common end they may.
    !(a == c || a == d || b == c || b == d)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Line = ((i32, i32), (i32, i32));

    fn sorted(edges: &[Line]) -> Vec<(Point, Point)> {
        let point = |(x, y)| Point::new(x, y);
        let mut edges: Vec<_> = edges.iter().map(|&(a, b)| (point(a).min(point(b)), point(a).max(point(b)))).collect();
        edges.sort_unstable();
        edges
    }

    #[test]
    fn what_is_planar() {
        let check = |edges: &[Line], want: bool| {
            assert_eq!(sweep(&sorted(edges), 0, |n, _| Some(1 - n)).is_ok(), want, "{edges:?}");
        };
        let square = [((0, 0), (9, 0)), ((9, 0), (9, 9)), ((9, 9), (0, 9)), ((0, 9), (0, 0))];
        check(&square, true);
        check(&[&square[..], &[((2, 2), (5, 2)), ((5, 2), (2, 5)), ((2, 5), (2, 2))]].concat(), true);
        check(&[&square[..], &[((0, 0), (9, 9))]].concat(), true);
        check(&[&square[..], &[((2, 2), (12, 2))]].concat(), false);
        check(&[&square[..], &[((2, 2), (9, 2))]].concat(), false);
        check(&[&square[..], &[((2, 0), (6, 0))]].concat(), false);
        check(&[&square[..], &[((-3, 0), (2, 0))]].concat(), false);
        check(&[((0, 0), (9, 9)), ((0, 9), (9, 0))], false);
        check(&[((0, 0), (0, 9)), ((0, 5), (4, 5))], false);
        check(&[((0, 0), (0, 9)), ((0, 2), (0, 5))], false);
        check(&[((0, 0), (0, 9)), ((0, 9), (0, 12)), ((-3, 9), (0, 9))], true);
    }

    #[test]
    fn sides_are_counted_from_below() {
        // A square with its interior counted as 1: left and upper edges (seen from below) enter and leave it.
        let edges = sorted(&[((0, 0), (9, 0)), ((0, 9), (9, 9)), ((0, 0), (0, 9)), ((9, 0), (9, 9))]);
        let [left, lower, upper, right] = [0, 1, 2, 3];
        assert_eq!(edges[left].1, Point::new(0, 9));
        let planar = sweep(&edges, 0, |n, i| Some(if i == lower || i == right { n + 1 } else { n - 1 })).unwrap();
        assert_eq!((planar.sides[lower], planar.sides[upper]), ((0, 1), (1, 0)));
        assert_eq!((planar.sides[left], planar.sides[right]), ((1, 0), (0, 1)));
        // Vertices come in the order (0, 0), (0, 9), (9, 0), (9, 9).
        assert_eq!(planar.below, [NONE, lower as u32, NONE, NONE]);
    }
}
