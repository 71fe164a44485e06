//! Opens an input: counts its bytes, decompresses it, and tells foreign formats and encodings
//! apart by their first bytes. Does not look at JSON.

use super::error::Error;
use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// As many first bytes as any format here is known by.
const HEAD: usize = 16;

const GZIP: &[u8] = &[0x1f, 0x8b];

/// Formats that are mistaken for GeoJSON, by their first bytes.
const FOREIGN: [(&[u8], &str); 10] = [
    (GZIP, "gzip inside gzip"),
    (b"PK\x03\x04", "a ZIP archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data; only gzip can be read, decompress it first"),
    (b"\xfd7zXZ\0", "xz-compressed data; only gzip can be read, decompress it first"),
    (b"BZh", "bzip2-compressed data; only gzip can be read, decompress it first"),
    (b"SQLite format 3\0", "an SQLite database (a GeoPackage or MBTiles, perhaps)"),
    (b"fgb", "FlatGeobuf"),
    (b"\0\0\x27\x0a", "an ESRI shapefile"),
    (b"PAR1", "Parquet"),
    (b"<", "XML (GML, KML or GPX, perhaps)"),
];

/// Byte order marks, and first bytes of JSON without one (RFC 4627, section 3); longer ones first.
const ENCODINGS: [(&[u8], &str); 5] = [
    (b"\xff\xfe\0\0", "UTF-32LE"),
    (b"\0\0\xfe\xff", "UTF-32BE"),
    (b"\xff\xfe", "UTF-16LE"),
    (b"\xfe\xff", "UTF-16BE"),
    (b"\x2b\x2f\x76", "UTF-7"),
];

/// The text of an input.
pub(super) struct Opened<'r> {
    /// Decompressed, without byte order mark.
    pub(super) text: Box<dyn Read + Send + 'r>,
    /// Bytes left out at the start.
    pub(super) skipped: u64,
    /// Bytes read from the input so far, before decompression.
    pub(super) consumed: Arc<AtomicU64>,
}

/// Looks at the first bytes and makes the text readable.
pub(super) fn open<'r>(reader: impl Read + Send + 'r, name: &str) -> Result<Opened<'r>, Error> {
    let consumed = Arc::new(AtomicU64::new(0));
    let mut input: Box<dyn Read + Send + 'r> = Box::new(Counted { reader, consumed: Arc::clone(&consumed) });
    let io = |doing| move |source| Error::Io { name: name.to_owned(), doing, source };
    let mut first = head(&mut input).map_err(io("read"))?;
    if first.starts_with(GZIP) {
        input = Box::new(flate2::read::MultiGzDecoder::new(Cursor::new(first).chain(input)));
        first = head(&mut input).map_err(io("decompress"))?;
    }
    refuse(&first, name)?;
    let skipped = if first.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    first.drain(..skipped);
    Ok(Opened { text: Box::new(Cursor::new(first).chain(input)), skipped: skipped as u64, consumed })
}

fn head(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(HEAD);
    reader.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

fn refuse(first: &[u8], name: &str) -> Result<(), Error> {
    let encoding = |encoding| Err(Error::Encoding { name: name.to_owned(), encoding });
    if let Some((_, why)) = FOREIGN.iter().find(|(magic, _)| first.starts_with(magic)) {
        return Err(Error::NotGeoJson { name: name.to_owned(), why: format!("it looks like {why}") });
    }
    if let Some((_, found)) = ENCODINGS.iter().find(|(mark, _)| first.starts_with(mark)) {
        return encoding(found);
    }
    // Where the zero bytes are among the first four.
    let zeros: Vec<bool> = first.iter().take(4).map(|&b| b == 0).collect();
    match zeros[..] {
        [true, true, true, false] => encoding("UTF-32BE"),
        [false, true, true, true] => encoding("UTF-32LE"),
        [true, false, true, false] => encoding("UTF-16BE"),
        [false, true, false, true] => encoding("UTF-16LE"),
        _ => Ok(()),
    }
}

struct Counted<R> {
    reader: R,
    consumed: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        self.consumed.fetch_add(n as u64, Relaxed);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> Result<(String, u64), Error> {
        let mut opened = open(bytes, "t")?;
        let mut text = String::new();
        opened.text.read_to_string(&mut text).unwrap();
        assert_eq!(opened.consumed.load(Relaxed), bytes.len() as u64);
        Ok((text, opened.skipped))
    }

    #[test]
    fn a_utf8_mark_is_left_out() {
        assert_eq!(text(b"\xef\xbb\xbf{}").unwrap(), ("{}".into(), 3));
        assert_eq!(text(b"{}").unwrap(), ("{}".into(), 0));
        assert_eq!(text(b"").unwrap(), (String::new(), 0));
    }

    #[test]
    fn other_encodings_are_named() {
        let check = |bytes: &[u8], expected: &str| {
            let message = text(bytes).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        };
        let wide = |unit: fn(u16) -> Vec<u8>| "{\"a\":1}".encode_utf16().flat_map(unit).collect::<Vec<u8>>();
        check(&wide(|u| u.to_le_bytes().to_vec()), "UTF-16LE");
        check(&wide(|u| u.to_be_bytes().to_vec()), "UTF-16BE");
        check(&wide(|u| u32::from(u).to_le_bytes().to_vec()), "UTF-32LE");
        check(&wide(|u| u32::from(u).to_be_bytes().to_vec()), "UTF-32BE");
        check(b"\xff\xfe{\0\"\0", "UTF-16LE");
        check(b"\xfe\xff\0{\0\"", "UTF-16BE");
        check(b"\xff\xfe\0\0{\0\0\0", "UTF-32LE");
        check(b"PK\x03\x04\x14\0", "ZIP");
        check(b"SQLite format 3\0", "SQLite");
    }
}
