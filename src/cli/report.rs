//! The report of a build as text for a terminal.

use crate::build::{LayerReport, Report};
use std::fmt::Write;
use std::path::Path;

/// A tile above this many compressed bytes is pointed out: maps feel slow beyond it.
const LARGE_TILE: u64 = 500_000;

/// What was read, skipped and put right in each layer.
pub(super) fn layers(report: &Report) -> String {
    let mut out = String::new();
    report.layers.iter().for_each(|layer| layer_text(&mut out, layer));
    out.trim_end().to_owned()
}

pub(super) fn text(report: &Report, output: &Path) -> String {
    let mut out = layers(report) + "\n";
    let _ = writeln!(
        out,
        "{:>5} {:>9} {:>11} {:>11} {:>11}  features drawn",
        "zoom", "tiles", "bytes", "average", "largest"
    );
    for zoom in &report.zooms {
        let drawn: Vec<String> = zoom.drawn.iter().map(|(layer, n)| format!("{layer} {}", count(*n))).collect();
        let average = zoom.bytes.checked_div(zoom.tiles).unwrap_or(0);
        let _ = writeln!(
            out,
            "{:>5} {:>9} {:>11} {:>11} {:>11}  {}",
            zoom.zoom,
            count(zoom.tiles),
            bytes(zoom.bytes),
            bytes(average),
            bytes(zoom.largest),
            drawn.join(", ")
        );
    }
    let biggest: Vec<String> =
        report.biggest.iter().take(5).map(|b| format!("{} {}", b.tile, bytes(b.bytes))).collect();
    let _ = writeln!(out, "biggest tiles: {}", biggest.join(", "));
    for tile in report.biggest.iter().filter(|b| b.bytes > LARGE_TILE) {
        let _ = writeln!(
            out,
            "warning: tile {} has {} ({} features); maps feel slow beyond 500 kB",
            tile.tile,
            bytes(tile.bytes),
            tile.features
        );
    }
    let seconds: f64 = report.seconds.values().sum();
    let _ = write!(
        out,
        "{}: {} tiles ({} different), {}, in {seconds:.1} s\ndigest {}",
        output.display(),
        count(report.tiles),
        count(report.distinct),
        bytes(report.bytes),
        report.digest
    );
    out
}

fn layer_text(out: &mut String, layer: &LayerReport) {
    let skipped: u64 = layer.skipped.values().sum();
    let _ = writeln!(out, "layer {}: {} features read, {} skipped", layer.id, count(layer.read), count(skipped));
    for (kind, word) in [(&layer.skipped, "skipped"), (&layer.warnings, "warning")] {
        for (reason, n) in kind {
            let _ = writeln!(out, "  {word}: {} × {reason}", count(*n));
            for e in layer.examples.iter().filter(|e| &e.reason == reason) {
                let _ = writeln!(out, "    {}, feature {}, byte {}: {}", e.file, e.feature, e.offset, e.detail);
            }
        }
    }
    if layer.enlarged > 0 {
        let _ = writeln!(
            out,
            "  {} smaller than a tile unit at the largest zoom, drawn one unit large",
            count(layer.enlarged)
        );
    }
    if layer.clipped > 0 {
        let _ = writeln!(out, "  {} reach beyond latitude ±85.0511° and were cut there", count(layer.clipped));
    }
}

fn count(n: u64) -> String {
    indicatif::HumanCount(n).to_string()
}

fn bytes(n: u64) -> String {
    indicatif::DecimalBytes(n).to_string()
}
