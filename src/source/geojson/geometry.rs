//! Geometry objects of RFC 7946, section 3.1, straight into flat parts in degrees.
//!
//! Responsible for the shape of what is delivered: open rings, no empty part, at most one list of
//! parts for each kind. Does not look at winding, does not repair, cut or project.

use super::super::problem::{SkipReason, WarningKind};
use super::crs;
use super::cursor::{Cursor, Fault, Problem, Result, fault};
use super::parse::Notes;
use crate::grid::{Kind, LonLat, Parts};

/// Geometry collections inside each other. RFC 7946, section 3.1.8 advises against any nesting;
/// following them needs stack.
pub const MAX_NESTING: usize = 32;

/// Longitudes go on beyond ±180 where geometry crosses the antimeridian; three times around the
/// world no more, that is another coordinate system.
const MAX_LONGITUDE: f64 = 1080.0;

const MAX_LATITUDE: f64 = 90.0;

/// The types that have coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Point,
    MultiPoint,
    LineString,
    MultiLineString,
    Polygon,
    MultiPolygon,
    Collection,
}

impl Type {
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "Point" => Self::Point,
            "MultiPoint" => Self::MultiPoint,
            "LineString" => Self::LineString,
            "MultiLineString" => Self::MultiLineString,
            "Polygon" => Self::Polygon,
            "MultiPolygon" => Self::MultiPolygon,
            "GeometryCollection" => Self::Collection,
            _ => return None,
        })
    }
}

/// Collects the geometry of one feature.
pub(super) struct Geometry<'n> {
    parts: [Parts<LonLat>; 3],
    notes: &'n mut Notes,
    /// Whether something was left out for having too few positions.
    dropped: bool,
}

impl<'n> Geometry<'n> {
    pub(super) const fn new(notes: &'n mut Notes) -> Self {
        let parts = [Parts::new(Kind::Point), Parts::new(Kind::Line), Parts::new(Kind::Polygon)];
        Self { parts, notes, dropped: false }
    }

    /// What there is to draw; a reason to skip the feature if there is nothing.
    pub(super) fn finish(self) -> Result<Vec<Parts<LonLat>>> {
        let parts: Vec<_> = self.parts.into_iter().filter(|parts| !parts.is_empty()).collect();
        if !parts.is_empty() {
            return Ok(parts);
        }
        Err(if self.dropped {
            fault(SkipReason::TooFewPositions, "a line needs two positions and a ring three different ones")
        } else {
            fault(SkipReason::EmptyGeometry, "its geometry has no positions")
        })
    }

    /// A geometry object; its members come in any order.
    pub(super) fn object(&mut self, cursor: &mut Cursor, depth: usize) -> Result<()> {
        if cursor.next_token() != Some(b'{') {
            let text = cursor.value()?;
            return Err(fault(SkipReason::BadGeometry, format!("its geometry is {}", short(text))));
        }
        if depth > MAX_NESTING {
            return Err(fault(
                SkipReason::TooDeep,
                format!("more than {MAX_NESTING} geometry collections inside each other"),
            ));
        }
        let (mut kind, mut later, mut done) = (None, None, false);
        cursor.object(|cursor, name| {
            match (&*name, kind) {
                ("type", _) => once(kind.replace(geometry_type(cursor)?).is_none(), "type")?,
                ("crs", _) => check_crs(cursor)?,
                // Coordinates before the type: remembered, and read once the type is known.
                ("coordinates" | "geometries", None) => {
                    once(later.is_none(), &name)?;
                    cursor.next_token();
                    later = Some((*cursor, name == "geometries"));
                    cursor.value()?;
                }
                ("coordinates", Some(kind)) if kind != Type::Collection => {
                    once(!std::mem::replace(&mut done, true), &name)?;
                    self.coordinates(cursor, kind, depth)?;
                }
                ("geometries", Some(Type::Collection)) => {
                    once(!std::mem::replace(&mut done, true), &name)?;
                    self.coordinates(cursor, Type::Collection, depth)?;
                }
                _ => drop(cursor.value()?),
            }
            Ok(())
        })?;
        let Some(kind) = kind else {
            return Err(fault(SkipReason::UnknownGeometryType, "its geometry has no member \"type\""));
        };
        match later.filter(|(_, geometries)| *geometries == (kind == Type::Collection)) {
            Some(_) if done => once(false, "coordinates"),
            Some((mut cursor, _)) => self.coordinates(&mut cursor, kind, depth),
            None if done => Ok(()),
            None => Err(fault(SkipReason::BadGeometry, "its geometry has no member \"coordinates\" or \"geometries\"")),
        }
    }

    /// The value of `coordinates`, or of `geometries`.
    pub(super) fn coordinates(&mut self, cursor: &mut Cursor, kind: Type, depth: usize) -> Result<()> {
        match kind {
            Type::Point => self.point(cursor),
            Type::MultiPoint => array(cursor, |cursor| self.position(cursor, Kind::Point)).map(drop),
            Type::LineString => self.line(cursor),
            Type::MultiLineString => array(cursor, |cursor| self.line(cursor)).map(drop),
            Type::Polygon => self.polygon(cursor),
            Type::MultiPolygon => array(cursor, |cursor| self.polygon(cursor)).map(drop),
            Type::Collection => self.collection(cursor, depth),
        }
    }

    fn collection(&mut self, cursor: &mut Cursor, depth: usize) -> Result<()> {
        if cursor.next_token() != Some(b'[') {
            let text = cursor.value()?;
            return Err(fault(SkipReason::BadGeometry, format!("\"geometries\" is {}", short(text))));
        }
        cursor
            .array(|cursor| {
                if cursor.next_token() != Some(b'n') {
                    return self.object(cursor, depth + 1);
                }
                cursor.value()?;
                self.notes.add(WarningKind::NullMember, || "null in a geometry collection was left out".into());
                Ok(())
            })
            .map(drop)
    }

    /// A position, or an empty array, which is an empty point.
    fn point(&mut self, cursor: &mut Cursor) -> Result<()> {
        let mut empty = *cursor;
        if empty.eat(b'[') && empty.eat(b']') {
            *cursor = empty;
            return Ok(());
        }
        self.position(cursor, Kind::Point)
    }

    fn line(&mut self, cursor: &mut Cursor) -> Result<()> {
        let count = array(cursor, |cursor| self.position(cursor, Kind::Line))?;
        let lines = &mut self.parts[Kind::Line as usize];
        match count {
            0 => {}
            1 => {
                lines.positions.pop();
                self.dropped = true;
                self.notes.add(WarningKind::DegenerateLine, || "a line of one position was left out".into());
            }
            _ => lines.end_path(),
        }
        Ok(())
    }

    fn polygon(&mut self, cursor: &mut Cursor) -> Result<()> {
        let before = &self.parts[Kind::Polygon as usize];
        let (positions, paths) = (before.positions.len(), before.paths.len());
        let (mut rings, mut exterior) = (0, false);
        array(cursor, |cursor| {
            let kept = self.ring(cursor)?;
            exterior |= kept && rings == 0;
            rings += 1;
            Ok(())
        })?;
        let polygons = &mut self.parts[Kind::Polygon as usize];
        if exterior {
            polygons.end_polygon();
        } else if polygons.paths.len() > paths {
            // Never take a hole for an exterior.
            polygons.positions.truncate(positions);
            polygons.paths.truncate(paths);
            self.dropped = true;
            self.notes.add(WarningKind::NoExterior, || {
                "a polygon whose exterior ring is unusable was left out with its holes".into()
            });
        }
        Ok(())
    }

    /// A ring without its closing position; whether there is one.
    fn ring(&mut self, cursor: &mut Cursor) -> Result<bool> {
        let start = self.parts[Kind::Polygon as usize].positions.len();
        let count = array(cursor, |cursor| self.position(cursor, Kind::Polygon))?;
        if count == 0 {
            return Ok(false);
        }
        let polygons = &mut self.parts[Kind::Polygon as usize];
        let first = polygons.positions[start];
        let closed = count > 1 && polygons.positions.last() == Some(&first);
        while polygons.positions.len() > start + 1 && polygons.positions.last() == Some(&first) {
            polygons.positions.pop();
        }
        if !has_three(&polygons.positions[start..]) {
            polygons.positions.truncate(start);
            self.dropped = true;
            self.notes.add(WarningKind::DegenerateRing, || {
                format!("a ring of {count} positions, fewer than three of them different, was left out (it begins at [{}, {}])", first.lon, first.lat)
            });
            return Ok(false);
        }
        polygons.end_path();
        if !closed {
            let detail =
                || format!("a ring that does not end where it begins, at [{}, {}], was closed", first.lon, first.lat);
            self.notes.add(WarningKind::UnclosedRing, detail);
        }
        Ok(true)
    }

    #[inline]
    fn position(&mut self, cursor: &mut Cursor, kind: Kind) -> Result<()> {
        if !cursor.eat(b'[') {
            return Err(not_an_array(cursor, "a position"));
        }
        let lon = ordinate(cursor, 0)?;
        if !cursor.eat(b',') {
            return Err(if cursor.eat(b']') { too_few(1) } else { cursor.unexpected("',' or ']'") });
        }
        let lat = ordinate(cursor, 1)?;
        // Altitudes and whatever follows are ignored (RFC 7946, section 3.1.1).
        while cursor.eat(b',') {
            cursor.value()?;
        }
        if !cursor.eat(b']') {
            return Err(cursor.unexpected("',' or ']'"));
        }
        if !(lon.abs() <= MAX_LONGITUDE && lat.abs() <= MAX_LATITUDE) {
            return Err(out_of_range(lon, lat));
        }
        self.parts[kind as usize].positions.push(LonLat { lon, lat });
        Ok(())
    }
}

/// Whether three of the positions differ from each other.
fn has_three(ring: &[LonLat]) -> bool {
    let Some(&first) = ring.first() else { return false };
    let Some(&second) = ring.iter().find(|&&p| p != first) else { return false };
    ring.iter().any(|&p| p != first && p != second)
}

#[inline]
fn ordinate(cursor: &mut Cursor, index: usize) -> Result<f64> {
    match cursor.next_token() {
        Some(b'-' | b'0'..=b'9') => cursor.number(),
        Some(b']') if index == 0 => Err(too_few(0)),
        _ => {
            let text = cursor.value()?;
            Err(fault(
                SkipReason::BadPosition,
                format!("element {} of a position is {}, not a number", index + 1, short(text)),
            ))
        }
    }
}

#[cold]
fn too_few(count: usize) -> Fault {
    let s = if count == 1 { "" } else { "s" };
    fault(SkipReason::BadPosition, format!("a position has {count} element{s}, not two or more"))
}

#[cold]
fn out_of_range(lon: f64, lat: f64) -> Fault {
    let detail = format!(
        "[{lon}, {lat}] is no longitude and latitude in degrees (±{MAX_LONGITUDE}, ±{MAX_LATITUDE}); \
         is it in another coordinate reference system?"
    );
    fault(SkipReason::OutOfRange, detail)
}

/// An array of positions or of arrays of them.
#[inline]
fn array(cursor: &mut Cursor, each: impl FnMut(&mut Cursor) -> Result<()>) -> Result<usize> {
    if cursor.next_token() != Some(b'[') {
        return Err(not_an_array(cursor, "an array of positions"));
    }
    // The closure's lifetime is the cursor's own; a fresh name keeps the compiler out of higher ranks.
    let mut each = each;
    cursor.array(|cursor| each(cursor))
}

#[cold]
fn not_an_array(cursor: &mut Cursor, wanted: &str) -> Fault {
    match cursor.value() {
        Ok(text) => fault(SkipReason::BadPosition, format!("{} stands where {wanted} should", short(text))),
        Err(fault) => fault,
    }
}

fn geometry_type(cursor: &mut Cursor) -> Result<Type> {
    cursor.next_token();
    let text = cursor.value()?;
    let name = Cursor::new(text).string().unwrap_or_default();
    Type::of(&name)
        .ok_or_else(|| fault(SkipReason::UnknownGeometryType, format!("the type of its geometry is {}", short(text))))
}

/// Fails when a member stands there twice that must not be taken from either place.
pub(super) fn once(first: bool, name: &str) -> Result<()> {
    if first { Ok(()) } else { Err(fault(SkipReason::BadJson, format!("member \"{name}\" stands there twice"))) }
}

/// Fails when the `crs` at the cursor is not WGS 84.
pub(super) fn check_crs(cursor: &mut Cursor) -> Result<()> {
    crs::foreign(cursor.value()?).map_or(Ok(()), |crs| Err(Fault(Box::new(Problem::Crs(crs)))))
}

/// The beginning of a value, for messages.
pub(super) fn short(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut start: String = text.chars().take(LONGEST).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}
