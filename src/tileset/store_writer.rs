//! The writing side of a store directory: everything that happens under its lock.
//!
//! Responsible for the lock, for `store.json`, and for what dead writers left. Does not know the
//! files of one tileset beyond that; see [`Folder`].

use super::catalog::{self, StoreFile};
use super::disk::Disk;
use super::folder::Folder;
use super::layout::{self, STORE};
use super::lock::{Adding, Lock};
use super::{Error, TilesetName, Version};
use std::path::{Path, PathBuf};
use std::time::Duration;

const STORE_HINT: &str =
    "put {\"default_tileset\": \"NAME\"} there, with the name of the tileset that the short URLs always had";

/// A store directory that nobody else writes to until this is dropped.
pub struct StoreWriter<'a> {
    root: PathBuf,
    pub(super) disk: &'a dyn Disk,
    lock: Lock,
}

impl<'a> StoreWriter<'a> {
    /// Makes the directory if need be, waits for other writers as long as `wait`, and removes
    /// what dead ones left.
    pub fn lock(root: &Path, disk: &'a dyn Disk, wait: Duration) -> Result<Self, Error> {
        if !root.is_dir() {
            disk.create_folder(root).map_err(Error::io(root, "make the store"))?;
            let above = root.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            disk.sync(above).map_err(Error::io(above, "flush the folder to the disk"))?;
        }
        let mut store = Self { root: root.to_owned(), disk, lock: Lock::take(root, disk, wait)? };
        store.sweep()?;
        store.ensure_default()?;
        Ok(store)
    }

    /// The folder of a tileset, which need not exist.
    pub fn tileset(&mut self, name: &TilesetName) -> Folder<'_, 'a> {
        Folder::new(self.root.join(name.as_str()), name.clone(), self)
    }

    /// Temporary files are only made under the lock, so those that are there belong to the dead.
    /// Whoever died with tiles in place and no ledger line left its word in the lock file.
    ///
    /// What cannot be removed is only in the way of the space it takes: that refuses no work.
    fn sweep(&mut self) -> Result<(), Error> {
        let folders = catalog::subfolders(&self.root)?;
        for folder in folders.values().chain([&self.root]) {
            for name in names(folder).unwrap_or_default().iter().filter(|n| layout::is_temporary(n)) {
                let _ = self.disk.remove(&folder.join(name));
            }
        }
        if let Some(Adding { tileset, version }) = self.lock.left.take() {
            // The manifest stays, so that the number is taken: a ledger line may have been seen
            // and then lost with the power.
            let _ = self.tileset(&tileset).remove_unlisted(version, false);
            self.lock.set_adding(None);
        }
        Ok(())
    }

    pub(super) fn set_adding(&mut self, adding: Option<(&TilesetName, Version)>) {
        self.lock.set_adding(adding.map(|(tileset, version)| Adding { tileset: tileset.clone(), version }));
    }

    /// Writes `store.json` once there is something published, naming the first. Every writer sees
    /// to it before it adds anything, so without the file there is at most one such tileset.
    pub(super) fn ensure_default(&self) -> Result<(), Error> {
        let path = self.root.join(STORE);
        let damaged = |why| Error::Damaged { path: path.clone(), why, hint: STORE_HINT };
        if layout::json::<StoreFile>(&path).map_err(damaged)?.is_some() {
            return Ok(());
        }
        let mut published = Vec::new();
        for (name, folder) in catalog::folders(&self.root)? {
            if layout::ledger(&folder)?.has_published() {
                published.push(name);
            }
        }
        match published.pop() {
            None => Ok(()),
            Some(first) if published.is_empty() => self.write_default(&path, first),
            Some(_) => Err(damaged("it is missing, and several tilesets are published".into())),
        }
    }

    fn write_default(&self, path: &Path, default_tileset: TilesetName) -> Result<(), Error> {
        let written = self.replace(path, &StoreFile { default_tileset }, false);
        if written.is_err() {
            self.discard(path);
        }
        written
    }

    /// Puts a JSON file in place so that it is either the old or the whole new one.
    pub(super) fn replace(&self, path: &Path, value: &impl serde::Serialize, read_only: bool) -> Result<(), Error> {
        let temporary = layout::temporary(path);
        let mut text = serde_json::to_string(value).map_err(|e| Error::io(path, "write the file")(e.into()))?;
        text.push('\n');
        self.disk
            .create(&temporary, text.as_bytes(), read_only)
            .and_then(|()| self.disk.sync(&temporary))
            .and_then(|()| self.disk.rename(&temporary, path))
            .map_err(Error::io(path, "write the file"))?;
        self.sync_folder(path)
    }

    /// Makes the names beside `path` survive a power cut.
    pub(super) fn sync_folder(&self, path: &Path) -> Result<(), Error> {
        let folder = path.parent().unwrap_or(&self.root);
        self.disk.sync(folder).map_err(Error::io(folder, "flush the folder to the disk"))
    }

    /// Removes what was to become `path`: for a writer that failed and lives.
    pub(super) fn discard(&self, path: &Path) {
        let _ = self.disk.remove(&layout::temporary(path));
    }
}

/// The file names in a folder.
pub(super) fn names(folder: &Path) -> Result<Vec<String>, Error> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Error::io(folder, "list the folder")(e)),
    };
    entries
        .map(|e| e.map(|e| e.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_, _>>()
        .map_err(Error::io(folder, "list the folder"))
}
