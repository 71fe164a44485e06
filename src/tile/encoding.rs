//! Content encodings a tile can be stored and sent in.

use serde::{Deserialize, Serialize};

/// One way to write the bytes of a tile: a content coding of RFC 9110, section 8.4.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// The protobuf bytes themselves.
    Identity,
    /// RFC 1952; what every store holds.
    Gzip,
    /// RFC 7932.
    #[serde(rename = "br")]
    Brotli,
    /// RFC 8878, with windows of at most 8 MiB (RFC 9659).
    Zstd,
}

impl Encoding {
    /// The token in `Content-Encoding` and `Accept-Encoding`.
    pub const fn token(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}
