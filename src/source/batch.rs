//! What a reader delivers. Does not know formats.

use super::problem::{Skip, Warning};
use crate::feature::Feature;

/// Features that were read together.
///
/// Batches arrive in no particular order and from several threads; the numbers say where a
/// feature stands in the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Batch {
    /// Features with something to draw.
    pub features: Vec<Located>,
    /// Features without, and why.
    pub skips: Vec<Skip>,
    /// What was repaired or left out in features that are delivered.
    pub warnings: Vec<Warning>,
    /// Bytes of the input (of the compressed one, if it is) consumed since the batch before.
    pub bytes: u64,
}

/// A feature and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Located {
    /// Its number in the file, from 1; skipped features have numbers too.
    pub number: u64,
    /// Its first byte in the decompressed text.
    pub offset: u64,
    /// The feature.
    pub feature: Feature,
}

/// What was read, once all of it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Features found, usable or not. If it is more than zero and `usable` is zero, nothing can be drawn.
    pub features: u64,
    /// Features delivered.
    pub usable: u64,
    /// Features skipped.
    pub skipped: u64,
    /// Bytes of the input, as it lies in the file.
    pub bytes: u64,
    /// Bytes of its text, after decompression.
    pub text_bytes: u64,
}
