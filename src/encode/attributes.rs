//! Attributes in their packed form: what a feature carries through the build.

use super::pbf::{put_number, put_varint};
use crate::feature::Value;
use hashbrown::HashMap;

/// Names of attributes, numbered in the order in which they came up.
///
/// The numbers never reach a tile: each tile has a dictionary of its own.
#[derive(Debug, Default)]
pub struct Keys {
    numbers: HashMap<String, u32>,
    names: Vec<String>,
}

impl Keys {
    /// The number of this name, a new one if it was not seen before.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(&n) = self.numbers.get(name) {
            return n;
        }
        let n = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), n);
        n
    }

    /// The name with this number.
    pub fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", String::as_str)
    }
}

/// Appends one attribute in packed form: key number, length of the value message, and the value
/// message as it will stand in the tile (MVT 2.1, section 4.1: `Value`).
pub fn pack(out: &mut Vec<u8>, key: u32, value: &Value) {
    let mut message = Vec::with_capacity(12);
    match value {
        Value::String(text) => super::pbf::put_bytes(&mut message, 1, text.as_bytes()),
        Value::Double(v) => {
            message.push(3 << 3 | 1);
            // Minus zero and zero are one value for everybody who reads a map.
            message.extend_from_slice(&(v + 0.0).to_le_bytes());
        }
        Value::Uint(v) => put_number(&mut message, 5, *v),
        Value::Int(v) if *v >= 0 => put_number(&mut message, 5, *v as u64),
        Value::Int(v) => put_number(&mut message, 6, super::pbf::zigzag(*v)),
        Value::Bool(v) => put_number(&mut message, 7, u64::from(*v)),
    }
    put_varint(out, u64::from(key));
    put_varint(out, message.len() as u64);
    out.extend_from_slice(&message);
}

/// Walks packed attributes.
pub(super) fn unpack(mut packed: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    std::iter::from_fn(move || {
        let key = take_varint(&mut packed)?;
        let length = take_varint(&mut packed)? as usize;
        let (value, rest) = packed.split_at_checked(length)?;
        packed = rest;
        Some((key as u32, value))
    })
}

fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut v = 0;
    for shift in (0..64).step_by(7) {
        let (&b, rest) = bytes.split_first()?;
        *bytes = rest;
        v |= u64::from(b & 0x7f) << shift;
        if b < 0x80 {
            return Some(v);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_of_different_types_are_one_value() {
        let packed = |v: Value| {
            let mut out = Vec::new();
            pack(&mut out, 0, &v);
            out
        };
        assert_eq!(packed(Value::Int(7)), packed(Value::Uint(7)));
        assert_eq!(packed(Value::Double(-0.0)), packed(Value::Double(0.0)));
        assert_ne!(packed(Value::Int(1)), packed(Value::Bool(true)));
        assert_ne!(packed(Value::Int(1)), packed(Value::String("1".into())));
    }
}
