//! Reads a whole file: one thread scans, all threads parse.

use super::super::batch::{Batch, Located, Summary};
use super::super::error::Error;
use super::super::open::open;
use super::super::problem::{Skip, SkipReason};
use super::cursor::{Problem, fault};
use super::parse::{Notes, parse};
use super::scan::Scanner;
use super::slices::{Content, MAX_FEATURE_BYTES, Raw, Slices};
use super::window::{WINDOW_BYTES, Window};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Text that may wait for each thread. What goes beyond it is parsed by the scanning thread
/// itself, which therefore never outruns the others, and never waits for them either.
const WAITING_BYTES: usize = 4 << 20;

/// Names of files that hold one value a line.
const LINE_SUFFIXES: [&str; 5] = [".geojsonl", ".geojsons", ".geojsonseq", ".ndjson", ".jsonl"];

/// Reads a GeoJSON file, or standard input for `-`, and hands its features to `sink`.
///
/// `sink` is called from several threads at a time, in no particular order. Features before an
/// error are delivered.
pub fn read(path: &Path, sink: &(dyn Fn(Batch) + Sync)) -> Result<Summary, Error> {
    if path.as_os_str() == "-" {
        return read_from(std::io::stdin(), "standard input", sink);
    }
    let name = path.display().to_string();
    let file = File::open(path).map_err(|source| Error::Io { name: name.clone(), doing: "open", source })?;
    read_from(file, &name, sink)
}

/// Reads GeoJSON from anywhere; `name` stands in errors, and its ending is the last thing asked
/// when the content does not say whether it goes line by line.
pub fn read_from(reader: impl Read + Send, name: &str, sink: &(dyn Fn(Batch) + Sync)) -> Result<Summary, Error> {
    read_with(reader, name, &Limits { feature: MAX_FEATURE_BYTES, window: WINDOW_BYTES }, sink)
}

/// What tests make small.
pub(super) struct Limits {
    pub(super) feature: usize,
    pub(super) window: usize,
}

pub(super) fn read_with(
    reader: impl Read + Send,
    name: &str,
    limits: &Limits,
    sink: &(dyn Fn(Batch) + Sync),
) -> Result<Summary, Error> {
    let opened = open(reader, name)?;
    let work = Work {
        sink,
        name,
        waiting: AtomicUsize::new(0),
        usable: AtomicU64::new(0),
        skipped: AtomicU64::new(0),
        fatal: Mutex::new(None),
    };
    let consumed = std::sync::Arc::clone(&opened.consumed);
    let (features, text_bytes) = rayon::scope(|scope| {
        let budget = WAITING_BYTES * rayon::current_num_threads();
        let work = &work;
        let dispatch = |raw: Raw| {
            let bytes = raw.text.len();
            if work.waiting.fetch_add(bytes, Relaxed) + bytes <= budget {
                scope.spawn(move |_| {
                    work.parse(raw);
                    work.waiting.fetch_sub(bytes, Relaxed);
                });
            } else {
                work.waiting.fetch_sub(bytes, Relaxed);
                work.parse(raw);
            }
            lock(&work.fatal).take().map_or(Ok(()), |(_, error)| Err(error))
        };
        let mut slices = Slices::new(limits.feature, opened.consumed, &dispatch);
        let mut scanner = Scanner::new(Window::new(opened.text, opened.skipped, limits.window), &mut slices, name);
        scanner.run(is_by_lines(name))?;
        let end = scanner.offset();
        Ok((slices.count, end))
    })?;
    if let Some((_, error)) = lock(&work.fatal).take() {
        return Err(error);
    }
    let (usable, skipped) = (work.usable.into_inner(), work.skipped.into_inner());
    Ok(Summary { features, usable, skipped, bytes: consumed.load(Relaxed), text_bytes })
}

fn is_by_lines(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    LINE_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

/// What the threads share.
struct Work<'a> {
    sink: &'a (dyn Fn(Batch) + Sync),
    name: &'a str,
    /// Bytes of text that wait or are being parsed.
    waiting: AtomicUsize,
    usable: AtomicU64,
    skipped: AtomicU64,
    /// The first feature in the file that puts all of it in doubt.
    fatal: Mutex<Option<(u64, Error)>>,
}

impl Work<'_> {
    /// Parses one batch and delivers it.
    fn parse(&self, raw: Raw) {
        let mut batch = Batch { bytes: raw.bytes, ..Batch::default() };
        for slice in raw.slices {
            let (number, offset) = (slice.number, slice.offset);
            let mut notes = Notes::default();
            let parsed = match slice.content {
                Content::Text(range) => parse(&raw.text[range], &mut notes),
                Content::TooLarge => Err(fault(SkipReason::TooLarge, "more text than one feature may have")),
                Content::Broken(why) => Err(fault(SkipReason::BadJson, why)),
            };
            match parsed.map_err(|fault| *fault.0) {
                Ok(feature) => {
                    batch.warnings.extend(notes.warnings(number, offset));
                    batch.features.push(Located { number, offset, feature });
                }
                Err(Problem::Skip(reason, detail)) => batch.skips.push(Skip { number, offset, reason, detail }),
                Err(Problem::Crs(crs)) => self.fail(number, crs),
            }
        }
        self.usable.fetch_add(batch.features.len() as u64, Relaxed);
        self.skipped.fetch_add(batch.skips.len() as u64, Relaxed);
        (self.sink)(batch);
    }

    fn fail(&self, number: u64, crs: String) {
        let mut fatal = lock(&self.fatal);
        if fatal.as_ref().is_none_or(|(before, _)| number < *before) {
            *fatal = Some((number, Error::Crs { name: self.name.to_owned(), crs }));
        }
    }
}

/// Nothing is left half done under these locks, so a panic elsewhere does not spoil what they guard.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
