//! Writes the files of one tileset, in the order that makes every moment a good one to die:
//!
//! ```text
//! copy to a temporary name ─► v8.mbtiles ─► v8.manifest.json ─► ledger: publish ─► store.json
//!                                                                  │ from here on v8 exists
//! current.json ◄─ ledger: switch ◄─────────────────────────────────┘
//! ```
//!
//! Each arrow is a flush to the disk. The switch line comes before the pointer, so that whatever
//! was ever current is in the ledger.

use super::catalog::{self, CurrentFile, Published, State};
use super::layout::{self, CURRENT, LEDGER};
use super::ledger::{Event, Happened, Tail};
use super::store_writer::{StoreWriter, names};
use super::{Error, Manifest, TilesetName, Version, clock};
use std::path::{Path, PathBuf};

/// One tileset's folder, under the store's lock.
pub struct Folder<'s, 'a> {
    path: PathBuf,
    name: TilesetName,
    store: &'s mut StoreWriter<'a>,
}

/// Tiles that were copied into a folder but are no version yet. Ends in [`Folder::commit`] or
/// [`Folder::abandon`].
#[must_use]
pub struct Copied {
    version: Version,
    /// How many bytes were copied.
    pub bytes: u64,
}

impl<'s, 'a> Folder<'s, 'a> {
    pub(super) fn new(path: PathBuf, name: TilesetName, store: &'s mut StoreWriter<'a>) -> Self {
        Self { path, name, store }
    }

    /// What is published here.
    pub fn published(&self) -> Result<Published, Error> {
        // A ledger that cannot be read must not look like one that is not there.
        layout::ledger(&self.path)?;
        Ok(catalog::read_tileset(&self.name, &self.path).unwrap_or_default())
    }

    /// The live version with this content; the current one if there are several. A version whose
    /// file is gone or has another size does not count: nobody can serve it.
    pub fn live_with(&self, digest: &str) -> Result<Option<Version>, Error> {
        let published = self.published()?;
        let mut same = published.versions.iter().filter(|(_, entry)| {
            let size = std::fs::metadata(&entry.path).map(|m| m.len()).ok();
            entry.state == State::Live
                && entry.manifest.as_ref().is_some_and(|m| m.digest == digest && Some(m.bytes) == size)
        });
        let all: Vec<Version> = same.by_ref().map(|(version, _)| *version).collect();
        Ok(published.current.filter(|v| all.contains(v)).or(all.last().copied()))
    }

    /// One more than any number in the ledger, in the pointer or in a file's name.
    pub fn next_number(&self) -> Result<Version, Error> {
        let in_names = names(&self.path)?.iter().filter_map(|n| layout::version_of(n)).max();
        let pointer = layout::json::<CurrentFile>(&self.path.join(CURRENT)).ok().flatten().map(|f| f.version);
        match in_names.max(pointer).max(layout::ledger(&self.path)?.highest) {
            None => Ok(Version::FIRST),
            Some(highest) => highest.next().ok_or_else(|| Error::NoNumbers { path: self.path.clone() }),
        }
    }

    /// Copies a tile file in under a temporary name. Never links: no other name must lead to
    /// published bytes.
    pub fn copy_in(&mut self, version: Version, file: &Path) -> Result<Copied, Error> {
        if !self.path.is_dir() {
            self.store.disk.create_folder(&self.path).map_err(Error::io(&self.path, "make the tileset's folder"))?;
            let path = self.path.clone();
            self.store.sync_folder(&path)?;
        }
        let target = layout::tiles(&self.path, version);
        let temporary = layout::temporary(&target);
        self.store.set_adding(Some((&self.name, version)));
        let copied = self.store.disk.copy(file, &temporary).map_err(Error::io(&target, "copy the tiles"));
        match copied {
            Ok(bytes) => Ok(Copied { version, bytes }),
            Err(error) => {
                self.abandon(&Copied { version, bytes: 0 });
                Err(error)
            }
        }
    }

    /// Removes what was copied.
    pub fn abandon(&mut self, copied: &Copied) {
        self.store.discard(&layout::tiles(&self.path, copied.version));
        self.store.set_adding(None);
    }

    /// Makes the copied tiles a version: tiles, manifest, ledger.
    ///
    /// # Errors
    /// Leaves nothing behind where it failed before the ledger was touched; later the number is
    /// taken, and the version may or may not exist.
    pub fn commit(&mut self, copied: &Copied, manifest: &Manifest) -> Result<(), Error> {
        let version = copied.version;
        if let Err(error) = self.place(version, manifest) {
            self.abandon(copied);
            self.store.discard(&layout::manifest(&self.path, version));
            let _ = self.remove_unlisted(version, true);
            return Err(error);
        }
        let event = event(Happened::Publish, version, Some(manifest.digest.clone()));
        let listed = self.append(&event);
        if listed.is_err() {
            let _ = self.remove_unlisted(version, false);
        }
        self.store.set_adding(None);
        listed?;
        self.store.ensure_default()
    }

    fn place(&self, version: Version, manifest: &Manifest) -> Result<(), Error> {
        let target = layout::tiles(&self.path, version);
        let temporary = layout::temporary(&target);
        let disk = self.store.disk;
        disk.sync(&temporary)
            .and_then(|()| disk.rename(&temporary, &target))
            .map_err(Error::io(&target, "put the tiles in place"))?;
        self.store.replace(&layout::manifest(&self.path, version), manifest, true)
    }

    /// Makes a live version current. Says whether it was not before.
    pub fn switch(&self, version: Version) -> Result<bool, Error> {
        let path = self.path.join(CURRENT);
        let before = self.published()?.current;
        let pointer = layout::json::<CurrentFile>(&path).ok().flatten().map(|f| f.version);
        if pointer == Some(version) {
            return Ok(false);
        }
        self.append(&event(Happened::Switch, version, None))?;
        let replaced = self.store.replace(&path, &CurrentFile { version }, false);
        if replaced.is_err() {
            self.store.discard(&path);
        }
        replaced.map(|()| before != Some(version))
    }

    /// Adds a line to the ledger, first putting right how it ends: a line is never glued to a
    /// part of another.
    pub(super) fn append(&self, event: &Event) -> Result<(), Error> {
        let path = self.path.join(LEDGER);
        let disk = self.store.disk;
        let write = Error::io(&path, "add a line to the ledger");
        let json = match serde_json::to_string(event) {
            Ok(json) => json,
            Err(e) => return Err(write(e.into())),
        };
        let (ledger, new) = (layout::ledger(&self.path)?, !path.exists());
        let line = if ledger.tail == Tail::Open { format!("\n{json}\n") } else { format!("{json}\n") };
        let torn = if let Tail::Torn(kept) = ledger.tail { disk.truncate(&path, kept) } else { Ok(()) };
        torn.and_then(|()| disk.append(&path, line.as_bytes())).and_then(|()| disk.sync(&path)).map_err(write)?;
        if new { self.store.sync_folder(&path) } else { Ok(()) }
    }

    /// Removes the tiles of a number that the ledger has no line for, and its manifest if asked.
    pub(super) fn remove_unlisted(&self, version: Version, manifest: bool) -> Result<(), Error> {
        if layout::ledger(&self.path)?.events.iter().any(|e| e.version == version) {
            return Ok(());
        }
        let manifest = manifest.then(|| layout::manifest(&self.path, version));
        for path in [Some(layout::tiles(&self.path, version)), manifest].into_iter().flatten() {
            match self.store.disk.remove(&path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io(&path, "remove an unfinished version")(e));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn event(event: Happened, version: Version, digest: Option<String>) -> Event {
    Event { event, version, digest, reason: None, at: clock::now() }
}
