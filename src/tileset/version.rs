//! The number of a version: what makes a URL immutable.
//!
//! Responsible for the one way to write a number. Does not know which versions exist.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The most digits of a number in a URL (contract, section 5).
const MAX_DIGITS: usize = 10;

/// The number of one version of a tileset: 1 to 9,999,999,999, written `v8`.
///
/// ```
/// use immutile::tileset::Version;
/// let eight: Version = "v8".parse().unwrap();
/// assert_eq!("8".parse(), Ok(eight));
/// assert_eq!(eight.to_string(), "v8");
/// assert!("v08".parse::<Version>().is_err());   // one version, one name
/// assert!(Version::from_segment("8").is_err()); // URLs say `v8`
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Version(u64);

/// Text or a number that names no version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a version: versions are 1 to 9999999999, written as 8 or v8 without leading zeros or signs")]
pub struct InvalidVersion;

impl Version {
    /// The first version of every tileset.
    pub const FIRST: Self = Self(1);

    /// The largest number that has a URL.
    pub const MAX: Self = Self(9_999_999_999);

    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number after this one; `None` after the last.
    pub fn next(self) -> Option<Self> {
        Self::try_from(self.0 + 1).ok()
    }

    /// Reads a path segment or file stem, `v8` and nothing else.
    pub fn from_segment(segment: &str) -> Result<Self, InvalidVersion> {
        from_digits(segment.strip_prefix('v').ok_or(InvalidVersion)?)
    }
}

fn from_digits(digits: &str) -> Result<Version, InvalidVersion> {
    let canonical =
        digits.len() <= MAX_DIGITS && !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    let number = if canonical { digits.parse().ok() } else { None };
    Version::try_from(number.unwrap_or(0u64))
}

impl FromStr for Version {
    type Err = InvalidVersion;

    fn from_str(text: &str) -> Result<Self, InvalidVersion> {
        from_digits(text.strip_prefix('v').unwrap_or(text))
    }
}

impl TryFrom<u64> for Version {
    type Error = InvalidVersion;

    fn try_from(number: u64) -> Result<Self, InvalidVersion> {
        if (Self::FIRST.0..=Self::MAX.0).contains(&number) { Ok(Self(number)) } else { Err(InvalidVersion) }
    }
}

impl From<Version> for u64 {
    fn from(version: Version) -> Self {
        version.0
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let check = |text: &str, number: Option<u64>| assert_eq!(text.parse().ok().map(Version::get), number, "{text}");
        check("1", Some(1));
        check("v1", Some(1));
        check("v9999999999", Some(9_999_999_999));
        check("v10000000000", None);
        for bad in ["", "v", "0", "v0", "01", "v01", "+1", "v+1", "-1", "vv1", "V1", " 1", "1 ", "1e3", "١", "v1\n"] {
            check(bad, None);
        }
        assert_eq!(Version::from_segment("v12").map(Version::get), Ok(12));
        assert_eq!(Version::from_segment("12"), Err(InvalidVersion));
    }

    #[test]
    fn numbers() {
        assert_eq!(serde_json::to_string(&Version::FIRST).unwrap(), "1");
        assert_eq!(serde_json::from_str::<Version>("7").unwrap().next().map(Version::get), Some(8));
        for bad in ["0", "-1", "10000000000", "1.5", "\"1\""] {
            assert!(serde_json::from_str::<Version>(bad).is_err(), "{bad}");
        }
        assert_eq!(Version::MAX.next(), None);
    }

    proptest::proptest! {
        #[test]
        fn one_text_for_each(text in "v?[0-9+ ]{0,12}") {
            if let Ok(version) = Version::from_segment(&text) {
                proptest::prop_assert_eq!(version.to_string(), text);
            }
        }
    }
}
