//! `If-None-Match`: whether the client has these bytes already (RFC 9110, sections 8.8.3, 13.1.2).
//!
//! Pure functions over header lines. Tags are compared weakly, as the field asks: caches that
//! change a body's coding on the way put `W/` before the tag, and it still names the same tile.

use super::lists::{self, trim};

/// The entity tags a client sent, still in their header lines.
#[derive(Debug, Clone)]
pub(super) struct Known<I>(I);

/// The `If-None-Match` lines of a request; `None` without any.
pub(super) fn known<'h, I>(lines: I) -> Option<Known<I>>
where
    I: Iterator<Item = &'h [u8]> + Clone,
{
    lines.clone().next().map(|_| Known(lines))
}

impl<'h, I: Iterator<Item = &'h [u8]> + Clone> Known<I> {
    /// Whether the field fits a representation with this tag (quotes included).
    pub(super) fn has(&self, tag: &[u8]) -> bool {
        self.0.clone().any(|line| trim(line) == b"*" || Tags(line).any(|t| t == tag))
    }

    /// Whether any tag satisfies `plausible`, or `*` stands for all: when not, asking for the
    /// tile's tag first would be in vain.
    pub(super) fn may_fit(&self, plausible: impl Fn(&[u8]) -> bool) -> bool {
        self.0.clone().any(|line| trim(line) == b"*" || Tags(line).any(&plausible))
    }
}

/// The well-formed entity tags of a line with their quotes, without `W/`. What does not parse
/// is skipped to the next comma: it can only make the answer a 200.
struct Tags<'h>(&'h [u8]);

impl<'h> Iterator for Tags<'h> {
    type Item = &'h [u8];

    fn next(&mut self) -> Option<&'h [u8]> {
        while !self.0.is_empty() {
            let element = trim(self.0);
            let (tag, after) = entity_tag(element).map_or((None, element), |(tag, after)| (Some(tag), after));
            let (rest, following) = lists::split_once(after, b',');
            self.0 = following.unwrap_or_default();
            if tag.is_some() && rest.is_empty() {
                return tag;
            }
        }
        None
    }
}

/// The tag at the start, quotes included, and what follows it. Tags have no escapes (section 8.8.3).
fn entity_tag(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let strong = bytes.strip_prefix(b"W/").unwrap_or(bytes);
    let inside = strong.strip_prefix(b"\"")?;
    let length = inside.iter().position(|&b| !matches!(b, 0x21 | 0x23..=0x7e | 0x80..=0xff))?;
    (inside[length] == b'"').then(|| strong.split_at(length + 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TAG: &[u8] = b"\"0123456789abcdef-gzip\"";

    fn fits(lines: &[&str]) -> bool {
        known(lines.iter().map(|l| l.as_bytes())).is_some_and(|k| k.has(TAG))
    }

    #[test]
    fn forms_that_fit() {
        let t = "\"0123456789abcdef-gzip\"";
        let check = |lines: &[&str]| assert!(fits(lines), "{lines:?}");
        check(&[t]);
        check(&[&format!("W/{t}")]);
        check(&[&format!(" {t}\t")]);
        check(&[&format!("\"x\", {t}")]);
        check(&[&format!("\"x\",W/\"y\",{t},\"z\"")]);
        check(&[&format!(", ,{t},")]);
        check(&[&format!("\"a,b\", {t}")]);
        check(&[&format!("\"\",{t}")]);
        check(&[&format!("junk, W/, {t}")]);
        check(&[&format!("\"x\"junk, {t}")]);
        check(&["\"x\"", t]);
        check(&["*"]);
        check(&[" * "]);
        check(&["\"x\"", "*"]);
    }

    #[test]
    fn forms_that_do_not_fit() {
        let check = |lines: &[&str]| assert!(!fits(lines), "{lines:?}");
        check(&[]);
        check(&[""]);
        check(&["\"different\""]);
        check(&["0123456789abcdef-gzip"]);
        check(&["\"0123456789abcdef-identity\""]);
        check(&["\"x0123456789abcdef-gzipx\""]);
        check(&["\"a,0123456789abcdef-gzip,b\""]);
        check(&["\"0123456789abcdef-gzip"]);
        check(&["0123456789abcdef-gzip\""]);
        check(&["w/\"0123456789abcdef-gzip\""]);
        check(&["W/ \"0123456789abcdef-gzip\""]);
        check(&["\"0123456789abcdef-gzip\"junk"]);
        check(&["\"unterminated, W/, ,,"]);
        check(&["**"]);
        check(&["\"*\""]);
    }

    #[test]
    fn a_tag_that_cannot_be_ours_is_told_apart() {
        let may =
            |line: &str| known([line.as_bytes()].into_iter()).is_some_and(|k| k.may_fit(|t| t.len() == TAG.len()));
        assert!(may("\"0123456789abcdef-gzip\"") && may("*"));
        assert!(!may("\"x\"") && !may(""));
    }

    proptest! {
        #[test]
        fn no_line_hangs_or_fits_by_chance(line in "[\"W/, *a-]{0,40}") {
            prop_assert_eq!(fits(&[&line]), line.trim() == "*");
        }

        #[test]
        fn a_tag_is_found_wherever_it_stands(before in prop::collection::vec("[a-z,]{0,5}", 0..4), weak: bool) {
            let tag = String::from_utf8_lossy(TAG);
            let mut tags: Vec<String> = before.iter().map(|b| format!("\"{b}\"")).collect();
            tags.push(format!("{}{tag}", if weak { "W/" } else { "" }));
            let line = tags.join(",");
            prop_assert!(fits(&[&line]));
        }
    }
}
