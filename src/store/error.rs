//! What can go wrong with a tile file.

use std::path::{Path, PathBuf};

/// A tile file that cannot be written or read, with the file's path and what was tried.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// SQLite refused an operation.
    #[error("{}: cannot {doing}", path.display())]
    Sqlite {
        /// The tile file.
        path: PathBuf,
        /// What was tried, as an infinitive.
        doing: &'static str,
        /// SQLite's own words.
        #[source]
        source: rusqlite::Error,
    },
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
    /// The file is a database, or no database at all, but not one of ours.
    #[error("{}: not a tile file of immutile: {why}\n  hint: `immutile build` makes such files", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is missing or different.
        why: String,
    },
    /// The file contradicts itself.
    #[error("{}: damaged: {why}", path.display())]
    Damaged {
        /// The tile file.
        path: PathBuf,
        /// What does not fit.
        why: String,
    },
}

impl Error {
    /// Wraps SQLite's errors with the file and what was tried.
    pub(super) fn sqlite(path: &Path, doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Sqlite { path, doing, source }
    }

    /// Wraps the system's errors with the file and what was tried.
    pub(super) fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, doing, source }
    }

    pub(super) fn damaged(path: &Path, why: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), why: why.into() }
    }

    pub(super) fn foreign(path: &Path, why: impl Into<String>) -> Self {
        Self::Foreign { path: path.to_owned(), why: why.into() }
    }
}
