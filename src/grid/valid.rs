//! A strict judge of polygons on the integer grid. Slow on purpose: plain and easy to trust.
//!
//! Tests and `verify` use it on what others made; nothing here repairs.

use super::{Kind, Parts, Point, double_area, turn};
use std::fmt;

/// Why polygons are not valid (OGC Simple Features 06-103r4, 6.1.11.1, and MVT 2.1, 4.3.3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Fewer than three distinct points.
    TooFewPoints,
    /// A point follows itself.
    RepeatedPoint(Point),
    /// A ring encloses nothing.
    ZeroArea(Point),
    /// An exterior ring winds the wrong way, or a hole does.
    Winding(Point),
    /// A ring turns straight back on itself.
    Spike(Point),
    /// Two edges cross or overlap, or a ring runs through one point twice.
    Crossing(Point),
    /// A hole lies outside its exterior ring.
    HoleOutside(Point),
    /// Two polygons of one geometry overlap, or a hole lies in a hole.
    Overlap(Point),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// Finds the first fault of polygons in tile units; `O(n log n)` for edges that are short.
///
/// Rings may touch each other and themselves in single points only where OGC allows it: two
/// different rings may share points, one ring must not visit a point twice.
pub fn check_polygons(polygons: &Parts<Point>) -> Result<(), Fault> {
    debug_assert_eq!(polygons.kind, Kind::Polygon);
    for group in polygons.polygons() {
        for (i, ring) in group.clone().map(|p| (p - group.start, polygons.path(p))) {
            check_ring(ring, i == 0)?;
        }
    }
    check_edges(polygons)?;
    check_nesting(polygons)
}

fn check_ring(ring: &[Point], exterior: bool) -> Result<(), Fault> {
    if ring.len() < 3 {
        return Err(Fault::TooFewPoints);
    }
    let area = double_area(ring);
    if area == 0 {
        return Err(Fault::ZeroArea(ring[0]));
    }
    if (area > 0) != exterior {
        return Err(Fault::Winding(ring[0]));
    }
    let at = |i: usize| ring[i % ring.len()];
    if let Some(i) = (0..ring.len()).find(|&i| at(i) == at(i + 1)) {
        return Err(Fault::RepeatedPoint(at(i)));
    }
    for i in 0..ring.len() {
        let (a, b, c) = (at(i), at(i + 1), at(i + 2));
        if turn(a, b, c) == 0 && dot(a, b, c) <= 0 {
            return Err(Fault::Spike(b));
        }
    }
    let mut seen = ring.to_vec();
    seen.sort_unstable();
    match seen.windows(2).find(|w| w[0] == w[1]) {
        Some(w) => Err(Fault::Crossing(w[0])),
        None => Ok(()),
    }
}

/// How far `c - b` goes on in the direction of `b - a`.
fn dot(a: Point, b: Point, c: Point) -> i64 {
    let d = |p: i32, q: i32| i64::from(q) - i64::from(p);
    d(a.x, b.x) * d(b.x, c.x) + d(a.y, b.y) * d(b.y, c.y)
}

/// An edge with its ends in order, and the number of its ring.
type Edge = (Point, Point, usize);

/// All edges against each other by a sweep over `x`.
fn check_edges(polygons: &Parts<Point>) -> Result<(), Fault> {
    let mut edges: Vec<Edge> = Vec::with_capacity(polygons.positions.len());
    for (number, ring) in polygons.paths().enumerate() {
        let ends = (0..ring.len()).map(|i| (ring[i], ring[(i + 1) % ring.len()]));
        edges.extend(ends.map(|(a, b)| (a.min(b), a.max(b), number)));
    }
    edges.sort_unstable();
    let mut active: Vec<Edge> = Vec::new();
    for &edge in &edges {
        active.retain(|other| other.1.x >= edge.0.x);
        if active.iter().any(|&other| conflict(edge, other)) {
            return Err(Fault::Crossing(edge.0));
        }
        active.push(edge);
    }
    Ok(())
}

/// Whether two edges share more than they may: a common end, or, for edges of different rings,
/// an end of one in the middle of the other.
fn conflict((a, b, one): Edge, (c, d, two): Edge) -> bool {
    if a.y.max(b.y) < c.y.min(d.y) || c.y.max(d.y) < a.y.min(b.y) {
        return false;
    }
    let (abc, abd) = (turn(a, b, c).signum(), turn(a, b, d).signum());
    let (cda, cdb) = (turn(c, d, a).signum(), turn(c, d, b).signum());
    if abc == 0 && abd == 0 {
        // On one line: both are sorted, so they overlap when the later start is before the earlier end.
        return a.max(c) < b.min(d);
    }
    let touch = abc * abd * cda * cdb == 0 && a != c && a != d && b != c && b != d;
    (abc * abd < 0 && cda * cdb < 0) || (one == two && touch && abc * abd <= 0 && cda * cdb <= 0)
}

/// Holes inside their exterior, and nothing of one polygon inside another.
fn check_nesting(polygons: &Parts<Point>) -> Result<(), Fault> {
    let groups: Vec<_> = polygons.polygons().collect();
    for group in &groups {
        let exterior = polygons.path(group.start);
        for hole in group.start + 1..group.end {
            let ring = polygons.path(hole);
            if side(ring, exterior) != Some(true) {
                return Err(Fault::HoleOutside(ring[0]));
            }
            if (group.start + 1..hole).any(|other| overlaps(ring, polygons.path(other))) {
                return Err(Fault::Overlap(ring[0]));
            }
        }
    }
    for (i, one) in groups.iter().enumerate() {
        for two in &groups[..i] {
            let (a, b) = (polygons.path(one.start), polygons.path(two.start));
            if boxes_apart(a, b) {
                continue;
            }
            let in_hole = |inner: &[Point], group: &std::ops::Range<usize>| {
                (group.start + 1..group.end).any(|h| side(inner, polygons.path(h)) != Some(false))
            };
            let inside = |inner, outer: &std::ops::Range<usize>| {
                side(inner, polygons.path(outer.start)) != Some(false) && !in_hole(inner, outer)
            };
            if inside(a, two) || inside(b, one) {
                return Err(Fault::Overlap(a[0]));
            }
        }
    }
    Ok(())
}

fn overlaps(a: &[Point], b: &[Point]) -> bool {
    !boxes_apart(a, b) && (side(a, b) != Some(false) || side(b, a) != Some(false))
}

fn boxes_apart(a: &[Point], b: &[Point]) -> bool {
    let extent = |ring: &[Point]| {
        ring.iter().fold((i32::MAX, i32::MAX, i32::MIN, i32::MIN), |e, p| {
            (e.0.min(p.x), e.1.min(p.y), e.2.max(p.x), e.3.max(p.y))
        })
    };
    let (a, b) = (extent(a), extent(b));
    a.2 <= b.0 || b.2 <= a.0 || a.3 <= b.1 || b.3 <= a.1
}

/// Whether `ring` lies inside `outer`, told by its first vertex or edge middle that is not on
/// `outer`'s border; `None` when all of them are, which only an equal ring can be.
pub fn side(ring: &[Point], outer: &[Point]) -> Option<bool> {
    ring.iter().find_map(|&p| inside(p, outer)).or_else(|| {
        // Every vertex lies on the border: look at the middles of the edges, on a grid twice as fine.
        let outer: Vec<Point> = outer.iter().map(|p| Point::new(p.x * 2, p.y * 2)).collect();
        (0..ring.len()).find_map(|i| {
            let (a, b) = (ring[i], ring[(i + 1) % ring.len()]);
            inside(Point::new(a.x + b.x, a.y + b.y), &outer)
        })
    })
}

/// Even-odd test; `None` on the border.
fn inside(p: Point, ring: &[Point]) -> Option<bool> {
    let mut odd = false;
    for i in 0..ring.len() {
        let (a, b) = (ring[i], ring[(i + 1) % ring.len()]);
        let t = turn(a, b, p);
        let within = |lo: i32, hi: i32, v: i32| v >= lo.min(hi) && v <= lo.max(hi);
        if t == 0 && within(a.x, b.x, p.x) && within(a.y, b.y, p.y) {
            return None;
        }
        if (a.y > p.y) != (b.y > p.y) && (t > 0) == (b.y > a.y) {
            odd = !odd;
        }
    }
    Some(odd)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polygon(rings: &[&[(i32, i32)]]) -> Parts<Point> {
        let mut parts = Parts::new(Kind::Polygon);
        for ring in rings {
            parts.push_path(ring.iter().map(|&(x, y)| Point::new(x, y)));
        }
        parts.end_polygon();
        parts
    }

    #[test]
    fn faults() {
        let check = |rings: &[&[(i32, i32)]], want: Result<(), &str>| {
            let got = check_polygons(&polygon(rings)).map_err(|f| f.to_string().split('(').next().unwrap().to_owned());
            assert_eq!(got, want.map_err(str::to_owned), "{rings:?}");
        };
        let square: &[(i32, i32)] = &[(0, 0), (10, 0), (10, 10), (0, 10)];
        check(&[square], Ok(()));
        check(&[&[(0, 0), (10, 0)]], Err("TooFewPoints"));
        check(&[&[(0, 0), (5, 0), (10, 0)]], Err("ZeroArea"));
        check(&[&[(0, 0), (0, 10), (10, 10), (10, 0)]], Err("Winding"));
        check(&[&[(0, 0), (10, 0), (10, 0), (10, 10)]], Err("RepeatedPoint"));
        check(&[&[(0, 0), (10, 0), (10, 10), (10, 15), (10, 10), (0, 10)]], Err("Spike"));
        check(&[&[(0, 0), (10, 10), (10, 0), (0, 8)]], Err("Winding"));
        check(&[&[(0, 0), (10, 10), (10, 0), (0, 12), (-20, 9)]], Err("Crossing"));
        check(&[&[(0, 0), (10, 0), (10, 10), (5, 0), (0, 10)]], Err("Crossing"));
        check(&[square, &[(2, 2), (2, 8), (8, 8), (8, 2)]], Ok(()));
        check(&[square, &[(0, 0), (2, 8), (8, 8), (8, 2)]], Ok(()));
        check(&[square, &[(2, 2), (8, 2), (8, 8), (2, 8)]], Err("Winding"));
        check(&[square, &[(12, 2), (12, 8), (18, 8), (18, 2)]], Err("HoleOutside"));
        check(&[square, &[(2, 2), (2, 8), (18, 8), (18, 2)]], Err("Crossing"));
        check(&[square, &[(1, 1), (1, 9), (9, 9), (9, 1)], &[(3, 3), (3, 6), (6, 6), (6, 3)]], Err("Overlap"));
    }

    #[test]
    fn polygons_of_one_geometry() {
        let check = |x: i32, want: bool| {
            let mut parts = polygon(&[&[(0, 0), (10, 0), (10, 10), (0, 10)]]);
            parts.push_path([(x, 2), (x + 4, 2), (x + 4, 6), (x, 6)].map(|(x, y)| Point::new(x, y)));
            parts.end_polygon();
            assert_eq!(check_polygons(&parts).is_ok(), want, "{x}");
        };
        check(12, true);
        check(3, false);
        check(8, false);
    }
}
