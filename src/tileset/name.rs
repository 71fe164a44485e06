//! The name of a tileset: what may stand as a path segment and as a folder.
//!
//! Responsible for the one rule about names. Does not know which tilesets exist.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The longest name, in bytes (contract, section 2).
pub const MAX_NAME_BYTES: usize = 63;

/// First path segments that mean something else, now or in a later release (contract, section 2).
const RESERVED: [&str; 18] = [
    "tiles",
    "catalog",
    "latest",
    "features",
    "health",
    "ready",
    "metrics",
    "graphql",
    "openapi",
    "conformance",
    "collections",
    "ogc",
    "static",
    "assets",
    "admin",
    "fonts",
    "sprites",
    "styles",
];

/// A tileset's name: `[a-z0-9][a-z0-9_-]{0,62}`, never of the form `v<number>`, none of the
/// reserved words.
///
/// ```
/// use immutile::tileset::TilesetName;
/// assert!("world".parse::<TilesetName>().is_ok());
/// assert!("v8".parse::<TilesetName>().is_err());     // a version
/// assert!("tiles".parse::<TilesetName>().is_err());  // `/tiles.json` is something else
/// assert!("../x".parse::<TilesetName>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TilesetName(String);

/// Text that is no name of a tileset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{name:?} cannot be the name of a tileset: {why}\n  hint: 1 to 63 of a-z, 0-9, _ and -, starting with a letter or digit"
)]
pub struct InvalidName {
    /// What was given, shortened.
    pub name: String,
    /// Which rule it breaks.
    pub why: &'static str,
}

impl TilesetName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TilesetName {
    type Err = InvalidName;

    fn from_str(name: &str) -> Result<Self, InvalidName> {
        match fault(name) {
            None => Ok(Self(name.to_owned())),
            Some(why) => Err(InvalidName { name: name.chars().take(MAX_NAME_BYTES + 1).collect(), why }),
        }
    }
}

fn fault(name: &str) -> Option<&'static str> {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    match name.as_bytes() {
        [] => Some("it is empty"),
        b if b.len() > MAX_NAME_BYTES => Some("it is longer than 63 bytes"),
        [first, ..] if !plain(*first) => Some("it starts with something else than a-z or 0-9"),
        [_, rest @ ..] if !rest.iter().all(|&b| plain(b) || b == b'_' || b == b'-') => {
            Some("it has something else in it than a-z, 0-9, _ and -")
        }
        [b'v', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
            Some("it looks like a version")
        }
        _ if RESERVED.contains(&name) => Some("the word is reserved for a path of the origin"),
        _ => None,
    }
}

impl TryFrom<String> for TilesetName {
    type Error = InvalidName;

    fn try_from(name: String) -> Result<Self, InvalidName> {
        name.parse()
    }
}

impl TryFrom<&str> for TilesetName {
    type Error = InvalidName;

    fn try_from(name: &str) -> Result<Self, InvalidName> {
        name.parse()
    }
}

impl From<TilesetName> for String {
    fn from(name: TilesetName) -> Self {
        name.0
    }
}

/// So that maps keyed by name can be asked with a path segment, valid or not.
impl std::borrow::Borrow<str> for TilesetName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TilesetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |name: &str, good: bool| assert_eq!(name.parse::<TilesetName>().is_ok(), good, "{name:?}");
        for good in ["world", "0", "a_b-c", "a-", "v", "vx", "v8x", "v-8", "version", "tiles2"] {
            check(good, true);
        }
        check(&"a".repeat(63), true);
        check(&"a".repeat(64), false);
        for bad in ["", "A", "_a", "-a", ".", "..", "a/b", "a.b", "a b", "ä", "aä", "v8", "v08", "a\0", "a\n"] {
            check(bad, false);
        }
        for reserved in RESERVED {
            check(reserved, false);
        }
    }

    proptest::proptest! {
        #[test]
        fn follows_the_pattern(name in "\\PC{0,3}|[a-zA-Z0-9_.-]{0,70}") {
            let mut bytes = name.bytes();
            let plain = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9');
            let shape = bytes.next().is_some_and(plain)
                && bytes.all(|b| plain(b) || b == b'_' || b == b'-')
                && name.len() <= 63;
            if let Ok(valid) = name.parse::<TilesetName>() {
                proptest::prop_assert!(shape);
                proptest::prop_assert_eq!(valid.as_str(), name);
            }
        }
    }
}
