//! Where the time of a miss went, for `Server-Timing` (W3C Server Timing, section 3).

use actix_http::header::{HeaderName, HeaderValue};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The field's name.
pub(super) static SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// The steps on the way from a request to a tile that was not in memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Timing {
    /// Until a reader took the work up.
    pub queue: Duration,
    /// Reading the file.
    pub store: Duration,
    /// Unpacking, where the plain bytes were asked for.
    pub decompress: Duration,
}

impl Timing {
    /// The value of the field: steps that took no time are left out.
    pub(super) fn value(&self) -> HeaderValue {
        let mut text = String::with_capacity(64);
        for (name, time) in [("queue", self.queue), ("store", self.store), ("decompress", self.decompress)] {
            if !time.is_zero() {
                let between = if text.is_empty() { "" } else { ", " };
                let _ = write!(text, "{between}{name};dur={:.3}", time.as_secs_f64() * 1e3);
            }
        }
        HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static(""))
    }
}

/// Does something and adds the time it took.
pub(super) fn timed<T>(into: &mut Duration, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let done = work();
    *into += started.elapsed();
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let us = Duration::from_micros;
        let check = |queue, store, decompress, expected: &str| {
            let timing = Timing { queue: us(queue), store: us(store), decompress: us(decompress) };
            assert_eq!(timing.value(), expected);
        };
        check(12, 345, 6_789, "queue;dur=0.012, store;dur=0.345, decompress;dur=6.789");
        check(12, 345, 0, "queue;dur=0.012, store;dur=0.345");
        check(0, 0, 1_000_000, "decompress;dur=1000.000");
        check(0, 0, 0, "");
    }
}
