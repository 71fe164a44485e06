//! The ledger: what was done to a tileset, one JSON object a line, only ever appended to.
//!
//! Responsible for the lines and for what they add up to. Does not know whether the files that
//! the lines speak of are there.

use super::Version;
use serde::{Deserialize, Serialize};

/// What happened to a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Happened {
    /// It got its number.
    Publish,
    /// It became current.
    Switch,
    /// Its files were removed.
    Prune,
    /// It must not be shown any more.
    Withdraw,
}

/// One line of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// What happened.
    pub event: Happened,
    /// To which version.
    pub version: Version,
    /// The digest of the content, in a publish line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Why, in a withdraw line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When, by the clock of whoever wrote the line (RFC 3339, UTC). For people and for how long
    /// caches may hold something; the order is that of the lines.
    #[serde(default)]
    pub at: String,
}

/// A ledger as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    /// The events in their order.
    pub events: Vec<Event>,
    /// Lines that could not be understood, counted from 1. A torn last line is not among them.
    pub unreadable: Vec<usize>,
    /// The largest number in any line, readable or not.
    pub highest: Option<Version>,
    /// What an append has to do first.
    pub(super) tail: Tail,
}

/// How a ledger ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Tail {
    /// With a line feed, or it is empty.
    #[default]
    Clean,
    /// With a whole event that lacks its line feed.
    Open,
    /// With a part of a line whose writer died; the bytes before it.
    Torn(u64),
}

impl Ledger {
    /// Reads the lines. Whatever stands there, the readable lines count.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut ledger = Self::default();
        let mut start = 0;
        for (number, line) in bytes.split_inclusive(|&b| b == b'\n').enumerate() {
            ledger.line(number + 1, start, line);
            start += line.len() as u64;
        }
        ledger
    }

    fn line(&mut self, number: usize, start: u64, line: &[u8]) {
        let whole = line.ends_with(b"\n");
        let text = line.trim_ascii();
        let event = serde_json::from_slice::<Event>(text).ok();
        let version = event.as_ref().map(|e| e.version).or_else(|| version_in(text));
        self.highest = self.highest.max(version);
        match event {
            Some(event) => self.events.push(event),
            None if whole && !text.is_empty() => self.unreadable.push(number),
            None => {}
        }
        if !whole {
            // An object ends with its brace: what parses is the whole event.
            let parsed = serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok();
            self.tail = if parsed { Tail::Open } else { Tail::Torn(start) };
        }
    }

    /// The version that the last switch made current.
    pub(super) fn last_switch(&self) -> Option<Version> {
        self.events.iter().rev().find(|e| e.event == Happened::Switch).map(|e| e.version)
    }

    /// Whether anything was ever published.
    pub fn has_published(&self) -> bool {
        self.events.iter().any(|e| e.event == Happened::Publish)
    }
}

/// The number in a line that is no event: of a later release, or of a writer that died. It may
/// have been seen, so it is not given again.
fn version_in(line: &[u8]) -> Option<Version> {
    const KEY: &str = "\"version\":";
    let text = String::from_utf8_lossy(line);
    let rest = text.split_once(KEY)?.1.trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).map_or(rest, |end| &rest[..end]);
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLISH: &str = r#"{"event":"publish","version":1,"digest":"d","at":"t"}"#;
    const SWITCH: &str = r#"{"event":"switch","version":1,"at":"t"}"#;

    fn check(text: &str, events: usize, unreadable: &[usize], highest: Option<u64>, tail: Tail) {
        let ledger = Ledger::parse(text.as_bytes());
        assert_eq!(ledger.events.len(), events, "{text}");
        assert_eq!(ledger.unreadable, unreadable, "{text}");
        assert_eq!(ledger.highest.map(Version::get), highest, "{text}");
        assert_eq!(ledger.tail, tail, "{text}");
    }

    #[test]
    fn lines() {
        check("", 0, &[], None, Tail::Clean);
        check(&format!("{PUBLISH}\n{SWITCH}\n"), 2, &[], Some(1), Tail::Clean);
        check(&format!("{PUBLISH}\n\n"), 1, &[], Some(1), Tail::Clean);
        check(&format!("{PUBLISH}\r\n"), 1, &[], Some(1), Tail::Clean);
    }

    #[test]
    fn a_last_line_without_its_end() {
        check(&format!("{PUBLISH}\n{SWITCH}"), 2, &[], Some(1), Tail::Open);
        let kept = PUBLISH.len() as u64 + 1;
        for torn in ["{", r#"{"event":"pub"#, "\0\0\0\0", r#"{"event":"switch","version":1,"at":"t""#] {
            let highest = 1;
            check(&format!("{PUBLISH}\n{torn}"), 1, &[], Some(highest), Tail::Torn(kept));
        }
        check(&format!("{PUBLISH}\n{{\"event\":\"publish\",\"version\":7,\"dig"), 1, &[], Some(7), Tail::Torn(kept));
    }

    #[test]
    fn lines_that_mean_nothing() {
        check(&format!("garbage\n{PUBLISH}\n"), 1, &[1], Some(1), Tail::Clean);
        let later = r#"{"event":"archive","version": 12,"at":"t"}"#;
        check(&format!("{PUBLISH}\n{later}\n{SWITCH}\n"), 2, &[2], Some(12), Tail::Clean);
        check("{\"event\":\"publish\",\"version\":0}\n", 0, &[1], None, Tail::Clean);
    }

    proptest::proptest! {
        #[test]
        fn any_cut_keeps_what_was_whole(cut in 0usize..200) {
            let text = format!("{PUBLISH}\n{SWITCH}\n");
            let cut = cut.min(text.len());
            let ledger = Ledger::parse(&text.as_bytes()[..cut]);
            let whole = usize::from(cut >= PUBLISH.len()) + usize::from(cut > PUBLISH.len() + SWITCH.len());
            proptest::prop_assert_eq!(ledger.events.len(), whole);
        }

        #[test]
        fn any_bytes(bytes: Vec<u8>) {
            let ledger = Ledger::parse(&bytes);
            if let Tail::Torn(kept) = ledger.tail {
                proptest::prop_assert!((kept as usize) < bytes.len());
            }
        }
    }
}
