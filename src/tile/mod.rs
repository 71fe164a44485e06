//! The vocabulary of tiles: coordinates, extent and buffer, content encodings.
//!
//! Tiles are named `z/x/y` in the XYZ scheme everywhere in this crate: row 0 is the northernmost.
//! (TMS rows exist only inside the MBTiles file, and only the `store` room knows them.)

mod coord;
mod encoding;
mod policy;

pub use coord::{InvalidTile, MAX_ZOOM, TileCoord};
pub use encoding::Encoding;
pub use policy::Empty;

/// Tile units along one side of a tile, unless a tileset says otherwise (MVT 2.1, section 4.1).
pub const EXTENT: u32 = 4096;

/// Tile units kept beyond each side of a tile, unless a tileset says otherwise.
pub const BUFFER: u32 = 64;

/// The media type of a tile (registered by the MVT specification).
pub const MEDIA_TYPE: &str = "application/vnd.mapbox-vector-tile";
