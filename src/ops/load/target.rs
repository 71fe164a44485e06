//! The tileset under test: its TileJSON, and where its tiles are asked for.

use super::client::Client;
use super::error::Error;
use super::options::Options;
use super::url::Url;
use crate::tile::{MAX_ZOOM, TileCoord};
use serde::Deserialize;
use std::net::SocketAddr;

/// What is read of a TileJSON; any server's will do.
#[derive(Debug, Deserialize)]
struct Document {
    tiles: Vec<String>,
    #[serde(default)]
    minzoom: u8,
    #[serde(default = "usual_maxzoom")]
    maxzoom: u8,
    #[serde(default)]
    sparse: bool,
}

/// TileJSON 3.0.0, section 3.14, says 30; no test needs tiles so small that nobody cut them.
fn usual_maxzoom() -> u8 {
    14
}

/// Where tiles are, and which.
#[derive(Debug)]
pub(super) struct Target {
    pub minzoom: u8,
    pub maxzoom: u8,
    /// Whether a tile that is not there is answered 404.
    pub sparse: bool,
    to: SocketAddr,
    /// Host and path of the template.
    url: Url,
}

impl Target {
    /// Reads the TileJSON.
    pub(super) fn read(options: &Options) -> Result<Self, Error> {
        let url = Url::parse(&options.url)?;
        let to = url.resolve(options.mine)?;
        let unfit = |why: String| Error::TileJson { url: options.url.clone(), why };
        let (answer, body) = Client::new(to, &url.authority, "")
            .fetch(&url.path)
            .map_err(|source| Error::Read { url: options.url.clone(), source })?;
        if answer.status != 200 {
            return Err(unfit(format!("it was answered {}", answer.status)));
        }
        let document: Document = serde_json::from_slice(&body).map_err(|e| unfit(e.to_string()))?;
        let template = document.tiles.first().ok_or_else(|| unfit("it names no tiles".into()))?;
        if !["{z}", "{x}", "{y}"].iter().all(|part| template.contains(part)) {
            return Err(unfit(format!("its template {template} lacks {{z}}, {{x}} or {{y}}")));
        }
        let (minzoom, maxzoom) = (document.minzoom, document.maxzoom);
        if minzoom > maxzoom || maxzoom > MAX_ZOOM {
            return Err(unfit(format!("its zooms are {minzoom} to {maxzoom}")));
        }
        let url = Url::parse(template)?;
        // The template may name another host than the document came from.
        let to = url.resolve(options.mine)?;
        Ok(Self { minzoom, maxzoom, sparse: document.sparse, to, url })
    }

    /// A connection to where the tiles are.
    pub(super) fn client(&self, encoding: &str) -> Client {
        Client::new(self.to, &self.url.authority, encoding)
    }

    /// The address of the tiles, for people.
    pub(super) fn template(&self) -> String {
        format!("http://{}{}", self.url.authority, self.url.path)
    }

    pub(super) fn path(&self, tile: TileCoord) -> String {
        let fill = |text: &str, name, number: u32| text.replacen(name, &number.to_string(), 1);
        fill(&fill(&fill(&self.url.path, "{z}", tile.z().into()), "{x}", tile.x()), "{y}", tile.y())
    }
}
