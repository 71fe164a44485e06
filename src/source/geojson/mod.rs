//! GeoJSON (RFC 7946): a `FeatureCollection`, a `Feature`, a geometry, or many of them one after
//! another, by lines or by record separators (RFC 8142).
//!
//! The scanner finds where features begin and end without parsing them; the parser turns the text
//! of one feature into a [`Feature`](crate::feature::Feature). So a broken feature costs only
//! itself, and all threads parse.

mod balance;
mod crs;
mod cursor;
mod geometry;
mod id;
mod parse;
mod properties;
mod read;
mod scan;
mod slices;
#[cfg(test)]
mod tests;
mod window;

pub use geometry::MAX_NESTING;
pub use parse::parse_feature;
pub use read::{read, read_from};
pub use slices::MAX_FEATURE_BYTES;
