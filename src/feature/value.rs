//! The value of one attribute.

/// What an attribute can hold in a tile (MVT 2.1, section 4.4); null is an absent attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number below zero or up to `i64::MAX`.
    Int(i64),
    /// A whole number above `i64::MAX`.
    Uint(u64),
    /// Any other number; always finite.
    Double(f64),
    /// Text; nested arrays and objects arrive as compact JSON.
    String(String),
}

impl Value {
    /// The number, for ranking; text and booleans have none.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Int(v) => Some(*v as f64),
            Self::Uint(v) => Some(*v as f64),
            Self::Double(v) => Some(*v),
            Self::Bool(_) | Self::String(_) => None,
        }
    }

    /// The name of the type in `vector_layers` (MBTiles 1.3: `Number`, `Boolean` or `String`).
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Bool(_) => "Boolean",
            Self::Int(_) | Self::Uint(_) | Self::Double(_) => "Number",
            Self::String(_) => "String",
        }
    }
}
