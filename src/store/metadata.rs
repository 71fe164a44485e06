//! The metadata rows of a tile file.

use super::Error;
use crate::grid::Bounds;
use crate::tile::{Empty, Encoding};
use crate::tilejson::VectorLayer;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// All that a tile file says about itself.
///
/// The first part is what maps need and what MBTiles 1.3 defines; it counts for the digest. The
/// last three fields tell how the file came to be and do not.
#[derive(Debug, Clone, PartialEq)]
pub struct Metadata {
    /// The tileset's name for people.
    pub name: String,
    /// What it shows.
    pub description: Option<String>,
    /// Whom to credit, as HTML.
    pub attribution: Option<String>,
    /// The smallest zoom that has tiles.
    pub minzoom: u8,
    /// The largest zoom that has tiles.
    pub maxzoom: u8,
    /// The box of the data in degrees.
    pub bounds: Bounds,
    /// Where a map may start: longitude, latitude (degrees) and zoom.
    pub center: [f64; 3],
    /// The layers with their attributes.
    pub vector_layers: Vec<VectorLayer>,
    /// What is answered where there is no tile.
    pub empty: Empty,
    /// The encodings every tile is stored in; gzip is always one.
    pub encodings: Vec<Encoding>,
    /// The program and release that cut the tiles.
    pub built_by: String,
    /// Hash over inputs and definition: equal hashes need no second build.
    pub inputs: Option<String>,
    /// The build's report, for whoever wants to know what was skipped.
    pub report: serde_json::Value,
}

/// What MBTiles puts into its `json` row.
#[derive(Serialize, Deserialize)]
struct Json {
    #[serde(default)]
    vector_layers: Vec<VectorLayer>,
}

/// Our own row, `immutile`.
#[derive(Serialize, Deserialize)]
struct Own {
    #[serde(default)]
    empty: Empty,
    encodings: Vec<Encoding>,
}

impl Metadata {
    /// The rows that count for the digest, in a fixed order.
    fn content_rows(&self) -> Vec<(&'static str, String)> {
        let b = &self.bounds;
        let list = |v: &[f64]| v.iter().map(|x| degrees(*x)).collect::<Vec<_>>().join(",");
        let center = format!("{},{}", list(&self.center[..2]), self.center[2]);
        let mut rows = vec![
            ("name", self.name.clone()),
            ("format", "pbf".into()),
            ("type", "overlay".into()),
            ("minzoom", self.minzoom.to_string()),
            ("maxzoom", self.maxzoom.to_string()),
            ("bounds", list(&[b.west, b.south, b.east, b.north])),
            ("center", center),
            ("json", json(&Json { vector_layers: self.vector_layers.clone() })),
            ("immutile", json(&Own { empty: self.empty, encodings: self.encodings.clone() })),
        ];
        rows.extend(self.description.clone().map(|v| ("description", v)));
        rows.extend(self.attribution.clone().map(|v| ("attribution", v)));
        rows
    }

    /// The text that stands for this metadata in a digest.
    pub(super) fn canonical(&self) -> String {
        json(&self.content_rows().into_iter().collect::<BTreeMap<_, _>>())
    }

    /// Writes all rows into a new file.
    pub(super) fn write(&self, db: &Connection, path: &Path) -> Result<(), Error> {
        let mut rows = self.content_rows();
        rows.push(("immutile_built_by", self.built_by.clone()));
        rows.extend(self.inputs.clone().map(|v| ("immutile_inputs", v)));
        rows.push(("immutile_report", self.report.to_string()));
        let mut insert = db
            .prepare("INSERT INTO metadata (name, value) VALUES (?1, ?2)")
            .map_err(Error::sqlite(path, "write the metadata"))?;
        for row in rows {
            insert.execute(row).map_err(Error::sqlite(path, "write the metadata"))?;
        }
        Ok(())
    }

    /// Reads the rows of a file; unknown rows are left alone.
    pub(super) fn read(db: &Connection, path: &Path) -> Result<Self, Error> {
        let rows = rows(db).map_err(Error::sqlite(path, "read the metadata"))?;
        let row = |name: &str| rows.get(name).map(String::as_str);
        let missing = |name: &str| Error::damaged(path, format!("metadata row \"{name}\" is missing or unreadable"));
        let need = |name: &str| row(name).ok_or_else(|| missing(name));
        let zoom = |name: &str| need(name)?.parse::<u8>().map_err(|_| missing(name));
        let json: Json = serde_json::from_str(need("json")?).map_err(|_| missing("json"))?;
        let own: Own = serde_json::from_str(need("immutile")?).map_err(|_| missing("immutile"))?;
        Ok(Self {
            name: need("name")?.to_owned(),
            description: row("description").map(str::to_owned),
            attribution: row("attribution").map(str::to_owned),
            minzoom: zoom("minzoom")?,
            maxzoom: zoom("maxzoom")?,
            bounds: Bounds::from(numbers(need("bounds")?).ok_or_else(|| missing("bounds"))?),
            center: numbers(need("center")?).ok_or_else(|| missing("center"))?,
            vector_layers: json.vector_layers,
            empty: own.empty,
            encodings: own.encodings,
            built_by: row("immutile_built_by").unwrap_or_default().to_owned(),
            inputs: row("immutile_inputs").map(str::to_owned),
            report: row("immutile_report").and_then(|t| serde_json::from_str(t).ok()).unwrap_or_default(),
        })
    }
}

fn rows(db: &Connection) -> rusqlite::Result<BTreeMap<String, String>> {
    let mut select = db.prepare("SELECT name, value FROM metadata")?;
    select.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?.collect()
}

/// Degrees as short as they can be at seven digits (about a centimetre).
fn degrees(v: f64) -> String {
    let rounded = (v * 1e7).round() / 1e7;
    format!("{}", if rounded == 0.0 { 0.0 } else { rounded })
}

/// A comma-separated list of exactly `N` finite numbers.
fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let parsed: Vec<f64> =
        text.split(',').filter_map(|t| t.trim().parse().ok()).filter(|v: &f64| v.is_finite()).collect();
    parsed.try_into().ok()
}

/// JSON of values that always have one.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
