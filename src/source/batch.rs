//! What reading delivers.

use crate::feature::Feature;
use std::fmt;

/// Features that were read together. Batches arrive from several threads, in no particular order.
#[derive(Debug, Default)]
pub struct Batch {
    /// The features that can be used.
    pub features: Vec<Located>,
    /// Those that cannot.
    pub skips: Vec<Skip>,
    /// What was put right on the way.
    pub warnings: Vec<Warning>,
    /// Bytes of the file that were read for it, packed as they lie there.
    pub bytes: u64,
}

/// A feature and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Located {
    /// Its number in the file, from 1.
    pub number: u64,
    /// Bytes from the start of the unpacked file.
    pub offset: u64,
    /// The feature.
    pub feature: Feature,
}

/// A feature that was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// Its number in the file, from 1.
    pub number: u64,
    /// Bytes from the start of the unpacked file.
    pub offset: u64,
    /// Why.
    pub reason: SkipReason,
    /// What exactly was found.
    pub detail: String,
}

/// Why a feature is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// `"geometry": null`: valid, but nothing to draw (RFC 7946, section 3.2).
    NullGeometry,
    /// No positions at all.
    EmptyGeometry,
    /// No `geometry` member.
    NoGeometry,
    /// The text is no JSON, or no feature.
    BadJson,
    /// Bytes that are not UTF-8.
    BadUtf8,
    /// A position without two numbers, or nested where it has no business.
    BadPosition,
    /// A longitude or latitude that no place on Earth has.
    OutOfRange,
    /// A line of fewer than two positions or a ring of fewer than three different ones.
    TooFewPositions,
    /// A geometry of a type that RFC 7946 does not know.
    UnknownType,
}

/// Something that was read all the same, but differently from how it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The feature's number in the file, from 1.
    pub number: u64,
    /// Bytes from the start of the unpacked file.
    pub offset: u64,
    /// What kind of thing.
    pub kind: WarningKind,
    /// What exactly was found.
    pub detail: String,
}

/// What was put right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WarningKind {
    /// A ring that does not end where it starts was closed.
    UnclosedRing,
    /// A ring, line or collection member that cannot be drawn was left out; the rest stays.
    PartLeftOut,
    /// An id that no tile can carry was left out.
    UnusableId,
    /// An attribute stands twice in a feature; the last one counts.
    RepeatedAttribute,
}

/// What a source held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Features, the skipped ones included.
    pub features: u64,
    /// Bytes of the unpacked file.
    pub bytes: u64,
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NullGeometry => "geometry is null",
            Self::EmptyGeometry => "geometry is empty",
            Self::NoGeometry => "no geometry member",
            Self::BadJson => "not a GeoJSON feature",
            Self::BadUtf8 => "not UTF-8",
            Self::BadPosition => "bad position",
            Self::OutOfRange => "coordinates out of range",
            Self::TooFewPositions => "too few positions",
            Self::UnknownType => "unknown geometry type",
        })
    }
}

impl fmt::Display for WarningKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnclosedRing => "unclosed ring was closed",
            Self::PartLeftOut => "part left out",
            Self::UnusableId => "id that no tile can carry was left out",
            Self::RepeatedAttribute => "attribute stands twice, the last one counts",
        })
    }
}
