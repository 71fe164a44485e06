//! Features out of files.
//!
//! ```text
//! input     bytes: a file or standard input, gzip or plain, byte order mark off, UTF-8 for sure
//! scan      bytes → one slice for each feature, by brackets and quotes alone, without parsing
//! parse     slice → feature, on all cores
//! ```
//!
//! Responsible for GeoJSON (RFC 7946): a `FeatureCollection`, a `Feature`, a bare geometry, or any
//! of them one after the other, on lines or as JSON text sequences (RFC 8142). A file larger than
//! memory is read without being held. A bad feature is skipped with its number, offset and reason;
//! only what makes the rest unreadable ends the reading. Projects nothing and drops nothing else.

mod batch;
mod coordinates;
mod crs;
mod error;
mod geometry;
mod input;
mod members;
mod parse;
mod read;
mod scan;

pub use batch::{Batch, Located, Skip, SkipReason, Summary, Warning, WarningKind};
pub use error::Error;
pub use parse::parse;
pub use read::{read, read_from};
