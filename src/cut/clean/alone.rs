//! One feature by itself: most are valid already but for what cancels.

use super::edges::{Edge, Square, as_it_is, edges};
use super::rings::polygons;
use super::sweep::sweep;
use crate::cut::clip::Piece;
use crate::grid::{Kind, Parts, Point};

/// Cleans a feature whose edges meet at ends only and that covers nothing twice; `None` when it
/// needs more than that.
pub(super) fn clean(pieces: &[Piece], square: Square) -> Option<Parts<Point>> {
    if pieces.contains(&Piece::Filled) {
        return Some(full(square));
    }
    if let Some(parts) = as_it_is(pieces) {
        return Some(parts.clone());
    }
    let lines: Vec<(Point, Point, i32)> = sum(&edges(pieces, square));
    outline(&lines)
}

/// Adds up the polygons of a feature: an edge between two of them is none of its border.
fn sum(edges: &[Edge]) -> Vec<(Point, Point, i32)> {
    let mut lines: Vec<(Point, Point, i32)> = Vec::with_capacity(edges.len());
    for edge in edges {
        let winding = edge.exterior + edge.hole;
        match lines.last_mut() {
            Some(last) if (last.0, last.1) == (edge.start, edge.end) => last.2 += winding,
            _ => lines.push((edge.start, edge.end, winding)),
        }
    }
    lines.retain(|line| line.2 != 0);
    lines
}

/// Polygons from border lines, sorted, with +1 where the inside lies above and −1 where it lies
/// below (see [`super::sweep`]); `None` when they cross, or go around something twice or the
/// wrong way.
pub(super) fn outline(lines: &[(Point, Point, i32)]) -> Option<Parts<Point>> {
    if lines.is_empty() {
        return Some(Parts::new(Kind::Polygon));
    }
    let edges: Vec<(Point, Point)> = lines.iter().map(|line| (line.0, line.1)).collect();
    let planar = sweep(&edges, false, |below, edge| match (below, lines[edge].2) {
        (false, 1) => Some(true),
        (true, -1) => Some(false),
        _ => None,
    });
    planar.ok().map(|planar| polygons(&edges, &planar))
}

/// The square of a tile with its buffer.
pub(super) fn full(Square { low, high }: Square) -> Parts<Point> {
    let mut parts = Parts::new(Kind::Polygon);
    parts.push_path([Point::new(low, low), Point::new(high, low), Point::new(high, high), Point::new(low, high)]);
    parts.end_polygon();
    parts
}
