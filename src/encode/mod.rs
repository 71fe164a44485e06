//! Mapbox Vector Tile 2.1: tiles to bytes and back.
//!
//! Responsible for the wire format: command integers, key and value dictionaries, and a total
//! decoder with limits. Opens no file, cuts nothing and repairs nothing: geometry arrives in tile
//! units, clean, with exterior rings of positive area first.

mod attributes;
mod decode;
mod error;
mod geometry;
mod layer;
mod pbf;

pub use attributes::{Keys, pack};
pub use decode::{Decoded, DecodedFeature, DecodedLayer, decode};
pub use error::Error;
pub use geometry::write_geometry;
pub use layer::LayerWriter;
