//! One tile file: an MBTiles 1.3 SQLite database that any other reader can open.
//!
//! ```text
//! metadata       name, value                                   MBTiles 1.3 rows, and `immutile*` rows of ours
//! tiles_shallow  zoom_level, tile_column, tile_row,            which content lies where, and its tag,
//!                tile_data_id, tag                             so that a 304 never touches a blob page
//! tiles_data     tile_data_id, tile_data                       gzip bytes, equal tiles once
//! tiles_br       tile_data_id, tile_data                       the same tiles in brotli, if asked for
//! tiles_zstd     tile_data_id, tile_data                       the same tiles in zstd, if asked for
//! tiles          a view over the two, as the specification asks
//! ```
//!
//! Responsible for the schema, for writing a file in one pass and for reading it without locks.
//! The only room that knows TMS rows (row 0 in the south) and these tables. It never looks
//! inside a tile, and knows neither layers' features nor versions.

mod block;
mod coding;
mod digest;
mod error;
mod hash;
mod metadata;
mod reader;
mod schema;
mod writer;

pub use block::{BLOCK_SIDE, Block};
pub use coding::{decode, encode};
pub use digest::Digest;
pub use error::Error;
pub use hash::{ContentHash, Tag};
pub use metadata::Metadata;
pub use reader::{Census, MAX_TILE_BYTES, Reader, StoredTile, gunzip};
pub use writer::{Summary, Writer, gzip};
