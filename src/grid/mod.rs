//! Coordinates and integer geometry: the spaces every other room speaks in.
//!
//! ```text
//!  LonLat (degrees)        Mercator (unit square)      World (2^32 × 2^32 integer grid)
//!     +90                   0,0 ──────► x 1,0           0,0 ──────► x
//!  -180 ┼ +180   project     │  north-west               │  one unit ≈ 0.93 cm at the equator
//!     -90       ────────►    ▼ y                  ───►   ▼ y
//! ```
//!
//! Responsible for converting between these spaces, for boxes, and for the flat storage of
//! multi-part geometry. Does no input or output and knows neither tiles nor features.

mod bounds;
mod hilbert;
mod lonlat;
mod parts;
mod ring;
mod valid;
mod world;

pub use bounds::Bounds;
pub use hilbert::hilbert;
pub use lonlat::{LonLat, MAX_LATITUDE, Mercator};
pub use parts::{Kind, Parts};
pub use ring::{Point, double_area, turn};
pub use valid::{Fault, check_polygons};
pub use world::{WORLD_BITS, WORLD_SIZE, World};
