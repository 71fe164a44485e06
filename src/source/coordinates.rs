//! The `coordinates` member: nested arrays of any depth into flat lists, whatever the type is.

use super::SkipReason;
use crate::grid::LonLat;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Longitudes beyond this many degrees are no longitudes: three times around the world.
const MAX_LONGITUDE: f64 = 1080.0;

/// Coordinates without knowing yet what they are of.
#[derive(Debug, Default)]
pub(super) struct Coordinates {
    pub positions: Vec<LonLat>,
    /// Ends of arrays of positions, in `positions`.
    pub paths: Vec<u32>,
    /// Ends of arrays of those, in `paths`.
    pub groups: Vec<u32>,
    /// Arrays around a position: 0 for a bare one; `None` when there is no position at all.
    pub depth: Option<u8>,
    /// The first thing that makes them unusable.
    pub problem: Option<(SkipReason, String)>,
}

impl Coordinates {
    fn problem(&mut self, reason: SkipReason, detail: impl Into<String>) {
        self.problem.get_or_insert((reason, detail.into()));
    }

    fn position(&mut self, numbers: [f64; 2], count: usize) {
        let [lon, lat] = numbers;
        if count < 2 {
            self.problem(SkipReason::BadPosition, format!("a position of {count} numbers"));
        } else if !(-90.0..=90.0).contains(&lat) {
            self.problem(SkipReason::OutOfRange, format!("latitude {lat} is not in -90..=90 (position {lon}, {lat})"));
        } else if lon.abs() > MAX_LONGITUDE {
            self.problem(
                SkipReason::OutOfRange,
                format!("longitude {lon} is not in -{MAX_LONGITUDE}..={MAX_LONGITUDE}"),
            );
        } else {
            self.positions.push(LonLat::new(lon, lat));
        }
    }

    /// Ends an array whose elements have this depth; its own depth.
    fn end(&mut self, inner: Option<u8>) -> Option<u8> {
        match inner {
            Some(0) => self.paths.push(self.positions.len() as u32),
            Some(1) => self.groups.push(self.paths.len() as u32),
            _ => {}
        }
        inner.map(|depth| depth + 1)
    }
}

/// Reads one array.
pub(super) struct Read<'a>(pub &'a mut Coordinates);

/// What an element of an array is.
enum Element {
    Number(f64),
    /// An array, with its depth.
    Array(Option<u8>),
    Other,
}

struct ReadElement<'a>(&'a mut Coordinates);

impl<'de> DeserializeSeed<'de> for Read<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        match from.deserialize_any(ReadElement(self.0))? {
            Element::Array(depth) => self.0.depth = depth,
            Element::Number(_) | Element::Other => self.0.problem(SkipReason::BadPosition, "coordinates are no array"),
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for ReadElement<'_> {
    type Value = Element;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Element, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ReadElement<'_> {
    type Value = Element;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number or an array")
    }

    fn visit_f64<E>(self, v: f64) -> Result<Element, E> {
        Ok(Element::Number(v))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Element, E> {
        Ok(Element::Number(v as f64))
    }

    fn visit_u64<E>(self, v: u64) -> Result<Element, E> {
        Ok(Element::Number(v as f64))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Element, E> {
        Ok(Element::Other)
    }

    fn visit_unit<E>(self) -> Result<Element, E> {
        Ok(Element::Other)
    }

    fn visit_str<E>(self, _: &str) -> Result<Element, E> {
        Ok(Element::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Element, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Element::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Element, A::Error> {
        let mut numbers = [0.0; 2];
        let (mut count, mut arrays, mut depth) = (0, false, None);
        while let Some(element) = array.next_element_seed(ReadElement(&mut *self.0))? {
            match element {
                Element::Number(v) => {
                    if let Some(slot) = numbers.get_mut(count) {
                        *slot = v;
                    }
                    count += 1;
                }
                Element::Array(inner) => {
                    arrays = true;
                    if depth.is_some() && inner.is_some() && depth != inner {
                        self.0.problem(SkipReason::BadPosition, "arrays of different depth side by side");
                    }
                    depth = depth.or(inner);
                }
                Element::Other => {
                    self.0.problem(SkipReason::BadPosition, "something other than a number in a position")
                }
            }
        }
        if count > 0 && arrays {
            self.0.problem(SkipReason::BadPosition, "numbers and arrays side by side");
        }
        if count > 0 {
            self.0.position(numbers, count);
            return Ok(Element::Array(Some(0)));
        }
        Ok(Element::Array(self.0.end(depth)))
    }
}
