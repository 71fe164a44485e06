//! Why a file is not published.

use crate::tile::TileCoord;
use crate::{encode, store, tileset};
use std::path::{Path, PathBuf};

/// A file that was not published. Nothing that was served before has changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The tile file cannot be read, or is none of ours.
    #[error(transparent)]
    File(#[from] store::Error),
    /// The store cannot be written.
    #[error(transparent)]
    Store(#[from] tileset::Error),
    /// The operating system refused an operation on the tile file.
    #[error("{}: cannot {doing}", path.display())]
    Io {
        /// The tile file.
        path: PathBuf,
        /// What was tried, as an infinitive.
        doing: &'static str,
        /// The system's own words.
        #[source]
        source: std::io::Error,
    },
    /// The tile file claims something that is not so, or that no map could use.
    #[error("{}: refused: {why}\n  hint: {hint}", path.display())]
    Refused {
        /// The tile file.
        path: PathBuf,
        /// What does not fit.
        why: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// A tile does not decode.
    #[error(
        "{}: refused: tile {tile} does not decode\n  hint: the file is damaged; build it again",
        path.display()
    )]
    Tile {
        /// The tile file.
        path: PathBuf,
        /// One of the tiles with this content.
        tile: TileCoord,
        /// What is wrong with it.
        #[source]
        source: encode::Error,
    },
    /// Somebody wrote to the file in the meantime.
    #[error(
        "{}: it changed while it was being published\n  hint: publish again when whatever writes to it has ended",
        path.display()
    )]
    Changed {
        /// The tile file.
        path: PathBuf,
    },
}

impl Error {
    pub(super) fn refused(path: &Path, why: impl Into<String>) -> Self {
        Self::Refused { path: path.to_owned(), why: why.into(), hint: "build the file again" }
    }

    /// Wraps the system's errors with the file and what was tried.
    pub(super) fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, doing, source }
    }
}
