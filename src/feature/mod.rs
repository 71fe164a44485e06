//! The vocabulary of features: geometry in degrees, an id, attributes.

mod value;

pub use value::Value;

use crate::grid::{LonLat, Parts};

/// The id a feature came with.
///
/// Tiles can carry unsigned 64-bit numbers only (MVT 2.1, section 4.2); whatever else a source
/// has is kept apart so that it can be counted and shown, never rounded or hashed into a number.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Id {
    /// There is none.
    #[default]
    None,
    /// A number that a tile can carry.
    Number(u64),
    /// Something that no tile can carry: negative, fractional, too large, text, …
    Unusable(String),
}

/// One feature as a source delivers it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Feature {
    /// The id in the source.
    pub id: Id,
    /// Geometry in degrees: at most one entry for each kind, none of them empty.
    pub geometry: Vec<Parts<LonLat>>,
    /// Attributes sorted by name, names unique; an absent or null attribute has no entry.
    pub properties: Vec<(String, Value)>,
}

impl Feature {
    /// The attribute of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let at = self.properties.binary_search_by(|(n, _)| n.as_str().cmp(name)).ok()?;
        Some(&self.properties[at].1)
    }
}
