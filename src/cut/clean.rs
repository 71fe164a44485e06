//! Pieces in tile units into valid geometry.
//!
//! Rounding to the grid can make rings cross, touch or fold. Polygons go through an integer
//! overlay that resolves all of it; lines and points lose what repeats. A polygon that is valid
//! already comes out as it went in, but for vertices in the middle of straight edges.

use super::clip::Piece;
use crate::grid::{Kind, Parts, Point, double_area, side};
use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay::{IntOverlayOptions, Overlay, ShapeType};
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::core::solver::Solver;
use i_overlay::i_float::int::point::IntPoint;
use std::cell::RefCell;

type Contour = Vec<IntPoint<i32>>;
type Shapes = Vec<Vec<Contour>>;

/// Brings together and cleans all pieces that one feature has in one tile. Extent and buffer are
/// in tile units. Empty when nothing with an extent is left.
///
/// Polygons come out valid (OGC), exterior rings first and of positive area, holes negative
/// (MVT 2.1, section 4.3.3.3).
pub fn clean(kind: Kind, pieces: Vec<Piece>, extent: i32, buffer: i32) -> Parts<Point> {
    match kind {
        Kind::Point => clean_points(pieces),
        Kind::Line => clean_lines(pieces),
        Kind::Polygon => clean_polygons(pieces, extent, buffer),
    }
}

/// The square of a tile with its buffer as an exterior ring.
fn full_square(extent: i32, buffer: i32) -> Parts<Point> {
    let (low, high) = (-buffer, extent + buffer);
    let mut parts = Parts::new(Kind::Polygon);
    parts.push_path([Point::new(low, low), Point::new(high, low), Point::new(high, high), Point::new(low, high)]);
    parts.end_polygon();
    parts
}

fn clean_points(pieces: Vec<Piece>) -> Parts<Point> {
    let mut all = Parts::new(Kind::Point);
    for piece in pieces {
        if let Piece::Point(point) = piece {
            all.positions.push(point);
        }
    }
    all.positions.sort_unstable();
    all.positions.dedup();
    all
}

fn clean_lines(pieces: Vec<Piece>) -> Parts<Point> {
    let mut all = Parts::new(Kind::Line);
    for piece in pieces {
        if let Piece::Parts(parts) = piece {
            for path in parts.paths() {
                let start = all.positions.len();
                for &p in path {
                    if all.positions[start..].last() != Some(&p) {
                        all.positions.push(p);
                    }
                }
                if all.positions.len() - start >= 2 {
                    all.end_path();
                } else {
                    all.positions.truncate(start);
                }
            }
        }
    }
    all
}

fn clean_polygons(pieces: Vec<Piece>, extent: i32, buffer: i32) -> Parts<Point> {
    let mut polygons: Shapes = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Filled => return full_square(extent, buffer),
            Piece::Parts(parts) => polygons.extend(clean_one(&parts)),
            Piece::Point(_) => {}
        }
    }
    if polygons.len() > 1 && may_meet(&polygons) {
        polygons = unite(&polygons);
    }
    to_parts(polygons)
}

/// One polygon: its exterior by itself, then its holes taken away. A hole outside takes nothing
/// away, a bow-tie keeps both wings, a pinched hole stays open on both sides.
fn clean_one(parts: &Parts<Point>) -> Shapes {
    let mut rings = parts.paths().map(contour).filter(|ring| ring.len() >= 3);
    let Some(exterior) = rings.next() else { return Vec::new() };
    let holes: Vec<Contour> = rings.collect();
    if holes.is_empty() && is_convex_and_simple(&exterior) {
        return vec![vec![oriented(exterior)]];
    }
    with_overlay(|overlay| {
        overlay.add_contour(&exterior, ShapeType::Subject);
        overlay.add_source(&holes, ShapeType::Clip);
        let rule = if holes.is_empty() { OverlayRule::Subject } else { OverlayRule::Difference };
        overlay.overlay(rule, FillRule::NonZero)
    })
}

fn unite(polygons: &Shapes) -> Shapes {
    with_overlay(|overlay| {
        overlay.add_source(polygons, ShapeType::Subject);
        overlay.overlay(OverlayRule::Subject, FillRule::NonZero)
    })
}

/// Runs an overlay with the thread's own buffers.
fn with_overlay(run: impl FnOnce(&mut Overlay<i32>) -> Shapes) -> Shapes {
    thread_local! {
        static OVERLAY: RefCell<Overlay<i32>> =
            RefCell::new(Overlay::new_custom(64, IntOverlayOptions::ogc(), Solver::default()));
    }
    let shapes = OVERLAY.with_borrow_mut(|overlay| {
        overlay.clear();
        run(overlay)
    });
    if shapes.len() > 1 && shapes.iter().any(|shape| shape.len() > 1) { nest(shapes) } else { shapes }
}

/// Gives every hole to the smallest exterior around it: where many rings touch, the overlay
/// sometimes names the wrong one.
fn nest(shapes: Shapes) -> Shapes {
    let mut nested: Shapes = Vec::with_capacity(shapes.len());
    let mut holes: Vec<Contour> = Vec::new();
    for shape in shapes {
        let mut rings = shape.into_iter();
        nested.extend(rings.next().map(|exterior| vec![exterior]));
        holes.extend(rings);
    }
    let exteriors: Vec<Exterior> = nested.iter().map(|shape| Exterior::new(&shape[0])).collect();
    for hole in holes {
        let ring = points(&hole);
        let bounds = Bounds::of(&hole);
        let mut around: Vec<usize> = (0..exteriors.len()).filter(|&i| exteriors[i].bounds.holds(&bounds)).collect();
        around.sort_unstable_by_key(|&i| exteriors[i].area);
        // The smallest that holds it; when only the largest is left there is nothing to look at.
        let owner = around.split_last().map(|(&largest, smaller)| {
            smaller.iter().copied().find(|&i| side(&ring, &exteriors[i].ring) == Some(true)).unwrap_or(largest)
        });
        if let Some(owner) = owner {
            nested[owner].push(hole);
        }
    }
    nested
}

/// An exterior ring with what tells quickly that a hole is not its own.
struct Exterior {
    ring: Vec<Point>,
    area: i64,
    bounds: Bounds,
}

impl Exterior {
    fn new(contour: &Contour) -> Self {
        let ring = points(contour);
        Self { area: double_area(&ring), bounds: Bounds::of(contour), ring }
    }
}

/// The box of a ring, in tile units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Bounds {
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
}

impl Bounds {
    fn of(ring: &Contour) -> Self {
        let none = Self { left: i32::MAX, right: i32::MIN, top: i32::MAX, bottom: i32::MIN };
        ring.iter().fold(none, |b, p| Self {
            left: b.left.min(p.x),
            right: b.right.max(p.x),
            top: b.top.min(p.y),
            bottom: b.bottom.max(p.y),
        })
    }

    const fn holds(&self, other: &Self) -> bool {
        self.left <= other.left && self.right >= other.right && self.top <= other.top && self.bottom >= other.bottom
    }

    const fn meets(&self, other: &Self) -> bool {
        self.left <= other.right && other.left <= self.right && self.top <= other.bottom && other.top <= self.bottom
    }
}

fn points(ring: &Contour) -> Vec<Point> {
    ring.iter().map(|p| Point::new(p.x, p.y)).collect()
}

fn contour(ring: &[Point]) -> Contour {
    let mut out: Contour = Vec::with_capacity(ring.len());
    for p in ring {
        let p = IntPoint::new(p.x, p.y);
        if out.last() != Some(&p) {
            out.push(p);
        }
    }
    while out.len() > 1 && out.first() == out.last() {
        out.pop();
    }
    out
}

fn oriented(mut ring: Contour) -> Contour {
    if double_area(&points(&ring)) < 0 {
        ring.reverse();
    }
    ring
}

/// Whether a small ring turns one way all along and once around: then there is nothing to repair.
fn is_convex_and_simple(ring: &[IntPoint<i32>]) -> bool {
    let n = ring.len();
    if n > 8 {
        return false;
    }
    let at = |i: usize| Point::new(ring[i % n].x, ring[i % n].y);
    let turns = (0..n).map(|i| crate::grid::turn(at(i), at(i + 1), at(i + 2)));
    let one_way = turns.clone().all(|t| t > 0) || turns.clone().all(|t| t < 0);
    // Once around: exactly two changes between going right and going left.
    let right: Vec<bool> = (0..n).map(|i| (at(i + 1).x, at(i + 1).y) > (at(i).x, at(i).y)).collect();
    one_way && (0..n).filter(|&i| right[i] != right[(i + 1) % n]).count() == 2
}

/// Whether the boxes of any two polygons meet.
fn may_meet(polygons: &Shapes) -> bool {
    let mut boxes: Vec<Bounds> = polygons.iter().filter_map(|shape| shape.first()).map(Bounds::of).collect();
    boxes.sort_unstable();
    let mut active: Vec<Bounds> = Vec::new();
    for b in boxes {
        active.retain(|a| a.right >= b.left);
        if active.iter().any(|a| a.meets(&b)) {
            return true;
        }
        active.push(b);
    }
    false
}

/// Flat storage, in an order that depends on the polygons alone.
fn to_parts(mut polygons: Shapes) -> Parts<Point> {
    for shape in &mut polygons {
        shape.iter_mut().for_each(rotate);
        if let Some((_, holes)) = shape.split_first_mut() {
            holes.sort_unstable_by_key(|ring| (ring[0].x, ring[0].y));
        }
    }
    polygons.retain(|shape| !shape.is_empty());
    polygons.sort_unstable_by_key(|shape| (shape[0][0].x, shape[0][0].y, shape[0].len()));
    let mut parts = Parts::new(Kind::Polygon);
    for shape in polygons {
        for ring in shape {
            parts.push_path(ring.iter().map(|p| Point::new(p.x, p.y)));
        }
        parts.end_polygon();
    }
    parts
}

/// Starts a ring at its smallest point.
fn rotate(ring: &mut Contour) {
    if let Some(start) = (0..ring.len()).min_by_key(|&i| (ring[i].x, ring[i].y)) {
        ring.rotate_left(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::check_polygons;
    use proptest::prelude::*;

    fn polygon(rings: &[Vec<(i32, i32)>]) -> Piece {
        let mut parts = Parts::new(Kind::Polygon);
        for ring in rings {
            parts.push_path(ring.iter().map(|&(x, y)| Point::new(x, y)));
        }
        parts.end_polygon();
        Piece::Parts(Box::new(parts))
    }

    fn cleaned(pieces: Vec<Piece>) -> (Parts<Point>, i64) {
        let parts = clean(Kind::Polygon, pieces, 4096, 64);
        check_polygons(&parts).unwrap_or_else(|fault| panic!("{fault} in {parts:?}"));
        let area = parts.paths().map(double_area).sum();
        (parts, area)
    }

    /// The area (doubled) and the numbers of polygons and rings that are left.
    #[test]
    fn what_is_left_of_bad_polygons() {
        let check = |rings: &[Vec<(i32, i32)>], want: (i64, usize, usize)| {
            let (parts, area) = cleaned(vec![polygon(rings)]);
            assert_eq!((area, parts.polygons().count(), parts.paths().count()), want, "{rings:?} became {parts:?}");
        };
        let square = |a: i32, b: i32| vec![(a, a), (b, a), (b, b), (a, b)];
        check(&[square(0, 10)], (200, 1, 1));
        check(&[square(0, 10).into_iter().rev().collect()], (200, 1, 1));
        check(&[square(0, 10), square(2, 8)], (200 - 72, 1, 2));
        check(&[square(0, 10), square(12, 18)], (200, 1, 1));
        check(&[square(0, 10), square(0, 10)], (0, 0, 0));
        check(&[vec![(0, 0), (10, 10), (10, 0), (0, 10)]], (100, 2, 2));
        check(&[vec![(0, 0), (10, 0), (20, 0)]], (0, 0, 0));
        check(&[vec![(0, 0), (10, 0), (10, 10), (10, 30), (10, 10), (0, 10)]], (200, 1, 1));
        check(&[vec![(0, 0), (10, 0), (10, 0), (10, 10), (0, 10)]], (200, 1, 1));
        check(&[square(0, 20), vec![(2, 2), (10, 10), (2, 18), (18, 18), (10, 10), (18, 2)]], (800 - 2 * 128, 1, 3));
    }

    #[test]
    fn polygons_of_one_feature_are_united() {
        let square = |x: i32| polygon(&[vec![(x, 0), (x + 10, 0), (x + 10, 10), (x, 10)]]);
        assert_eq!(cleaned(vec![square(0), square(10)]).1, 400);
        assert_eq!(cleaned(vec![square(0), square(10)]).0.polygons().count(), 1);
        assert_eq!(cleaned(vec![square(0), square(5)]).1, 300);
        assert_eq!(cleaned(vec![square(0), square(20)]).0.polygons().count(), 2);
        assert_eq!(cleaned(vec![square(0), Piece::Filled]).0, full_square(4096, 64));
    }

    #[test]
    fn lines_and_points_lose_repeats() {
        let mut line = Parts::new(Kind::Line);
        line.push_path([Point::new(1, 1), Point::new(1, 1), Point::new(2, 2)]);
        line.push_path([Point::new(5, 5), Point::new(5, 5)]);
        let line = clean(Kind::Line, vec![Piece::Parts(Box::new(line))], 4096, 64);
        assert_eq!(line.paths().collect::<Vec<_>>(), [[Point::new(1, 1), Point::new(2, 2)]]);
    }

    proptest! {
        #[test]
        fn anything_becomes_valid(
            rings in proptest::collection::vec(proptest::collection::vec((0i32..40, 0i32..40), 3..24), 1..4),
            more in proptest::collection::vec((0i32..40, 0i32..40), 3..12),
        ) {
            cleaned(vec![polygon(&rings), polygon(&[more])]);
        }

    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn large_anything_becomes_valid(ring in proptest::collection::vec((-64i32..4160, -64i32..4160), 3..200)) {
            cleaned(vec![polygon(&[ring])]);
        }
    }
}
