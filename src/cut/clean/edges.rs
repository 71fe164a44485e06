//! Pieces of one feature in one tile into edges: what runs back and forth cancels itself.

use crate::cut::clip::Piece;
use crate::grid::{Parts, Point, double_area};

/// An edge from its smaller to its larger end, with how the winding number of one polygon grows
/// when stepping over it from below to above (see [`super::sweep`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    pub start: Point,
    pub end: Point,
    /// Number of the polygon among those of the feature.
    pub polygon: u32,
    /// The part of the exterior ring: +1 if it runs from start to end.
    pub exterior: i32,
    /// The part of the holes.
    pub hole: i32,
}

/// The square that pieces were clipped to, on each axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Square {
    pub low: i32,
    pub high: i32,
}

impl Square {
    pub(super) const fn new(extent: i32, buffer: i32) -> Self {
        Self { low: -buffer, high: extent + buffer }
    }

    /// The number of the border line that an edge runs along.
    fn side(self, a: Point, b: Point) -> Option<usize> {
        let on = |v: i32| if v == self.low { Some(0) } else { (v == self.high).then_some(1) };
        if a.x == b.x {
            on(a.x)
        } else if a.y == b.y {
            on(a.y).map(|n| n + 2)
        } else {
            None
        }
    }
}

/// The edges of all polygons among the pieces, sorted; each polygon has an edge once, and none
/// that it runs along both ways as often.
pub(super) fn edges(pieces: &[Piece], square: Square) -> Vec<Edge> {
    let mut edges = Vec::new();
    let mut border = Border { square, sides: Default::default() };
    let polygons = pieces.iter().filter_map(|piece| if let Piece::Parts(parts) = piece { Some(parts) } else { None });
    for (number, parts) in polygons.enumerate() {
        add_polygon(parts, number as u32, &mut edges, &mut border);
    }
    border.into_edges(&mut edges);
    edges.sort_unstable();
    merge(&mut edges);
    edges
}

fn add_polygon(parts: &Parts<Point>, polygon: u32, edges: &mut Vec<Edge>, border: &mut Border) {
    for (index, ring) in parts.paths().enumerate() {
        let Some(&last) = ring.last() else { continue };
        let mut from = last;
        for &to in ring {
            if from != to {
                let (start, end, way) = if from < to { (from, to, 1) } else { (to, from, -1) };
                let (exterior, hole) = if index == 0 { (way, 0) } else { (0, way) };
                border.square.side(from, to).map_or(&mut *edges, |side| &mut border.sides[side]).push(Edge {
                    start,
                    end,
                    polygon,
                    exterior,
                    hole,
                });
            }
            from = to;
        }
    }
}

/// Adds up equal edges of one polygon in a sorted list.
pub(super) fn merge(edges: &mut Vec<Edge>) {
    edges.dedup_by(|next, kept| {
        let equal = (next.start, next.end, next.polygon) == (kept.start, kept.end, kept.polygon);
        if equal {
            kept.exterior += next.exterior;
            kept.hole += next.hole;
        }
        equal
    });
    edges.retain(|edge| edge.exterior != 0 || edge.hole != 0);
}

/// Edges along the four border lines. Clipping leaves a lot of them, one over the other:
///
/// ```text
///     ───────┐ ┌──    what leaves the square and returns runs along its border in
///   ────┐    │ │      between, there and back; after splitting where any of them
///   ════╧════╧═╧══    ends, the ways there and back cancel
/// ```
struct Border {
    square: Square,
    sides: [Vec<Edge>; 4],
}

impl Border {
    fn into_edges(self, out: &mut Vec<Edge>) {
        for side in self.sides.into_iter().filter(|side| !side.is_empty()) {
            split_side(side, out);
        }
    }
}

/// Splits the edges along one line where any of them ends and adds up what lies upon each other.
fn split_side(mut side: Vec<Edge>, out: &mut Vec<Edge>) {
    let mut cuts: Vec<Point> = side.iter().flat_map(|edge| [edge.start, edge.end]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    side.sort_unstable_by_key(|edge| edge.polygon);
    let place = |p: Point| cuts.partition_point(|&cut| cut < p);
    let mut steps: Vec<(i32, i32)> = Vec::new();
    for polygon in side.chunk_by(|a, b| a.polygon == b.polygon) {
        steps.clear();
        steps.resize(cuts.len(), (0, 0));
        for edge in polygon {
            let (from, to) = (place(edge.start), place(edge.end));
            steps[from] = (steps[from].0 + edge.exterior, steps[from].1 + edge.hole);
            steps[to] = (steps[to].0 - edge.exterior, steps[to].1 - edge.hole);
        }
        let (mut exterior, mut hole) = (0, 0);
        for (i, step) in steps.iter().enumerate() {
            (exterior, hole) = (exterior + step.0, hole + step.1);
            if exterior != 0 || hole != 0 {
                out.push(Edge { start: cuts[i], end: cuts[i + 1], polygon: polygon[0].polygon, exterior, hole });
            }
        }
    }
}

/// A polygon's only ring if it is small, turns one way all along and once around, the way of an
/// exterior ring: then there is nothing to clean.
pub(super) fn as_it_is(pieces: &[Piece]) -> Option<&Parts<Point>> {
    let [Piece::Parts(parts)] = pieces else { return None };
    (parts.paths.len() == 1 && is_convex(&parts.positions) && double_area(&parts.positions) > 0).then_some(parts)
}

fn is_convex(ring: &[Point]) -> bool {
    let n = ring.len();
    if !(3..=8).contains(&n) {
        return false;
    }
    let at = |i: usize| ring[i % n];
    let one_way = (0..n).all(|i| crate::grid::turn(at(i), at(i + 1), at(i + 2)) > 0);
    // Once around: exactly two changes between going right and going left.
    let right: Vec<bool> = (0..n).map(|i| at(i + 1) > at(i)).collect();
    one_way && (0..n).filter(|&i| right[i] != right[(i + 1) % n]).count() == 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Kind;

    /// Start, end and winding.
    type Line = ((i32, i32), (i32, i32), i32);

    /// The edges of one ring in a square from 0 to 100.
    fn of(ring: &[(i32, i32)]) -> Vec<Line> {
        let mut parts = Parts::new(Kind::Polygon);
        parts.push_path(ring.iter().map(|&(x, y)| Point::new(x, y)));
        parts.end_polygon();
        let edges = edges(&[Piece::Parts(Box::new(parts))], Square { low: 0, high: 100 });
        edges.iter().map(|e| ((e.start.x, e.start.y), (e.end.x, e.end.y), e.exterior)).collect()
    }

    #[test]
    fn what_runs_back_and_forth_cancels() {
        let check = |ring: &[(i32, i32)], want: &[Line]| assert_eq!(of(ring), want, "{ring:?}");
        let triangle = [((10, 10), (20, 10), 1), ((10, 10), (20, 20), -1), ((20, 10), (20, 20), 1)];
        check(&[(10, 10), (20, 10), (20, 20)], &triangle);
        check(&[(10, 10), (20, 10), (20, 10), (20, 20)], &triangle);
        check(&[(10, 10), (20, 10), (40, 10), (20, 10), (20, 20)], &triangle);
        check(&[(10, 10), (20, 10), (40, 10), (20, 10)], &[]);
        // Along the border, out and back over different ends.
        check(
            &[(0, 10), (10, 10), (10, 20), (0, 20), (0, 90), (0, 50)],
            &[((0, 10), (0, 20), -1), ((0, 10), (10, 10), 1), ((0, 20), (10, 20), -1), ((10, 10), (10, 20), 1)],
        );
    }

    #[test]
    fn small_convex_rings_need_nothing() {
        let check = |ring: &[(i32, i32)], want: bool| {
            let mut parts = Parts::new(Kind::Polygon);
            parts.push_path(ring.iter().map(|&(x, y)| Point::new(x, y)));
            parts.end_polygon();
            assert_eq!(as_it_is(&[Piece::Parts(Box::new(parts))]).is_some(), want, "{ring:?}");
        };
        check(&[(0, 0), (9, 0), (9, 9), (0, 9)], true);
        check(&[(0, 9), (9, 9), (9, 0), (0, 0)], false);
        check(&[(0, 0), (9, 0), (18, 0), (9, 9)], false);
        check(&[(0, 0), (9, 0), (3, 3), (0, 9)], false);
        check(&[(0, 0), (9, 9), (9, 0), (0, 9)], false);
        let star = [(0, -10), (6, 8), (-10, -3), (10, -3), (-6, 8)];
        check(&star, false);
    }
}
