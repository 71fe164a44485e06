//! Gives a tile file the next version of a tileset in a store, and switches to it.
//!
//! ```text
//! look ─► verify ─► lock ─► known already? ──────────────────────► switch
//!                             └► number ─► copy ─► unchanged? ─► commit ─┘
//! ```
//!
//! The file is read before the lock is taken and copied after; the look tells whether somebody
//! wrote to it in between, so what is published is what was verified.
//!
//! Responsible for the order of these steps. How the store's files are written so that a crash
//! at any moment does no harm is the `tileset` room's; it makes and cuts no tiles.

mod error;
mod source;
mod verify;

pub use error::Error;
pub use verify::{Verified, verify};

use crate::tileset::{Disk, Folder, Manifest, StoreWriter, SystemDisk, TilesetName, Version, now};
use serde::Serialize;
use source::Source;
use std::path::PathBuf;
use std::time::Duration;

/// How long another writer is waited for unless told otherwise: the copy of a large file takes
/// minutes on a slow disk.
pub const WAIT: Duration = Duration::from_secs(600);

/// What to publish, and where.
#[derive(Debug, Clone)]
pub struct Options {
    /// The tile file.
    pub file: PathBuf,
    /// The store directory; made if it is not there.
    pub store: PathBuf,
    /// The tileset; its first version if there is none.
    pub tileset: TilesetName,
    /// Whether to make the version current.
    pub switch: bool,
    /// How long to wait for another writer.
    pub wait: Duration,
}

impl Options {
    /// Publishes and switches, waiting up to [`WAIT`].
    pub fn new(file: impl Into<PathBuf>, store: impl Into<PathBuf>, tileset: TilesetName) -> Self {
        Self { file: file.into(), store: store.into(), tileset, switch: true, wait: WAIT }
    }
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// So many different contents were checked.
    Checked {
        /// Their number.
        contents: u64,
    },
    /// The lock is asked for.
    Locking,
    /// The tiles are copied.
    Copying {
        /// The version they will be.
        version: Version,
    },
    /// The version is there and is made current.
    Switching {
        /// The version.
        version: Version,
    },
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Published {
    /// The tileset.
    pub tileset: TilesetName,
    /// The version that has the file's content.
    pub version: Version,
    /// The digest of the content, 64 hexadecimal digits.
    pub digest: String,
    /// Whether the version is new; `false` when a live one had the content already.
    pub published: bool,
    /// Whether the version became current and was not before.
    pub switched: bool,
}

/// Publishes a file.
///
/// # Errors
/// When the file is refused or the store cannot be written. What was served before still is; the
/// new version either exists completely or not at all. Doing it again finishes what can be finished.
pub fn publish(options: &Options, progress: &dyn Fn(Progress)) -> Result<Published, Error> {
    publish_on(&SystemDisk, options, progress)
}

/// Publishes a file on a given disk; see [`publish`].
pub fn publish_on(disk: &dyn Disk, options: &Options, progress: &dyn Fn(Progress)) -> Result<Published, Error> {
    let source = Source::open(&options.file)?;
    let verified = verify(&source.path, progress)?;
    progress(Progress::Locking);
    let mut store = StoreWriter::lock(&options.store, disk, options.wait)?;
    let mut folder = store.tileset(&options.tileset);
    let known = folder.live_with(&verified.digest)?;
    let version = match known {
        Some(version) => version,
        None => add(&mut folder, &source, options, &verified, progress)?,
    };
    let mut switched = false;
    if options.switch {
        progress(Progress::Switching { version });
        switched = folder.switch(version)?;
    }
    let Verified { digest, .. } = verified;
    Ok(Published { tileset: options.tileset.clone(), version, digest, published: known.is_none(), switched })
}

fn add(
    folder: &mut Folder,
    source: &Source,
    options: &Options,
    verified: &Verified,
    progress: &dyn Fn(Progress),
) -> Result<Version, Error> {
    let version = folder.next_number()?;
    progress(Progress::Copying { version });
    let copied = folder.copy_in(version, &source.path)?;
    if let Err(changed) = source.still(copied.bytes) {
        folder.abandon(&copied);
        return Err(changed);
    }
    folder.commit(&copied, &manifest(options, version, copied.bytes, verified))?;
    Ok(version)
}

fn manifest(options: &Options, version: Version, bytes: u64, verified: &Verified) -> Manifest {
    let Verified { metadata, digest, tiles, distinct } = verified;
    Manifest {
        tileset: options.tileset.clone(),
        version,
        digest: digest.clone(),
        bytes,
        tiles: *tiles,
        distinct: *distinct,
        minzoom: metadata.minzoom,
        maxzoom: metadata.maxzoom,
        bounds: metadata.bounds,
        built_by: metadata.built_by.clone(),
        inputs: metadata.inputs.clone(),
        report: metadata.report.clone(),
        published_at: now(),
    }
}
