//! Bytes of a source: unpacked, without a byte order mark, refilled as they are used up.

use super::Error;
use flate2::read::MultiGzDecoder;
use std::io::{BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes asked for at a time.
const BLOCK: usize = 1 << 18;

/// The largest feature, in bytes of text: without a limit a file of one endless string would take
/// all memory there is.
pub(super) const MAX_FEATURE_BYTES: usize = 1 << 30;

/// A window over the unpacked text. Positions are counted from the start of the window.
pub(super) struct Input<'a> {
    reader: Box<dyn Read + Send + 'a>,
    pub name: String,
    buffer: Vec<u8>,
    /// Bytes of the text before the window.
    base: u64,
    ended: bool,
    /// Bytes taken from the file, still packed.
    packed: Arc<AtomicU64>,
}

/// Counts what passes.
struct Counting<R>(R, Arc<AtomicU64>);

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.0.read(buffer)?;
        self.1.fetch_add(n as u64, Relaxed);
        Ok(n)
    }
}

impl<'a> Input<'a> {
    /// Finds out how the bytes are packed and encoded by looking at the first of them.
    pub(super) fn new(reader: impl Read + Send + 'a, name: &str) -> Result<Self, Error> {
        let packed = Arc::new(AtomicU64::new(0));
        let mut raw = BufReader::with_capacity(BLOCK, Counting(reader, packed.clone()));
        let mut magic = [0; 2];
        let read = read_fully(&mut raw, &mut magic).map_err(|source| Error::Io {
            name: name.to_owned(),
            doing: "read",
            source,
        })?;
        let raw = std::io::Cursor::new(magic[..read].to_vec()).chain(raw);
        let reader: Box<dyn Read + Send + 'a> =
            if magic == [0x1f, 0x8b] { Box::new(MultiGzDecoder::new(raw)) } else { Box::new(raw) };
        let mut input = Self { reader, name: name.to_owned(), buffer: Vec::new(), base: 0, ended: false, packed };
        input.skip_mark()?;
        Ok(input)
    }

    fn skip_mark(&mut self) -> Result<(), Error> {
        while self.buffer.len() < 4 && self.fill()? {}
        let encoding = match *self.buffer.as_slice() {
            [0xef, 0xbb, 0xbf, ..] => {
                self.discard(3);
                return Ok(());
            }
            [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => "UTF-32",
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [b'{', 0, ..] | [0, b'{', ..] => "UTF-16",
            _ => return Ok(()),
        };
        Err(Error::Encoding { name: self.name.clone(), encoding })
    }

    /// The window.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Adds a block to the window; `false` at the end of the source.
    pub(super) fn fill(&mut self) -> Result<bool, Error> {
        if self.ended {
            return Ok(false);
        }
        if self.buffer.len() > MAX_FEATURE_BYTES {
            return Err(self.syntax(0, format!("a feature or line of more than {MAX_FEATURE_BYTES} bytes")));
        }
        let start = self.buffer.len();
        self.buffer.resize(start + BLOCK, 0);
        let n = self.reader.read(&mut self.buffer[start..]).map_err(|source| Error::Io {
            name: format!("{}: after byte {}", self.name, self.base + start as u64),
            doing: "read on",
            source,
        })?;
        self.buffer.truncate(start + n);
        self.ended = n == 0;
        Ok(n > 0)
    }

    /// The byte at a position, filling as needed; `None` at the end.
    pub(super) fn at(&mut self, position: usize) -> Result<Option<u8>, Error> {
        while position >= self.buffer.len() {
            if !self.fill()? {
                return Ok(None);
            }
        }
        Ok(Some(self.buffer[position]))
    }

    /// Drops bytes from the front of the window.
    pub(super) fn discard(&mut self, n: usize) {
        self.buffer.drain(..n);
        self.base += n as u64;
    }

    /// Where a position lies in the unpacked text.
    pub(super) const fn offset(&self, position: usize) -> u64 {
        self.base + position as u64
    }

    /// Bytes of the file since the last call.
    pub(super) fn take_packed(&self) -> u64 {
        self.packed.swap(0, Relaxed)
    }

    pub(super) fn syntax(&self, position: usize, why: impl Into<String>) -> Error {
        Error::Syntax { name: self.name.clone(), offset: self.offset(position), why: why.into() }
    }
}

fn read_fully(reader: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..])? {
            0 => break,
            n => filled += n,
        }
    }
    Ok(filled)
}
