//! The text of one feature, or of a geometry that stands for one, as a [`Feature`].
//! Knows neither files nor other features.

use super::super::problem::{SkipReason, Warning, WarningKind};
use super::cursor::{Cursor, Fault, Problem, Result, fault};
use super::geometry::{Geometry, Type, check_crs, once, short};
use super::id::id;
use super::properties::properties;
use crate::feature::{Feature, Id};
use crate::grid::{LonLat, Parts};

/// Warnings about one feature, one of each kind.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<(WarningKind, u64, String)>);

impl Notes {
    pub(super) fn add(&mut self, kind: WarningKind, detail: impl FnOnce() -> String) {
        match self.0.iter_mut().find(|(known, ..)| *known == kind) {
            Some((_, count, _)) => *count += 1,
            None => self.0.push((kind, 1, detail())),
        }
    }

    pub(super) fn warnings(self, number: u64, offset: u64) -> impl Iterator<Item = Warning> {
        self.0.into_iter().map(move |(kind, count, detail)| Warning { number, offset, kind, count, detail })
    }

    #[cfg(test)]
    pub(super) fn kinds(&self) -> Vec<WarningKind> {
        self.0.iter().map(|(kind, ..)| *kind).collect()
    }
}

/// Reads the text of one feature: for tests and fuzzing, which need no file.
///
/// Fails with what the skip of this feature would say.
pub fn parse_feature(text: &[u8]) -> std::result::Result<Feature, (SkipReason, String)> {
    parse(text, &mut Notes::default()).map_err(|fault| match *fault.0 {
        Problem::Skip(reason, detail) => (reason, detail),
        Problem::Crs(crs) => (SkipReason::OutOfRange, format!("coordinates are in {crs}")),
    })
}

/// Reads the text of one feature.
pub(super) fn parse(text: &[u8], notes: &mut Notes) -> Result<Feature> {
    let text = std::str::from_utf8(text)
        .map_err(|e| fault(SkipReason::BadUtf8, format!("not UTF-8 at its byte {}", e.valid_up_to())))?;
    let mut cursor = Cursor::new(text);
    if cursor.next_token() != Some(b'{') {
        let value = cursor.value()?;
        return Err(fault(SkipReason::NotAFeature, format!("{} is neither a feature nor a geometry", short(value))));
    }
    let mut members = Members::default();
    cursor.object(|cursor, name| members.read(cursor, &name, notes))?;
    if !cursor.at_end() {
        return Err(cursor.unexpected("the end"));
    }
    members.feature(notes)
}

/// What the members of a feature, or of a bare geometry, say.
#[derive(Default)]
struct Members<'a> {
    name: Option<std::borrow::Cow<'a, str>>,
    /// Geometry of a feature, if it came after the type.
    parts: Option<Vec<Parts<LonLat>>>,
    geometry: Option<Cursor<'a>>,
    coordinates: Option<Cursor<'a>>,
    geometries: Option<Cursor<'a>>,
    id: Option<&'a str>,
    properties: Vec<(String, crate::feature::Value)>,
}

impl<'a> Members<'a> {
    fn read(&mut self, cursor: &mut Cursor<'a>, name: &str, notes: &mut Notes) -> Result<()> {
        cursor.next_token();
        let here = *cursor;
        match name {
            "type" => {
                let text = cursor.value()?;
                once(self.name.is_none(), name)?;
                let Ok(name) = Cursor::new(text).string() else { return Err(no_feature(text)) };
                self.name = Some(name);
            }
            "geometry" if self.name.as_deref() == Some("Feature") => {
                once(self.geometry.replace(here).is_none(), name)?;
                self.parts = Some(geometry(cursor, notes)?);
            }
            "geometry" => {
                cursor.value()?;
                once(self.geometry.replace(here).is_none(), name)?;
            }
            "coordinates" => {
                cursor.value()?;
                once(self.coordinates.replace(here).is_none(), name)?;
            }
            "geometries" => {
                cursor.value()?;
                once(self.geometries.replace(here).is_none(), name)?;
            }
            "id" => self.id = Some(cursor.value()?),
            "properties" => self.properties = properties(cursor, notes)?,
            "crs" => check_crs(cursor)?,
            // Foreign members. `tippecanoe` ({"minzoom", "maxzoom", "layer"}) is one as long as
            // `Feature` has no place for zooms of its own.
            _ => drop(cursor.value()?),
        }
        Ok(())
    }

    fn feature(self, notes: &mut Notes) -> Result<Feature> {
        let Some(name) = self.name else { return Err(no_feature("missing")) };
        if name != "Feature" {
            let Some(kind) = Type::of(&name) else { return Err(no_feature(&format!("\"{name}\""))) };
            let geometry =
                bare(kind, if kind == Type::Collection { self.geometries } else { self.coordinates }, notes)?;
            return Ok(Feature { geometry, ..Feature::default() });
        }
        let geometry = match (self.parts, self.geometry) {
            (Some(parts), _) => parts,
            (None, Some(mut cursor)) => geometry(&mut cursor, notes)?,
            (None, None) => return Err(fault(SkipReason::NoGeometryMember, "it has no member \"geometry\"")),
        };
        let id = self.id.map(id).unwrap_or_default();
        if let Id::Unusable(text) = &id {
            notes.add(WarningKind::UnusableId, || format!("no tile can carry the id {}", short(text)));
        }
        Ok(Feature { id, geometry, properties: self.properties })
    }
}

/// The geometry of a feature.
fn geometry(cursor: &mut Cursor, notes: &mut Notes) -> Result<Vec<Parts<LonLat>>> {
    if cursor.next_token() == Some(b'n') {
        cursor.value()?;
        return Err(fault(SkipReason::NullGeometry, "its geometry is null"));
    }
    let mut geometry = Geometry::new(notes);
    geometry.object(cursor, 1)?;
    geometry.finish()
}

/// A geometry that stands for a feature.
fn bare(kind: Type, coordinates: Option<Cursor>, notes: &mut Notes) -> Result<Vec<Parts<LonLat>>> {
    let Some(mut cursor) = coordinates else {
        return Err(fault(SkipReason::BadGeometry, "it has no member \"coordinates\" or \"geometries\""));
    };
    let mut geometry = Geometry::new(notes);
    geometry.coordinates(&mut cursor, kind, 1)?;
    geometry.finish()
}

fn no_feature(found: &str) -> Fault {
    fault(SkipReason::NotAFeature, format!("its type is {}, neither \"Feature\" nor a geometry's", short(found)))
}
