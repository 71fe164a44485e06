//! Many shapes on the world grid in a few flat lists: no allocation per feature.

use crate::grid::{Kind, Parts, World};

/// Shapes of one kind each, stored one after the other.
#[derive(Debug, Default)]
pub struct Shapes {
    positions: Vec<World>,
    /// The lowest zoom at which each position is drawn; see [`super::NEVER`].
    levels: Vec<u8>,
    /// Ends of paths in `positions`.
    paths: Vec<u32>,
    /// Ends of polygons in `paths`.
    polygons: Vec<u32>,
    spans: Vec<Span>,
}

/// Where a shape ends in each of the lists.
#[derive(Debug, Clone, Copy)]
struct Span {
    kind: Kind,
    positions: u32,
    paths: u32,
    polygons: u32,
}

/// One shape on the world grid. Rings are open.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'a> {
    /// What it is made of.
    pub kind: Kind,
    positions: &'a [World],
    levels: &'a [u8],
    paths: &'a [u32],
    polygons: &'a [u32],
    first_position: u32,
    first_path: u32,
}

impl Shapes {
    /// How many shapes there are.
    pub const fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// How many positions all shapes have together.
    pub const fn positions(&self) -> usize {
        self.positions.len()
    }

    /// Adds a shape; every position is drawn at every zoom until somebody says otherwise.
    pub fn push(&mut self, parts: &Parts<World>) {
        let (position, path) = (self.positions.len() as u32, self.paths.len() as u32);
        self.positions.extend_from_slice(&parts.positions);
        self.levels.resize(self.positions.len(), 0);
        self.paths.extend(parts.paths.iter().map(|end| end + position));
        self.polygons.extend(parts.polygons.iter().map(|end| end + path));
        self.spans.push(Span {
            kind: parts.kind,
            positions: self.positions.len() as u32,
            paths: self.paths.len() as u32,
            polygons: self.polygons.len() as u32,
        });
    }

    /// The shape with this number.
    pub fn get(&self, index: usize) -> Shape<'_> {
        let start = self.start(index);
        let end = self.spans[index];
        Shape {
            kind: end.kind,
            positions: &self.positions[start.positions as usize..end.positions as usize],
            levels: &self.levels[start.positions as usize..end.positions as usize],
            paths: &self.paths[start.paths as usize..end.paths as usize],
            polygons: &self.polygons[start.polygons as usize..end.polygons as usize],
            first_position: start.positions,
            first_path: start.paths,
        }
    }

    fn start(&self, index: usize) -> Span {
        match index.checked_sub(1) {
            Some(before) => self.spans[before],
            None => Span { kind: Kind::Point, positions: 0, paths: 0, polygons: 0 },
        }
    }

    /// All shapes in order.
    pub fn iter(&self) -> impl Iterator<Item = Shape<'_>> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Calls `decide` for every line and ring with its positions and whether it is a ring; it
    /// fills in the lowest zoom of each position.
    pub fn level_paths(&mut self, mut decide: impl FnMut(&[World], bool, &mut [u8])) {
        let mut start = 0;
        let mut span = 0;
        for (number, &end) in self.paths.iter().enumerate() {
            while self.spans[span].paths as usize <= number {
                start = self.spans[span].positions as usize;
                span += 1;
            }
            let range = start..end as usize;
            start = end as usize;
            decide(&self.positions[range.clone()], self.spans[span].kind == Kind::Polygon, &mut self.levels[range]);
        }
    }

    /// Calls `decide` for every position of every shape of points, with the number of the shape.
    pub fn level_points(&mut self, mut decide: impl FnMut(usize, World) -> u8) {
        let mut start = 0;
        for (number, span) in self.spans.iter().enumerate() {
            if span.kind == Kind::Point {
                for i in start..span.positions as usize {
                    self.levels[i] = decide(number, self.positions[i]);
                }
            }
            start = span.positions as usize;
        }
    }
}

impl<'a> Shape<'a> {
    /// All positions with the lowest zoom of each.
    pub fn points(&self) -> impl Iterator<Item = (World, u8)> + 'a {
        self.positions.iter().copied().zip(self.levels.iter().copied())
    }

    /// The positions alone.
    pub const fn positions(&self) -> &'a [World] {
        self.positions
    }

    /// How many lines or rings there are.
    pub const fn path_count(&self) -> usize {
        self.paths.len()
    }

    /// One line or ring, with the lowest zoom of each position.
    pub fn path(&self, index: usize) -> (&'a [World], &'a [u8]) {
        let start = if index == 0 { self.first_position } else { self.paths[index - 1] };
        let range = (start - self.first_position) as usize..(self.paths[index] - self.first_position) as usize;
        (&self.positions[range.clone()], &self.levels[range])
    }

    /// The polygons, each as the range of its paths.
    pub fn polygons(&self) -> impl Iterator<Item = std::ops::Range<usize>> + 'a {
        let mut start = self.first_path;
        let first = self.first_path;
        self.polygons.iter().map(move |&end| {
            let range = (start - first) as usize..(end - first) as usize;
            start = end;
            range
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(n: u32) -> Vec<World> {
        (0..n).map(|i| World { x: i, y: n }).collect()
    }

    #[test]
    fn shapes_come_back_as_they_went_in() {
        let mut shapes = Shapes::default();
        let mut point = Parts::new(Kind::Point);
        point.positions.push(World { x: 1, y: 1 });
        let mut polygon = Parts::new(Kind::Polygon);
        for n in [5, 3, 4] {
            polygon.push_path(ring(n));
            if n != 5 {
                polygon.end_polygon();
            }
        }
        for parts in [&point, &polygon, &point, &polygon] {
            shapes.push(parts);
        }
        let mut lengths = Vec::new();
        shapes.level_paths(|path, closed, levels| {
            assert!(closed);
            lengths.push(path.len());
            levels.fill(9);
        });
        assert_eq!(lengths, [5, 3, 4, 5, 3, 4]);
        let last = shapes.get(3);
        assert_eq!(last.polygons().collect::<Vec<_>>(), [0..2, 2..3]);
        assert_eq!(last.path(2), (&ring(4)[..], &[9u8; 4][..]));
        assert_eq!(shapes.get(2).points().collect::<Vec<_>>(), [(World { x: 1, y: 1 }, 0)]);
    }
}
