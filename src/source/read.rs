//! Reading a source from end to end: one thread scans, all parse.

use super::batch::{Batch, Located, Skip, Summary, Warning};
use super::input::Input;
use super::scan::Scanner;
use super::{Error, parse};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes of text that are parsed together.
const BATCH_BYTES: usize = 1 << 20;

/// Features that are parsed together at the most.
const BATCH_FEATURES: usize = 1 << 13;

/// Endings that say that every line is a value.
const LINE_ENDINGS: [&str; 6] = [".geojsonl", ".geojsons", ".ndjson", ".jsonl", ".geojsonseq", ".ndgeojson"];

/// Reads a file, or standard input for `-`, and hands its features to `sink` in batches, from
/// the threads of the current rayon pool. Memory is bounded by a few batches.
pub fn read(path: &Path, sink: &(dyn Fn(Batch) + Sync)) -> Result<Summary, Error> {
    let name = path.display().to_string();
    if path == Path::new("-") {
        return read_from(std::io::stdin(), "standard input", false, sink);
    }
    let file = File::open(path).map_err(|source| Error::Io { name: name.clone(), doing: "open", source })?;
    let lower = name.to_ascii_lowercase();
    let lower = lower.strip_suffix(".gz").unwrap_or(&lower);
    let lines = LINE_ENDINGS.iter().any(|ending| lower.ends_with(ending));
    read_from(file, &name, lines, sink)
}

/// Like [`read`], from any bytes; `lines` says that every line is a value.
pub fn read_from(
    bytes: impl Read + Send,
    name: &str,
    lines: bool,
    sink: &(dyn Fn(Batch) + Sync),
) -> Result<Summary, Error> {
    let mut scanner = Scanner::new(Input::new(bytes, name)?, lines);
    let waiting = AtomicUsize::new(0);
    let most = rayon::current_num_threads() * 2;
    rayon::in_place_scope(|scope| {
        let mut summary = Summary::default();
        loop {
            let (slices, end) = next_slices(&mut scanner, &mut summary)?;
            if !slices.found.is_empty() || slices.packed > 0 {
                // When all threads are busy this one helps, so that nothing piles up.
                if waiting.load(Relaxed) >= most {
                    sink(slices.parse());
                } else {
                    waiting.fetch_add(1, Relaxed);
                    let waiting = &waiting;
                    scope.spawn(move |_| {
                        sink(slices.parse());
                        waiting.fetch_sub(1, Relaxed);
                    });
                }
            }
            if end {
                return Ok(summary);
            }
        }
    })
}

/// Text of several features.
#[derive(Default)]
struct Slices {
    text: Vec<u8>,
    /// Number, offset and end in `text`.
    found: Vec<(u64, u64, usize)>,
    packed: u64,
}

/// Fills a batch; whether the source has ended.
fn next_slices(scanner: &mut Scanner, summary: &mut Summary) -> Result<(Slices, bool), Error> {
    let mut slices = Slices::default();
    while slices.text.len() < BATCH_BYTES && slices.found.len() < BATCH_FEATURES {
        let Some(offset) = scanner.next(&mut slices.text)? else {
            slices.packed = scanner.input.take_packed();
            return Ok((slices, true));
        };
        summary.features += 1;
        slices.found.push((summary.features, offset, slices.text.len()));
        summary.bytes = offset;
    }
    slices.packed = scanner.input.take_packed();
    Ok((slices, false))
}

impl Slices {
    fn parse(self) -> Batch {
        let mut batch = Batch { bytes: self.packed, ..Default::default() };
        let mut start = 0;
        for (number, offset, end) in self.found {
            match parse(&self.text[start..end]) {
                Ok((feature, warnings)) => {
                    batch.features.push(Located { number, offset, feature });
                    let warning = |(kind, detail)| Warning { number, offset, kind, detail };
                    batch.warnings.extend(warnings.into_iter().map(warning));
                }
                Err((reason, detail)) => batch.skips.push(Skip { number, offset, reason, detail }),
            }
            start = end;
        }
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::Feature;
    use proptest::prelude::*;
    use std::sync::Mutex;

    fn all(bytes: impl Read + Send, lines: bool) -> Result<(Vec<Feature>, usize), Error> {
        let found = Mutex::new((Vec::new(), 0));
        read_from(bytes, "t", lines, &|batch| {
            let mut found = found.lock().unwrap();
            found.1 += batch.skips.len();
            found.0.extend(batch.features);
        })?;
        let (mut features, skips) = found.into_inner().unwrap();
        features.sort_by_key(|f| f.number);
        Ok((features.into_iter().map(|f| f.feature).collect(), skips))
    }

    /// Gives a few bytes at a time.
    struct Trickle<'a>(&'a [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let n = self.1.min(self.0.len()).min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn utf16_is_refused_by_name() {
        for bytes in [&b"\xff\xfe{\0"[..], b"\xfe\xff\0{", b"{\0\"\0", b"\0{\0\""] {
            assert!(all(bytes, false).unwrap_err().to_string().contains("UTF-16"));
        }
    }

    #[test]
    fn gzip_is_unpacked_whatever_the_name() {
        let text = b"{\"type\":\"Point\",\"coordinates\":[1,2]}\n{\"type\":\"Point\",\"coordinates\":[3,4]}";
        let mut packed = flate2::read::GzEncoder::new(&text[..], flate2::Compression::fast());
        let mut bytes = Vec::new();
        packed.read_to_end(&mut bytes).unwrap();
        assert_eq!(all(&bytes[..], false).unwrap(), all(&text[..], false).unwrap());
        assert!(all(&bytes[..bytes.len() / 2], false).is_err());
    }

    #[test]
    fn a_stream_larger_than_its_buffers_is_not_held() {
        // 24 MB of features; what is held at a time is counted by the batches in flight.
        struct Endless(u64);
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                let line = b"{\"type\":\"Point\",\"coordinates\":[1.5,2.5]}\n";
                let n = buffer.len() / line.len() * line.len();
                if self.0 == 0 || n == 0 {
                    return Ok(0);
                }
                buffer[..n].chunks_mut(line.len()).for_each(|chunk| chunk.copy_from_slice(line));
                self.0 = self.0.saturating_sub(n as u64);
                Ok(n)
            }
        }
        let count = AtomicUsize::new(0);
        let largest = AtomicUsize::new(0);
        let summary = read_from(Endless(24_000_000), "t", true, &|batch| {
            count.fetch_add(batch.features.len(), Relaxed);
            largest.fetch_max(batch.features.len(), Relaxed);
        })
        .unwrap();
        assert_eq!(summary.features, count.load(Relaxed) as u64);
        assert!(summary.features > 500_000 && largest.load(Relaxed) <= BATCH_FEATURES);
    }

    fn feature_text() -> impl Strategy<Value = String> {
        (0u64..1000, -170.0f64..170.0, -80.0f64..80.0, "[ -~é]{0,12}", 0usize..4).prop_map(
            |(id, lon, lat, text, kind)| {
                let geometry = match kind {
                    0 => format!(r#"{{"type":"Point","coordinates":[{lon},{lat}]}}"#),
                    1 => format!(r#"{{"coordinates":[[{lon},{lat}],[{lat},{lat}]],"type":"LineString"}}"#),
                    2 => format!(r#"{{"type":"Polygon","coordinates":[[[{lon},{lat}],[1,2],[3,5],[{lon},{lat}]]]}}"#),
                    _ => "null".to_owned(),
                };
                let text = serde_json::to_string(&text).unwrap();
                format!(r#"{{"type":"Feature","id":{id},"properties":{{"t":{text}}},"geometry":{geometry}}}"#)
            },
        )
    }

    proptest! {
        #[test]
        fn collections_lines_and_small_reads_give_the_same(
            features in proptest::collection::vec(feature_text(), 0..20),
            step in 1usize..50,
        ) {
            let collection = format!(r#"{{"type":"FeatureCollection","features":[{}]}}"#, features.join(" ,\n"));
            let lines = features.join("\n");
            let records: String = features.iter().map(|f| format!("\u{1e}{f}\n")).collect();
            let want = all(collection.as_bytes(), false).unwrap();
            prop_assert_eq!(want.0.len() + want.1, features.len());
            prop_assert_eq!(&all(Trickle(collection.as_bytes(), step), false).unwrap(), &want);
            prop_assert_eq!(&all(Trickle(lines.as_bytes(), step), false).unwrap(), &want);
            prop_assert_eq!(&all(lines.as_bytes(), true).unwrap(), &want);
            prop_assert_eq!(&all(Trickle(records.as_bytes(), step), false).unwrap(), &want);
        }

        #[test]
        fn any_bytes_end_in_features_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = all(&bytes[..], false);
            let _ = all(&bytes[..], true);
            let _ = parse(&bytes);
        }

        #[test]
        fn damaged_text_ends_in_features_or_an_error(
            features in proptest::collection::vec(feature_text(), 1..5),
            at in any::<prop::sample::Index>(),
            with in any::<u8>(),
        ) {
            let mut bytes = format!(r#"{{"type":"FeatureCollection","features":[{}]}}"#, features.join(",")).into_bytes();
            let at = at.index(bytes.len());
            bytes[at] = with;
            let _ = all(&bytes[..], false);
            let _ = all(&bytes[..at], false);
        }
    }
}
