//! The use case *build*: features in files become a tile file.
//!
//! ```text
//! definition  what to cut: tileset.toml, or files and options from a command line
//! ingest      read the sources, keep what the layers ask for, in compact chunks
//! layer       mark nodes, decide levels, put features in their order
//! zoom        cut one zoom: pieces sorted by tile
//! tile        the pieces of one tile → the bytes of one tile
//! output      bytes → the file: equal tiles once, compressed in parallel, written in order
//! report      what was read, skipped, drawn and written
//! ```
//!
//! Knows nothing of versions and stores; the same input and definition give the same bytes with
//! any number of threads.

mod bounds;
mod definition;
mod error;
mod ingest;
mod inputs;
mod layer;
mod output;
mod report;
mod run;
mod tile;
mod zoom;

pub use definition::{Definition, LayerDefinition, Off, Simplify, Thin, Thinning};
pub use error::Error;
pub use inputs::fingerprint;
pub use report::{BigTile, Event, LayerReport, Report, SkipExample, ZoomReport};
pub use run::{Options, build};
