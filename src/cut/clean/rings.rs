//! Planar edges with an inside and an outside into polygons.
//!
//! ```text
//!     ┌────────┐        Walking with the inside on the left and turning as sharply as it
//!     │  ┌──┐  │        allows goes around one connected inside at a time. Where a walk comes
//!     │  └──●──┤        back to a vertex (●), the loop since then is a ring of its own: here
//!     └────────┘        a hole that touches the exterior ring.
//! ```

use super::sweep::{NONE, Planar};
use crate::grid::{Kind, Parts, Point, double_area};

/// Whether a side of an edge is inside the feature.
pub(super) type Inside = bool;

/// A ring and the walk that it came from.
struct Ring {
    points: Vec<Point>,
    walk: u32,
}

/// The polygons of one feature: valid, exterior rings first and of positive area, holes negative
/// (MVT 2.1, section 4.3.3.3), in an order that depends on the polygons alone. Every edge has the
/// inside on one side.
pub(super) fn polygons(edges: &[(Point, Point)], planar: &Planar<Inside>) -> Parts<Point> {
    let mut walks = Walks::of(edges, planar);
    let mut polygons: Vec<Vec<Vec<Point>>> = Vec::new();
    // For each walk around the outside of something: the polygon that it made.
    let mut owner: Vec<Option<usize>> = Vec::new();
    let mut holes: Vec<Ring> = Vec::new();
    for walk in 0..walks.first.len() as u32 {
        owner.push(walks.enclosing(walk).and_then(|around| owner[around as usize]));
        for points in walks.rings(walk) {
            if double_area(&points) > 0 {
                owner[walk as usize] = Some(polygons.len());
                polygons.push(vec![points]);
            } else {
                holes.push(Ring { points, walk });
            }
        }
    }
    for hole in holes {
        if let Some(polygon) = owner[hole.walk as usize] {
            polygons[polygon].push(hole.points);
        }
    }
    to_parts(polygons)
}

/// Directed edges with the inside on their left, chained into closed walks.
struct Walks<'a> {
    planar: &'a Planar<Inside>,
    /// From and to of each edge, as numbers of vertices.
    directed: Vec<(u32, u32)>,
    points: Vec<Point>,
    next: Vec<u32>,
    /// The walk that each edge belongs to.
    walk_of: Vec<u32>,
    /// The edge of each walk that starts in its smallest vertex.
    first: Vec<u32>,
    /// Where in the current ring each vertex is.
    place: Vec<u32>,
}

impl<'a> Walks<'a> {
    fn of(edges: &[(Point, Point)], planar: &'a Planar<Inside>) -> Self {
        let mut points = vec![Point::default(); planar.below.len()];
        for (&(start, end), &(a, b)) in planar.ends.iter().zip(edges) {
            points[start as usize] = a;
            points[end as usize] = b;
        }
        let direct = |(&(start, end), &(_, above)): (&(u32, u32), &(bool, bool))| {
            if above { (start, end) } else { (end, start) }
        };
        let directed = planar.ends.iter().zip(&planar.sides).map(direct).collect();
        let place = vec![NONE; points.len()];
        let walk_of = vec![NONE; edges.len()];
        let mut walks = Self { planar, directed, points, next: Vec::new(), walk_of, first: Vec::new(), place };
        walks.link();
        walks.number();
        walks
    }

    /// Finds what follows each edge.
    fn link(&mut self) {
        // Outgoing edges by vertex: where each vertex's begin in `outgoing`.
        let mut begin = vec![0u32; self.points.len() + 1];
        self.directed.iter().for_each(|&(from, _)| begin[from as usize + 1] += 1);
        for i in 1..begin.len() {
            begin[i] += begin[i - 1];
        }
        let mut outgoing = vec![0u32; self.directed.len()];
        let mut fill = begin.clone();
        for (number, &(from, _)) in self.directed.iter().enumerate() {
            outgoing[fill[from as usize] as usize] = number as u32;
            fill[from as usize] += 1;
        }
        self.next = (0..self.directed.len())
            .map(|number| {
                let (from, at) = self.directed[number];
                let choices = &outgoing[begin[at as usize] as usize..begin[at as usize + 1] as usize];
                match choices {
                    [one] => *one,
                    _ => self.sharpest(from, at, choices),
                }
            })
            .collect();
    }

    /// The outgoing edge that comes first when turning clockwise (in the sense of the sweep, `y`
    /// up) from where one came: what lies between is inside.
    fn sharpest(&self, from: u32, at: u32, choices: &[u32]) -> u32 {
        let [from, at] = [from, at].map(|v| self.points[v as usize]);
        let to = |number: u32| self.points[self.directed[number as usize].1 as usize];
        let mut best = choices[0];
        for &other in &choices[1..] {
            if clockwise_before(at, from, to(other), to(best)) {
                best = other;
            }
        }
        best
    }

    /// Gives every walk a number, in the order of their smallest vertices.
    fn number(&mut self) {
        // Edges are sorted by their start, so the first one of a walk touches its smallest vertex.
        for number in 0..self.directed.len() as u32 {
            if self.walk_of[number as usize] != NONE {
                continue;
            }
            let (mut first, mut at) = (number, number);
            loop {
                self.walk_of[at as usize] = self.first.len() as u32;
                if self.directed[at as usize].0 < self.directed[first as usize].0 {
                    first = at;
                }
                at = self.next[at as usize];
                if at == number {
                    break;
                }
            }
            self.first.push(first);
        }
    }

    /// For a walk around holes the walk that bounds the same inside below its smallest vertex.
    fn enclosing(&self, walk: u32) -> Option<u32> {
        let vertex = self.directed[self.first[walk as usize] as usize].0;
        let below = self.planar.below[vertex as usize];
        self.walk_of.get(below as usize).copied().filter(|&around| around < walk)
    }

    /// Splits a walk into rings that visit no vertex twice.
    fn rings(&mut self, walk: u32) -> Vec<Vec<Point>> {
        let first = self.first[walk as usize];
        let mut rings = Vec::new();
        let mut stack: Vec<u32> = Vec::new();
        let mut number = first;
        loop {
            let vertex = self.directed[number as usize].0;
            let start = self.place[vertex as usize];
            if start != NONE {
                let ring = stack.split_off(start as usize);
                rings.push(self.take(&ring));
            }
            self.place[vertex as usize] = stack.len() as u32;
            stack.push(vertex);
            number = self.next[number as usize];
            if number == first {
                break;
            }
        }
        rings.push(self.take(&stack));
        rings
    }

    /// Takes a ring out of its walk, without vertices in the middle of straight edges.
    fn take(&mut self, ring: &[u32]) -> Vec<Point> {
        let n = ring.len();
        for &vertex in ring {
            self.place[vertex as usize] = NONE;
        }
        let at = |i: usize| self.points[ring[i % n] as usize];
        (0..n).filter(|&i| crate::grid::turn(at(i + n - 1), at(i), at(i + 1)) != 0).map(at).collect()
    }
}

/// Whether `a` comes before `b` when turning clockwise around `at`, starting just after `from`.
fn clockwise_before(at: Point, from: Point, a: Point, b: Point) -> bool {
    use crate::grid::turn;
    // Right of the line from `from` over `at` is reached last, its left side first.
    let late = |p: Point| turn(from, at, p) < 0;
    match (late(a), late(b)) {
        (false, true) => true,
        (true, false) => false,
        _ => turn(at, a, b) < 0,
    }
}

/// Flat storage, in an order that depends on the polygons alone.
fn to_parts(mut polygons: Vec<Vec<Vec<Point>>>) -> Parts<Point> {
    for polygon in &mut polygons {
        for ring in polygon.iter_mut() {
            rotate(ring);
        }
        if let Some((_, holes)) = polygon.split_first_mut() {
            holes.sort_unstable_by_key(|ring| ring[0]);
        }
    }
    polygons.sort_unstable_by_key(|polygon| (polygon[0][0], polygon[0].len()));
    let mut parts = Parts::new(Kind::Polygon);
    for polygon in polygons {
        for ring in polygon {
            parts.push_path(ring);
        }
        parts.end_polygon();
    }
    parts
}

/// Starts a ring at its smallest point.
fn rotate(ring: &mut [Point]) {
    if let Some(start) = (0..ring.len()).min_by_key(|&i| ring[i]) {
        ring.rotate_left(start);
    }
}
