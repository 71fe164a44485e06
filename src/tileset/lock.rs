//! The lock that lets one writer at a time into a store directory.
//!
//! Responsible for taking it, for saying who has it, and for leaving word of what its holder was
//! about to add. The lock belongs to the open file, so it ends with its process however that
//! dies; the file itself stays.

use super::disk::Disk;
use super::{Error, TilesetName, Version, clock, layout};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often a waiting process tries again.
const TRY_EVERY: Duration = Duration::from_millis(50);

/// The lock of one store, held until dropped.
pub(super) struct Lock {
    file: File,
    note: Note,
    /// What the holder before left half-done.
    pub(super) left: Option<Adding>,
}

/// A version that is about to be added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Adding {
    pub(super) tileset: TilesetName,
    pub(super) version: Version,
}

/// What stands in the lock file.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Note {
    host: String,
    pid: u32,
    since: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    adding: Option<Adding>,
}

impl Lock {
    /// Takes the lock, or gives up when somebody else still holds it after `wait`.
    pub(super) fn take(root: &Path, disk: &dyn Disk, wait: Duration) -> Result<Self, Error> {
        let path = root.join(layout::LOCK);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::io(&path, "open the lock file"))?;
        wait_for(disk, &file, &path, wait)?;
        let left = read(&path).adding;
        let mut lock = Self {
            file,
            note: Note { host: host(), pid: std::process::id(), since: clock::now(), adding: left },
            left: None,
        };
        lock.write();
        lock.left = lock.note.adding.clone();
        Ok(lock)
    }

    /// Leaves word of what is about to be added, or that nothing is any more.
    pub(super) fn set_adding(&mut self, adding: Option<Adding>) {
        self.note.adding = adding;
        self.write();
    }

    /// The note helps people and the next writer's cleaning; a full disk that refuses it must not
    /// refuse the work.
    fn write(&mut self) {
        let text = serde_json::to_string(&self.note).unwrap_or_default();
        let _ = self.file.rewind().and_then(|()| self.file.write_all(text.as_bytes()));
        let _ = self.file.set_len(text.len() as u64);
    }
}

fn wait_for(disk: &dyn Disk, file: &File, path: &Path, wait: Duration) -> Result<(), Error> {
    let start = Instant::now();
    loop {
        match disk.try_lock(file) {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() < wait => {
                std::thread::sleep(TRY_EVERY.min(wait.saturating_sub(start.elapsed())));
            }
            Err(TryLockError::WouldBlock) => return Err(held(path.to_owned(), start.elapsed())),
            Err(TryLockError::Error(e)) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(TryLockError::Error(source)) => return Err(Error::NoLocks { path: path.to_owned(), source }),
        }
    }
}

fn held(path: PathBuf, waited: Duration) -> Error {
    let note = read(&path);
    let (holder, since) = match note.pid {
        0 => ("another process".into(), "an unknown time".into()),
        pid => (format!("process {pid} on {}", note.host), note.since),
    };
    Error::Locked { path, holder, since, waited_seconds: waited.as_secs() }
}

/// What stands in the lock file, as far as it can be understood.
fn read(path: &Path) -> Note {
    layout::json(path).ok().flatten().unwrap_or_default()
}

/// This machine's name, for people who look for the holder of a lock.
fn host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .ok()
        .or_else(|| std::env::var("HOSTNAME").ok())
        .or_else(|| std::env::var("COMPUTERNAME").ok())
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "an unnamed host".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tileset::SystemDisk;

    #[test]
    fn one_at_a_time() {
        let store = tempfile::tempdir().unwrap();
        let mut first = Lock::take(store.path(), &SystemDisk, Duration::ZERO).unwrap();
        let Err(Error::Locked { holder, since, .. }) = Lock::take(store.path(), &SystemDisk, Duration::ZERO) else {
            panic!("two holders")
        };
        assert!(holder.starts_with(&format!("process {} on ", std::process::id())), "{holder}");
        assert!(since.ends_with('Z'), "{since}");
        let adding = Adding { tileset: "world".parse().unwrap(), version: Version::FIRST };
        first.set_adding(Some(adding.clone()));
        drop(first);
        let mut second = Lock::take(store.path(), &SystemDisk, Duration::ZERO).unwrap();
        assert_eq!(second.left, Some(adding));
        second.set_adding(None);
        drop(second);
        assert_eq!(Lock::take(store.path(), &SystemDisk, Duration::ZERO).unwrap().left, None);
    }

    #[test]
    fn a_lock_file_with_anything_in_it() {
        let store = tempfile::tempdir().unwrap();
        for content in ["", "{", "null", "{\"host\":1}", "\0\0\0"] {
            std::fs::write(store.path().join(layout::LOCK), content).unwrap();
            assert_eq!(Lock::take(store.path(), &SystemDisk, Duration::ZERO).unwrap().left, None);
        }
    }
}
