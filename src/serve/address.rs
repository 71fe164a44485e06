//! Under which address clients reach this origin: the start of every URL in a TileJSON.
//!
//! Responsible for choosing between the configured address, the `Host` field and what trusted
//! proxies say about the request they passed on (RFC 7239 and the `X-Forwarded-*` fields). A
//! host that is no plausible name is refused: nothing of a request reaches a document unchecked.

use super::lists::{quoted_elements, split_once, trim};
use std::net::{IpAddr, Ipv6Addr};

/// Longest host name that is looked at, in bytes (RFC 1035, section 2.3.4).
const MAX_HOST: usize = 253;

/// Longest path prefix that a proxy may name, in bytes.
const MAX_PREFIX: usize = 256;

/// What is known of a request's way here.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'r> {
    /// The other end of the connection.
    pub peer: Option<IpAddr>,
    /// `Host`, or the authority of an absolute request target.
    pub host: Option<&'r [u8]>,
    /// The scheme of the listener.
    pub scheme: &'static str,
}

/// Why no address can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Implausible {
    /// The request names no host.
    Missing,
    /// It names one that no client can have meant.
    Host,
    /// A proxy names a path prefix that is no path.
    Prefix,
}

/// A range of addresses, `10.0.0.0/8`, `::1`: who may say under which name it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl Network {
    /// Whether the address lies in the range. IPv4 addresses inside IPv6 count as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(a), IpAddr::V4(b)) => {
                same_prefix(u128::from(a.to_bits()), u128::from(b.to_bits()), 32 - self.bits)
            }
            (IpAddr::V6(a), IpAddr::V6(b)) => same_prefix(a.to_bits(), b.to_bits(), 128 - self.bits),
            _ => false,
        }
    }
}

fn same_prefix(a: u128, b: u128, host_bits: u8) -> bool {
    (a ^ b).checked_shr(u32::from(host_bits)).unwrap_or(0) == 0
}

impl std::str::FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (address, bits) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
        let wrong =
            || format!("\"{text}\" is no network\n  hint: write an address or a range, as in 10.0.0.0/8 or ::1");
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), str::parse).map_err(|_| wrong())?;
        if bits > most { Err(wrong()) } else { Ok(Self { address, bits }) }
    }
}

/// The start of this origin's URLs, without a slash at the end, as the client of this request
/// sees it. `lines` gives the lines of a header field.
pub(super) fn base_url<'r, I>(
    asked: Asked<'r>,
    trusted: &[Network],
    lines: impl Fn(&'static str) -> I,
) -> Result<String, Implausible>
where
    I: DoubleEndedIterator<Item = &'r [u8]>,
{
    let trusts = |address: IpAddr| trusted.iter().any(|n| n.contains(address));
    let forwarded = match asked.peer {
        Some(peer) if trusts(peer) => standard(lines("forwarded"), trusts).unwrap_or_else(|| customary(&lines, trusts)),
        _ => Forwarded::default(),
    };
    let scheme = forwarded.proto.and_then(scheme).unwrap_or(asked.scheme);
    let host = forwarded.host.or(asked.host.map(trim)).ok_or(Implausible::Missing)?;
    let (name, port) = plausible(host).ok_or(Implausible::Host)?;
    let port = port.or_else(|| forwarded.port.and_then(port_number).filter(|&p| Some(p) != default_port(scheme)));
    let port = port.map(|p| format!(":{p}")).unwrap_or_default();
    let prefix = path_prefix(forwarded.prefix.unwrap_or_default()).ok_or(Implausible::Prefix)?;
    Ok(format!("{scheme}://{name}{port}{prefix}"))
}

/// What the outermost trusted proxy saw.
#[derive(Debug, Default, Clone, Copy)]
struct Forwarded<'r> {
    proto: Option<&'r [u8]>,
    host: Option<&'r [u8]>,
    port: Option<&'r [u8]>,
    prefix: Option<&'r [u8]>,
}

/// RFC 7239. Each proxy adds an element on the right that names who asked it (`for`): as long as
/// that one is trusted too, the element before it can be believed.
fn standard<'r>(
    lines: impl DoubleEndedIterator<Item = &'r [u8]>,
    trusts: impl Fn(IpAddr) -> bool,
) -> Option<Forwarded<'r>> {
    let elements: Vec<_> = lines.flat_map(|line| quoted_elements(line, b',')).collect();
    let mut seen = None;
    for element in elements.into_iter().rev() {
        let mut here = Forwarded::default();
        let mut node = None;
        for pair in quoted_elements(element, b';') {
            let (name, value) = split_once(pair, b'=');
            let value = value.map(unquoted).filter(|v| !v.is_empty());
            match name.to_ascii_lowercase().as_slice() {
                b"proto" => here.proto = value,
                b"host" => here.host = value,
                b"for" => node = value.and_then(address),
                _ => {}
            }
        }
        seen = Some(here);
        if !node.is_some_and(&trusts) {
            break;
        }
    }
    seen
}

/// The `X-Forwarded-*` fields. `X-Forwarded-For` tells how many trusted proxies there are in a
/// row, and so how far from the right end of the other lists the outermost one wrote; without
/// it the first value counts, which is what proxies mean that send only the one they saw.
fn customary<'r, I>(lines: impl Fn(&'static str) -> I, trusts: impl Fn(IpAddr) -> bool) -> Forwarded<'r>
where
    I: DoubleEndedIterator<Item = &'r [u8]>,
{
    let list = |name| lines(name).flat_map(super::lists::elements).collect::<Vec<_>>();
    let way = list("x-forwarded-for");
    let depth = match way.len() {
        0 => usize::MAX,
        _ => 1 + way.iter().rev().take_while(|node| address(node).is_some_and(&trusts)).count(),
    };
    let value = |name| {
        let values = list(name);
        values.get(values.len().saturating_sub(depth)).copied()
    };
    Forwarded {
        proto: value("x-forwarded-proto"),
        host: value("x-forwarded-host"),
        port: value("x-forwarded-port"),
        prefix: value("x-forwarded-prefix"),
    }
}

/// The inside of a quoted string. Neither hosts nor schemes nor addresses need its escapes.
fn unquoted(value: &[u8]) -> &[u8] {
    value.strip_prefix(b"\"").and_then(|v| v.strip_suffix(b"\"")).unwrap_or(value)
}

/// The address in a node name: `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]:80` (RFC 7239, section 6).
fn address(node: &[u8]) -> Option<IpAddr> {
    let node = std::str::from_utf8(unquoted(node)).ok()?;
    if let Some(inside) = node.strip_prefix('[') {
        return inside.split_once(']')?.0.parse().ok();
    }
    node.parse().ok().or_else(|| node.rsplit_once(':')?.0.parse().ok())
}

fn scheme(proto: &[u8]) -> Option<&'static str> {
    ["https", "http"].into_iter().find(|s| proto.eq_ignore_ascii_case(s.as_bytes()))
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

fn port_number(digits: &[u8]) -> Option<u16> {
    let plain = (1..=5).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| plain)?.parse().ok().filter(|&p| p > 0)
}

/// Name and port of a host that a browser could have asked: a DNS name, an IPv4 address, or an
/// IPv6 address in brackets (RFC 3986, section 3.2.2, less what no URL of a map has).
pub(super) fn plausible(host: &[u8]) -> Option<(&str, Option<u16>)> {
    let text = std::str::from_utf8(host).ok()?;
    let end = if text.starts_with('[') { text.find(']')? + 1 } else { text.find(':').unwrap_or(text.len()) };
    let (name, port) = text.split_at(end);
    let port = match port {
        "" => None,
        _ => Some(port_number(port.strip_prefix(':')?.as_bytes())?),
    };
    let fits = match name.strip_prefix('[') {
        Some(inside) => inside.strip_suffix(']')?.parse::<Ipv6Addr>().is_ok(),
        None => is_dns_name(name),
    };
    fits.then_some((name, port))
}

fn is_dns_name(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= MAX_HOST && name.strip_suffix('.').unwrap_or(name).split('.').all(is_label)
}

/// A path in front of ours, `/maps`, without a slash at its end; `/` is none.
pub(super) fn path_prefix(path: &[u8]) -> Option<&str> {
    let path = std::str::from_utf8(path).ok().filter(|p| p.len() <= MAX_PREFIX)?;
    let path = path.strip_suffix('/').unwrap_or(path);
    let is_segment =
        |s: &str| !matches!(s, "" | "." | "..") && s.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b));
    match path.strip_prefix('/') {
        Some(rest) => rest.split('/').all(is_segment).then_some(path),
        None => path.is_empty().then_some(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROXY: &str = "10.0.0.9";

    fn ask(peer: &str, host: Option<&str>, headers: &[(&str, &str)]) -> Result<String, Implausible> {
        let asked = Asked { peer: peer.parse().ok(), host: host.map(str::as_bytes), scheme: "http" };
        let trusted = ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        base_url(asked, &trusted, |name| {
            let found: Vec<_> = headers.iter().filter(|(n, _)| *n == name).map(|(_, v)| v.as_bytes()).collect();
            found.into_iter()
        })
    }

    #[test]
    fn without_proxies_the_host_counts() {
        let check = |host: &str, expected: &str| assert_eq!(ask("192.0.2.1", Some(host), &[]).as_deref(), Ok(expected));
        check("127.0.0.1:8080", "http://127.0.0.1:8080");
        check("tiles.example.com", "http://tiles.example.com");
        check("tiles.example.com.", "http://tiles.example.com.");
        check("my_host:80", "http://my_host:80");
        check("[2001:db8::1]:8443", "http://[2001:db8::1]:8443");
        check(" localhost ", "http://localhost");
        assert_eq!(ask("192.0.2.1", None, &[]), Err(Implausible::Missing));
    }

    #[test]
    fn implausible_hosts_are_refused() {
        let long = format!("{}.example.com", "a.".repeat(130));
        let label = "a".repeat(64);
        for host in [
            "",
            ":80",
            "a b",
            "user@host",
            "host:",
            "host:0",
            "host:65536",
            "host:1:2",
            "host:+1",
            "a/b",
            "a?b",
            "a#b",
            "<script>",
            "\"x\"",
            "{z}",
            "a..b",
            ".a",
            "-a",
            "a-",
            "[::1",
            "[zz]",
            "[]",
            "::1",
            "[::1]x",
            "ä.example",
            "a%41",
            &long,
            &label,
        ] {
            assert_eq!(ask("192.0.2.1", Some(host), &[]), Err(Implausible::Host), "{host}");
        }
        assert!(plausible("a".repeat(63).as_bytes()).is_some());
        assert!(plausible(b"host:65535").is_some());
    }

    #[test]
    fn strangers_cannot_forge() {
        let forged = [
            ("forwarded", "host=evil.example;proto=https"),
            ("x-forwarded-host", "evil.example"),
            ("x-forwarded-proto", "https"),
            ("x-forwarded-prefix", "/evil"),
        ];
        assert_eq!(ask("192.0.2.1", Some("tiles.example"), &forged).as_deref(), Ok("http://tiles.example"));
    }

    #[test]
    fn trusted_proxies_are_heard() {
        let check = |headers: &[(&str, &str)], expected: &str| {
            assert_eq!(ask(PROXY, Some("inner:8080"), headers).as_deref(), Ok(expected), "{headers:?}");
        };
        check(&[], "http://inner:8080");
        check(&[("x-forwarded-proto", "https")], "https://inner:8080");
        check(&[("x-forwarded-proto", "gopher")], "http://inner:8080");
        check(
            &[("x-forwarded-proto", "https"), ("x-forwarded-host", "t.example"), ("x-forwarded-prefix", "/maps/")],
            "https://t.example/maps",
        );
        check(&[("x-forwarded-host", "t.example"), ("x-forwarded-prefix", "/")], "http://t.example");
        check(&[("x-forwarded-proto", "https, http"), ("x-forwarded-host", "t.example, in")], "https://t.example");
        check(&[("x-forwarded-proto", "https"), ("x-forwarded-proto", "http")], "https://inner:8080");
        check(&[("x-forwarded-host", "t.example"), ("x-forwarded-port", "8443")], "http://t.example:8443");
        check(
            &[("x-forwarded-host", "t.example"), ("x-forwarded-port", "443"), ("x-forwarded-proto", "https")],
            "https://t.example",
        );
        check(&[("x-forwarded-host", "t.example:81"), ("x-forwarded-port", "8443")], "http://t.example:81");
        check(&[("x-forwarded-host", "[2001:db8::2]:99")], "http://[2001:db8::2]:99");
        check(
            &[("forwarded", "for=192.0.2.60;proto=https;host=\"t.example:8443\""), ("x-forwarded-host", "other")],
            "https://t.example:8443",
        );
        check(&[("forwarded", "For=\"[2001:db8::7]\";Proto=HTTPS;Host=t.example")], "https://t.example");
    }

    #[test]
    fn only_as_far_as_trust_reaches() {
        let check = |headers: &[(&str, &str)], expected: &str| {
            assert_eq!(ask(PROXY, Some("inner"), headers).as_deref(), Ok(expected), "{headers:?}");
        };
        check(&[("forwarded", "host=evil.example, for=192.0.2.60;host=t.example;proto=https")], "https://t.example");
        check(&[("forwarded", "for=192.0.2.60;host=t.example, for=10.0.0.2:81;host=inner")], "http://t.example");
        check(&[("forwarded", "host=t.example, for=\"[fd00::1]:443\";host=inner")], "http://t.example");
        check(&[("forwarded", "host=evil.example"), ("forwarded", "for=unknown;host=t.example")], "http://t.example");
        check(&[("forwarded", "for=\"a,b;host=evil\";host=t.example")], "http://t.example");
        check(&[("x-forwarded-host", "evil.example, t.example"), ("x-forwarded-for", "192.0.2.1")], "http://t.example");
        check(
            &[("x-forwarded-host", "evil.example, t.example, mid"), ("x-forwarded-for", "192.0.2.1, 10.0.0.3")],
            "http://t.example",
        );
        check(&[("x-forwarded-host", "t.example"), ("x-forwarded-for", "192.0.2.1, 10.0.0.3")], "http://t.example");
    }

    #[test]
    fn proxies_cannot_say_nonsense_either() {
        let refuse = |name, value, why| assert_eq!(ask(PROXY, Some("inner"), &[(name, value)]), Err(why), "{value}");
        for host in ["a b", "<script>", "user@host", "x/y"] {
            refuse("x-forwarded-host", host, Implausible::Host);
        }
        for prefix in ["maps", "//evil.example", "/a//b", "/..", "/a/../b", "/a?b", "/a%2fb", "/<script>", "/{z}"] {
            refuse("x-forwarded-prefix", prefix, Implausible::Prefix);
        }
        let long = format!("/{}", "a".repeat(MAX_PREFIX));
        refuse("x-forwarded-prefix", &long, Implausible::Prefix);
        assert!(path_prefix(&long.as_bytes()[..MAX_PREFIX]).is_some());
    }

    #[test]
    fn networks() {
        let check = |network: &str, address: &str, expected: bool| {
            let network: Network = network.parse().unwrap();
            assert_eq!(network.contains(address.parse().unwrap()), expected, "{network:?} {address}");
        };
        check("10.0.0.0/8", "10.255.0.1", true);
        check("10.0.0.0/8", "11.0.0.1", false);
        check("127.0.0.1", "127.0.0.1", true);
        check("127.0.0.1", "127.0.0.2", false);
        check("0.0.0.0/0", "203.0.113.1", true);
        check("0.0.0.0/0", "2001:db8::1", false);
        check("::/0", "2001:db8::1", true);
        check("127.0.0.1", "::ffff:127.0.0.1", true);
        check("fd00::/9", "fd80::1", false);
        for text in ["", "10.0.0.0/33", "::1/129", "10.0.0/8", "host", "10.0.0.0/", "10.0.0.0/-1"] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
    }
}
