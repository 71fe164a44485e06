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

const MANIFEST_HINT: &str =
    "it holds the build's report from the tile file; is that larger than 64 MiB or nested deeper than 126 levels?";

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
        let path = layout::manifest(&self.path, version);
        self.store.replace(&path, manifest, true)?;
        // Its report comes from a file that may hold anything: what readers of JSON refuse, too
        // large or too deep, must show before the ledger names the version.
        match layout::json::<Manifest>(&path) {
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err(Error::Damaged { path, why: "it is gone".into(), hint: MANIFEST_HINT }),
            Err(why) => Err(Error::Damaged { path, why, hint: MANIFEST_HINT }),
        }
    }

    /// Makes a live version current. Says whether it was not before.
    ///
    /// # Errors
    /// When the version is not live, and when it cannot be written.
    pub fn switch(&self, version: Version) -> Result<bool, Error> {
        let path = self.path.join(CURRENT);
        let published = self.published()?;
        if published.versions.get(&version).is_none_or(|entry| entry.state != State::Live) {
            return Err(Error::NotLive { path: self.path.clone(), version });
        }
        let pointer = layout::json::<CurrentFile>(&path).ok().flatten().map(|f| f.version);
        if pointer == Some(version) && layout::ledger(&self.path)?.last_switch() == Some(version) {
            return Ok(false);
        }
        // Also where the pointer is right and a switch that died left a line saying otherwise.
        self.append(&event(Happened::Switch, version, None))?;
        if pointer != Some(version) {
            let replaced = self.store.replace(&path, &CurrentFile { version }, false);
            if replaced.is_err() {
                self.store.discard(&path);
            }
            replaced?;
        }
        Ok(published.current != Some(version))
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

#[cfg(test)]
mod tests {
    use super::super::{Catalog, SystemDisk};
    use super::*;
    use std::time::Duration;

    fn nested(depth: usize) -> serde_json::Value {
        (0..depth).fold(serde_json::Value::Null, |inner, _| serde_json::json!([inner]))
    }

    fn manifest(version: Version, report: serde_json::Value) -> Manifest {
        Manifest {
            tileset: "world".parse().unwrap(),
            version,
            digest: format!("{version}"),
            bytes: 1,
            tiles: 1,
            distinct: 1,
            minzoom: 0,
            maxzoom: 0,
            bounds: [0.0; 4].into(),
            built_by: String::new(),
            inputs: None,
            report,
            published_at: clock::now(),
        }
    }

    /// A store with a file to publish in it, and the lock on it.
    fn with_folder(test: impl FnOnce(&Path, &mut Folder)) {
        let temporary = tempfile::tempdir().unwrap();
        std::fs::write(temporary.path().join("tiles"), "t").unwrap();
        let mut store = StoreWriter::lock(&temporary.path().join("store"), &SystemDisk, Duration::ZERO).unwrap();
        test(temporary.path(), &mut store.tileset(&"world".parse().unwrap()));
    }

    fn add(root: &Path, folder: &mut Folder, report: serde_json::Value) -> Result<Version, Error> {
        let version = folder.next_number()?;
        let copied = folder.copy_in(version, &root.join("tiles"))?;
        folder.commit(&copied, &manifest(version, report)).map(|()| version)
    }

    #[test]
    fn what_is_published_can_be_read() {
        // JSON is read to a depth of 127 (serde_json's limit), and a report lies one deeper in
        // its manifest.
        for (depth, fits) in [(126, true), (127, false)] {
            with_folder(|root, folder| {
                assert_eq!(add(root, folder, nested(depth)).is_ok(), fits, "{depth}");
                let (catalog, problems) = Catalog::read(&root.join("store")).unwrap();
                assert_eq!((catalog.tilesets.len(), problems), (usize::from(fits), vec![]), "{depth}");
                assert_eq!(add(root, folder, nested(1)).unwrap().get(), 1 + u64::from(fits));
            });
        }
    }

    #[test]
    fn only_live_versions_become_current() {
        with_folder(|root, folder| {
            let version = add(root, folder, nested(0)).unwrap();
            assert!(folder.switch(version).unwrap());
            assert!(folder.switch(version.next().unwrap()).is_err());
            folder.append(&event(Happened::Withdraw, version, None)).unwrap();
            assert!(folder.switch(version).is_err());
            let ledger = layout::ledger(&root.join("store/world")).unwrap();
            assert_eq!(ledger.events.len(), 3);
        });
    }

    #[test]
    fn after_a_half_done_switch_the_ledger_tells_the_truth() {
        with_folder(|root, folder| {
            let first = add(root, folder, nested(0)).unwrap();
            let second = add(root, folder, nested(0)).unwrap();
            folder.switch(first).unwrap();
            folder.append(&event(Happened::Switch, second, None)).unwrap();
            assert!(!folder.switch(first).unwrap());
            std::fs::remove_file(root.join("store/world").join(CURRENT)).unwrap();
            assert_eq!(folder.published().unwrap().current, Some(first));
        });
    }
}
