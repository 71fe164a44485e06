//! What this origin serves at one moment: every tileset, every version, the open files.
//!
//! A snapshot never changes; a newer one replaces it as a whole, and versions that both hold are
//! the same [`Served`] in both. Responsible for turning a catalogue into one, and for answering
//! what a name and a number stand for. Reads metadata when a version is opened, tiles never.

use super::document::Document;
use super::negotiate::preferred;
use super::readers::chain;
use super::route::Address;
use crate::store::{Metadata, Reader};
use crate::tile::{Empty, Encoding, TileCoord};
use crate::tileset::{Catalog, Entry, Manifest, Problem, Published, State, Version};
use actix_http::header::HeaderValue;
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
    digest: String,
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
    /// open stay as they are; and where something of a tileset could not be read, what is
    /// missing from it stays too: a hiccup of the disk is no reason to deny what was published.
    /// Also returns what cannot be served, and why.
    pub(super) fn next(catalog: &Catalog, problems: &[Problem], root: &Path, before: &Self) -> (Self, Vec<String>) {
        let mut complaints = Vec::new();
        let mut tilesets = BTreeMap::new();
        for (name, published) in &catalog.tilesets {
            let known = before.tilesets.get(name.as_str());
            tilesets.insert(name.to_string(), tileset(name.as_str(), published, known, &mut complaints));
        }
        for (name, known) in &before.tilesets {
            let folder = root.join(name);
            if problems.iter().any(|p| p.path.starts_with(&folder)) {
                keep(tilesets.entry(name.clone()).or_default(), known);
            }
        }
        let default = catalog.default_tileset.as_ref().map(ToString::to_string);
        let default = default.or_else(|| before.default.clone().filter(|_| !problems.is_empty()));
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

    /// Every tileset with the number of its open versions and its current one.
    pub(super) fn tilesets(&self) -> impl Iterator<Item = (&str, usize, Option<u64>)> {
        self.tilesets.iter().map(|(name, t)| {
            let open = t.versions.values().filter(|slot| matches!(slot, Slot::Served(_))).count();
            (name.as_str(), open, t.current)
        })
    }

    /// Whether this is the tileset with the short URLs.
    pub(super) fn is_default(&self, tileset: &str) -> bool {
        self.default.as_deref() == Some(tileset)
    }

    fn tileset(&self, name: Option<&str>) -> Result<&Tileset, Absent> {
        name.or(self.default.as_deref()).and_then(|name| self.tilesets.get(name)).ok_or(Absent::Tileset)
    }
}

fn tileset(name: &str, published: &Published, known: Option<&Tileset>, complaints: &mut Vec<String>) -> Tileset {
    let mut versions = BTreeMap::new();
    for (version, entry) in &published.versions {
        let known = known.and_then(|k| k.versions.get(&version.get()));
        let slot = slot(name, *version, entry, known).unwrap_or_else(|why| {
            complaints.push(format!("{name} {version} cannot be served: {why}"));
            Slot::Unreadable
        });
        versions.insert(version.get(), slot);
    }
    Tileset { current: published.current.map(Version::get), versions }
}

fn slot(name: &str, version: Version, entry: &Entry, known: Option<&Slot>) -> Result<Slot, String> {
    if entry.state != State::Live {
        return Ok(Slot::Gone(entry.state));
    }
    let manifest = entry.manifest.as_ref().ok_or("it has no manifest")?;
    match known {
        // Another digest under the same number is another store in the same place.
        Some(Slot::Served(served)) if served.digest == manifest.digest => Ok(Slot::Served(Arc::clone(served))),
        _ => Served::open(name, version.get(), &entry.path, manifest).map(|s| Slot::Served(Arc::new(s))),
    }
}

/// Adds what was known to what could be read.
fn keep(tileset: &mut Tileset, known: &Tileset) {
    tileset.current = tileset.current.or(known.current);
    for (version, slot) in &known.versions {
        tileset.versions.entry(*version).or_insert_with(|| slot.clone());
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
    fn open(tileset: &str, version: u64, path: &Path, manifest: &Manifest) -> Result<Self, String> {
        let identity = Identity::of(path).map_err(|e| format!("{}: {e}", path.display()))?;
        if identity.bytes != manifest.bytes {
            let (is, was) = (identity.bytes, manifest.bytes);
            return Err(format!("{}: {is} bytes, but {was} were published", path.display()));
        }
        let metadata = Reader::open(path).and_then(|r| r.metadata()).map_err(|e| chain(&e))?;
        let metadata = Metadata { report: serde_json::Value::Null, ..metadata };
        let keys = |between| {
            HeaderValue::try_from(format!("{tileset}{between}{tileset}-v{version}"))
                .unwrap_or_else(|_| HeaderValue::from_static(""))
        };
        Ok(Self {
            slot: SLOTS.fetch_add(1, Ordering::Relaxed),
            tileset: tileset.to_owned(),
            version,
            path: path.to_owned(),
            digest: manifest.digest.clone(),
            encodings: preferred(&metadata.encodings),
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
