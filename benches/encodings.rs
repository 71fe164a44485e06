//! What each encoding costs and saves on real tiles: size, build time, decoding time; on one thread,
//! by the wall clock, so only a quiet machine gives times that mean something.
//!
//! `cargo bench --bench encodings` takes the bundled world; `-- FILE.mbtiles` another tile file.
#![expect(clippy::print_stdout, reason = "a table is what this is for")]
#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on says so by a panic")]

use immutile::build::{self, Definition};
use immutile::store::{self, Reader, decode, gunzip};
use immutile::tile::Encoding;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Plain bytes that are looked at; more change no percentage.
const SAMPLE: usize = 12 << 20;

/// Tiles are decoded this many times.
const ROUNDS: u32 = 3;

type Coder = Box<dyn Fn(&[u8]) -> Vec<u8>>;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let given = std::env::args().skip(1).find(|a| !a.starts_with("--")).map(PathBuf::from);
    let file = given.unwrap_or_else(|| world(folder.path()));
    let tiles = sample(&file);
    let plain: usize = tiles.iter().map(Vec::len).sum();
    println!("{}: {} different tiles, {plain} bytes plain\n", file.display(), tiles.len());
    println!("| encoding | bytes | of plain | of gzip 6 | build, ms/MB | decode, µs/tile | decode, MB/s |");
    println!("|---|---|---|---|---|---|---|");
    let mut gzip = 0;
    for (name, encoding, coder) in coders() {
        let started = Instant::now();
        let packed: Vec<Vec<u8>> = tiles.iter().map(|t| coder(t)).collect();
        let build = started.elapsed();
        let bytes: usize = packed.iter().map(Vec::len).sum();
        if name == "gzip 6" {
            gzip = bytes;
        }
        let unpack = decoding(encoding, &packed, &tiles);
        println!(
            "| {name} | {bytes} | {:.1} % | {:.1} % | {:.0} | {:.1} | {:.0} |",
            percent(bytes, plain),
            percent(bytes, gzip),
            build.as_secs_f64() * 1e3 / (plain as f64 / 1e6),
            unpack.as_secs_f64() * 1e6 / tiles.len() as f64,
            plain as f64 / 1e6 / unpack.as_secs_f64(),
        );
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn world(folder: &Path) -> PathBuf {
    let definition = Definition::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tilesets/world")).unwrap();
    let output = folder.join("world.mbtiles");
    let options = build::Options { output: output.clone(), threads: 0, strict: false, inputs: None };
    build::build(&definition, &options, &|_| ()).unwrap();
    output
}

/// Different tiles, evenly spread over the file.
fn sample(file: &Path) -> Vec<Vec<u8>> {
    let (mut seen, mut all) = (HashSet::new(), Vec::new());
    let keep = |_, plain: &[u8]| {
        if seen.insert(plain.to_vec()) {
            all.push(plain.to_vec());
        }
        Ok(())
    };
    Reader::open(file).unwrap().for_each::<store::Error>(keep).unwrap();
    let bytes: usize = all.iter().map(Vec::len).sum();
    all.into_iter().step_by(bytes.div_ceil(SAMPLE).max(1)).collect()
}

fn coders() -> Vec<(String, Encoding, Coder)> {
    let mut coders: Vec<(String, Encoding, Coder)> = vec![("gzip 6".into(), Encoding::Gzip, Box::new(store::gzip))];
    for quality in 4..=11 {
        let parameters = brotli::enc::BrotliEncoderParams { quality, lgwin: 22, ..Default::default() };
        let code = move |mut plain: &[u8]| {
            let mut out = Vec::new();
            let parameters = brotli::enc::BrotliEncoderParams { size_hint: plain.len(), ..parameters.clone() };
            brotli::BrotliCompress(&mut plain, &mut out, &parameters).unwrap();
            out
        };
        coders.push((format!("br {quality}"), Encoding::Brotli, Box::new(code)));
    }
    for level in [3, 9, 12, 19] {
        let compressor = std::cell::RefCell::new(zstd::bulk::Compressor::new(level).unwrap());
        let code = move |plain: &[u8]| compressor.borrow_mut().compress(plain).unwrap();
        coders.push((format!("zstd {level}"), Encoding::Zstd, Box::new(code)));
    }
    coders
}

/// The time to decode all tiles once, the best of a few rounds.
fn decoding(encoding: Encoding, packed: &[Vec<u8>], tiles: &[Vec<u8>]) -> Duration {
    let round = |_| {
        let started = Instant::now();
        for (packed, plain) in packed.iter().zip(tiles) {
            let out = match encoding {
                Encoding::Gzip => gunzip(packed),
                _ => decode(encoding, packed, plain.len()),
            };
            assert_eq!(out.unwrap().len(), plain.len());
        }
        started.elapsed()
    };
    (0..ROUNDS).map(round).min().unwrap_or_default()
}
