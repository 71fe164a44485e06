//! One slice of text into one feature.

use super::batch::{SkipReason, WarningKind};
use super::coordinates::{Coordinates, Read};
use super::geometry::Collected;
use super::members;
use crate::feature::{Feature, Id};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};
use std::borrow::Cow;
use std::fmt;

/// A feature and what was put right in it, or why it cannot be used.
pub type Parsed = Result<(Feature, Vec<(WarningKind, String)>), (SkipReason, String)>;

/// Parses the text of a `Feature` or of a bare geometry.
pub fn parse(text: &[u8]) -> Parsed {
    if let Err(e) = std::str::from_utf8(text) {
        return Err((SkipReason::BadUtf8, format!("byte {} of the feature is not UTF-8", e.valid_up_to())));
    }
    let mut object = Object::default();
    let mut json = serde_json::Deserializer::from_slice(text);
    let read = ReadObject { object: &mut object, feature: true }.deserialize(&mut json).and_then(|()| json.end());
    match read {
        Err(e) => Err((SkipReason::BadJson, e.to_string())),
        Ok(()) => object.into_feature(),
    }
}

/// The members of a feature or geometry that matter, in whatever order they came.
#[derive(Default)]
struct Object {
    name: Option<String>,
    id: Option<Json>,
    properties: Option<Map<String, Json>>,
    repeated: Option<String>,
    /// `geometry`: outer `None` when there is no such member, inner when it is null.
    geometry: Option<Option<Box<Object>>>,
    coordinates: Option<Coordinates>,
    geometries: Option<Vec<Option<Object>>>,
}

impl Object {
    fn into_feature(self) -> Parsed {
        let is_feature = self.geometry.is_some() || self.name.as_deref() == Some("Feature");
        let mut feature = Feature::default();
        let mut collected = Collected::new();
        if is_feature {
            let geometry = match self.geometry {
                None => return Err((SkipReason::NoGeometry, "a Feature without a geometry member".into())),
                Some(None) => return Err((SkipReason::NullGeometry, "a Feature without a place".into())),
                Some(Some(geometry)) => geometry,
            };
            geometry.collect(&mut collected);
            if let Some(name) = self.repeated {
                collected.warnings.push((WarningKind::RepeatedAttribute, format!("{name:?}")));
            }
            feature.id = self.id.as_ref().map_or(Id::None, members::id);
            if let Id::Unusable(text) = &feature.id {
                collected.warnings.push((WarningKind::UnusableId, text.clone()));
            }
            feature.properties = self.properties.map_or_else(Vec::new, members::properties);
        } else {
            self.collect(&mut collected);
        }
        finish(feature, collected)
    }

    /// Adds a geometry object and, for a collection, all inside it.
    fn collect(self, into: &mut Collected) {
        match (self.name.as_deref(), self.coordinates, self.geometries) {
            (Some("GeometryCollection"), _, Some(members)) => {
                for member in members {
                    match member {
                        Some(geometry) => geometry.collect(into),
                        None => into.left_out("a member of a GeometryCollection is no geometry"),
                    }
                }
            }
            (Some("GeometryCollection"), _, None) => {
                into.fail(SkipReason::BadJson, "a GeometryCollection without geometries")
            }
            (Some(name), Some(coordinates), _) => into.add(name, coordinates),
            (Some(name), None, _) => into.fail(SkipReason::UnknownType, format!("type {name:?} without coordinates")),
            (None, _, _) => into.fail(SkipReason::UnknownType, "an object without a type"),
        }
    }
}

fn finish(mut feature: Feature, mut collected: Collected) -> Parsed {
    if let Some(problem) = collected.problem {
        return Err(problem);
    }
    if collected.is_empty() {
        return Err(match collected.warnings.into_iter().find(|w| w.0 == WarningKind::PartLeftOut) {
            Some((_, detail)) => (SkipReason::TooFewPositions, detail),
            None => (SkipReason::EmptyGeometry, "a geometry without positions".into()),
        });
    }
    let warnings = std::mem::take(&mut collected.warnings);
    feature.geometry = collected.into_parts();
    Ok((feature, warnings))
}

/// Fills an [`Object`].
struct ReadObject<'a> {
    object: &'a mut Object,
    /// Whether it may be a feature; inside a geometry there are only geometries.
    feature: bool,
}

impl<'de> DeserializeSeed<'de> for ReadObject<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ReadObject<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a GeoJSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { object, feature } = self;
        while let Some(key) = map.next_key::<Cow<str>>()? {
            match &*key {
                "type" => object.name = map.next_value::<Json>()?.as_str().map(str::to_owned),
                "id" if feature => object.id = Some(map.next_value()?),
                "properties" if feature => map.next_value_seed(ReadProperties(object))?,
                "geometry" if feature => {
                    object.geometry = Some(map.next_value_seed(ReadGeometry)?.map(Box::new));
                }
                "coordinates" => {
                    let mut coordinates = Coordinates::default();
                    map.next_value_seed(Read(&mut coordinates))?;
                    object.coordinates = Some(coordinates);
                }
                "geometries" => object.geometries = Some(map.next_value_seed(ReadGeometries)?),
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(())
    }
}

/// A geometry object or null; anything else counts as null.
struct ReadGeometry;

impl<'de> DeserializeSeed<'de> for ReadGeometry {
    type Value = Option<Object>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ReadGeometry {
    type Value = Option<Object>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a geometry object or null")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let mut object = Object::default();
        ReadObject { object: &mut object, feature: false }.visit_map(map)?;
        Ok(Some(object))
    }
}

struct ReadGeometries;

impl<'de> DeserializeSeed<'de> for ReadGeometries {
    type Value = Vec<Option<Object>>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ReadGeometries {
    type Value = Vec<Option<Object>>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an array of geometries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = array.next_element_seed(ReadGeometry)? {
            members.push(member);
        }
        Ok(members)
    }
}

/// The `properties` object; null and anything else that is no object means none.
struct ReadProperties<'a>(&'a mut Object);

impl<'de> DeserializeSeed<'de> for ReadProperties<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ReadProperties<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object or null for properties")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut members = Map::new();
        while let Some((name, value)) = map.next_entry::<String, Json>()? {
            if members.insert(name.clone(), value).is_some() {
                self.0.repeated = Some(name);
            }
        }
        self.0.properties = Some(members);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Kind;

    fn shape(geometry: &str) -> String {
        match parse(geometry.as_bytes()) {
            Err((reason, _)) => reason.to_string(),
            Ok((feature, warnings)) => {
                let mut out: Vec<String> = feature
                    .geometry
                    .iter()
                    .map(|p| {
                        let kind = match p.kind {
                            Kind::Point => "points",
                            Kind::Line => "lines",
                            Kind::Polygon => "polygons",
                        };
                        format!("{kind} {} {:?} {:?}", p.positions.len(), p.paths, p.polygons)
                    })
                    .collect();
                out.extend(warnings.into_iter().map(|(kind, _)| kind.to_string()));
                out.join("; ")
            }
        }
    }

    #[test]
    fn geometries() {
        let check = |name: &str, coordinates: &str, want: &str| {
            let text = format!(r#"{{"type":"{name}","coordinates":{coordinates}}}"#);
            assert_eq!(shape(&text), want, "{text}");
            let text = format!(r#"{{"coordinates":{coordinates},"type":"{name}"}}"#);
            assert_eq!(shape(&text), want, "{text}");
        };
        check("Point", "[1,2]", "points 1 [] []");
        check("Point", "[1,2,3,4]", "points 1 [] []");
        check("Point", "[]", "geometry is empty");
        check("Point", "[1]", "bad position");
        check("Point", "[\"1\",\"2\"]", "bad position");
        check("Point", "[null,2]", "bad position");
        check("Point", "[[1,2]]", "bad position");
        check("Point", "[1,91]", "coordinates out of range");
        check("Point", "[1e20,0]", "coordinates out of range");
        check("Point", "[1e400,0]", "not a GeoJSON feature");
        check("Point", "[NaN,0]", "not a GeoJSON feature");
        check("MultiPoint", "[[1,2],[3,4]]", "points 2 [] []");
        check("LineString", "[[1,2],[3,4]]", "lines 2 [2] []");
        check("LineString", "[[1,2]]", "too few positions");
        check("MultiLineString", "[[[1,2],[3,4]],[],[[5,6],[7,8],[9,9]]]", "lines 5 [2, 5] []");
        check("Polygon", "[[[0,0],[1,0],[1,1],[0,0]]]", "polygons 3 [3] [1]");
        check("Polygon", "[[[0,0],[1,0],[1,1]]]", "polygons 3 [3] [1]; unclosed ring was closed");
        check("Polygon", "[[[0,0],[1,0],[1,1],[0,0],[0,0]]]", "polygons 3 [3] [1]");
        check("Polygon", "[[[0,0],[1,0],[0,0]]]", "too few positions");
        check("Polygon", "[[]]", "geometry is empty");
        check("Polygon", "[[[0,0],[9,0],[9,9],[0,0]],[[1,1],[2,2],[1,1]]]", "polygons 3 [3] [1]; part left out");
        check("MultiPolygon", "[]", "geometry is empty");
        check("MultiPolygon", "[[[[0,0],[1,0],[1,1],[0,0]]],[[[5,5],[6,5],[6,6],[5,5]]]]", "polygons 6 [3, 6] [1, 2]");
        check("MultiPolygon", "[[[[0,0],[1,0],[1,1],[0,0]]],[[5,5],[6,5],[6,6],[5,5]]]", "bad position");
        check("Curve", "[[1,2],[3,4]]", "unknown geometry type");
    }

    #[test]
    fn features() {
        let check = |text: &str, want: &str| assert_eq!(shape(text), want, "{text}");
        check(r#"{"type":"Feature","geometry":null,"properties":{}}"#, "geometry is null");
        check(r#"{"type":"Feature","properties":{}}"#, "no geometry member");
        check(r#"{"properties":null,"geometry":{"coordinates":[1,2],"type":"Point"}}"#, "points 1 [] []");
        check(
            r#"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"a":1,"a":2}}"#,
            "points 1 [] []; attribute stands twice, the last one counts",
        );
        check(
            r#"{"type":"Feature","id":-1,"geometry":{"type":"Point","coordinates":[1,2]}}"#,
            "points 1 [] []; id that no tile can carry was left out",
        );
        check(r#"{"type":"Feature","geometry":{"type":"GeometryCollection","geometries":[]}}"#, "geometry is empty");
        check(
            r#"{"type":"Feature","geometry":{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},null,{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},{"type":"LineString","coordinates":[[1,2],[3,4]]}]}]}}"#,
            "points 2 [] []; lines 2 [2] []; part left out",
        );
        check(
            r#"{"type":"Feature","properties":{"t":{"type":"Point","coordinates":[9,9]}},"geometry":{"type":"Point","coordinates":[1,2]}}"#,
            "points 1 [] []",
        );
        check(r#"{"type":"Topology","objects":{}}"#, "unknown geometry type");
        check("[]", "not a GeoJSON feature");
        check("{", "not a GeoJSON feature");
        check(r#"{"type":"Point","coordinates":[1,2]} x"#, "not a GeoJSON feature");
        check(
            r#"{"type":"Feature","properties":{"a":"\ud800"},"geometry":{"type":"Point","coordinates":[1,2]}}"#,
            "not a GeoJSON feature",
        );
    }

    #[test]
    fn bytes_that_are_no_text() {
        assert_eq!(parse(b"{\"type\":\"Point\xff\"}").unwrap_err().0, SkipReason::BadUtf8);
    }

    #[test]
    fn deep_nesting_is_refused() {
        let deep = format!(r#"{{"type":"Point","coordinates":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(parse(deep.as_bytes()).unwrap_err().0, SkipReason::BadJson);
    }
}
