//! Problems of single features: reasons to skip one, and warnings about one that is delivered.

use std::fmt;

/// A feature that is not delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// Its number in the file, from 1.
    pub number: u64,
    /// Its first byte in the decompressed text.
    pub offset: u64,
    /// The kind of problem, for counting.
    pub reason: SkipReason,
    /// The problem itself, for eyes.
    pub detail: String,
}

/// Something about a feature that was repaired or left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The feature's number in the file, from 1.
    pub number: u64,
    /// The feature's first byte in the decompressed text.
    pub offset: u64,
    /// The kind, for counting; a feature has at most one warning of each kind.
    pub kind: WarningKind,
    /// How often in this feature.
    pub count: u64,
    /// The first case in this feature, for eyes.
    pub detail: String,
}

/// Names that stand in reports, and whose spelling is therefore fixed.
macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name in reports.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

names! {
    /// Why a feature is not delivered.
    SkipReason {
        /// `"geometry": null`, an unlocated feature: valid (RFC 7946, section 3.2), but nothing to draw.
        NullGeometry = "null_geometry",
        /// A geometry without positions: valid as well (RFC 7946, section 3.1).
        EmptyGeometry = "empty_geometry",
        /// A feature that lacks the member altogether (RFC 7946, section 3.2 asks for it).
        NoGeometryMember = "no_geometry_member",
        /// A geometry that is no object, or lacks `coordinates` or `geometries`.
        BadGeometry = "bad_geometry",
        /// A geometry type that RFC 7946 does not have.
        UnknownGeometryType = "unknown_geometry_type",
        /// JSON, but neither a feature nor a geometry.
        NotAFeature = "not_a_feature",
        /// A position with fewer than two elements, or one that is no number.
        BadPosition = "bad_position",
        /// A number that is no latitude or longitude in degrees.
        OutOfRange = "out_of_range",
        /// Lines of fewer than two positions or rings of fewer than three different ones, and nothing else.
        TooFewPositions = "too_few_positions",
        /// Not JSON (RFC 8259), `NaN` and half a surrogate pair included.
        BadJson = "bad_json",
        /// Not UTF-8 (RFC 8259, section 8.1).
        BadUtf8 = "bad_utf8",
        /// Geometry collections nested deeper than the reader follows.
        TooDeep = "too_deep",
        /// More text than one feature may have.
        TooLarge = "too_large",
    }
}

names! {
    /// What was repaired or left out.
    WarningKind {
        /// A ring whose last position is not its first; it was closed.
        UnclosedRing = "unclosed_ring",
        /// A ring of fewer than three different positions was left out.
        DegenerateRing = "degenerate_ring",
        /// A polygon was left out because its exterior ring is empty or degenerate.
        NoExterior = "no_exterior",
        /// A line of fewer than two positions was left out.
        DegenerateLine = "degenerate_line",
        /// `null` in a geometry collection was left out.
        NullMember = "null_member",
        /// An id that no tile can carry.
        UnusableId = "unusable_id",
        /// Two attributes of the same name; the last one counts.
        DuplicateProperty = "duplicate_property",
        /// A number beyond what 64 bits of floating point hold was left out.
        NumberTooLarge = "number_too_large",
        /// A whole number beyond 64 bits was rounded to floating point.
        NumberRounded = "number_rounded",
        /// `properties` is neither an object nor null; there are no attributes.
        BadProperties = "bad_properties",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serde_and_display_agree() {
        for reason in SkipReason::ALL {
            assert_eq!(serde_json::to_string(reason).unwrap(), format!("\"{reason}\""));
        }
        for kind in WarningKind::ALL {
            assert_eq!(serde_json::to_string(kind).unwrap(), format!("\"{kind}\""));
        }
    }
}
