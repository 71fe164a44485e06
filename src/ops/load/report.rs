//! What a load test came to.

use super::options::Options;
use super::tally::Tally;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// The result of a load test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The template of the tiles.
    pub tiles: String,
    /// The `Accept-Encoding` of the requests.
    pub encoding: String,
    /// Clients at once.
    pub clients: usize,
    /// Requests a second that were asked for, on a fixed schedule.
    pub rate: Option<f64>,
    /// The seed of all chance.
    pub seed: u64,
    /// Tiles that sessions gather around.
    pub places: usize,
    /// Requests that came before the measured ones.
    pub warmup: u64,
    /// How long was measured, in seconds.
    pub seconds: f64,
    /// Answers that were measured.
    pub requests: u64,
    /// Of these, how many had been asked for with a tag.
    pub conditional: u64,
    /// Answers a second.
    pub requests_per_second: f64,
    /// Latencies; on a schedule, from the scheduled time on.
    pub latency_ms: Latency,
    /// Bytes of all bodies, as they were sent.
    pub bytes: u64,
    /// Bytes of a body, averaged over all answers.
    pub bytes_per_response: f64,
    /// Millions of bytes of bodies a second.
    pub mb_per_second: f64,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Answers with a body by `Content-Encoding`.
    pub encodings: BTreeMap<String, u64>,
    /// What the caches on the way said.
    pub cache: Cache,
    /// What failed, by its words.
    pub errors: BTreeMap<String, u64>,
    /// Why the test did not pass; empty when it did.
    pub failed: Vec<String>,
}

/// Latencies in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Latency {
    /// The average.
    pub mean: f64,
    /// Half of all answers took no longer.
    pub p50: f64,
    /// 95 % of all answers took no longer.
    pub p95: f64,
    /// 99 % of all answers took no longer.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

/// What `Cache-Status`, `X-Cache`, `CF-Cache-Status` and `Age` say.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cache {
    /// Answers that a cache gave.
    pub hits: u64,
    /// Answers that a cache had to ask for.
    pub misses: u64,
    /// Answers that say nothing.
    pub unknown: u64,
    /// Hits among the answers that say.
    pub hit_ratio: Option<f64>,
}

impl Report {
    pub(super) fn new(options: &Options, tiles: String, places: usize, tally: Tally, measured: Duration) -> Self {
        let seconds = measured.as_secs_f64();
        let each = |n: f64, over: f64| if over > 0.0 { n / over } else { 0.0 };
        let mut report = Self {
            tiles,
            encoding: options.encoding.clone(),
            clients: options.clients,
            rate: options.rate,
            seed: options.seed,
            places,
            warmup: options.warmup,
            seconds,
            requests: tally.requests,
            conditional: tally.conditional,
            requests_per_second: each(tally.requests as f64, seconds),
            latency_ms: Latency::of(&tally),
            bytes: tally.bytes,
            bytes_per_response: each(tally.bytes as f64, tally.requests as f64),
            mb_per_second: each(tally.bytes as f64 / 1e6, seconds),
            cache: Cache::of(&tally),
            statuses: tally.statuses,
            encodings: tally.encodings,
            errors: tally.errors,
            failed: Vec::new(),
        };
        report.failed = report.judge(options);
        report
    }

    fn judge(&self, options: &Options) -> Vec<String> {
        let mut failed: Vec<_> = self.errors.iter().map(|(words, n)| format!("{n} × {words}")).collect();
        if self.requests == 0 {
            failed.push("nothing was answered".into());
        }
        let limit = options.max_p99.map(|limit| limit.as_secs_f64() * 1e3);
        if let Some(limit) = limit.filter(|&limit| self.latency_ms.p99 > limit) {
            failed.push(format!("p99 {:.3} ms is over {limit:.3} ms", self.latency_ms.p99));
        }
        failed
    }
}

impl Latency {
    fn of(tally: &Tally) -> Self {
        let ms = |latency: Duration| latency.as_secs_f64() * 1e3;
        let at = |share| ms(tally.latency.quantile(share));
        let (mean, max) = (ms(tally.latency.mean()), ms(tally.latency.max()));
        Self { mean, p50: at(0.5), p95: at(0.95), p99: at(0.99), max }
    }
}

impl Cache {
    fn of(tally: &Tally) -> Self {
        let (hits, misses) = (tally.hits, tally.misses);
        let known = hits + misses;
        let hit_ratio = (known > 0).then(|| hits as f64 / known as f64);
        Self { hits, misses, unknown: tally.requests.saturating_sub(known), hit_ratio }
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer::Answer;
    use super::*;

    fn tally(answers: u64, milliseconds: u64) -> Tally {
        let mut tally = Tally::new();
        for _ in 0..answers {
            let answer = Answer { bytes: 500, ..Answer::parse("HTTP/1.1 200 OK\r\nX-Cache: HIT").unwrap() };
            tally.answer(&answer, Duration::from_millis(milliseconds));
        }
        tally
    }

    #[test]
    fn numbers() {
        let report = Report::new(&Options::new(""), String::new(), 1, tally(1000, 2), Duration::from_secs(2));
        assert_eq!((report.requests, report.requests_per_second, report.bytes_per_response), (1000, 500.0, 500.0));
        assert_eq!((report.mb_per_second, report.latency_ms.p99, report.cache.hit_ratio), (0.25, 2.0, Some(1.0)));
        assert!(report.failed.is_empty());
    }

    #[test]
    fn what_fails() {
        let check = |tally: Tally, limit: Option<u64>, failed: &[&str]| {
            let options = Options { max_p99: limit.map(Duration::from_millis), ..Options::new("") };
            let report = Report::new(&options, String::new(), 1, tally, Duration::from_secs(1));
            assert_eq!(report.failed, failed);
        };
        check(tally(5, 2), Some(2), &[]);
        check(tally(5, 3), Some(2), &["p99 3.000 ms is over 2.000 ms"]);
        check(tally(0, 0), None, &["nothing was answered"]);
        let mut one = tally(1, 1);
        one.error("status 503");
        check(one, None, &["1 × status 503"]);
    }
}
