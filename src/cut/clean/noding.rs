//! Edges that cross or touch are split where they do, on the grid, for all that use them at once.
//!
//! ```text
//!    ╲     ╱            ╲     ╱      A crossing is rounded to the nearest grid point, and both
//!     ╲   ╱              ╲___╱       edges bend there. That can make new crossings within a
//!      ╲ ╱      ──►       ╲ ╱        unit; so it is done again with the edges that have moved,
//!       ╳                  ●         until nothing meets but at ends.
//!      ╱ ╲                ╱ ╲
//! ```

use super::sweep::meet;
use crate::grid::{Point, turn};

/// Rounds after which noding gives up. Two or three are usual.
const ROUNDS: usize = 24;

/// Splits per edge after which it gives up: a scribble that crosses itself everywhere.
const SPLITS_PER_EDGE: usize = 16;

/// Strips of this many tile units are looked at one by one.
const STRIP: i32 = 128;

/// A part of an edge, in the edge's own direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub from: Point,
    pub to: Point,
    /// The number of the edge.
    pub edge: u32,
    /// Made in the last round.
    fresh: bool,
}

/// What has become of some edges.
pub(super) struct Noded {
    /// The parts of all edges; together they meet in common ends only, or are equal.
    pub parts: Vec<Part>,
    /// Which edges have moved by bending to a rounded crossing, or cross another one.
    pub moved: Vec<bool>,
}

/// Nodes different edges with each other; `None` when there is no end to it.
pub(super) fn node(edges: &[(Point, Point)]) -> Option<Noded> {
    let whole = |(number, &(from, to)): (usize, &(Point, Point))| Part { from, to, edge: number as u32, fresh: true };
    let mut noded = Noded { parts: edges.iter().enumerate().map(whole).collect(), moved: vec![false; edges.len()] };
    for _ in 0..ROUNDS {
        let mut splits: Vec<(u32, Point)> = Vec::new();
        let Noded { parts, moved } = &mut noded;
        for_neighbours(parts, |one, two| split(parts, moved, [one, two], &mut splits));
        if splits.is_empty() {
            return Some(noded);
        }
        if noded.parts.len() + splits.len() > SPLITS_PER_EDGE * edges.len() + 10_000 {
            return None;
        }
        apply(&mut noded.parts, splits);
    }
    None
}

/// Calls `visit` with every two parts whose boxes meet and of which one is fresh.
fn for_neighbours(parts: &[Part], mut visit: impl FnMut(usize, usize)) {
    let strip = |y: i32| y.div_euclid(STRIP);
    let mut entries: Vec<(i32, i32, u32)> = Vec::with_capacity(parts.len() * 2);
    for (number, part) in parts.iter().enumerate() {
        let (low, high) = (strip(part.from.y.min(part.to.y)), strip(part.from.y.max(part.to.y)));
        entries.extend((low..=high).map(|strip| (strip, part.from.x.min(part.to.x), number as u32)));
    }
    entries.sort_unstable();
    let mut active: Vec<u32> = Vec::new();
    for entries in entries.chunk_by(|a, b| a.0 == b.0) {
        active.clear();
        for &(this, left, number) in entries {
            let part = &parts[number as usize];
            let (low, high) = (part.from.y.min(part.to.y), part.from.y.max(part.to.y));
            active.retain(|&other| {
                let other = &parts[other as usize];
                other.from.x.max(other.to.x) >= left
            });
            for &number_of_other in &active {
                let other = &parts[number_of_other as usize];
                let (other_low, other_high) = (other.from.y.min(other.to.y), other.from.y.max(other.to.y));
                // Two that share several strips are looked at in the first of them.
                if (part.fresh || other.fresh)
                    && low <= other_high
                    && other_low <= high
                    && strip(low.max(other_low)) == this
                {
                    visit(number as usize, number_of_other as usize);
                }
            }
            active.push(number);
        }
    }
}

/// Notes where two parts must be split because they meet in more than common ends.
fn split(parts: &[Part], moved: &mut [bool], pair: [usize; 2], splits: &mut Vec<(u32, Point)>) {
    let line = |number: usize| {
        let part = &parts[number];
        (part.from.min(part.to), part.from.max(part.to))
    };
    let (one, two) = (line(pair[0]), line(pair[1]));
    if one == two || !meet(one, two) {
        return;
    }
    let before = splits.len();
    for (number, (start, end), other) in [(pair[0], one, two), (pair[1], two, one)] {
        let inside = |p: &Point| turn(start, end, *p) == 0 && start < *p && *p < end;
        splits.extend([other.0, other.1].into_iter().filter(inside).map(|p| (number as u32, p)));
    }
    if splits.len() == before {
        let at = crossing(one, two);
        for (number, (start, end)) in [(pair[0], one), (pair[1], two)] {
            moved[parts[number].edge as usize] = true;
            if at != start && at != end {
                splits.push((number as u32, at));
            }
        }
    }
}

/// The grid point nearest to where two edges cross.
fn crossing((a, b): (Point, Point), (c, d): (Point, Point)) -> Point {
    let (above, below) = (turn(a, b, c), turn(a, b, d));
    let along = |from: i32, to: i32| {
        let (way, whole) = (i128::from(to) - i128::from(from), i128::from(above) - i128::from(below));
        // Rounded half up: the floor of twice the value and one, halved.
        let twice = (2 * way * i128::from(above) * whole.signum() + whole.abs()).div_euclid(2 * whole.abs());
        (i128::from(from) + twice) as i32
    };
    Point::new(along(c.x, d.x), along(c.y, d.y))
}

/// Replaces every part by what it is split into.
fn apply(parts: &mut Vec<Part>, mut splits: Vec<(u32, Point)>) {
    for part in parts.iter_mut() {
        part.fresh = false;
    }
    splits.sort_unstable();
    splits.dedup();
    for split in splits.chunk_by(|a, b| a.0 == b.0) {
        let whole = parts[split[0].0 as usize];
        let far = |p: Point| {
            let on = |from: i32, to: i32, p: i32| (i64::from(to) - i64::from(from)) * (i64::from(p) - i64::from(from));
            on(whole.from.x, whole.to.x, p.x) + on(whole.from.y, whole.to.y, p.y)
        };
        let mut points: Vec<Point> = split.iter().map(|s| s.1).collect();
        points.sort_unstable_by_key(|&p| (far(p), p));
        points.push(whole.to);
        parts[split[0].0 as usize] = Part { to: points[0], fresh: true, ..whole };
        for pair in points.windows(2) {
            parts.push(Part { from: pair[0], to: pair[1], edge: whole.edge, fresh: true });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn crossings_are_rounded() {
        let p = |(x, y)| Point::new(x, y);
        let check = |e: ((i32, i32), (i32, i32)), f: ((i32, i32), (i32, i32)), want: (i32, i32)| {
            let (e, f) = ((p(e.0), p(e.1)), (p(f.0), p(f.1)));
            assert_eq!((crossing(e, f), crossing(f, e)), (p(want), p(want)), "{e:?} {f:?}");
        };
        check(((0, 0), (4, 4)), ((0, 4), (4, 0)), (2, 2));
        check(((0, 0), (3, 3)), ((0, 3), (3, 0)), (2, 2));
        check(((-3, -3), (0, 0)), ((-3, 0), (0, -3)), (-1, -1));
        check(((0, 0), (9, 1)), ((4, -2), (5, 5)), (4, 0));
    }

    proptest! {
        #[test]
        fn afterwards_nothing_meets(ends in proptest::collection::vec((0i32..60, 0i32..60), 4..60)) {
            let mut edges: Vec<_> = ends
                .windows(2)
                .map(|w| (Point::new(w[0].0, w[0].1), Point::new(w[1].0, w[1].1)))
                .filter(|(a, b)| a != b)
                .map(|(a, b)| (a.min(b), a.max(b)))
                .collect();
            edges.sort_unstable();
            edges.dedup();
            let parts = node(&edges).unwrap().parts;
            for (i, p) in parts.iter().enumerate() {
                for q in &parts[..i] {
                    let ordered = |p: &Part| (p.from.min(p.to), p.from.max(p.to));
                    prop_assert!(ordered(p) == ordered(q) || !meet(ordered(p), ordered(q)));
                }
            }
            // Each edge is still one way from its start to its end, nowhere far from the straight one.
            for (number, &(start, end)) in edges.iter().enumerate() {
                let own: Vec<_> = parts.iter().filter(|p| p.edge == number as u32).collect();
                let sum = own.iter().fold((0, 0), |s, p| (s.0 + p.to.x - p.from.x, s.1 + p.to.y - p.from.y));
                prop_assert_eq!(sum, (end.x - start.x, end.y - start.y));
                let length = f64::from(end.x - start.x).hypot(f64::from(end.y - start.y));
                prop_assert!(own.iter().all(|p| turn(start, end, p.to).abs() as f64 <= 3.0 * length));
            }
        }
    }
}
