//! Bytes to tiles: a total decoder for `verify`, `inspect` and tests.
//!
//! Takes every tile that MVT 2.1 allows and refuses the rest with a place and a reason. Memory is
//! bounded by the input: nothing is allocated by a number that a tile merely claims.

use super::error::Error;
use super::geometry::{CLOSE_PATH, LINE_TO, MOVE_TO};
use super::pbf::{Field, Fields, unzigzag};
use crate::feature::Value;
use crate::grid::{Kind, Parts, Point, double_area};

/// A tile's layers in their order.
pub type Decoded = Vec<DecodedLayer>;

/// One layer.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodedLayer {
    /// Its name, unique in the tile.
    pub name: String,
    /// Tile units along one side of the tile.
    pub extent: u32,
    /// The features in their order.
    pub features: Vec<DecodedFeature>,
    /// The key dictionary.
    pub keys: Vec<String>,
    /// The value dictionary.
    pub values: Vec<Value>,
}

/// One feature.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodedFeature {
    /// Its id, if it has one.
    pub id: Option<u64>,
    /// Geometry in tile units, rings open, polygons grouped by their exterior rings.
    pub geometry: Parts<Point>,
    /// Attributes in the order in which they stand in the tile.
    pub properties: Vec<(String, Value)>,
}

/// Decodes an uncompressed tile.
///
/// # Errors
/// With the byte offset and reason of the first thing that MVT 2.1 forbids.
pub fn decode(bytes: &[u8]) -> Result<Decoded, Error> {
    let mut layers: Decoded = Vec::new();
    let mut fields = Fields::new(bytes, 0);
    while let Some((number, field)) = fields.next()? {
        if let (3, Field::Bytes(layer)) = (number, field) {
            let at = fields.offset - layer.len();
            let layer = decode_layer(Fields::new(layer, at))?;
            if layers.iter().any(|l| l.name == layer.name) {
                return Err(Error::at(at, format!("two layers are named {:?}", layer.name)));
            }
            layers.push(layer);
        }
    }
    Ok(layers)
}

fn decode_layer(mut fields: Fields) -> Result<DecodedLayer, Error> {
    let start = fields.offset;
    let mut layer =
        DecodedLayer { name: String::new(), extent: 4096, features: Vec::new(), keys: Vec::new(), values: Vec::new() };
    let (mut features, mut version, mut named) = (Vec::new(), 1, false);
    while let Some((number, field)) = fields.next()? {
        let at = |bytes: &[u8]| fields.offset - bytes.len();
        match (number, field) {
            (1, Field::Bytes(b)) => (layer.name, named) = (text(b, at(b))?, true),
            (2, Field::Bytes(b)) => features.push((b, at(b))),
            (3, Field::Bytes(b)) => layer.keys.push(text(b, at(b))?),
            (4, Field::Bytes(b)) => layer.values.push(decode_value(Fields::new(b, at(b)))?),
            (5, Field::Varint(v)) => layer.extent = u32::try_from(v).unwrap_or(0),
            (15, Field::Varint(v)) => version = v,
            _ => {}
        }
    }
    if !named {
        return Err(Error::at(start, "a layer has no name"));
    }
    if version != 2 && version != 1 {
        return Err(Error::at(start, format!("layer {:?} has version {version}, known are 1 and 2", layer.name)));
    }
    if layer.extent == 0 {
        return Err(Error::at(start, format!("layer {:?} has no usable extent", layer.name)));
    }
    layer.features =
        features.into_iter().map(|(b, at)| decode_feature(Fields::new(b, at), &layer)).collect::<Result<_, _>>()?;
    Ok(layer)
}

fn decode_value(mut fields: Fields) -> Result<Value, Error> {
    let start = fields.offset;
    let mut value = None;
    while let Some((number, field)) = fields.next()? {
        value = Some(match (number, field) {
            (1, Field::Bytes(b)) => Value::String(text(b, fields.offset - b.len())?),
            (2, Field::Fixed32(v)) => Value::Double(f64::from(f32::from_bits(v))),
            (3, Field::Fixed64(v)) => Value::Double(f64::from_bits(v)),
            (4, Field::Varint(v)) => Value::Int(v as i64),
            (5, Field::Varint(v)) => i64::try_from(v).map_or(Value::Uint(v), Value::Int),
            (6, Field::Varint(v)) => Value::Int(unzigzag(v)),
            (7, Field::Varint(v)) => Value::Bool(v != 0),
            _ => return Err(Error::at(start, "a value of an unknown type")),
        });
    }
    value.ok_or_else(|| Error::at(start, "an empty value"))
}

fn decode_feature(mut fields: Fields, layer: &DecodedLayer) -> Result<DecodedFeature, Error> {
    let start = fields.offset;
    let (mut id, mut kind, mut tags, mut commands) = (None, 0, None, None);
    while let Some((number, field)) = fields.next()? {
        let at = |b: &[u8]| fields.offset - b.len();
        match (number, field) {
            (1, Field::Varint(v)) => id = Some(v),
            (2, Field::Bytes(b)) => tags = Some(Fields::new(b, at(b))),
            (3, Field::Varint(v)) => kind = v,
            (4, Field::Bytes(b)) => commands = Some(Fields::new(b, at(b))),
            _ => {}
        }
    }
    let kind = match kind {
        1 => Kind::Point,
        2 => Kind::Line,
        3 => Kind::Polygon,
        _ => return Err(Error::at(start, format!("geometry type {kind} in layer {:?}", layer.name))),
    };
    let commands = commands.ok_or_else(|| Error::at(start, "a feature without geometry"))?;
    Ok(DecodedFeature {
        id,
        geometry: decode_geometry(commands, kind)?,
        properties: tags.map_or(Ok(Vec::new()), |t| decode_tags(t, layer))?,
    })
}

fn decode_tags(mut tags: Fields, layer: &DecodedLayer) -> Result<Vec<(String, Value)>, Error> {
    let mut properties = Vec::new();
    while !tags.is_empty() {
        let at = tags.offset;
        let key = layer.keys.get(tags.varint()? as usize);
        let value = if tags.is_empty() { None } else { layer.values.get(tags.varint()? as usize) };
        let (Some(key), Some(value)) = (key, value) else {
            return Err(Error::at(at, "a tag names a key or value that the layer does not have"));
        };
        if properties.iter().any(|(k, _)| k == key) {
            return Err(Error::at(at, format!("a feature has the key {key:?} twice")));
        }
        properties.push((key.clone(), value.clone()));
    }
    Ok(properties)
}

fn decode_geometry(mut commands: Fields, kind: Kind) -> Result<Parts<Point>, Error> {
    let mut parts = Parts::new(kind);
    let mut at = Point::default();
    let mut path: Vec<Point> = Vec::new();
    let start = commands.offset;
    while !commands.is_empty() {
        let offset = commands.offset;
        let command = commands.varint()?;
        let (id, count) = ((command & 7) as u32, command >> 3);
        match (id, kind) {
            (MOVE_TO, _) if count > 0 && (kind == Kind::Point || count == 1) => {
                finish_line(&mut parts, &mut path, offset)?;
            }
            (LINE_TO, Kind::Line | Kind::Polygon) if count > 0 && path.len() == 1 => {}
            (CLOSE_PATH, Kind::Polygon) if count == 1 && path.len() >= 3 => {
                finish_ring(&mut parts, &mut path, offset)?;
                continue;
            }
            _ => return Err(Error::at(offset, format!("command {id} with count {count} has no place here"))),
        }
        for _ in 0..count {
            at = step(at, &mut commands)?;
            path.push(at);
        }
        if kind == Kind::Point {
            parts.positions.append(&mut path);
        }
    }
    finish_line(&mut parts, &mut path, commands.offset)?;
    if parts.kind == Kind::Polygon && !parts.paths.is_empty() {
        parts.end_polygon();
    }
    if parts.is_empty() { Err(Error::at(start, "an empty geometry")) } else { Ok(parts) }
}

fn step(at: Point, commands: &mut Fields) -> Result<Point, Error> {
    let offset = commands.offset;
    let mut axis = |v: i32| {
        let delta = u32::try_from(commands.varint()?).map_err(|_| Error::at(offset, "a step of more than 32 bits"))?;
        Ok(v.wrapping_add(unzigzag(u64::from(delta)) as i32))
    };
    Ok(Point::new(axis(at.x)?, axis(at.y)?))
}

/// Ends the path before a `MoveTo` or the end of the geometry.
fn finish_line(parts: &mut Parts<Point>, path: &mut Vec<Point>, offset: usize) -> Result<(), Error> {
    match (parts.kind, path.len()) {
        (_, 0) => Ok(()),
        (Kind::Line, 2..) => {
            parts.push_path(path.drain(..));
            Ok(())
        }
        _ => Err(Error::at(offset, "a path ends too early")),
    }
}

/// Ends a ring; one of positive area starts a new polygon (MVT 2.1, section 4.3.4.4).
fn finish_ring(parts: &mut Parts<Point>, path: &mut Vec<Point>, offset: usize) -> Result<(), Error> {
    if double_area(path) > 0 {
        if !parts.paths.is_empty() {
            parts.end_polygon();
        }
    } else if parts.paths.is_empty() {
        return Err(Error::at(offset, "the first ring of a polygon is no exterior ring"));
    }
    parts.push_path(path.drain(..));
    Ok(())
}

fn text(bytes: &[u8], offset: usize) -> Result<String, Error> {
    std::str::from_utf8(bytes).map(str::to_owned).map_err(|e| Error::at(offset + e.valid_up_to(), "text is not UTF-8"))
}
