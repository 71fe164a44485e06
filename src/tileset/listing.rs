//! What the command line says about the versions of a tileset.

use super::{Catalog, Error, State, TilesetName, Version};
use serde::Serialize;
use std::path::Path;

/// The versions of one tileset, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listing {
    /// The tileset.
    pub tileset: TilesetName,
    /// The version its own TileJSON points at.
    pub current: Option<Version>,
    /// Every version that is or was.
    pub versions: Vec<Listed>,
}

/// One version in a [`Listing`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    /// Its number.
    pub version: Version,
    /// What may be done with it.
    pub state: State,
    /// The digest of its content, 64 hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The size of its tile file in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Its tiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiles: Option<u64>,
    /// When it was published by the publisher's clock (RFC 3339, UTC).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_at: Option<String>,
}

/// The versions of a tileset in a store.
///
/// # Errors
/// When the store cannot be listed or has no such tileset; the error names those it has.
pub fn versions(root: &Path, tileset: &TilesetName) -> Result<Listing, Error> {
    let (catalog, _) = Catalog::read(root)?;
    catalog.listing(tileset).ok_or_else(|| Error::Unknown {
        path: root.to_owned(),
        name: tileset.clone(),
        known: catalog.tilesets.into_keys().collect(),
    })
}

impl Catalog {
    /// The versions of a tileset; `None` when there is no such tileset.
    pub fn listing(&self, tileset: &TilesetName) -> Option<Listing> {
        let published = self.tilesets.get(tileset)?;
        let versions = published.versions.iter().map(|(&version, entry)| {
            let manifest = entry.manifest.as_ref();
            Listed {
                version,
                state: entry.state,
                digest: manifest.map(|m| m.digest.clone()),
                bytes: manifest.map(|m| m.bytes),
                tiles: manifest.map(|m| m.tiles),
                published_at: manifest.map(|m| m.published_at.clone()),
            }
        });
        Some(Listing { tileset: tileset.clone(), current: published.current, versions: versions.collect() })
    }
}
