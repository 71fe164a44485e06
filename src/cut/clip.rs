//! One shape at one zoom into pieces of tiles.
//!
//! Large shapes descend a quadtree, so that each level clips only what the one above left:
//!
//! ```text
//!  ┌───────┬───────┐   Every cut lies on the buffered edge of some tile. Which cuts an edge
//!  │   ┌╌╌╌┼╌┐     │   meets depends on the tile alone, not on the shape, and the crossing
//!  │   ╎ ● │ ╎     │   is computed from the edge's ends in one fixed order: two shapes that
//!  ├───┼───┼─┼─────┤   share an edge share its pieces.
//!  │   └╌╌╌┼╌┘     │
//!  └───────┴───────┘   (a tile with its buffer, dashed)
//! ```
//!
//! A square that lies wholly inside a polygon is recognised on the way down and handed out as
//! [`Piece::Filled`] for all its tiles, without looking at them.

use super::options::ZoomGrid;
use super::shapes::Shape;
use crate::grid::{Kind, Parts, Point, double_area};

/// What a shape leaves in one tile, in tile units; not yet cleaned.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// The whole tile with its buffer.
    Filled,
    /// One point.
    Point(Point),
    /// Lines, or one polygon, in and around the tile.
    Parts(Box<Parts<Point>>),
}

/// An axis to clip along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    X = 0,
    Y = 1,
}

type P = [f64; 2];

/// Calls `emit` with column, row and piece for every tile that the shape touches at this zoom,
/// buffer included. A tile comes up several times when several parts touch it.
pub fn clip(shape: &Shape, grid: ZoomGrid, emit: &mut dyn FnMut(u32, u32, Piece)) {
    if shape.kind == Kind::Point {
        clip_points(shape, grid, emit);
    } else {
        figures(shape, grid).for_each(|figure| figure.into_tiles(grid, emit));
    }
}

/// Like [`clip`], for the largest zoom, where nothing that has an extent may vanish: a shape that
/// is too small for the grid is drawn as the smallest line or ring there is. Says whether it was.
pub fn clip_or_enlarge(shape: &Shape, grid: ZoomGrid, emit: &mut dyn FnMut(u32, u32, Piece)) -> bool {
    if shape.kind == Kind::Point || figures(shape, grid).any(|figure| figure.has_extent()) {
        clip(shape, grid, emit);
        return false;
    }
    let Some(&position) = shape.positions().first() else { return false };
    let [x, y] = grid.snap(position).map(|v| v as f64);
    let ring = [[x, y], [x + 1.0, y], [x + 1.0, y + 1.0], [x, y + 1.0]];
    let points = if shape.kind == Kind::Line { ring[..2].to_vec() } else { ring.to_vec() };
    Figure { kind: shape.kind, ends: vec![points.len() as u32], points }.into_tiles(grid, emit);
    true
}

/// The lines or polygons of a shape on the grid of a zoom.
fn figures<'a>(shape: &Shape<'a>, grid: ZoomGrid) -> Box<dyn Iterator<Item = Figure> + 'a> {
    let (shape, kind) = (*shape, shape.kind);
    let figure = move |paths: std::ops::Range<usize>| {
        let mut figure = Figure::new(kind);
        for index in paths {
            figure.add(shape.path(index), grid);
            if figure.ends.is_empty() {
                break; // without its exterior a polygon has no holes either
            }
        }
        figure
    };
    match kind {
        Kind::Polygon => Box::new(shape.polygons().map(figure)),
        _ => Box::new((0..shape.path_count()).map(move |i| figure(i..i + 1))),
    }
}

fn clip_points(shape: &Shape, grid: ZoomGrid, emit: &mut dyn FnMut(u32, u32, Piece)) {
    for (position, level) in shape.points() {
        if level > grid.zoom {
            continue;
        }
        let [x, y] = grid.snap(position);
        let (columns, rows) = (grid.tiles(x as f64, x as f64), grid.tiles(y as f64, y as f64));
        for column in columns.0..=columns.1 {
            for row in rows.0..=rows.1 {
                if let Some((tile_x, tile_y)) = in_world(column, row, grid) {
                    emit(tile_x, tile_y, Piece::Point(local([x as f64, y as f64], column, row, grid)));
                }
            }
        }
    }
}

/// The tile at a column and row that may lie one world to the east or west; rows do not wrap.
fn in_world(column: i64, row: i64, grid: ZoomGrid) -> Option<(u32, u32)> {
    let across = 1i64 << grid.zoom;
    (0..across).contains(&row).then(|| (column.rem_euclid(across) as u32, row as u32))
}

/// Grid units to tile units, rounded to the nearest.
fn local(p: P, column: i64, row: i64, grid: ZoomGrid) -> Point {
    let on = |v: f64, tile: i64| (v.round() as i64 - tile * grid.extent()) as i32;
    Point::new(on(p[0], column), on(p[1], row))
}

/// One line, or one polygon's rings, in grid units.
#[derive(Debug, Clone)]
struct Figure {
    kind: Kind,
    points: Vec<P>,
    ends: Vec<u32>,
}

impl Figure {
    const fn new(kind: Kind) -> Self {
        Self { kind, points: Vec::new(), ends: Vec::new() }
    }

    /// Adds the vertices that this zoom needs, snapped to its grid; nothing if they collapse.
    fn add(&mut self, (positions, levels): (&[crate::grid::World], &[u8]), grid: ZoomGrid) {
        let start = self.points.len();
        for (&position, &level) in positions.iter().zip(levels) {
            if level <= grid.zoom {
                let [x, y] = grid.snap(position);
                let p = [x as f64, y as f64];
                if self.points[start..].last() != Some(&p) {
                    self.points.push(p);
                }
            }
        }
        let ring = self.kind == Kind::Polygon;
        while ring && self.points.len() > start + 1 && self.points[start] == self.points[self.points.len() - 1] {
            self.points.pop();
        }
        self.end_path(start);
    }

    fn end_path(&mut self, start: usize) {
        let least = if self.kind == Kind::Polygon { 3 } else { 2 };
        if self.points.len() - start >= least {
            self.ends.push(self.points.len() as u32);
        } else {
            self.points.truncate(start);
        }
    }

    fn paths(&self) -> impl Iterator<Item = &[P]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let path = &self.points[start..end as usize];
            start = end as usize;
            path
        })
    }

    /// Smallest and largest coordinate on each axis.
    fn bounds(&self) -> (P, P) {
        self.points.iter().fold(([f64::MAX; 2], [f64::MIN; 2]), |(low, high), p| {
            ([low[0].min(p[0]), low[1].min(p[1])], [high[0].max(p[0]), high[1].max(p[1])])
        })
    }

    /// Whether anything is left of it on the grid.
    fn has_extent(&self) -> bool {
        if self.kind == Kind::Line || self.ends.is_empty() {
            return !self.ends.is_empty();
        }
        let (low, high) = self.bounds();
        // What spans thousands of tiles is no speck, and its area would not fit the numbers below.
        if (high[0] - low[0]).max(high[1] - low[1]) > f64::from(1 << 24) {
            return true;
        }
        let ring: Vec<Point> = self
            .paths()
            .take(1)
            .flatten()
            .map(|p| Point::new((p[0] - low[0]) as i32, (p[1] - low[1]) as i32))
            .collect();
        // Four square units survive whatever cleaning does; for less it has to be tried.
        if double_area(&ring).abs() >= 8 {
            return true;
        }
        let mut parts = Parts::new(Kind::Polygon);
        parts.push_path(ring);
        parts.end_polygon();
        !super::clean::clean_polygons(&[vec![Piece::Parts(Box::new(parts))]], 0, 0)[0].is_empty()
    }

    fn into_tiles(self, grid: ZoomGrid, emit: &mut dyn FnMut(u32, u32, Piece)) {
        if self.ends.is_empty() {
            return;
        }
        let (low, high) = self.bounds();
        let (columns, rows) = (grid.tiles(low[0], high[0]), grid.tiles(low[1], high[1]));
        let across = 1i64 << grid.zoom;
        let rows = (rows.0.max(0), rows.1.min(across - 1));
        let inside = (columns.0.max(0), columns.1.min(across - 1));
        // What reaches over the edge of the world shows in the buffer at the other side.
        for column in [columns.0, columns.1] {
            if !(0..across).contains(&column) {
                let shift = (column.rem_euclid(across) - column) * grid.extent();
                let mut copy = self.clone();
                copy.points.iter_mut().for_each(|p| p[0] += shift as f64);
                let column = column.rem_euclid(across);
                copy.descend(Square::around((column, column), rows, grid), grid, &((column, column), rows), emit);
            }
        }
        let start = Square::around(inside, rows, grid);
        self.descend(start, grid, &(inside, rows), emit);
    }

    /// Cuts what lies in `square` down to tiles; `wanted` are the columns and rows to hand out.
    fn descend(self, square: Square, grid: ZoomGrid, wanted: &Wanted, emit: &mut dyn FnMut(u32, u32, Piece)) {
        if self.ends.is_empty() || !square.meets(wanted) {
            return;
        }
        let Some(figure) = self.clip_to(square, grid) else { return };
        match figure.coverage(square, grid) {
            Coverage::None => return,
            Coverage::Full => {
                square.tiles(wanted).for_each(|(x, y)| emit(x as u32, y as u32, Piece::Filled));
                return;
            }
            Coverage::Partial => {}
        }
        if square.level == 0 {
            if let Some(parts) = figure.to_parts(square.x, square.y, grid) {
                emit(square.x as u32, square.y as u32, Piece::Parts(Box::new(parts)));
            }
            return;
        }
        let children = square.children();
        for child in &children[..3] {
            figure.clone().descend(*child, grid, wanted, emit);
        }
        figure.descend(children[3], grid, wanted, emit);
    }

    /// The part inside a square with its buffer; `None` when nothing is left.
    fn clip_to(mut self, square: Square, grid: ZoomGrid) -> Option<Self> {
        let (low, high) = square.bounds(grid);
        for axis in [Axis::X, Axis::Y] {
            let i = axis as usize;
            let (mut least, mut most) = (f64::MAX, f64::MIN);
            for p in &self.points {
                least = least.min(p[i]);
                most = most.max(p[i]);
            }
            if least > high[i] || most < low[i] {
                return None;
            }
            if least < low[i] {
                self = self.half(axis, low[i], false);
            }
            if most > high[i] {
                self = self.half(axis, high[i], true);
            }
        }
        (!self.ends.is_empty()).then_some(self)
    }

    fn half(&self, axis: Axis, at: f64, below: bool) -> Self {
        let mut out = Self::new(self.kind);
        out.points.reserve(self.points.len() / 2 + 8);
        for (number, path) in self.paths().enumerate() {
            let start = out.points.len();
            if self.kind == Kind::Polygon {
                clip_ring(path, axis, at, below, &mut out.points);
                out.end_path(start);
                if number == 0 && out.ends.is_empty() {
                    break; // its exterior is gone
                }
            } else {
                clip_path(path, axis, at, below, &mut |piece| {
                    out.points.extend_from_slice(piece);
                    out.ends.push(out.points.len() as u32);
                });
            }
        }
        out
    }

    /// How a polygon that was clipped to a square lies in it.
    ///
    /// When all that is left runs along the square's border, it goes around it (the square is
    /// inside the polygon) or back and forth (the polygon passes by outside).
    fn coverage(&self, square: Square, grid: ZoomGrid) -> Coverage {
        if self.kind != Kind::Polygon || self.ends.len() != 1 {
            return Coverage::Partial;
        }
        let (low, high) = square.bounds(grid);
        let n = self.points.len();
        let edges = (0..n).map(|i| (self.points[i], self.points[(i + 1) % n]));
        if !edges.clone().all(|(a, b)| along_border(a, b, low, high)) {
            return Coverage::Partial;
        }
        let cross = |(a, b): (P, P)| (a[0] - low[0]) * (b[1] - low[1]) - (b[0] - low[0]) * (a[1] - low[1]);
        let full = 2.0 * (high[0] - low[0]) * (high[1] - low[1]);
        // Along the border the area is a multiple of the square's, but for the last bits.
        match (edges.map(cross).sum::<f64>() / full).round() {
            0.0 => Coverage::None,
            _ => Coverage::Full,
        }
    }

    fn to_parts(&self, column: i64, row: i64, grid: ZoomGrid) -> Option<Parts<Point>> {
        let mut parts = Parts::new(self.kind);
        for path in self.paths() {
            parts.push_path(path.iter().map(|&p| local(p, column, row, grid)));
        }
        if self.kind == Kind::Polygon {
            parts.end_polygon();
        }
        (!parts.is_empty()).then_some(parts)
    }
}

/// See [`Figure::coverage`].
enum Coverage {
    None,
    Partial,
    Full,
}

fn along_border(a: P, b: P, low: P, high: P) -> bool {
    (0..2).any(|i| a[i] == b[i] && (a[i] == low[i] || a[i] == high[i]))
}

/// Columns and rows, both inclusive.
type Wanted = ((i64, i64), (i64, i64));

/// `2^level × 2^level` tiles, aligned; at level 0 one tile.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Square {
    level: u32,
    x: i64,
    y: i64,
}

impl Square {
    /// The smallest square that holds these columns and rows.
    fn around(columns: (i64, i64), rows: (i64, i64), grid: ZoomGrid) -> Self {
        let differ = (columns.0 ^ columns.1) | (rows.0 ^ rows.1);
        let level = (64 - differ.leading_zeros()).min(u32::from(grid.zoom));
        Self { level, x: columns.0 >> level, y: rows.0 >> level }
    }

    fn children(self) -> [Self; 4] {
        let child = |dx, dy| Self { level: self.level - 1, x: self.x * 2 + dx, y: self.y * 2 + dy };
        [child(0, 0), child(1, 0), child(0, 1), child(1, 1)]
    }

    /// North-west and south-east corner in grid units, buffer included.
    fn bounds(self, grid: ZoomGrid) -> (P, P) {
        let side = grid.extent() << self.level;
        let edge = |tile: i64, by: i64| (tile * side + by) as f64;
        (
            [edge(self.x, -grid.buffer), edge(self.y, -grid.buffer)],
            [edge(self.x + 1, grid.buffer), edge(self.y + 1, grid.buffer)],
        )
    }

    fn meets(self, ((left, right), (top, bottom)): &Wanted) -> bool {
        let range = |tile: i64| (tile << self.level, ((tile + 1) << self.level) - 1);
        let ((x0, x1), (y0, y1)) = (range(self.x), range(self.y));
        x0 <= *right && x1 >= *left && y0 <= *bottom && y1 >= *top
    }

    fn tiles(self, ((left, right), (top, bottom)): &Wanted) -> impl Iterator<Item = (i64, i64)> {
        let clamp = |tile: i64, low: i64, high: i64| {
            ((tile << self.level).max(low), (((tile + 1) << self.level) - 1).min(high))
        };
        let (columns, rows) = (clamp(self.x, *left, *right), clamp(self.y, *top, *bottom));
        (columns.0..=columns.1).flat_map(move |x| (rows.0..=rows.1).map(move |y| (x, y)))
    }
}

/// Where the edge from `a` to `b` meets `axis = at`. The ends are taken in a fixed order, so the
/// edge has the same crossing in both directions.
fn crossing(a: P, b: P, axis: Axis, at: f64) -> P {
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    let (i, j) = (axis as usize, 1 - axis as usize);
    let across = a[j] + (b[j] - a[j]) * ((at - a[i]) / (b[i] - a[i]));
    if axis == Axis::X { [at, across] } else { [across, at] }
}

/// Sutherland and Hodgman's clip of an open ring by one half-plane; keeps what is on the edge.
pub(super) fn clip_ring(ring: &[P], axis: Axis, at: f64, below: bool, out: &mut Vec<P>) {
    let Some(&last) = ring.last() else { return };
    let start = out.len();
    let mut push = |p: P| {
        if out[start..].last() != Some(&p) {
            out.push(p);
        }
    };
    let inside = |p: P| if below { p[axis as usize] <= at } else { p[axis as usize] >= at };
    let mut previous = last;
    for &p in ring {
        if inside(p) != inside(previous) {
            push(crossing(previous, p, axis, at));
        }
        if inside(p) {
            push(p);
        }
        previous = p;
    }
    if out.len() > start + 1 && out[start] == out[out.len() - 1] {
        out.pop();
    }
}

/// Clips a line by one half-plane and calls `emit` with each piece of two points or more.
pub(super) fn clip_path(line: &[P], axis: Axis, at: f64, below: bool, emit: &mut dyn FnMut(&[P])) {
    let inside = |p: P| if below { p[axis as usize] <= at } else { p[axis as usize] >= at };
    let mut piece: Vec<P> = Vec::new();
    for (i, &p) in line.iter().enumerate() {
        if let Some(&previous) = i.checked_sub(1).and_then(|j| line.get(j))
            && inside(p) != inside(previous)
        {
            let q = crossing(previous, p, axis, at);
            if piece.last() != Some(&q) {
                piece.push(q);
            }
        }
        if inside(p) {
            if piece.last() != Some(&p) {
                piece.push(p);
            }
        } else {
            flush(&mut piece, emit);
        }
    }
    flush(&mut piece, emit);
}

fn flush(piece: &mut Vec<P>, emit: &mut dyn FnMut(&[P])) {
    if piece.len() >= 2 {
        emit(piece);
    }
    piece.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::Shapes;
    use crate::grid::World;
    use std::collections::BTreeMap;

    /// A shape given in tile units of zoom 2, cut at zoom 2.
    fn cut(kind: Kind, paths: &[&[(i64, i64)]]) -> BTreeMap<(u32, u32), Vec<Piece>> {
        let grid = ZoomGrid { zoom: 2, extent_bits: 12, buffer: 64 };
        let mut parts = Parts::new(kind);
        for path in paths {
            parts.push_path(path.iter().map(|&(x, y)| World::saturating(x << grid.shift(), y << grid.shift())));
        }
        parts.end_polygon();
        let mut shapes = Shapes::default();
        shapes.push(&parts);
        let mut tiles: BTreeMap<_, Vec<_>> = BTreeMap::new();
        clip(&shapes.get(0), grid, &mut |x, y, piece| tiles.entry((x, y)).or_default().push(piece));
        tiles
    }

    fn paths(pieces: &[Piece]) -> Vec<Vec<(i32, i32)>> {
        pieces
            .iter()
            .flat_map(|piece| match piece {
                Piece::Filled => vec![vec![]],
                Piece::Point(p) => vec![vec![(p.x, p.y)]],
                Piece::Parts(p) => p.paths().map(|path| path.iter().map(|p| (p.x, p.y)).collect()).collect(),
            })
            .collect()
    }

    #[test]
    fn a_line_over_two_tiles_meets_its_other_half() {
        let tiles = cut(Kind::Line, &[&[(100, 100), (8000, 100)]]);
        assert_eq!(tiles.keys().collect::<Vec<_>>(), [&(0, 0), &(1, 0)]);
        assert_eq!(paths(&tiles[&(0, 0)]), [[(100, 100), (4160, 100)]]);
        assert_eq!(paths(&tiles[&(1, 0)]), [[(-64, 100), (3904, 100)]]);
    }

    #[test]
    fn a_line_that_leaves_and_returns_is_two_lines() {
        let tiles = cut(Kind::Line, &[&[(4000, 100), (4300, 100), (4300, 300), (4000, 300)]]);
        assert_eq!(paths(&tiles[&(0, 0)]), [[(4000, 100), (4160, 100)], [(4160, 300), (4000, 300)]]);
    }

    #[test]
    fn inner_tiles_of_a_polygon_are_filled() {
        let tiles = cut(Kind::Polygon, &[&[(10, 10), (16000, 10), (16000, 16000), (10, 16000)]]);
        assert_eq!(tiles.len(), 16);
        let filled: Vec<_> = tiles.iter().filter(|(_, p)| p == &&[Piece::Filled]).map(|(t, _)| *t).collect();
        assert_eq!(filled, [(1, 1), (1, 2), (2, 1), (2, 2)]);
    }

    #[test]
    fn an_empty_corner_of_the_bounding_box_gets_nothing() {
        let tiles = cut(
            Kind::Polygon,
            &[&[(100, 100), (16000, 100), (16000, 1000), (1000, 1000), (1000, 16000), (100, 16000)]],
        );
        assert!(!tiles.contains_key(&(1, 1)) && !tiles.contains_key(&(3, 3)), "{:?}", tiles.keys());
    }

    #[test]
    fn a_hole_as_large_as_a_tile_leaves_it_empty() {
        let square = |a: i64, b: i64| [(a, a), (b, a), (b, b), (a, b)];
        let mut hole = square(4096 - 100, 8192 + 100);
        hole.reverse();
        let tiles = cut(Kind::Polygon, &[&square(10, 16000), &hole]);
        // Only zero-width rings along the border may be left; cleaning drops them.
        let left = tiles.get(&(1, 1)).map(|p| super::super::clean_polygons(std::slice::from_ref(p), 4096, 64));
        assert!(left.is_none_or(|p| p[0].is_empty()));
    }

    #[test]
    fn what_touches_the_edge_of_the_world_shows_on_the_other_side() {
        let tiles = cut(Kind::Line, &[&[(16384, 5000), (16384, 6000)]]);
        assert_eq!(paths(&tiles[&(3, 1)]), [[(4096, 904), (4096, 1904)]]);
        assert_eq!(paths(&tiles[&(0, 1)]), [[(0, 904), (0, 1904)]]);
    }

    #[test]
    fn the_smallest_things_are_drawn_at_the_largest_zoom() {
        let grid = ZoomGrid { zoom: 2, extent_bits: 12, buffer: 64 };
        let check = |kind, points: &[(u32, u32)], want: &[Vec<(i32, i32)>]| {
            let mut parts = Parts::new(kind);
            parts.push_path(points.iter().map(|&(x, y)| World { x, y }));
            parts.end_polygon();
            let mut shapes = Shapes::default();
            shapes.push(&parts);
            let mut pieces = Vec::new();
            assert!(clip_or_enlarge(&shapes.get(0), grid, &mut |_, _, piece| pieces.push(piece)));
            assert_eq!(paths(&pieces[..1]), want);
        };
        let at = 500 << grid.shift();
        check(
            Kind::Polygon,
            &[(at, at), (at + 9, at), (at, at + 9)],
            &[vec![(500, 500), (501, 500), (501, 501), (500, 501)]],
        );
        check(Kind::Line, &[(at, at), (at + 9, at)], &[vec![(500, 500), (501, 500)]]);
    }

    #[test]
    fn a_point_near_an_edge_is_in_the_buffer_next_door() {
        let tiles = cut(Kind::Point, &[&[(4096, 5000)]]);
        assert_eq!(tiles.keys().collect::<Vec<_>>(), [&(0, 1), &(1, 1)]);
    }
}
