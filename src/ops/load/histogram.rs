//! Latencies, counted in buckets: a fixed size for any number of them, and an error below 1 %.
//!
//! ```text
//! values      0 .. 255   256 .. 511   512 .. 1023   1024 .. 2047   ...
//! width            1          2             4              8       ...   128 buckets each
//! ```

use std::time::Duration;

/// Buckets of each doubling: a bucket is at most 1/128 of its values wide.
const LINEAR: u64 = 128;
const LINEAR_BITS: u32 = LINEAR.trailing_zeros();

/// Values end here, in microseconds: 19 hours, longer than any run.
const MAX_VALUE: u64 = (1 << 36) - 1;
const BUCKETS: usize = bucket(MAX_VALUE) + 1;

/// How often which latency was seen.
#[derive(Debug, Clone)]
pub(super) struct Histogram {
    counts: Vec<u64>,
    count: u64,
    sum: u64,
    max: u64,
}

/// The bucket of a value: itself below 2 × `LINEAR`, then `LINEAR` buckets for each doubling.
const fn bucket(value: u64) -> usize {
    let doublings = match value.checked_ilog2() {
        Some(log) if log > LINEAR_BITS => log - LINEAR_BITS,
        _ => 0,
    };
    (doublings as u64 * LINEAR + (value >> doublings)) as usize
}

/// The largest value of a bucket.
fn upper(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < 2 * LINEAR {
        return bucket;
    }
    let doublings = bucket / LINEAR - 1;
    ((bucket - doublings * LINEAR + 1) << doublings) - 1
}

impl Histogram {
    pub(super) fn new() -> Self {
        Self { counts: vec![0; BUCKETS], count: 0, sum: 0, max: 0 }
    }

    pub(super) fn add(&mut self, latency: Duration) {
        let value = u64::try_from(latency.as_micros()).map_or(MAX_VALUE, |v| v.min(MAX_VALUE));
        self.counts[bucket(value)] += 1;
        self.count += 1;
        self.sum += value;
        self.max = self.max.max(value);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.count += other.count;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }

    /// The latency that this share of all did not exceed, never said too small.
    pub(super) fn quantile(&self, share: f64) -> Duration {
        let wanted = ((self.count as f64 * share).ceil() as u64).max(1);
        let mut seen = 0;
        let reached = self.counts.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        Duration::from_micros(reached.map_or(0, |bucket| upper(bucket).min(self.max)))
    }

    pub(super) fn mean(&self) -> Duration {
        Duration::from_micros(self.sum.checked_div(self.count).unwrap_or(0))
    }

    pub(super) fn max(&self) -> Duration {
        Duration::from_micros(self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn buckets() {
        let check = |value, index, largest| {
            assert_eq!(bucket(value), index, "{value}");
            assert_eq!(upper(index), largest, "{value}");
        };
        check(0, 0, 0);
        check(1, 1, 1);
        check(127, 127, 127);
        check(128, 128, 128);
        check(255, 255, 255);
        check(256, 256, 257);
        check(257, 256, 257);
        check(258, 257, 259);
        check(511, 383, 511);
        check(512, 384, 515);
        check(1023, 511, 1023);
        check(1024, 512, 1031);
        check(MAX_VALUE, BUCKETS - 1, MAX_VALUE);
    }

    fn of(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        for &value in values {
            histogram.add(Duration::from_micros(value));
        }
        histogram
    }

    #[test]
    fn quantiles() {
        let check = |values: &[u64], share, expected| {
            assert_eq!(of(values).quantile(share), Duration::from_micros(expected), "{values:?} {share}");
        };
        check(&[], 0.5, 0);
        check(&[7], 0.0, 7);
        check(&[7], 0.99, 7);
        check(&[1, 2, 3, 4], 0.5, 2);
        check(&[1, 2, 3, 4], 0.51, 3);
        check(&[1, 2, 3, 4], 1.0, 4);
        // A bucket's upper end, but never beyond what was seen.
        check(&[256, 9999], 0.5, 257);
        check(&[256], 0.5, 256);
    }

    #[test]
    fn what_is_beyond_the_end_counts_as_the_end() {
        let mut histogram = of(&[]);
        histogram.add(Duration::MAX);
        histogram.add(Duration::from_micros(MAX_VALUE + 1));
        assert_eq!(histogram.max(), Duration::from_micros(MAX_VALUE));
        assert_eq!(histogram.quantile(0.1), Duration::from_micros(MAX_VALUE));
    }

    #[test]
    fn merged_is_as_counted_together() {
        let mut left = of(&[1, 500, 70_000]);
        left.merge(&of(&[3, 1_000_000]));
        let both = of(&[1, 500, 70_000, 3, 1_000_000]);
        assert_eq!((left.counts, left.count, left.sum, left.max), (both.counts, both.count, both.sum, both.max));
        assert_eq!(of(&[1, 2, 6]).mean(), Duration::from_micros(3));
        assert_eq!(of(&[]).mean(), Duration::ZERO);
    }

    proptest! {
        #[test]
        fn a_bucket_holds_its_values_closely(value in 0..=MAX_VALUE) {
            let end = upper(bucket(value));
            prop_assert!(end >= value && (end - value) as f64 <= value as f64 / 128.0);
            prop_assert!(bucket(end) == bucket(value) && (end == MAX_VALUE || bucket(end + 1) == bucket(value) + 1));
        }
    }
}
