//! Why bytes are not a vector tile.

/// The first thing in a tile that breaks the format, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a valid vector tile at byte {offset}: {why}")]
pub struct Error {
    /// Bytes from the start of the uncompressed tile.
    pub offset: usize,
    /// What is wrong there.
    pub why: String,
}

impl Error {
    pub(super) fn at(offset: usize, why: impl Into<String>) -> Self {
        Self { offset, why: why.into() }
    }
}
