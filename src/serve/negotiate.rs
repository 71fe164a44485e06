//! Which encoding of a tile a client gets: `Accept-Encoding`, RFC 9110, section 12.5.3.
//!
//! Pure functions over header lines. Responsible for the choice alone; that each encoding has
//! an `ETag` of its own and the answer a `Vary`, others see to.

use super::lists::{self, weight};
use crate::tile::Encoding;

/// The full weight, `q=1`, in thousandths.
const FULL: u16 = 1000;

/// What a client said about each coding, in thousandths; `None` where it said nothing.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Wishes {
    gzip: Option<u16>,
    br: Option<u16>,
    zstd: Option<u16>,
    identity: Option<u16>,
    /// `*`: every coding that is not named.
    any: Option<u16>,
}

/// The best of `available` (in the origin's order of preference, identity always understood
/// as last) for these `Accept-Encoding` lines; `None` when the client can take none of them.
///
/// Without any line everything would be acceptable, but the client that sends none is a script
/// or a proxy that knows no codings: it gets the plain bytes.
pub(super) fn negotiate<'h>(lines: impl Iterator<Item = &'h [u8]>, available: &[Encoding]) -> Option<Encoding> {
    let mut wishes = Wishes::default();
    let mut silent = true;
    for line in lines {
        silent = false;
        wishes.read(line);
    }
    if silent {
        return Some(Encoding::Identity);
    }
    let mut best = (wishes.identity(), Encoding::Identity);
    for &encoding in available.iter().rev().filter(|&&e| e != Encoding::Identity) {
        let weight = wishes.of(encoding);
        // Between equals the origin's preference decides, and identity comes last.
        if weight > 0 && weight >= best.0 {
            best = (weight, encoding);
        }
    }
    (best.0 > 0).then_some(best.1)
}

/// What a file holds in the origin's order of preference: the encoding that is smallest on
/// ordinary tiles first.
pub(super) fn preferred(stored: &[Encoding]) -> Vec<Encoding> {
    let order = [Encoding::Brotli, Encoding::Zstd, Encoding::Gzip];
    order.into_iter().filter(|e| stored.contains(e)).collect()
}

impl Wishes {
    fn read(&mut self, line: &[u8]) {
        for element in lists::elements(line) {
            let Some((coding, weight)) = weighted(element) else { continue };
            let Some(slot) = self.slot(coding) else { continue };
            // Named twice, the more cautious wish counts.
            *slot = Some(slot.map_or(weight, |before| before.min(weight)));
        }
    }

    fn slot(&mut self, coding: &[u8]) -> Option<&mut Option<u16>> {
        let is = |name: &str| coding.eq_ignore_ascii_case(name.as_bytes());
        if is("gzip") || is("x-gzip") {
            Some(&mut self.gzip)
        } else if is("br") {
            Some(&mut self.br)
        } else if is("zstd") {
            Some(&mut self.zstd)
        } else if is("identity") {
            Some(&mut self.identity)
        } else if is("*") {
            Some(&mut self.any)
        } else {
            None
        }
    }

    fn of(&self, encoding: Encoding) -> u16 {
        match encoding {
            Encoding::Identity => self.identity(),
            Encoding::Gzip => self.gzip.or(self.any).unwrap_or(0),
            Encoding::Brotli => self.br.or(self.any).unwrap_or(0),
            Encoding::Zstd => self.zstd.or(self.any).unwrap_or(0),
        }
    }

    /// Identity is acceptable unless it is refused by name or by `*` (section 12.5.3). Not named
    /// it weighs as little as can be: whoever lists other codings prefers those.
    fn identity(&self) -> u16 {
        self.identity.or(self.any).unwrap_or(1)
    }
}

/// `coding [ ; q=weight ]`; anything else is left out, as if it had not been said.
fn weighted(element: &[u8]) -> Option<(&[u8], u16)> {
    let (coding, parameter) = lists::split_once(element, b';');
    let weight = match parameter {
        None => FULL,
        Some(parameter) => {
            let (name, value) = lists::split_once(parameter, b'=');
            if !name.eq_ignore_ascii_case(b"q") {
                return None;
            }
            weight(value?)?
        }
    };
    Some((coding, weight))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Encoding::{Brotli, Gzip, Identity, Zstd};
    use proptest::prelude::*;

    fn choose(lines: &[&str]) -> Option<Encoding> {
        negotiate(lines.iter().map(|l| l.as_bytes()), &[Gzip])
    }

    fn check(lines: &[&str], expected: Option<Encoding>) {
        assert_eq!(choose(lines), expected, "{lines:?}");
    }

    #[test]
    fn plain_bytes_unless_a_coding_is_asked_for() {
        check(&[], Some(Identity));
        for line in ["", " ", ",", "identity", "lzma, compress", "br", "deflate", "gzipped", "gzip2"] {
            check(&[line], Some(Identity));
        }
    }

    #[test]
    fn gzip_where_it_is_liked_best() {
        for line in [
            "gzip",
            "GZip",
            "x-gzip",
            "gzip, deflate, br, zstd",
            "deflate,gzip",
            " gzip ;q=1",
            "gzip; Q=0.001",
            "gzip;q=1.000",
            "*",
            "*;q=0.1",
            "identity, gzip",
            "identity;q=0.5, *;q=0.5",
            "identity;q=0, gzip;q=0.2",
            "br;q=1.0, gzip;q=0.8, *;q=0.1",
            "gzip;q=0.5, identity;q=0.4",
        ] {
            check(&[line], Some(Gzip));
        }
        check(&["br", "gzip"], Some(Gzip));
        check(&["identity;q=0", "gzip"], Some(Gzip));
    }

    #[test]
    fn identity_where_gzip_is_not() {
        for line in [
            "gzip;q=0",
            "gzip;q=0.000, *;q=0.5",
            "gzip;q=0.5, identity",
            "gzip;q=0.5, identity;q=0.501",
            "identity, *;q=0",
            "*;q=0, identity;q=0.1",
            "gzip;q=0, gzip",
            "gzip, x-gzip;q=0",
        ] {
            check(&[line], Some(Identity));
        }
    }

    #[test]
    fn malformed_elements_were_not_said() {
        for line in
            ["gzip;q=", "gzip;q", "gzip;q=2", "gzip;q=-1", "gzip;q=0.0001", "gzip;level=9", "gzip;q=1;a=b", "gzip=1"]
        {
            check(&[line], Some(Identity));
        }
        check(&["gzip;q=x, identity;q=0"], None);
        check(&["identity;q=0;x, gzip;q=0"], Some(Identity));
    }

    #[test]
    fn nothing_acceptable() {
        for line in ["*;q=0", "identity;q=0", "gzip;q=0, *;q=0", "gzip;q=0, identity;q=0", "br, identity;q=0"] {
            check(&[line], None);
        }
    }

    #[test]
    fn what_is_not_stored_is_not_chosen() {
        assert_eq!(negotiate([&b"gzip"[..]].into_iter(), &[]), Some(Identity));
        assert_eq!(negotiate([&b"gzip, identity;q=0"[..]].into_iter(), &[Identity]), None);
    }

    #[test]
    fn the_smallest_of_those_liked_alike() {
        let check = |line: &str, stored: &[Encoding], expected| {
            assert_eq!(negotiate([line.as_bytes()].into_iter(), stored), expected, "{line} {stored:?}");
        };
        let all = preferred(&[Gzip, Zstd, Brotli]);
        assert_eq!(all, [Brotli, Zstd, Gzip]);
        check("gzip, deflate, br, zstd", &all, Some(Brotli));
        check("gzip, deflate, zstd", &all, Some(Zstd));
        check("gzip, deflate", &all, Some(Gzip));
        check("br", &all, Some(Brotli));
        check("zstd", &all, Some(Zstd));
        check("br;q=0.9, gzip", &all, Some(Gzip));
        check("br;q=0.9, zstd;q=0.9, gzip;q=0.8", &all, Some(Brotli));
        check("*", &all, Some(Brotli));
        check("br;q=0, *", &all, Some(Zstd));
        check("br;q=0, zstd;q=0, *;q=0.1", &all, Some(Gzip));
        check("*;q=0, zstd;q=0.1", &all, Some(Zstd));
        check("br, identity;q=0", &[Gzip, Zstd], None);
        check("br, zstd", &[Gzip, Zstd], Some(Zstd));
        check("br, zstd", &[Gzip], Some(Identity));
    }

    proptest! {
        #[test]
        fn a_refused_coding_is_never_sent(line in "(gzip|identity|\\*|br|;q=0|;q=0\\.5|;q=1|,| ){0,12}") {
            let refused = |name: &str| line.split(',').any(|e| e.replace(' ', "") == format!("{name};q=0"));
            match choose(&[&line]) {
                Some(Gzip) => prop_assert!(!refused("gzip")),
                Some(Brotli | Zstd) => prop_assert!(false, "not stored"),
                Some(Identity) => prop_assert!(!refused("identity")),
                None => prop_assert!(refused("identity") || refused("*")),
            }
        }
    }
}
