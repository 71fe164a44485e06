//! What to cut: the contents of `tileset.toml`.

use super::Error;
use crate::cut::{self, MAX_CUT_ZOOM};
use crate::tile::{BUFFER, EXTENT, Empty, Encoding};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A tileset to be cut. In `tileset.toml` every key but `name` and `layer` may be left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// The tileset's name.
    pub name: String,
    /// What it shows.
    pub description: Option<String>,
    /// Whom to credit, as HTML.
    pub attribution: Option<String>,
    /// The smallest zoom (default 0).
    #[serde(default)]
    pub minzoom: u8,
    /// The largest zoom (default 8).
    #[serde(default = "default_maxzoom")]
    pub maxzoom: u8,
    /// Tile units along one side of a tile, a power of two (default 4096).
    #[serde(default = "default_extent")]
    pub extent: u32,
    /// Tile units kept beyond each side of a tile (default 64).
    #[serde(default = "default_buffer")]
    pub buffer: u32,
    /// The answer where there is no tile: "204" (default), "200" or "404".
    #[serde(default)]
    pub empty: Empty,
    /// Encodings every tile is stored in: gzip, and after it "br", "zstd" or both (default `["gzip"]`).
    #[serde(default = "default_encodings")]
    pub encodings: Vec<Encoding>,
    /// The layers, in the order in which they stand in the tiles.
    #[serde(rename = "layer", default)]
    pub layers: Vec<LayerDefinition>,
}

/// One layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerDefinition {
    /// The layer's name in the tiles.
    pub id: String,
    /// Files, relative to the definition's folder.
    #[serde(deserialize_with = "one_or_many")]
    pub source: Vec<PathBuf>,
    /// What the layer shows.
    pub description: Option<String>,
    /// The smallest zoom (default: the tileset's).
    pub minzoom: Option<u8>,
    /// The largest zoom (default: the tileset's).
    pub maxzoom: Option<u8>,
    /// The attribute whose value becomes the feature's id; without it the source's own id is used.
    pub id_property: Option<String>,
    /// The attributes to keep (default: all).
    pub properties: Option<Vec<String>>,
    /// How far lines may move: tile units below the largest zoom, or "none" (default 1).
    #[serde(default)]
    pub simplify: Simplify,
    /// Which points are hidden at low zooms, or "none" (default: those that have 16 others of
    /// higher rank within 64 tile units).
    #[serde(default)]
    pub thin: Thinning,
}

/// How lines and borders are simplified.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Simplify {
    /// The tolerance in tile units; half a unit at the largest zoom, or less if less is asked for.
    Tolerance(f64),
    /// Only exact repeats on the grid go.
    Off(Off),
}

/// The word "none".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Off {
    /// No simplification.
    None,
}

impl Default for Simplify {
    fn default() -> Self {
        Self::Tolerance(1.0)
    }
}

/// Whether there are fewer points at low zooms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Thinning {
    /// All points at every zoom.
    Off(Off),
    /// By this rule.
    By(Thin),
}

/// Fewer points at low zooms: of those shown at the next zoom, a point is hidden when `crowd` of
/// higher rank lie within `spacing`. At the largest zoom all are shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Thin {
    /// The attribute that ranks points, larger first; without it all rank alike and a hash decides.
    pub by: Option<String>,
    /// The distance in tile units (default 64).
    #[serde(default = "default_spacing")]
    pub spacing: f64,
    /// How many others are too many (default 1: points stay at least `spacing` apart).
    #[serde(default = "default_crowd")]
    pub crowd: u32,
}

impl Default for Thinning {
    fn default() -> Self {
        Self::By(Thin { by: None, spacing: default_spacing(), crowd: 16 })
    }
}

impl Thinning {
    /// The rule, if there is one.
    pub const fn rule(&self) -> Option<&Thin> {
        match self {
            Self::By(thin) => Some(thin),
            Self::Off(_) => None,
        }
    }
}

const fn default_maxzoom() -> u8 {
    8
}
const fn default_extent() -> u32 {
    EXTENT
}
const fn default_buffer() -> u32 {
    BUFFER
}
fn default_encodings() -> Vec<Encoding> {
    vec![Encoding::Gzip]
}
const fn default_spacing() -> f64 {
    64.0
}
const fn default_crowd() -> u32 {
    1
}

/// Every key of each table, for naming the nearest one to a wrong one.
const TABLES: [(&str, &[&str]); 3] = [
    (
        "tileset",
        &[
            "name",
            "description",
            "attribution",
            "minzoom",
            "maxzoom",
            "extent",
            "buffer",
            "empty",
            "encodings",
            "layer",
        ],
    ),
    ("layer", &["id", "source", "description", "minzoom", "maxzoom", "id_property", "properties", "simplify", "thin"]),
    ("thin", &["by", "spacing", "crowd"]),
];

impl Definition {
    /// Reads `tileset.toml`, or the one in a folder of that name, and makes its sources' paths
    /// usable from here.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let file = if path.is_dir() { path.join("tileset.toml") } else { path.to_owned() };
        let text = std::fs::read_to_string(&file).map_err(|source| Error::Io {
            path: file.clone(),
            doing: "read the definition",
            source,
        })?;
        let mut definition = Self::parse(&text, &file)?;
        let folder = file.parent().unwrap_or(Path::new("."));
        for source in definition.layers.iter_mut().flat_map(|layer| &mut layer.source) {
            *source = folder.join(&*source);
        }
        Ok(definition)
    }

    /// Parses and checks the text of a definition.
    pub fn parse(text: &str, path: &Path) -> Result<Self, Error> {
        let wrong = |why: String| Error::Definition { path: path.to_owned(), why };
        let table: toml::Table = text.parse().map_err(|e: toml::de::Error| wrong(e.to_string()))?;
        check_keys(&table, 0).map_err(wrong)?;
        let definition: Self = toml::from_str(text).map_err(|e| wrong(e.to_string()))?;
        definition.validate().map_err(wrong)?;
        Ok(definition)
    }

    /// A definition for files without one: each file goes into the layer `layer`, or into one
    /// named after it; files of one name share a layer.
    pub fn from_files(name: &str, files: &[PathBuf], layer: Option<&str>) -> Self {
        let mut definition = Self {
            name: name.to_owned(),
            description: None,
            attribution: None,
            minzoom: 0,
            maxzoom: default_maxzoom(),
            extent: EXTENT,
            buffer: BUFFER,
            empty: Empty::default(),
            encodings: default_encodings(),
            layers: Vec::new(),
        };
        for file in files {
            let id = layer.map_or_else(|| stem(file), str::to_owned);
            match definition.layers.iter_mut().find(|l| l.id == id) {
                Some(layer) => layer.source.push(file.clone()),
                None => definition.layers.push(LayerDefinition {
                    id,
                    source: vec![file.clone()],
                    description: None,
                    minzoom: None,
                    maxzoom: None,
                    id_property: None,
                    properties: None,
                    simplify: Simplify::default(),
                    thin: Thinning::default(),
                }),
            }
        }
        definition
    }

    /// Says what cannot be cut, and what to do about it.
    pub fn validate(&self) -> Result<(), String> {
        let zooms = |low: u8, high: u8, of: &str| {
            if low > high { Err(format!("{of}: minzoom {low} is above maxzoom {high}")) } else { Ok(()) }
        };
        zooms(self.minzoom, self.maxzoom, "the tileset")?;
        if !self.extent.is_power_of_two() || !(256..=65536).contains(&self.extent) {
            return Err(format!("extent {} is not a power of two from 256 to 65536", self.extent));
        }
        let deepest = (32 - self.extent.ilog2()).min(u32::from(MAX_CUT_ZOOM)) as u8;
        if self.maxzoom > deepest {
            return Err(format!(
                "maxzoom {} is above {deepest}, the deepest zoom that can be cut at extent {}",
                self.maxzoom, self.extent
            ));
        }
        if self.buffer > self.extent / 2 {
            return Err(format!("buffer {} is above half the extent, {}", self.buffer, self.extent / 2));
        }
        let twice = self.encodings.iter().enumerate().any(|(i, e)| self.encodings[..i].contains(e));
        if self.encodings.first() != Some(&Encoding::Gzip) || self.encodings.contains(&Encoding::Identity) || twice {
            return Err("encodings: gzip comes first, then \"br\" and \"zstd\", each at most once\n  hint: write encodings = [\"gzip\", \"br\"]".into());
        }
        if self.layers.is_empty() {
            return Err("there is no layer\n  hint: add a [[layer]] with id and source".into());
        }
        for (i, layer) in self.layers.iter().enumerate() {
            if layer.id.is_empty() {
                return Err(format!("layer {} has an empty name\n  hint: give it one with id (or --layer)", i + 1));
            }
            if self.layers[..i].iter().any(|other| other.id == layer.id) {
                return Err(format!(
                    "two layers have the id \"{}\"\n  hint: list both files in one layer's source",
                    layer.id
                ));
            }
            layer.validate(self)?;
        }
        Ok(())
    }
}

impl LayerDefinition {
    fn validate(&self, tileset: &Definition) -> Result<(), String> {
        let (low, high) = self.zooms(tileset);
        if low > high || low < tileset.minzoom || high > tileset.maxzoom {
            return Err(format!(
                "layer \"{}\": zooms {low} to {high} do not lie inside the tileset's, {} to {}",
                self.id, tileset.minzoom, tileset.maxzoom
            ));
        }
        let bad = |v: f64| !(0.0..=1024.0).contains(&v);
        match (self.simplify, self.thin.rule()) {
            (Simplify::Tolerance(t), _) if bad(t) => {
                Err(format!("layer \"{}\": simplify {t} is not a number of tile units from 0 to 1024", self.id))
            }
            (_, Some(thin)) if bad(thin.spacing) => Err(format!(
                "layer \"{}\": spacing {} is not a number of tile units from 0 to 1024",
                self.id, thin.spacing
            )),
            (_, Some(thin)) if thin.crowd == 0 => {
                Err(format!("layer \"{}\": crowd 0 would hide every point\n  hint: the least is 1", self.id))
            }
            _ if self.source.is_empty() => Err(format!("layer \"{}\" has no source", self.id)),
            _ => Ok(()),
        }
    }

    /// Smallest and largest zoom.
    pub fn zooms(&self, tileset: &Definition) -> (u8, u8) {
        (self.minzoom.unwrap_or(tileset.minzoom), self.maxzoom.unwrap_or(tileset.maxzoom))
    }

    /// The options of the cut.
    pub fn cut(&self, tileset: &Definition) -> cut::Options {
        let (minzoom, maxzoom) = self.zooms(tileset);
        let tolerance = match self.simplify {
            Simplify::Tolerance(t) => t,
            Simplify::Off(_) => 0.0,
        };
        cut::Options {
            minzoom,
            maxzoom,
            extent_bits: tileset.extent.ilog2(),
            buffer: tileset.buffer,
            tolerance,
            tolerance_at_max: tolerance.min(0.5),
        }
    }
}

/// The file's name up to the endings that say what is inside.
fn stem(file: &Path) -> String {
    let mut name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for ending in [".gz", ".geojson", ".json", ".geojsonl", ".geojsons", ".ndjson", ".jsonl", ".geojsonseq"] {
        if let Some(rest) = name.strip_suffix(ending).filter(|rest| !rest.is_empty()) {
            name = rest.to_owned();
        }
    }
    name
}

/// Refuses keys that do not exist and names the nearest that does.
fn check_keys(table: &toml::Table, level: usize) -> Result<(), String> {
    let (name, known) = TABLES[level];
    for (key, value) in table {
        if !known.contains(&key.as_str()) {
            let nearest = known.iter().min_by_key(|k| edits(k, key)).copied().unwrap_or_default();
            return Err(format!("unknown key \"{key}\" in {name}\n  hint: did you mean \"{nearest}\"?"));
        }
        match value {
            toml::Value::Array(items) if key == "layer" => {
                items.iter().filter_map(toml::Value::as_table).try_for_each(|t| check_keys(t, 1))?;
            }
            toml::Value::Table(inner) if key == "thin" => check_keys(inner, 2)?,
            _ => {}
        }
    }
    Ok(())
}

/// How many letters to insert, delete or replace to get from one word to the other.
fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replace = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

fn one_or_many<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<PathBuf>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(PathBuf),
        Many(Vec<PathBuf>),
    }
    Ok(match OneOrMany::deserialize(from)? {
        OneOrMany::One(path) => vec![path],
        OneOrMany::Many(paths) => paths,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_definitions_say_what_to_do() {
        let check = |text: &str, want: &str| {
            let error = Definition::parse(text, Path::new("tileset.toml")).unwrap_err().to_string();
            assert!(error.contains(want), "{text}: {error}");
        };
        let layer = "[[layer]]\nid = \"a\"\nsource = \"a.geojson\"\n";
        check("name = \"x\"", "there is no layer");
        check(&format!("name = \"x\"\nmaxzom = 3\n{layer}"), "did you mean \"maxzoom\"?");
        check(&format!("name = \"x\"\n{layer}sources = 1\n"), "did you mean \"source\"?");
        check(&format!("name = \"x\"\n{layer}thin = {{ space = 3 }}\n"), "did you mean \"spacing\"?");
        check(&format!("name = \"x\"\nminzoom = 9\n{layer}"), "minzoom 9 is above maxzoom 8");
        check(&format!("name = \"x\"\nmaxzoom = 21\n{layer}"), "above 20");
        check(&format!("name = \"x\"\nextent = 1000\n{layer}"), "power of two");
        check(&format!("name = \"x\"\n{layer}{layer}"), "two layers");
        check(&format!("name = \"x\"\n{layer}maxzoom = 9\n"), "do not lie inside");
        check("name = \"x\"\n[[layer]]\nid = \"\"\nsource = \"a\"\n", "empty name");
        check(layer, "missing field `name`");
    }

    #[test]
    fn encodings() {
        let check = |list: &str, good: bool| {
            let text = format!("name = \"x\"\nencodings = {list}\n[[layer]]\nid = \"a\"\nsource = \"a.geojson\"\n");
            assert_eq!(Definition::parse(&text, Path::new("tileset.toml")).is_ok(), good, "{list}");
        };
        check("['gzip']", true);
        check("['gzip', 'br']", true);
        check("['gzip', 'zstd']", true);
        check("['gzip', 'br', 'zstd']", true);
        check("['gzip', 'zstd', 'br']", true);
        check("[]", false);
        check("['br', 'gzip']", false);
        check("['br']", false);
        check("['gzip', 'gzip']", false);
        check("['gzip', 'br', 'br']", false);
        check("['gzip', 'identity']", false);
        check("['gzip', 'brotli']", false);
    }

    #[test]
    fn layers_are_named_after_files() {
        let check = |file: &str, want: &str| assert_eq!(stem(Path::new(file)), want);
        check("a/roads.geojson", "roads");
        check("roads.geojsonl.gz", "roads");
        check("my roads (v1.2).geojson", "my roads (v1.2)");
        check(".geojson", ".geojson");
    }
}
