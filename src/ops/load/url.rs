//! The addresses a load test may ask: plain `http`, resolved once, loopback unless allowed.

use super::error::Error;
use std::net::{SocketAddr, ToSocketAddrs};

/// An `http` address, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url {
    /// Host and port as in the `Host` field.
    pub authority: String,
    /// Path and query, from the first slash on.
    pub path: String,
}

impl Url {
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let unfit = |why| Error::Url { url: text.to_owned(), why };
        let (scheme, rest) = text.split_once("://").ok_or_else(|| unfit("it has no http:// in front"))?;
        if !scheme.eq_ignore_ascii_case("http") {
            return Err(unfit("only http is spoken here; test the origin or the cache behind its TLS"));
        }
        if !text.bytes().all(|b| (0x21..0x7f).contains(&b)) {
            return Err(unfit("it has characters that must be percent-encoded"));
        }
        let rest = rest.split('#').next().unwrap_or_default();
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if authority.is_empty() || authority.contains('@') {
            return Err(unfit("it names no host, or a user"));
        }
        let slash = if path.starts_with('/') { "" } else { "/" };
        Ok(Self { authority: authority.to_owned(), path: format!("{slash}{path}") })
    }

    /// Where to connect. Every address that the name stands for must be loopback, unless the
    /// server is `mine`.
    pub(super) fn resolve(&self, mine: bool) -> Result<SocketAddr, Error> {
        let has_port = self.authority.rsplit_once(':').is_some_and(|(_, p)| !p.is_empty() && !p.contains(']'));
        let target = if has_port { self.authority.clone() } else { self.authority.clone() + ":80" };
        let unresolved = |source| Error::Resolve { host: self.authority.clone(), source };
        let found: Vec<_> = target.to_socket_addrs().map_err(unresolved)?.collect();
        if !mine && !found.iter().all(|address| address.ip().is_loopback()) {
            return Err(Error::NotLoopback { host: self.authority.clone() });
        }
        found.first().copied().ok_or_else(|| unresolved(std::io::ErrorKind::NotFound.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let check = |text: &str, authority: &str, path: &str| {
            let url = Url { authority: authority.into(), path: path.into() };
            assert_eq!(Url::parse(text).unwrap(), url, "{text}");
        };
        check("http://127.0.0.1:8080/world.json", "127.0.0.1:8080", "/world.json");
        check("HTTP://localhost", "localhost", "/");
        check("http://[::1]:81?a=b#c", "[::1]:81", "/?a=b");
        for text in ["", "localhost/a", "https://localhost/a", "http://", "http:///a", "http://u@h/", "http://h/a b"] {
            assert!(Url::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_loopback_unless_allowed() {
        let check = |text: &str, mine, expected: Option<&str>| {
            let resolved = Url::parse(text).unwrap().resolve(mine);
            assert_eq!(resolved.ok(), expected.map(|a| a.parse().unwrap()), "{text}");
        };
        check("http://127.0.0.1/", false, Some("127.0.0.1:80"));
        check("http://127.9.9.9:81/", false, Some("127.9.9.9:81"));
        check("http://[::1]/", false, Some("[::1]:80"));
        check("http://192.0.2.1:8080/", false, None);
        check("http://0.0.0.0:8080/", false, None);
        check("http://192.0.2.1:8080/", true, Some("192.0.2.1:8080"));
        check("http://127.0.0.1:99999/", false, None);
    }
}
