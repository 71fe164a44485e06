//! What ends a build.

use crate::{source, store};
use std::path::PathBuf;

/// Why a build could not be finished.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The definition is not usable.
    #[error("{}: {why}", path.display())]
    Definition {
        /// The `tileset.toml`, or what stands for it.
        path: PathBuf,
        /// What is wrong and what to do.
        why: String,
    },
    /// A source cannot be read to its end.
    #[error("layer \"{layer}\"")]
    Source {
        /// The layer that asked for it.
        layer: String,
        /// The file, the place and the reason.
        #[source]
        source: source::Error,
    },
    /// A source has features, but none that can be drawn.
    #[error("layer \"{layer}\": {}: none of its {features} features can be drawn: {reasons}{hint}", path.display())]
    NothingUsable {
        /// The layer that asked for it.
        layer: String,
        /// The source.
        path: PathBuf,
        /// How many features it has.
        features: u64,
        /// Why they were skipped, with counts and the first example.
        reasons: String,
        /// A line with what to do, if there is something.
        hint: String,
    },
    /// A zoom has more tiles than can be held.
    #[error(
        "zoom {zoom} would need more than {limit} pieces of tiles\n  hint: choose a smaller --maxzoom; maps enlarge the tiles of the largest zoom by themselves"
    )]
    TooManyTiles {
        /// The zoom.
        zoom: u8,
        /// The limit.
        limit: u64,
    },
    /// Features were skipped and `--strict` forbids it.
    #[error("{} features were skipped and --strict is set; nothing was written", report.skipped)]
    Strict {
        /// What was read and skipped.
        report: Box<super::Report>,
    },
    /// The output cannot be written.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A tile cannot be compressed.
    #[error("cannot compress a tile: {0}")]
    Compress(String),
    /// The operating system refused something.
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
    /// The threads cannot be started.
    #[error("cannot start the worker threads: {0}")]
    Threads(String),
}
