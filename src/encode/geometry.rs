//! Geometry to command integers (MVT 2.1, section 4.3).

use super::pbf::{put_varint, zigzag};
use crate::grid::{Kind, Parts, Point};

pub(super) const MOVE_TO: u32 = 1;
pub(super) const LINE_TO: u32 = 2;
pub(super) const CLOSE_PATH: u32 = 7;

/// Writes the packed commands of a geometry in tile units. Rings are open; each part must be
/// non-empty, lines have two points or more, rings three or more.
pub fn write_geometry(out: &mut Vec<u8>, geometry: &Parts<Point>) {
    let mut pen = Pen { out, at: Point::default() };
    match geometry.kind {
        Kind::Point => {
            pen.command(MOVE_TO, geometry.positions.len());
            for &p in &geometry.positions {
                pen.step(p);
            }
        }
        Kind::Line => geometry.paths().for_each(|line| pen.path(line)),
        Kind::Polygon => geometry.paths().for_each(|ring| {
            pen.path(ring);
            pen.command(CLOSE_PATH, 1);
        }),
    }
}

/// The type number of a geometry (MVT 2.1, section 4.3.4).
pub(super) const fn type_number(kind: Kind) -> u64 {
    match kind {
        Kind::Point => 1,
        Kind::Line => 2,
        Kind::Polygon => 3,
    }
}

struct Pen<'a> {
    out: &'a mut Vec<u8>,
    at: Point,
}

impl Pen<'_> {
    fn command(&mut self, id: u32, count: usize) {
        put_varint(self.out, u64::from(id) | (count as u64) << 3);
    }

    fn step(&mut self, p: Point) {
        put_varint(self.out, zigzag(i64::from(p.x) - i64::from(self.at.x)));
        put_varint(self.out, zigzag(i64::from(p.y) - i64::from(self.at.y)));
        self.at = p;
    }

    fn path(&mut self, path: &[Point]) {
        if let Some((&first, rest)) = path.split_first() {
            self.command(MOVE_TO, 1);
            self.step(first);
            self.command(LINE_TO, rest.len());
            for &p in rest {
                self.step(p);
            }
        }
    }
}
