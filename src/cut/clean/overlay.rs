//! The last resort for one feature: an integer overlay. It resolves any scribble, but knows of no
//! neighbours, so that borders may part from theirs by up to a unit.

use crate::cut::clip::Piece;
use crate::grid::{Kind, Parts, Point, double_area, side};
use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay::{IntOverlayOptions, Overlay, ShapeType};
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::core::solver::Solver;
use i_overlay::i_float::int::point::IntPoint;

type Contour = Vec<IntPoint<i32>>;
type Shapes = Vec<Vec<Contour>>;

/// Cleans the polygons of one feature and unites them.
pub(super) fn clean(pieces: &[Piece]) -> Parts<Point> {
    let mut polygons: Shapes = Vec::new();
    for piece in pieces {
        if let Piece::Parts(parts) = piece {
            polygons.extend(clean_one(parts));
        }
    }
    to_parts(if polygons.len() > 1 { unite(&polygons) } else { polygons })
}

/// One polygon: its exterior by itself, then its holes taken away. A hole outside takes nothing
/// away, a bow-tie keeps both wings, a pinched hole stays open on both sides.
fn clean_one(parts: &Parts<Point>) -> Shapes {
    let mut rings = parts.paths().map(contour).filter(|ring| ring.len() >= 3);
    let Some(exterior) = rings.next() else { return Vec::new() };
    let holes: Vec<Contour> = rings.collect();
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

fn with_overlay(run: impl FnOnce(&mut Overlay<i32>) -> Shapes) -> Shapes {
    let shapes = run(&mut Overlay::new_custom(64, IntOverlayOptions::ogc(), Solver::default()));
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
