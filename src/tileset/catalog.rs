//! The catalogue: an immutable snapshot of what a store directory holds.
//!
//! Responsible for deciding which versions exist and which is current. Opens no tile file and
//! writes nothing.

use super::layout::{self, CURRENT, LEDGER, STORE};
use super::ledger::{Event, Happened, Ledger};
use super::{Error, Manifest, TilesetName, Version};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

/// What may be done with a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It is served.
    Live,
    /// Its files were removed; its URLs answer 410.
    Pruned,
    /// It must not be shown any more; its URLs answer 410.
    Withdrawn,
}

/// One version that is or was.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What may be done with it.
    pub state: State,
    /// What is known about it; always there when it is live.
    pub manifest: Option<Manifest>,
    /// Where its tile file is or was.
    pub path: PathBuf,
}

/// One tileset.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Published {
    /// The version that the tileset's own TileJSON points at, always a live one. `None` as long
    /// as nothing was switched to, and when what was is not live any more.
    pub current: Option<Version>,
    /// Every version that caches out there can hold.
    pub versions: BTreeMap<Version, Entry>,
}

/// What a store held when it was read. Never changes; read again for news.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalog {
    /// The tileset whose versions have the short URLs. It may be missing from `tilesets`, when
    /// its folder is damaged or gone.
    pub default_tileset: Option<TilesetName>,
    /// The tilesets by name.
    pub tilesets: BTreeMap<TilesetName, Published>,
}

/// Something in a store that cannot be used. The rest can.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Problem {
    /// The file or folder.
    pub path: PathBuf,
    /// What does not fit.
    pub why: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct StoreFile {
    pub(super) default_tileset: TilesetName,
}

#[derive(Serialize, Deserialize)]
pub(super) struct CurrentFile {
    pub(super) version: Version,
}

impl Catalog {
    /// Reads a store directory. A missing or empty one is an empty catalogue; what is damaged is
    /// a problem and takes nothing else down.
    ///
    /// While there are problems, reading again may help although [`Catalog::fingerprint`] stays
    /// the same: permissions do not show in it.
    ///
    /// # Errors
    /// When the directory itself cannot be listed.
    pub fn read(root: &Path) -> Result<(Self, Vec<Problem>), Error> {
        let mut reading = Reading::default();
        let mut catalog = Self::default();
        for (name, folder) in folders(root)? {
            if let Some(published) = reading.tileset(&name, &folder) {
                catalog.tilesets.insert(name, published);
            }
        }
        catalog.default_tileset = reading.default_tileset(root);
        Ok((catalog, reading.problems))
    }
}

/// The folders with a ledger in them: tilesets, or what is left of some.
pub(super) fn folders(root: &Path) -> Result<BTreeMap<TilesetName, PathBuf>, Error> {
    let mut folders = subfolders(root)?;
    // Whether a ledger that cannot be examined is one, reading it will tell.
    folders.retain(|_, folder| folder.join(LEDGER).try_exists().unwrap_or(true));
    Ok(folders)
}

/// The folders whose names could be those of tilesets.
pub(super) fn subfolders(root: &Path) -> Result<BTreeMap<TilesetName, PathBuf>, Error> {
    let entries = match std::fs::read_dir(root) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(e) => return Err(Error::io(root, "list the store")(e)),
    };
    let mut found = BTreeMap::new();
    for entry in entries {
        let entry = entry.map_err(Error::io(root, "list the store"))?;
        let name = entry.file_name().to_str().and_then(|n| n.parse().ok());
        if let Some(name) = name.filter(|_| entry.path().is_dir()) {
            found.insert(name, entry.path());
        }
    }
    Ok(found)
}

/// One tileset, for whoever reads it under the store's lock and asks about no problems.
pub(super) fn read_tileset(name: &TilesetName, folder: &Path) -> Option<Published> {
    Reading::default().tileset(name, folder)
}

/// Collects what does not fit while it reads.
#[derive(Default)]
struct Reading {
    problems: Vec<Problem>,
    /// Tilesets of which something was published, as far as their ledgers can be read.
    begun: Vec<TilesetName>,
}

impl Reading {
    fn problem(&mut self, path: PathBuf, why: impl Into<String>) {
        self.problems.push(Problem { path, why: why.into() });
    }

    /// `store.json`; before it is written, at the end of the first publish, the only tileset there is.
    fn default_tileset(&mut self, root: &Path) -> Option<TilesetName> {
        let path = root.join(STORE);
        match layout::json::<StoreFile>(&path) {
            Ok(Some(file)) => Some(file.default_tileset),
            Ok(None) if self.begun.len() <= 1 => self.begun.pop(),
            Ok(None) => {
                self.problem(path, "it is missing, so no tileset has the short URLs");
                None
            }
            Err(why) => {
                self.problem(path, why);
                None
            }
        }
    }

    fn tileset(&mut self, name: &TilesetName, folder: &Path) -> Option<Published> {
        // The pointer first: a publisher writes it last, so the ledger read after it knows its version.
        let pointer = self.pointer(folder);
        let path = folder.join(LEDGER);
        let ledger = match layout::read(&path) {
            Ok(bytes) => Ledger::parse(&bytes?),
            Err(e) => {
                self.begun.push(name.clone());
                self.problem(path, format!("it cannot be read: {e}"));
                return None;
            }
        };
        self.begun.extend(ledger.has_published().then(|| name.clone()));
        for line in &ledger.unreadable {
            self.problem(path.clone(), format!("line {line} cannot be understood"));
        }
        let versions = self.versions(name, folder, &ledger);
        let current = self.current(folder, pointer, &ledger, &versions);
        (!versions.is_empty()).then_some(Published { current, versions })
    }

    fn pointer(&mut self, folder: &Path) -> Option<Version> {
        let path = folder.join(CURRENT);
        layout::json::<CurrentFile>(&path)
            .unwrap_or_else(|why| {
                self.problem(path, why);
                None
            })
            .map(|file| file.version)
    }

    fn versions(&mut self, name: &TilesetName, folder: &Path, ledger: &Ledger) -> BTreeMap<Version, Entry> {
        let gone = |happened| -> BTreeSet<Version> {
            ledger.events.iter().filter(|e| e.event == happened).map(|e| e.version).collect()
        };
        let (pruned, withdrawn) = (gone(Happened::Prune), gone(Happened::Withdraw));
        let mut versions = BTreeMap::new();
        for event in &ledger.events {
            let version = event.version;
            if event.event == Happened::Switch || versions.contains_key(&version) {
                continue;
            }
            let state = match () {
                () if withdrawn.contains(&version) => State::Withdrawn,
                () if pruned.contains(&version) => State::Pruned,
                () => State::Live,
            };
            let manifest = self.manifest(name, folder, event, state);
            if state != State::Live || manifest.is_some() {
                versions.insert(version, Entry { state, manifest, path: layout::tiles(folder, version) });
            }
        }
        versions
    }

    fn manifest(&mut self, name: &TilesetName, folder: &Path, event: &Event, state: State) -> Option<Manifest> {
        let path = layout::manifest(folder, event.version);
        let fault = match layout::json::<Manifest>(&path) {
            Ok(Some(m)) if m.tileset != *name || m.version != event.version => {
                format!("it belongs to {} {}", m.tileset, m.version)
            }
            Ok(Some(m)) if event.digest.as_ref().is_some_and(|d| *d != m.digest) => {
                "its digest is not the one in the ledger".into()
            }
            Ok(Some(m)) => return Some(m),
            Ok(None) => "it is missing, but the ledger has the version".into(),
            Err(why) => why,
        };
        if state == State::Live {
            self.problem(path, fault);
        }
        None
    }

    fn current(
        &mut self,
        folder: &Path,
        pointer: Option<Version>,
        ledger: &Ledger,
        versions: &BTreeMap<Version, Entry>,
    ) -> Option<Version> {
        let live = |v: &Version| versions.get(v).is_some_and(|e| e.state == State::Live);
        if let Some(version) = pointer.filter(|v| !live(v)) {
            self.problem(folder.join(CURRENT), format!("it names {version}, which is not live"));
        }
        let switches = ledger.events.iter().rev().filter(|e| e.event == Happened::Switch).map(|e| e.version);
        pointer.into_iter().chain(switches).find(live)
    }
}
