//! Degrees onto the world grid, and what lies beyond its edges.
//!
//! ```text
//!        −180       180       540
//!   ───────┼─────────┼─────────┼───      a shape from 170° to 190° is cut at the edge of
//!          │      ┌──┼──┐      │         the world, and the part beyond it moves one world
//!          ├─┐    └──┼──┘      │         to the west: it goes on at the other side
//! ```

use super::clip::{Axis, clip_path, clip_ring};
use crate::grid::{Kind, LonLat, Parts, WORLD_SIZE, World};

/// A shape on the world grid, and what was lost on the way.
#[derive(Debug, PartialEq)]
pub struct Wrapped {
    /// The shape; empty when all of it lies beyond latitude ±85.0511°.
    pub parts: Parts<World>,
    /// Whether something was cut off at latitude ±85.0511°, the end of the Mercator square.
    pub clipped: bool,
}

/// Projects a geometry and lays it onto the one world there is.
pub fn wrap(geometry: &Parts<LonLat>) -> Wrapped {
    let projected = geometry.map(|p| p.project().to_units());
    let world = 0..=WORLD_SIZE;
    let clipped = projected.positions.iter().any(|p| !world.contains(&p.1));
    if !clipped && projected.positions.iter().all(|p| world.contains(&p.0)) {
        let mut parts = projected.map(|&(x, y)| World::saturating(x, y));
        if parts.kind != Kind::Point {
            parts = without_repeats(&parts);
        }
        return Wrapped { parts, clipped };
    }
    let parts = match geometry.kind {
        Kind::Point => wrap_points(&projected),
        Kind::Line | Kind::Polygon => without_repeats(&wrap_paths(&projected)),
    };
    Wrapped { parts, clipped }
}

fn wrap_points(points: &Parts<(i64, i64)>) -> Parts<World> {
    let mut parts = Parts::new(Kind::Point);
    let inside = points.positions.iter().filter(|p| (0..=WORLD_SIZE).contains(&p.1));
    parts.positions.extend(inside.map(|&(x, y)| {
        let x = if (0..=WORLD_SIZE).contains(&x) { x } else { x.rem_euclid(WORLD_SIZE) };
        World::saturating(x, y)
    }));
    parts
}

fn wrap_paths(shape: &Parts<(i64, i64)>) -> Parts<World> {
    let mut out = Parts::new(shape.kind);
    let columns = shape.positions.iter().map(|p| p.0);
    let first = columns.clone().min().unwrap_or(0).div_euclid(WORLD_SIZE);
    let last = (columns.max().unwrap_or(0) - 1).div_euclid(WORLD_SIZE).max(first);
    for copy in first..=last {
        let offset = copy * WORLD_SIZE;
        let place = |p: &(i64, i64)| [(p.0 - offset) as f64, p.1 as f64];
        match shape.kind {
            Kind::Polygon => {
                for group in shape.polygons() {
                    let before = out.paths.len();
                    for path in group.clone() {
                        let ring = into_world(shape.path(path).iter().map(place).collect());
                        if ring.len() >= 3 {
                            out.push_path(ring.into_iter().map(to_world));
                        } else if path == group.start {
                            break;
                        }
                    }
                    if out.paths.len() > before {
                        out.end_polygon();
                    }
                }
            }
            _ => {
                for line in shape.paths() {
                    for piece in into_world_lines(line.iter().map(place).collect()) {
                        out.push_path(piece.into_iter().map(to_world));
                    }
                }
            }
        }
    }
    out
}

/// The four edges of the world as half-planes.
const EDGES: [(Axis, f64, bool); 4] = [
    (Axis::X, 0.0, false),
    (Axis::X, WORLD_SIZE as f64, true),
    (Axis::Y, 0.0, false),
    (Axis::Y, WORLD_SIZE as f64, true),
];

fn into_world(ring: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    EDGES.iter().fold(ring, |ring, &(axis, at, below)| {
        let mut out = Vec::with_capacity(ring.len() + 4);
        clip_ring(&ring, axis, at, below, &mut out);
        out
    })
}

fn into_world_lines(line: Vec<[f64; 2]>) -> Vec<Vec<[f64; 2]>> {
    EDGES.iter().fold(vec![line], |lines, &(axis, at, below)| {
        let mut out = Vec::new();
        for line in lines {
            clip_path(&line, axis, at, below, &mut |piece| out.push(piece.to_vec()));
        }
        out
    })
}

fn to_world([x, y]: [f64; 2]) -> World {
    World::saturating(x.round() as i64, y.round() as i64)
}

/// Drops positions that repeat the one before (for rings, also the first at the end), and the
/// paths that have no extent then. Winds exterior rings one way, of positive area, and holes the
/// other.
fn without_repeats(parts: &Parts<World>) -> Parts<World> {
    let mut out = Parts::new(parts.kind);
    let ring = parts.kind == Kind::Polygon;
    let keep = |out: &mut Parts<World>, path: &[World], exterior: bool| {
        let start = out.positions.len();
        for &p in path {
            if out.positions[start..].last() != Some(&p) {
                out.positions.push(p);
            }
        }
        while ring && out.positions.len() > start + 1 && out.positions[start] == out.positions[out.positions.len() - 1]
        {
            out.positions.pop();
        }
        let enough = out.positions.len() - start >= if ring { 3 } else { 2 };
        if enough {
            if ring && winds_positively(&out.positions[start..]) != exterior {
                out.positions[start..].reverse();
            }
            out.end_path();
        } else {
            out.positions.truncate(start);
        }
        enough
    };
    if !ring {
        parts.paths().for_each(|path| _ = keep(&mut out, path, false));
        return out;
    }
    for group in parts.polygons() {
        let exterior = group.start;
        for path in group {
            if !keep(&mut out, parts.path(path), path == exterior) && path == exterior {
                break;
            }
        }
        if out.paths.len() as u32 > out.polygons.last().copied().unwrap_or(0) {
            out.end_polygon();
        }
    }
    out
}

/// Whether a ring's area is positive (MVT 2.1, section 4.3.3.3).
fn winds_positively(ring: &[World]) -> bool {
    let Some(&first) = ring.first() else { return true };
    let from = |p: World| (i128::from(p.x) - i128::from(first.x), i128::from(p.y) - i128::from(first.y));
    let products = ring.windows(2).map(|w| {
        let ((ax, ay), (bx, by)) = (from(w[0]), from(w[1]));
        ax * by - bx * ay
    });
    products.sum::<i128>() >= 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(f64, f64)]) -> Parts<LonLat> {
        let mut parts = Parts::new(Kind::Line);
        parts.push_path(points.iter().map(|&(lon, lat)| LonLat::new(lon, lat)));
        parts
    }

    fn lons(parts: &Parts<World>) -> Vec<Vec<i64>> {
        let lon = |p: &World| ((f64::from(p.x) / WORLD_SIZE as f64 - 0.5) * 360.0).round() as i64;
        parts.paths().map(|path| path.iter().map(lon).collect()).collect()
    }

    #[test]
    fn lines_go_on_at_the_other_side() {
        let check = |points: &[(f64, f64)], want: &[&[i64]]| {
            assert_eq!(lons(&wrap(&line(points)).parts), want, "{points:?}");
        };
        check(&[(10.0, 0.0), (20.0, 0.0)], &[&[10, 20]]);
        check(&[(175.0, 0.0), (185.0, 5.0)], &[&[175, 180], &[-180, -175]]);
        check(&[(-190.0, 0.0), (-170.0, 5.0)], &[&[170, 180], &[-180, -170]]);
        check(&[(180.0, -60.0), (180.0, 60.0)], &[&[180, 180]]);
        check(&[(-541.0, 0.0), (-545.0, 1.0)], &[&[179, 175]]);
        check(&[(10.0, 50.0), (10.0, 50.0)], &[]);
    }

    #[test]
    fn points_beyond_the_square_go_points_beyond_180_move() {
        let check = |lon: f64, lat: f64, want: &[i64]| {
            let mut parts = Parts::new(Kind::Point);
            parts.positions.push(LonLat::new(lon, lat));
            let wrapped = wrap(&parts).parts;
            let got: Vec<i64> =
                wrapped.positions.iter().map(|p| (f64::from(p.x) / WORLD_SIZE as f64 * 360.0).round() as i64).collect();
            assert_eq!(got, want, "{lon} {lat}");
        };
        check(10.0, 50.0, &[190]);
        check(180.0, 0.0, &[360]);
        check(-180.0, 0.0, &[0]);
        check(181.0, 0.0, &[1]);
        check(0.0, 85.2, &[]);
        check(0.0, -90.0, &[]);
    }

    #[test]
    fn exterior_rings_wind_one_way_and_holes_the_other() {
        let square = |low: f64, high: f64| [(low, low), (high, low), (high, high), (low, high)];
        let check = |exterior: &[(f64, f64)], hole: &[(f64, f64)]| {
            let mut parts = Parts::new(Kind::Polygon);
            for ring in [exterior, hole] {
                parts.push_path(ring.iter().map(|&(x, y)| LonLat::new(x, y)));
            }
            parts.end_polygon();
            let wrapped = wrap(&parts).parts;
            assert_eq!(wrapped.paths().map(winds_positively).collect::<Vec<_>>(), [true, false], "{exterior:?}");
        };
        let (mut exterior, mut hole) = (square(0.0, 30.0), square(10.0, 20.0));
        check(&exterior, &hole);
        exterior.reverse();
        check(&exterior, &hole);
        hole.reverse();
        check(&exterior, &hole);
    }

    #[test]
    fn polygons_are_cut_at_the_pole_and_at_180() {
        let mut parts = Parts::new(Kind::Polygon);
        parts.push_path([(170.0, 80.0), (190.0, 80.0), (190.0, 90.0), (170.0, 90.0)].map(|(x, y)| LonLat::new(x, y)));
        parts.end_polygon();
        let wrapped = wrap(&parts);
        assert!(wrapped.clipped);
        assert_eq!(wrapped.parts.polygons().count(), 2);
        assert!(wrapped.parts.positions.iter().any(|p| p.y == 0));
    }
}
