//! Geometry objects (RFC 7946, section 3.1) into parts of one kind each.

use super::batch::{SkipReason, WarningKind};
use super::coordinates::Coordinates;
use crate::grid::{Kind, LonLat, Parts};

/// The parts of a feature by kind, and what was found on the way.
#[derive(Debug)]
pub(super) struct Collected {
    points: Parts<LonLat>,
    lines: Parts<LonLat>,
    polygons: Parts<LonLat>,
    pub warnings: Vec<(WarningKind, String)>,
    /// Why the whole feature is unusable, or why a part was left out.
    pub problem: Option<(SkipReason, String)>,
}

impl Collected {
    pub(super) const fn new() -> Self {
        Self {
            points: Parts::new(Kind::Point),
            lines: Parts::new(Kind::Line),
            polygons: Parts::new(Kind::Polygon),
            warnings: Vec::new(),
            problem: None,
        }
    }

    /// The kinds that have something, in the order points, lines, polygons.
    pub(super) fn into_parts(self) -> Vec<Parts<LonLat>> {
        [self.points, self.lines, self.polygons].into_iter().filter(|parts| !parts.is_empty()).collect()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.points.positions.is_empty() && self.lines.positions.is_empty() && self.polygons.positions.is_empty()
    }

    pub(super) fn fail(&mut self, reason: SkipReason, detail: impl Into<String>) {
        self.problem.get_or_insert((reason, detail.into()));
    }

    pub(super) fn left_out(&mut self, detail: impl Into<String>) {
        self.warnings.push((WarningKind::PartLeftOut, detail.into()));
    }

    /// Adds a geometry of a type with coordinates.
    pub(super) fn add(&mut self, name: &str, coordinates: Coordinates) {
        if let Some((reason, detail)) = coordinates.problem {
            return self.fail(reason, detail);
        }
        let depth = match name {
            "Point" => 0,
            "MultiPoint" | "LineString" => 1,
            "MultiLineString" | "Polygon" => 2,
            "MultiPolygon" => 3,
            _ => return self.fail(SkipReason::UnknownType, format!("type {name:?}")),
        };
        match coordinates.depth {
            None => {}
            Some(found) if found != depth => {
                self.fail(
                    SkipReason::BadPosition,
                    format!("a {name} whose positions lie in {found} arrays instead of {depth}"),
                );
            }
            Some(_) => match name {
                "Point" | "MultiPoint" => self.points.positions.extend(coordinates.positions),
                "LineString" | "MultiLineString" => self.add_lines(&coordinates),
                _ => self.add_polygons(&coordinates),
            },
        }
    }

    fn add_lines(&mut self, coordinates: &Coordinates) {
        for line in paths(&coordinates.positions, &coordinates.paths) {
            match line.len() {
                0 => {}
                1 => self.left_out_short("a line of one position"),
                _ if line.iter().all(|p| p == &line[0]) => self.left_out_short("a line without length"),
                _ => self.lines.push_path(line.iter().copied()),
            }
        }
    }

    fn add_polygons(&mut self, coordinates: &Coordinates) {
        let rings: Vec<&[LonLat]> = paths(&coordinates.positions, &coordinates.paths).collect();
        let mut start = 0;
        for &end in &coordinates.groups {
            let polygon = &rings[start..end as usize];
            start = end as usize;
            let before = self.polygons.paths.len();
            for (number, ring) in polygon.iter().enumerate() {
                if let Some(ring) = self.open(ring) {
                    self.polygons.push_path(ring.iter().copied());
                } else if number == 0 {
                    break; // without its exterior a polygon has no holes either
                }
            }
            if self.polygons.paths.len() > before {
                self.polygons.end_polygon();
            }
        }
    }

    /// A ring without the repeated end; `None` when it encloses nothing.
    fn open<'a>(&mut self, ring: &'a [LonLat]) -> Option<&'a [LonLat]> {
        let (first, rest) = ring.split_first()?;
        let mut end = ring.len();
        while end > 1 && ring[end - 1] == *first {
            end -= 1;
        }
        let second = rest.iter().find(|p| *p != first);
        if !ring[..end].iter().any(|p| p != first && Some(p) != second) {
            self.left_out_short("a ring of fewer than three different positions");
            return None;
        }
        if end == ring.len() {
            self.warnings
                .push((WarningKind::UnclosedRing, format!("a ring of {end} positions does not end where it starts")));
        }
        Some(&ring[..end])
    }

    /// Remembers why, in case nothing else is left.
    fn left_out_short(&mut self, detail: &str) {
        self.left_out(detail);
    }
}

fn paths<'a>(positions: &'a [LonLat], ends: &'a [u32]) -> impl Iterator<Item = &'a [LonLat]> {
    let mut start = 0;
    ends.iter().map(move |&end| {
        let path = &positions[start..end as usize];
        start = end as usize;
        path
    })
}
