//! What this origin serves at one moment: every tileset, every version, the open files.
//!
//! A snapshot never changes; a newer one replaces it as a whole, and versions that both hold are
//! the same [`Served`] in both. Responsible for turning a catalogue into one, and for answering
//! what a name and a number stand for. Reads metadata when a version is opened, tiles never.

use super::document::Document;
use super::readers::chain;
use super::route::Address;
use crate::store::{self, Metadata, Reader};
use crate::tile::{Empty, Encoding, TileCoord};
use crate::tileset::{Catalog, Entry, Published, State, Version};
use actix_web::http::header::HeaderValue;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::SystemTime;

/// The slots that were given away: each opened version gets one of its own, so that nothing in
/// the cache can be taken for something else.
static SLOTS: AtomicU32 = AtomicU32::new(0);

/// A version that is being served.
#[derive(Debug)]
pub(super) struct Served {
    /// Stands for tileset and version in the cache.
    pub slot: u32,
    pub tileset: String,
    pub version: u64,
    pub path: PathBuf,
    pub metadata: Metadata,
    /// Stored encodings in the origin's order of preference.
    pub encodings: Vec<Encoding>,
    /// `Surrogate-Key` (names between spaces) and `Cache-Tag` (names between commas).
    pub surrogate_key: HeaderValue,
    pub cache_tag: HeaderValue,
    identity: Identity,
    complained: AtomicBool,
}

/// What tells one file from another, and a touched one from an untouched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    bytes: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

/// What became of a version.
#[derive(Debug, Clone)]
enum Slot {
    Served(Arc<Served>),
    /// Published, but this origin cannot read it.
    Unreadable,
    /// Pruned or withdrawn.
    Gone(State),
}

/// One tileset with everything that was ever published of it.
#[derive(Debug, Clone, Default)]
struct Tileset {
    current: Option<u64>,
    versions: BTreeMap<u64, Slot>,
}

/// Everything this origin serves.
#[derive(Debug)]
pub(super) struct Snapshot {
    default: Option<String>,
    tilesets: BTreeMap<String, Tileset>,
    pub catalog: Document,
}

/// Why there is nothing to serve under a name and a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absent {
    Tileset,
    /// Not published. When it is higher than all that are known, it may have been published
    /// after the last look at the store.
    Version {
        higher: bool,
    },
    Gone,
    Unreadable,
}

impl Snapshot {
    /// Nothing yet.
    pub(super) fn empty() -> Self {
        Self { default: None, tilesets: BTreeMap::new(), catalog: Document::json("{}\n") }
    }

    /// What a catalogue says, with the files of new versions opened. Versions that `before` has
    /// open stay as they are. Also returns what cannot be served, and why.
    pub(super) fn next(catalog: &Catalog, before: &Self) -> (Self, Vec<String>) {
        let mut complaints = Vec::new();
        let mut tilesets = BTreeMap::new();
        for (name, published) in &catalog.tilesets {
            let known = before.tilesets.get(name.as_str());
            tilesets.insert(name.to_string(), tileset(name.as_str(), published, known, &mut complaints));
        }
        let default = catalog.default_tileset.as_ref().map(ToString::to_string);
        let catalog = Document::json(describe(default.as_deref(), &tilesets));
        (Self { default, tilesets, catalog }, complaints)
    }

    /// The version of a tileset; without a name, of the default one.
    pub(super) fn version(&self, tileset: Option<&str>, version: u64) -> Result<&Arc<Served>, Absent> {
        let found = self.tileset(tileset)?;
        match found.versions.get(&version) {
            Some(Slot::Served(served)) => Ok(served),
            Some(Slot::Unreadable) => Err(Absent::Unreadable),
            Some(Slot::Gone(_)) => Err(Absent::Gone),
            None => {
                let highest = found.versions.last_key_value().map(|(v, _)| *v);
                Err(Absent::Version { higher: highest.is_none_or(|h| version > h) })
            }
        }
    }

    /// The current version of a tileset; without a name, of the default one.
    pub(super) fn current(&self, tileset: Option<&str>) -> Result<&Arc<Served>, Absent> {
        let current = self.tileset(tileset)?.current.ok_or(Absent::Tileset)?;
        self.version(tileset, current)
    }

    /// Whether this is the tileset with the short URLs.
    pub(super) fn is_default(&self, tileset: &str) -> bool {
        self.default.as_deref() == Some(tileset)
    }

    /// Whether any published version could not be opened.
    pub(super) fn is_incomplete(&self) -> bool {
        self.tilesets.values().any(|t| t.versions.values().any(|v| matches!(v, Slot::Unreadable)))
    }

    fn tileset(&self, name: Option<&str>) -> Result<&Tileset, Absent> {
        name.or(self.default.as_deref()).and_then(|name| self.tilesets.get(name)).ok_or(Absent::Tileset)
    }
}

fn tileset(name: &str, published: &Published, known: Option<&Tileset>, complaints: &mut Vec<String>) -> Tileset {
    let slot = |version: u64, entry: &Entry, complaints: &mut Vec<String>| match entry.state {
        State::Live => match known.and_then(|k| k.versions.get(&version)) {
            Some(Slot::Served(served)) if served.path == entry.path => Slot::Served(Arc::clone(served)),
            _ => Served::open(name, version, &entry.path).map_or_else(
                |error| {
                    complaints.push(format!("{name} v{version} cannot be served: {}", chain(&error)));
                    Slot::Unreadable
                },
                |served| Slot::Served(Arc::new(served)),
            ),
        },
        gone => Slot::Gone(gone),
    };
    Tileset {
        current: published.current.map(Version::get),
        versions: published.versions.iter().map(|(v, e)| (v.get(), slot(v.get(), e, complaints))).collect(),
    }
}

/// The text of `/catalog.json`.
fn describe(default: Option<&str>, tilesets: &BTreeMap<String, Tileset>) -> String {
    let version = |(number, slot): (&u64, &Slot)| {
        let (state, served) = match slot {
            Slot::Served(_) => (State::Live, true),
            Slot::Unreadable => (State::Live, false),
            Slot::Gone(state) => (*state, false),
        };
        let state = match state {
            State::Live => "live",
            State::Pruned => "pruned",
            State::Withdrawn => "withdrawn",
        };
        json!({"version": number, "state": state, "served": served})
    };
    let tileset = |(name, t): (&String, &Tileset)| json!({"name": name, "current": t.current, "versions": t.versions.iter().map(version).collect::<Vec<_>>()});
    let list: Vec<_> = tilesets.iter().map(tileset).collect();
    format!("{}\n", json!({"default_tileset": default, "tilesets": list}))
}

impl Served {
    fn open(tileset: &str, version: u64, path: &Path) -> Result<Self, store::Error> {
        let unread = |source| store::Error::Io { path: path.to_owned(), doing: "look at the file", source };
        let identity = Identity::of(path).map_err(unread)?;
        let metadata = Metadata { report: serde_json::Value::Null, ..Reader::open(path)?.metadata()? };
        let keys = |between| {
            HeaderValue::try_from(format!("{tileset}{between}{tileset}-v{version}"))
                .unwrap_or_else(|_| HeaderValue::from_static(""))
        };
        Ok(Self {
            slot: SLOTS.fetch_add(1, Ordering::Relaxed),
            tileset: tileset.to_owned(),
            version,
            path: path.to_owned(),
            encodings: metadata.encodings.clone(),
            surrogate_key: keys(' '),
            cache_tag: keys(','),
            metadata,
            identity,
            complained: AtomicBool::new(false),
        })
    }

    /// The tile at this address, if it lies in the version's zooms and in the zoom's grid.
    pub(super) fn place(&self, at: Address) -> Option<TileCoord> {
        let z = u8::try_from(at.z).ok().filter(|z| (self.metadata.minzoom..=self.metadata.maxzoom).contains(z))?;
        TileCoord::new(z, u32::try_from(at.x).ok()?, u32::try_from(at.y).ok()?).ok()
    }

    /// What is answered where there is no tile.
    pub(super) fn empty(&self) -> Empty {
        self.metadata.empty
    }

    /// Whether the file is still the one that was opened: same size, same time, same inode.
    pub(super) fn is_untouched(&self) -> bool {
        let untouched = Identity::of(&self.path).is_ok_and(|now| now == self.identity);
        if untouched == self.complained.swap(!untouched, Ordering::Relaxed) {
            if untouched {
                tracing::info!(tileset = %self.tileset, version = self.version, "the published file is back");
            } else {
                tracing::error!(
                    tileset = %self.tileset, version = self.version, path = %self.path.display(),
                    "the published file was changed or removed; tiles that are not in memory are answered 503"
                );
            }
        }
        untouched
    }
}

impl Identity {
    fn of(path: &Path) -> std::io::Result<Self> {
        let about = std::fs::metadata(path)?;
        Ok(Self { bytes: about.len(), modified: about.modified().ok(), inode: inode(&about) })
    }
}

#[cfg(unix)]
fn inode(about: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(about)
}

#[cfg(not(unix))]
fn inode(_: &std::fs::Metadata) -> u64 {
    0
}
