//! `immutile load`.

use super::Usage;
use super::args::LoadArgs;
use crate::ops::load::{Error, Options, Report, Step, load};
use indicatif::{ProgressBar, ProgressDrawTarget};
use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::io::IsTerminal;
use std::time::Duration;

pub(super) fn run(args: &LoadArgs) -> anyhow::Result<()> {
    let options = options(args)?;
    let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if !std::io::stderr().is_terminal() {
        line.set_draw_target(ProgressDrawTarget::hidden());
    }
    let result = load(&options, &|step| line.set_message(live(step)));
    line.finish_and_clear();
    let report = result.map_err(usage)?;
    super::print(&if args.json { serde_json::to_string_pretty(&report)? } else { text(&report) })?;
    if report.failed.is_empty() { Ok(()) } else { Err(anyhow::anyhow!("failed: {}", report.failed.join("; "))) }
}

fn options(args: &LoadArgs) -> Result<Options, Usage> {
    let time = |option: &str, seconds: f64| {
        Duration::try_from_secs_f64(seconds).map_err(|_| Usage(format!("{option}: {seconds} s is no time")))
    };
    Ok(Options {
        clients: args.clients,
        warmup: args.warmup,
        encoding: args.encoding.clone(),
        revalidate: args.revalidate,
        rate: args.rate,
        duration: time("--duration", args.duration)?,
        requests: args.requests,
        seed: args.seed,
        allowed: args.allow_status.clone(),
        max_p99: args.max_p99.map(|ms| time("--max-p99", ms / 1e3)).transpose()?,
        mine: args.yes_this_is_my_server,
        ..Options::new(&args.url)
    })
}

/// What only the command line can set right is wrong usage.
fn usage(error: Error) -> anyhow::Error {
    match error {
        Error::Option { .. } | Error::Url { .. } | Error::NotLoopback { .. } => Usage(error.to_string()).into(),
        other => other.into(),
    }
}

fn live(step: Step) -> String {
    match step {
        Step::Found { places, asked } => format!("{places} places found in {asked} tiles"),
        Step::Warming { requests } => format!("warming up: {requests} requests"),
        Step::Running { elapsed, requests, p99, errors } => {
            let seconds = elapsed.as_secs_f64();
            let p99 = p99.as_secs_f64() * 1e3;
            let rate = requests as f64 / seconds.max(0.001);
            format!("{seconds:.0} s: {requests} requests, {rate:.0}/s, p99 {p99:.2} ms, {errors} errors")
        }
    }
}

fn text(report: &Report) -> String {
    let mut out = report.tiles.clone();
    let mut row = |name: &str, value: String| {
        let _ = write!(out, "\n{name:14} {value}");
    };
    let latency = &report.latency_ms;
    let paced = report.rate.map(|rate| format!(" of {rate} asked for")).unwrap_or_default();
    row("requests", format!("{} in {:.1} s by {} clients", report.requests, report.seconds, report.clients));
    row("requests/s", format!("{:.0}{paced}", report.requests_per_second));
    row(
        "latency ms",
        format!(
            "p50 {:.3}  p95 {:.3}  p99 {:.3}  max {:.3}  mean {:.3}",
            latency.p50, latency.p95, latency.p99, latency.max, latency.mean
        ),
    );
    row("bytes/response", format!("{:.0}", report.bytes_per_response));
    row("MB/s", format!("{:.2}", report.mb_per_second));
    row("statuses", list(&report.statuses));
    row("encodings", list(&report.encodings));
    if report.conditional > 0 {
        row("conditional", report.conditional.to_string());
    }
    let ratio = report
        .cache
        .hit_ratio
        .map(|ratio| format!("{:.2} % of {}", 100.0 * ratio, report.cache.hits + report.cache.misses));
    row("cache hits", ratio.unwrap_or_else(|| "no cache said so".into()));
    if !report.errors.is_empty() {
        row("errors", list(&report.errors));
    }
    out
}

fn list<K: Display>(counts: &BTreeMap<K, u64>) -> String {
    counts.iter().map(|(what, n)| format!("{what}: {n}")).collect::<Vec<_>>().join("  ")
}
