//! Reads features from files: GeoJSON in all its shapes, plain or gzip.
//!
//! ```text
//! file ─► gunzip ─► scanner (one thread) ─► slices, 256 KiB a batch ─► parser (all threads) ─► sink
//!                   finds features,          bounded by a budget        text to Feature,
//!                   parses nothing                                      Skip or Warning
//! ```
//!
//! Responsible for telling formats and encodings apart by their content, for streaming (a file
//! larger than memory is never held), and for a reason, a number and a place for everything that
//! is not delivered. It does not project, cut, repair or judge geometry, and writes nothing.

mod batch;
mod error;
mod geojson;
mod open;
mod problem;

pub use batch::{Batch, Located, Summary};
pub use error::Error;
pub use geojson::{MAX_FEATURE_BYTES, MAX_NESTING, parse_feature, read, read_from};
pub use problem::{Skip, SkipReason, Warning, WarningKind};
