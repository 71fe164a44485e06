//! One layer of one tile: features in, bytes out (MVT 2.1, section 4.1).

use super::attributes::{Keys, unpack};
use super::geometry::type_number;
use super::pbf::{put_bytes, put_number, put_varint};
use crate::grid::Kind;
use hashbrown::HashMap;

/// Collects the features of one layer in their final order.
pub struct LayerWriter<'a> {
    keys: &'a Keys,
    features: Vec<u8>,
    count: u32,
    key_numbers: HashMap<u32, u32>,
    used_keys: Vec<u32>,
    value_numbers: HashMap<&'a [u8], u32>,
    used_values: Vec<&'a [u8]>,
    scratch: Vec<u8>,
}

impl<'a> LayerWriter<'a> {
    /// An empty layer whose packed attributes refer to `keys`.
    pub fn new(keys: &'a Keys) -> Self {
        Self {
            keys,
            features: Vec::new(),
            count: 0,
            key_numbers: HashMap::new(),
            used_keys: Vec::new(),
            value_numbers: HashMap::new(),
            used_values: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Adds a feature: its id, its geometry as written by [`super::write_geometry`], and its
    /// attributes as packed by [`super::pack`]. A feature without geometry is left out.
    pub fn feature(&mut self, id: Option<u64>, kind: Kind, geometry: &[u8], attributes: &'a [u8]) {
        if geometry.is_empty() {
            return;
        }
        let mut message = std::mem::take(&mut self.scratch);
        message.clear();
        if let Some(id) = id {
            put_number(&mut message, 1, id);
        }
        let tags = self.tags(attributes);
        if !tags.is_empty() {
            put_bytes(&mut message, 2, &tags);
        }
        put_number(&mut message, 3, type_number(kind));
        put_bytes(&mut message, 4, geometry);
        put_bytes(&mut self.features, 2, &message);
        self.count += 1;
        self.scratch = message;
    }

    /// Dictionary numbers of a feature's attributes, packed.
    fn tags(&mut self, attributes: &'a [u8]) -> Vec<u8> {
        let mut tags = Vec::with_capacity(16);
        for (key, value) in unpack(attributes) {
            let used_keys = &mut self.used_keys;
            let key = *self.key_numbers.entry(key).or_insert_with(|| {
                used_keys.push(key);
                used_keys.len() as u32 - 1
            });
            let used_values = &mut self.used_values;
            let value = *self.value_numbers.entry(value).or_insert_with(|| {
                used_values.push(value);
                used_values.len() as u32 - 1
            });
            put_varint(&mut tags, u64::from(key));
            put_varint(&mut tags, u64::from(value));
        }
        tags
    }

    /// How many features the layer has.
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// Appends the layer to a tile; nothing when it has no features.
    pub fn finish(self, name: &str, extent: u32, tile: &mut Vec<u8>) {
        if self.count == 0 {
            return;
        }
        let mut layer = Vec::with_capacity(self.features.len() + 1024);
        // The version first, as section 4.1 asks, so that a decoder knows what follows.
        put_number(&mut layer, 15, 2);
        put_bytes(&mut layer, 1, name.as_bytes());
        layer.extend_from_slice(&self.features);
        for &key in &self.used_keys {
            put_bytes(&mut layer, 3, self.keys.name(key).as_bytes());
        }
        for value in &self.used_values {
            put_bytes(&mut layer, 4, value);
        }
        put_number(&mut layer, 5, u64::from(extent));
        put_bytes(tile, 3, &layer);
    }
}
