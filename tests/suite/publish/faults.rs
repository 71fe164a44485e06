//! A publisher that dies, or whose disk fails, at every single step.

use super::files::{Store, world};
use immutile::publish::{Options, Published, publish_on, verify};
use immutile::tileset::{Catalog, Disk, State, SystemDisk, Version};
use std::fs::{File, TryLockError};
use std::io::{Error, ErrorKind, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    /// The step fails, and the ones after it work.
    Error,
    /// The step and all that need space after it fail, writes after half of their bytes.
    Full,
    /// The process ends before the step: nothing of it runs any more.
    Kill,
    /// The process ends in the step, a write after half of its bytes.
    KillHalfway,
    /// The file system has no locks.
    NoLocks,
}

/// A disk on which step number `at`, counted from 0, goes wrong.
struct Faulty {
    at: usize,
    fault: Fault,
    step: AtomicUsize,
}

/// What the panic carries that stands for the end of the process.
struct Killed;

impl Faulty {
    fn new(at: usize, fault: Fault) -> Self {
        Self { at, fault, step: AtomicUsize::new(0) }
    }

    fn reached(&self) -> bool {
        self.step.load(Ordering::Relaxed) > self.at
    }

    /// A disk on which nothing goes wrong, and fast.
    fn never() -> Self {
        Self::new(usize::MAX, Fault::Error)
    }

    /// Runs one step; `half` is what it leaves when it breaks off.
    fn run<T>(&self, space: bool, half: impl FnOnce(), whole: impl FnOnce() -> Result<T>) -> Result<T> {
        let step = self.step.fetch_add(1, Ordering::Relaxed);
        match self.fault {
            Fault::Full if step >= self.at && space => {
                half();
                Err(ErrorKind::StorageFull.into())
            }
            Fault::Error if step == self.at => Err(Error::other("injected")),
            Fault::Kill if step == self.at => std::panic::resume_unwind(Box::new(Killed)),
            Fault::KillHalfway if step == self.at => {
                half();
                std::panic::resume_unwind(Box::new(Killed))
            }
            _ => whole(),
        }
    }
}

impl Disk for Faulty {
    fn create_folder(&self, folder: &Path) -> Result<()> {
        self.run(true, || (), || SystemDisk.create_folder(folder))
    }
    fn copy(&self, from: &Path, to: &Path) -> Result<u64> {
        let half = || {
            let bytes = std::fs::read(from).unwrap();
            let _ = SystemDisk.create(to, &bytes[..bytes.len() / 2], true);
        };
        self.run(true, half, || SystemDisk.copy(from, to))
    }
    fn create(&self, path: &Path, bytes: &[u8], read_only: bool) -> Result<()> {
        let half = || SystemDisk.create(path, &bytes[..bytes.len() / 2], read_only).unwrap_or_default();
        self.run(true, half, || SystemDisk.create(path, bytes, read_only))
    }
    fn append(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let half = || SystemDisk.append(path, &bytes[..bytes.len() / 2]).unwrap();
        self.run(true, half, || SystemDisk.append(path, bytes))
    }
    fn truncate(&self, path: &Path, length: u64) -> Result<()> {
        self.run(false, || (), || SystemDisk.truncate(path, length))
    }
    fn sync(&self, path: &Path) -> Result<()> {
        // What a process's death leaves does not depend on flushes, and they are slow.
        self.run(false, || (), || std::fs::metadata(path).map(drop))
    }
    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.run(false, || SystemDisk.rename(from, to).unwrap(), || SystemDisk.rename(from, to))
    }
    fn remove(&self, path: &Path) -> Result<()> {
        self.run(false, || (), || SystemDisk.remove(path))
    }
    fn try_lock(&self, file: &File) -> std::result::Result<(), TryLockError> {
        match self.fault {
            Fault::NoLocks => Err(TryLockError::Error(ErrorKind::Unsupported.into())),
            _ => file.try_lock(),
        }
    }
}

fn quick(store: &Store, n: u8) -> Published {
    publish_on(&Faulty::never(), &store.options(n), &|_| ()).unwrap()
}

/// What a reader can serve, each version read from end to end.
fn serves(store: &Store) -> (Option<Version>, Vec<(Version, String)>) {
    let catalog = store.catalog();
    let Some(published) = catalog.tilesets.get("world") else {
        assert_eq!(catalog.default_tileset, None);
        return (None, vec![]);
    };
    assert_eq!(catalog.default_tileset, Some(world()));
    let whole = published.versions.iter().map(|(version, entry)| {
        assert_eq!(entry.state, State::Live);
        let digest = verify(&entry.path, &|_| ()).unwrap().digest;
        assert_eq!(entry.manifest.as_ref().map(|m| &m.digest), Some(&digest));
        (*version, digest)
    });
    (published.current, whole.collect())
}

/// Publishes with a fault at every step in turn, after `prepare`. Returns the number of steps.
fn every_step(fault: Fault, prepare: impl Fn(&Store)) -> usize {
    for at in 0.. {
        let store = Store::new();
        prepare(&store);
        let old = serves(&store);
        let disk = Faulty::new(at, fault);
        let options = store.options(9);
        let outcome = catch_unwind(AssertUnwindSafe(|| publish_on(&disk, &options, &|_| ())));
        let new = serves(&store);
        let context = format!("{fault:?} at step {at}: {new:?}");
        match new.1.len() - old.1.len() {
            0 => assert_eq!(new, old, "{context}"),
            1 => assert!(
                new.1.starts_with(&old.1) && (new.0 == old.0 || new.0 == new.1.last().map(|v| v.0)),
                "{context}"
            ),
            _ => panic!("{context}"),
        }
        let failed = !matches!(outcome, Ok(Ok(_)));
        if outcome.is_ok() {
            assert_eq!(store.temporary(), 0, "{context}: a failed publisher cleans up");
        }
        finishes(&store, &old.1, &options, &context);
        if !disk.reached() {
            assert!(!failed, "{context}");
            return at;
        }
    }
    unreachable!()
}

/// Running it again finishes the job and leaves nothing lying about.
fn finishes(store: &Store, old: &[(Version, String)], options: &Options, context: &str) {
    let done = publish_on(&Faulty::never(), options, &|_| ()).unwrap_or_else(|e| panic!("{context}: {e}"));
    let (current, versions) = serves(store);
    assert_eq!(current, Some(done.version), "{context}");
    assert_eq!(versions.len(), old.len() + 1, "{context}");
    assert!(versions.starts_with(old), "{context}");
    assert_eq!(store.temporary(), 0, "{context}");
    let files = store.snapshot().into_keys().filter(|p| p.extension().is_some_and(|e| e == "mbtiles")).count();
    assert_eq!(files, versions.len(), "{context}");
    assert!(store.path("store.json").exists(), "{context}");
}

#[test]
fn at_every_step() {
    for fault in [Fault::Error, Fault::Full, Fault::Kill, Fault::KillHalfway] {
        // Seven steps for tiles and manifest, two for each of two ledger lines, four for the pointer;
        // the first time seven more for folder, ledger and store.json.
        assert_eq!(every_step(fault, |_| ()), 22);
        assert_eq!(every_step(fault, |store| drop(quick(store, 1))), 15);
        let torn = |store: &Store| {
            quick(store, 1);
            let ledger = store.path("world/ledger.jsonl");
            let whole = std::fs::read(&ledger).unwrap();
            std::fs::write(&ledger, [&whole, &b"{\"event\":\"publish\",\"ver"[..]].concat()).unwrap();
        };
        assert_eq!(every_step(fault, torn), 16);
    }
}

#[test]
fn when_a_switch_dies() {
    for fault in [Fault::Error, Fault::Full, Fault::Kill, Fault::KillHalfway] {
        for at in 0.. {
            let store = Store::new();
            quick(&store, 9);
            quick(&store, 1);
            let before = serves(&store);
            let disk = Faulty::new(at, fault);
            let _ = catch_unwind(AssertUnwindSafe(|| publish_on(&disk, &store.options(9), &|_| ())));
            let after = serves(&store);
            assert_eq!(after.1, before.1, "{fault:?} {at}");
            assert!(after.0.is_some());
            let done = quick(&store, 9);
            assert!(!done.published);
            assert_eq!(store.current(), Some(done.version));
            assert_eq!(store.temporary(), 0);
            if !disk.reached() {
                break;
            }
        }
    }
}

#[test]
fn a_second_death_while_cleaning_up_after_the_first() {
    for first in 0..20 {
        for second in 0..6 {
            let store = Store::new();
            quick(&store, 1);
            for (n, at) in [(2, first), (3, second)] {
                let disk = Faulty::new(at, Fault::Kill);
                let _ = catch_unwind(AssertUnwindSafe(|| publish_on(&disk, &store.options(n), &|_| ())));
            }
            let (_, versions) = serves(&store);
            quick(&store, 4);
            assert_eq!(serves(&store).1.len(), versions.len() + 1);
            assert_eq!(store.temporary(), 0);
            let (catalog, _) = Catalog::read(store.root()).unwrap();
            let listed = catalog.tilesets["world"].versions.len();
            let tiles = store.snapshot().into_keys().filter(|p| p.extension().is_some_and(|e| e == "mbtiles")).count();
            assert_eq!(tiles, listed, "killed at {first} and {second}");
        }
    }
}

#[test]
fn without_locks_nothing_is_published_and_everything_is_read() {
    let store = Store::new();
    store.publish(1);
    let before = serves(&store);
    let error = publish_on(&Faulty::new(0, Fault::NoLocks), &store.options(2), &|_| ()).unwrap_err();
    assert!(error.to_string().contains("refuses file locks"), "{error}");
    assert_eq!(serves(&store), before);
}
