//! How a load test is to run: plain data, checked before anything is asked.

use super::error::Error;
use std::time::Duration;

/// Each client is a thread and a connection; more than these measure the client's machine.
const MAX_CLIENTS: usize = 512;

/// A test that runs longer is a soak or was forgotten.
const MAX_DURATION: Duration = Duration::from_secs(3600);

/// So many requests take hours.
const MAX_REQUESTS: u64 = 1_000_000_000;

/// More than any one machine answers.
const MAX_RATE: f64 = 10_000_000.0;

/// What to ask, how fast and for how long.
#[derive(Debug, Clone)]
pub struct Options {
    /// The TileJSON's address.
    pub url: String,
    /// Clients at once, each with a connection of its own and one request at a time.
    pub clients: usize,
    /// Requests before the measured ones, over all clients.
    pub warmup: u64,
    /// The `Accept-Encoding` of every request.
    pub encoding: String,
    /// The share of requests, 0 to 1, that ask again for a tile seen before, on condition that it changed.
    pub revalidate: f64,
    /// Requests a second on a fixed schedule, latencies counted from it; without, each client
    /// asks as soon as it has its answer.
    pub rate: Option<f64>,
    /// How long to measure.
    pub duration: Duration,
    /// The measured requests, where they end before the time does.
    pub requests: Option<u64>,
    /// The seed of all chance.
    pub seed: u64,
    /// Statuses that are no failure, beside those of tiles.
    pub allowed: Vec<u16>,
    /// The 99th percentile of latency that must not be passed.
    pub max_p99: Option<Duration>,
    /// Whether a server that is not this machine may be tested.
    pub mine: bool,
}

impl Options {
    /// The usual test of the tileset with this TileJSON.
    pub fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            clients: 8,
            warmup: 2000,
            encoding: "gzip".into(),
            revalidate: 0.0,
            rate: None,
            duration: Duration::from_secs(10),
            requests: None,
            seed: 1,
            allowed: Vec::new(),
            max_p99: None,
            mine: false,
        }
    }

    /// Whether a test can run like this.
    pub(super) fn validate(&self) -> Result<(), Error> {
        let check = |fits: bool, option, value: String, hint| {
            if fits { Ok(()) } else { Err(Error::Option { option, value, hint }) }
        };
        let duration = !self.duration.is_zero() && self.duration <= MAX_DURATION;
        let is_listed = |b: u8| b.is_ascii_alphanumeric() || b" ,;=.*-".contains(&b);
        check((1..=MAX_CLIENTS).contains(&self.clients), "clients", self.clients.to_string(), "1 to 512")?;
        check(self.warmup <= MAX_REQUESTS, "warmup", self.warmup.to_string(), "0 to 1000000000 requests")?;
        check(self.encoding.bytes().all(is_listed), "encoding", self.encoding.clone(), "as in Accept-Encoding")?;
        check((0.0..=1.0).contains(&self.revalidate), "revalidate", self.revalidate.to_string(), "a share of 0 to 1")?;
        if let Some(rate) = self.rate {
            check(rate > 0.0 && rate <= MAX_RATE, "rate", rate.to_string(), "above 0, up to 10000000 a second")?;
        }
        check(duration, "duration", format!("{:?}", self.duration), "above 0, up to 3600 seconds")?;
        if let Some(n) = self.requests {
            check((1..=MAX_REQUESTS).contains(&n), "requests", n.to_string(), "1 to 1000000000")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        let check = |change: fn(&mut Options), wrong: Option<&str>| {
            let mut options = Options::new("");
            change(&mut options);
            let found = options.validate().err().map(|error| match error {
                Error::Option { option, .. } => option,
                other => panic!("{other}"),
            });
            assert_eq!(found, wrong);
        };
        check(|_| (), None);
        check(|o| o.clients = 0, Some("clients"));
        check(|o| o.clients = 512, None);
        check(|o| o.clients = 513, Some("clients"));
        check(|o| o.encoding = "br;q=0.5, *".into(), None);
        check(|o| o.encoding = "gzip\r\nX: y".into(), Some("encoding"));
        check(|o| o.revalidate = 1.0, None);
        check(|o| o.revalidate = 1.01, Some("revalidate"));
        check(|o| o.revalidate = f64::NAN, Some("revalidate"));
        check(|o| o.rate = Some(0.0), Some("rate"));
        check(|o| o.rate = Some(f64::INFINITY), Some("rate"));
        check(|o| o.rate = Some(0.5), None);
        check(|o| o.duration = Duration::ZERO, Some("duration"));
        check(|o| o.duration = Duration::from_secs(3600), None);
        check(|o| o.duration = Duration::from_millis(3_600_001), Some("duration"));
        check(|o| o.requests = Some(0), Some("requests"));
        check(|o| o.requests = Some(1_000_000_000), None);
        check(|o| o.requests = Some(1_000_000_001), Some("requests"));
        check(|o| o.warmup = 1_000_000_001, Some("warmup"));
    }
}
