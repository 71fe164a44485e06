//! How an origin is to run: plain data, checked before anything starts.

use super::address::{self, Network};
use super::pages::{self, Pages};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// What the contract says about documents that point at the current version.
pub const POINTER_POLICY: &str = "public, max-age=10, s-maxage=10, stale-while-revalidate=20, stale-if-error=86400";

/// How long the route that blocks on purpose blocks.
pub const BLOCK: Duration = Duration::from_millis(400);

/// More workers or readers than this are a slip of the keyboard, not a machine.
const MAX_THREADS: usize = 1024;

/// Waiting longer than this for room in the queue helps nobody: clients give up before.
const MAX_QUEUE_WAIT: Duration = Duration::from_secs(30);

/// The settings of an origin. The fields are what was asked for; [`Config::validate`] says
/// whether that makes sense.
#[derive(Debug, Clone)]
pub struct Config {
    /// The folder with the published versions.
    pub store: PathBuf,
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Where operators are answered (`/metrics`); nowhere, unless it is set.
    pub admin_listen: Option<SocketAddr>,
    /// Threads that talk to clients.
    pub workers: usize,
    /// Threads that read tiles which are not in memory, each with its own connections.
    pub readers: usize,
    /// Memory for tiles, in bytes; what an entry costs beside its body counts too.
    pub cache_bytes: u64,
    /// Misses that may wait for a reader.
    pub queue_length: usize,
    /// How long a miss waits for room in that queue before it is answered 503.
    pub queue_wait: Duration,
    /// The address under which clients reach this origin; without it, requests tell.
    pub public_url: Option<PublicUrl>,
    /// Who may say in header fields under which name it was asked.
    pub trusted_proxies: Vec<Network>,
    /// `Cache-Control` of documents that point at the current version.
    pub pointer_policy: String,
    /// How often the store is looked at for new versions.
    pub poll: Duration,
    /// How long a client may take to send the head of a request.
    pub request_timeout: Duration,
    /// How long an idle connection is kept; longer than proxies in front keep theirs.
    pub keep_alive: Duration,
    /// How long requests are still answered after the order to stop, while `/ready` says no
    /// already: time for a load balancer to notice.
    pub drain: Duration,
    /// How long running requests may take to finish after the order to stop, in whole seconds.
    pub grace: Duration,
    /// Slows every read down, on purpose: tests of overload need a slow disk.
    pub read_delay: Duration,
    /// From how much lateness of a worker's event loop on it is logged.
    pub drift_warning: Duration,
    /// Answers `/block` by blocking the worker for [`BLOCK`], on purpose: a test of the watch
    /// over event loops needs something to see.
    pub block_route: bool,
    /// Where the pages come from.
    pub pages: Pages,
}

impl Default for Config {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            store: PathBuf::from("store"),
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            admin_listen: None,
            workers: cores,
            // Readers wait for the disk most of the time, so a few more than cores.
            readers: (2 * cores).clamp(4, 32),
            cache_bytes: 256 << 20,
            queue_length: 256,
            queue_wait: Duration::from_millis(100),
            public_url: None,
            trusted_proxies: Vec::new(),
            pointer_policy: POINTER_POLICY.into(),
            poll: Duration::from_millis(500),
            request_timeout: Duration::from_secs(10),
            keep_alive: Duration::from_secs(75),
            drain: Duration::ZERO,
            grace: Duration::from_secs(10),
            read_delay: Duration::ZERO,
            drift_warning: Duration::from_millis(100),
            block_route: false,
            pages: pages::BUNDLED,
        }
    }
}

/// A setting that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {why}\n  hint: {hint}")]
pub struct Unfit {
    /// The setting's name.
    pub setting: &'static str,
    /// What is wrong with it.
    pub why: String,
    /// What would be right.
    pub hint: &'static str,
}

impl Config {
    /// Whether an origin can run like this.
    ///
    /// # Errors
    /// Names the first setting that makes no sense, and what would.
    pub fn validate(&self) -> Result<(), Unfit> {
        threads("workers", self.workers)?;
        threads("readers", self.readers)?;
        let unfit = |setting, why: String, hint| Err(Unfit { setting, why, hint });
        if self.queue_length == 0 {
            return unfit("queue_length", "no miss could ever wait".into(), "allow at least 1");
        }
        if self.queue_wait > MAX_QUEUE_WAIT {
            return unfit("queue_wait", format!("{:?} is very long", self.queue_wait), "at most 30 seconds");
        }
        if self.poll.is_zero() || self.request_timeout.is_zero() || self.keep_alive.is_zero() {
            return unfit("timeouts", "a time of 0".into(), "write at least 1 millisecond");
        }
        if !self.pointer_policy.bytes().all(|b| (0x20..0x7f).contains(&b)) || self.pointer_policy.trim().is_empty() {
            return unfit("pointer_policy", "not a header value".into(), "see Cache-Control, RFC 9111");
        }
        Ok(())
    }
}

fn threads(setting: &'static str, count: usize) -> Result<(), Unfit> {
    if (1..=MAX_THREADS).contains(&count) {
        return Ok(());
    }
    Err(Unfit { setting, why: format!("{count} threads"), hint: "1 to 1024 threads" })
}

/// The address under which clients reach an origin: scheme, host, port and path prefix, without
/// a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(String);

impl PublicUrl {
    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> &str {
        let host = self.0.find("://").map_or(0, |at| at + 3);
        self.0[host..].find('/').map_or(&self.0, |at| &self.0[..host + at])
    }
}

impl std::str::FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("\"{text}\" is no address for tiles\n  hint: write it as https://tiles.example.com/maps");
        let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let scheme = ["http", "https"].into_iter().find(|s| scheme.eq_ignore_ascii_case(s)).ok_or_else(wrong)?;
        address::plausible(host.as_bytes()).ok_or_else(wrong)?;
        let prefix = address::path_prefix(path.as_bytes()).ok_or_else(wrong)?;
        Ok(Self(format!("{scheme}://{host}{prefix}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_urls() {
        let check = |text: &str, url: &str, origin: &str| {
            let parsed: PublicUrl = text.parse().unwrap();
            assert_eq!((parsed.as_str(), parsed.origin()), (url, origin));
        };
        check("https://t.example", "https://t.example", "https://t.example");
        check("HTTP://t.example:81/", "http://t.example:81", "http://t.example:81");
        check("https://[::1]:81/a/b/", "https://[::1]:81/a/b", "https://[::1]:81");
        for text in [
            "",
            "t.example",
            "//t.example",
            "ftp://t.example",
            "https://",
            "https://a b",
            "https://t/?q",
            "https://t/#f",
        ] {
            assert!(text.parse::<PublicUrl>().is_err(), "{text}");
        }
    }

    #[test]
    fn limits_of_settings() {
        let check = |change: fn(&mut Config), setting: Option<&str>| {
            let mut config = Config::default();
            change(&mut config);
            assert_eq!(config.validate().err().map(|e| e.setting), setting);
        };
        check(|_| (), None);
        check(|c| c.workers = 0, Some("workers"));
        check(|c| c.workers = 1024, None);
        check(|c| c.workers = 1025, Some("workers"));
        check(|c| c.readers = 0, Some("readers"));
        check(|c| c.queue_length = 0, Some("queue_length"));
        check(|c| c.queue_wait = Duration::from_secs(30), None);
        check(|c| c.queue_wait = Duration::from_millis(30_001), Some("queue_wait"));
        check(|c| c.poll = Duration::ZERO, Some("timeouts"));
        check(|c| c.pointer_policy = "no\ncache".into(), Some("pointer_policy"));
        check(|c| c.pointer_policy = " ".into(), Some("pointer_policy"));
        check(|c| c.cache_bytes = 0, None);
    }
}
