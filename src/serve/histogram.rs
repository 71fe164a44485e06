//! How often something took how long, for Prometheus.

use std::fmt::Write;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Counts that one thread writes and any thread reads.
///
/// A single writer needs no read-modify-write instruction: a load, an addition and a store do.
#[derive(Debug, Default)]
pub(super) struct Count(AtomicU64);

impl Count {
    /// Adds; only ever called by the thread that this count belongs to.
    pub(super) fn add(&self, more: u64) {
        self.0.store(self.0.load(Relaxed).wrapping_add(more), Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// Upper bounds of the buckets in microseconds; what is above the last is counted beside them.
pub(super) const BOUNDS: [u64; 15] =
    [25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000];

/// Durations that one thread observes.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    buckets: [Count; BOUNDS.len() + 1],
    nanoseconds: Count,
}

impl Histogram {
    /// Only ever called by the thread that this histogram belongs to.
    pub(super) fn observe(&self, time: Duration) {
        let bucket = BOUNDS.iter().position(|&bound| time <= Duration::from_micros(bound)).unwrap_or(BOUNDS.len());
        self.buckets[bucket].add(1);
        self.nanoseconds.add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Writes the sum of several histograms in Prometheus' text format. `labels` is empty or
    /// ends with a comma.
    pub(super) fn write(out: &mut String, name: &str, labels: &str, of: &[&Self]) {
        let mut below = 0;
        for (i, bound) in BOUNDS.iter().map(Some).chain([None]).enumerate() {
            below += of.iter().map(|h| h.buckets[i].get()).sum::<u64>();
            let bound = bound.map_or("+Inf".into(), |b| (*b as f64 / 1e6).to_string());
            let _ = writeln!(out, "{name}_bucket{{{labels}le=\"{bound}\"}} {below}");
        }
        let labels = labels.strip_suffix(',').map(|l| format!("{{{l}}}")).unwrap_or_default();
        let seconds = of.iter().map(|h| h.nanoseconds.get()).sum::<u64>() as f64 / 1e9;
        let _ = writeln!(out, "{name}_sum{labels} {seconds}\n{name}_count{labels} {below}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_hold_what_is_not_above_their_bound() {
        let check = |nanoseconds: u64, bound: &str| {
            let histogram = Histogram::default();
            histogram.observe(Duration::from_nanos(nanoseconds));
            let mut out = String::new();
            Histogram::write(&mut out, "t", "", &[&histogram]);
            let first = out.lines().find(|l| l.ends_with(" 1")).unwrap();
            assert_eq!(first, format!("t_bucket{{le=\"{bound}\"}} 1"));
        };
        check(0, "0.000025");
        check(25_000, "0.000025");
        check(25_001, "0.00005");
        check(1_000_000_000, "1");
        check(1_000_000_001, "+Inf");
        check(u64::MAX, "+Inf");
    }

    #[test]
    fn several_are_added_up() {
        let (a, b) = (Histogram::default(), Histogram::default());
        a.observe(Duration::from_millis(1));
        b.observe(Duration::from_millis(500));
        let mut out = String::new();
        Histogram::write(&mut out, "t", "r=\"x\",", &[&a, &b]);
        assert!(out.contains("t_bucket{r=\"x\",le=\"0.25\"} 1\n"), "{out}");
        assert!(out.contains("t_bucket{r=\"x\",le=\"0.5\"} 2\n"), "{out}");
        assert!(out.ends_with("t_sum{r=\"x\"} 0.501\nt_count{r=\"x\"} 2\n"), "{out}");
    }
}
