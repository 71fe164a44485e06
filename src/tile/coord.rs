//! Which tile: zoom, column and row.

use std::fmt;

/// The deepest zoom a tile can have in a URL or a file.
pub const MAX_ZOOM: u8 = 30;

/// The name of one tile, `z/x/y`, with the north-west tile at `0/0`.
///
/// ```
/// use immutile::tile::TileCoord;
/// assert_eq!(TileCoord::new(5, 10, 12).unwrap().to_string(), "5/10/12");
/// assert!(TileCoord::new(0, 1, 0).is_err());   // zoom 0 has one tile
/// assert!(TileCoord::new(31, 0, 0).is_err());  // zooms end at 30
/// assert!(TileCoord::new(2, 3, 4).is_err());   // rows run from 0 to 2^z - 1
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileCoord {
    z: u8,
    x: u32,
    y: u32,
}

/// A zoom, column or row outside the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("tile {z}/{x}/{y} does not exist: zooms are 0..=30, columns and rows 0..2^zoom")]
pub struct InvalidTile {
    /// The zoom that was asked for.
    pub z: u8,
    /// The column that was asked for.
    pub x: u32,
    /// The row that was asked for.
    pub y: u32,
}

impl TileCoord {
    /// The tile of this zoom, column and row.
    ///
    /// # Errors
    /// When the zoom is above 30 or the column or row is outside that zoom's grid.
    pub const fn new(z: u8, x: u32, y: u32) -> Result<Self, InvalidTile> {
        if z <= MAX_ZOOM && x >> z == 0 && y >> z == 0 { Ok(Self { z, x, y }) } else { Err(InvalidTile { z, x, y }) }
    }

    /// Zoom.
    pub const fn z(self) -> u8 {
        self.z
    }

    /// Column, from the antimeridian eastwards.
    pub const fn x(self) -> u32 {
        self.x
    }

    /// Row, from the north southwards.
    pub const fn y(self) -> u32 {
        self.y
    }
}

impl fmt::Display for TileCoord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.z, self.x, self.y)
    }
}
