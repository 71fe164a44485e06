//! Features into tiles: the pipeline, in the order of its files.
//!
//! ```text
//! wrap       degrees → world grid; what crosses ±180° goes on at the other side
//! nodes      vertices where boundaries part: they stay at every zoom
//! simplify   the lowest zoom each vertex is needed at, once, the same for all who share it
//! thin       the lowest zoom each point is shown at
//! clip       one shape at one zoom → pieces of tiles with their buffer
//! clean      pieces in tile units → valid geometry
//! ```
//!
//! Everything here is local: what happens to a vertex depends on its neighbourhood of a stated
//! radius, never on its place in the file, the length of a boundary or the number of features.
//! Sees no attributes and no layers' names; knows nothing of bytes and files.

mod clean;
mod clip;
mod nodes;
mod options;
mod shapes;
mod simplify;
mod thin;
mod wrap;

pub use clean::{clean, clean_polygons};
pub use clip::{Piece, clip, clip_or_enlarge};
pub use nodes::Nodes;
pub use options::{MAX_CUT_ZOOM, Options, ZoomGrid};
pub use shapes::{Shape, Shapes};
pub use simplify::{LATTICE, NEVER, simplify};
pub use thin::{Thinning, thin};
pub use wrap::{Wrapped, wrap};
