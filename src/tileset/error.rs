//! What can go wrong with a store directory.

use super::name::{InvalidName, TilesetName};
use super::version::Version;
use std::path::{Path, PathBuf};

/// A store directory that cannot be read or written, with the path and what was tried.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refused an operation.
    #[error("{}: cannot {doing}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried, as an infinitive.
        doing: &'static str,
        /// The system's own words.
        #[source]
        source: std::io::Error,
    },
    /// A file of the store says something that cannot be used.
    #[error("{}: damaged: {why}\n  hint: {hint}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        why: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// Another process writes to the store and did not finish in the time given.
    #[error(
        "{}: {holder} has been writing to this store since {since}; waited {waited_seconds} s\n  hint: wait for it, or end it: the lock ends with its process",
        path.display()
    )]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// Process and host that hold the lock, as they wrote it themselves.
        holder: String,
        /// When they got it (RFC 3339, by their clock).
        since: String,
        /// How long this process waited, in seconds.
        waited_seconds: u64,
    },
    /// The file system has no locks, so nothing keeps two writers apart.
    #[error(
        "{}: this file system refuses file locks, and without them two publishers could take one number\n  hint: publish on a disk with locks (NFS: is its lock service running?) and copy from there; serving needs no locks",
        path.display()
    )]
    NoLocks {
        /// The lock file.
        path: PathBuf,
        /// The system's own words.
        #[source]
        source: std::io::Error,
    },
    /// The tileset has used up its numbers.
    #[error(
        "{}: version 9999999999 is in the ledger or in this folder, and no number follows it\n  hint: is there a file that does not belong here?",
        path.display()
    )]
    NoNumbers {
        /// The tileset's folder.
        path: PathBuf,
    },
    /// A version that cannot become current.
    #[error(
        "{}: {version} is not live: it was never published here, or was pruned or withdrawn\n  hint: `immutile versions` lists what there is",
        path.display()
    )]
    NotLive {
        /// The tileset's folder.
        path: PathBuf,
        /// The version that was asked for.
        version: Version,
    },
    /// Nothing is known about a tileset.
    #[error("there is no tileset {name} in {}{}", path.display(), they_are(.known))]
    Unknown {
        /// The store.
        path: PathBuf,
        /// What was asked for.
        name: TilesetName,
        /// The tilesets that are there.
        known: Vec<TilesetName>,
    },
    /// The name is none.
    #[error(transparent)]
    Name(#[from] InvalidName),
}

fn they_are(names: &[TilesetName]) -> String {
    if names.is_empty() {
        return "\n  hint: nothing is published there; is --store right?".into();
    }
    let names: Vec<_> = names.iter().map(TilesetName::as_str).collect();
    format!("\n  hint: there is {}", names.join(", "))
}

impl Error {
    /// Wraps the system's errors with the path and what was tried.
    pub(super) fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, doing, source }
    }
}
