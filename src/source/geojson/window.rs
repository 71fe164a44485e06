//! A text through a window of fixed size. Knows offsets, not JSON.

use std::io::{self, Read};

/// Bytes of text that are looked at at once: large enough that the calls between do not matter,
/// small enough to stay in the processor's cache.
pub(super) const WINDOW_BYTES: usize = 256 << 10;

/// The part of a text that is in memory.
pub(super) struct Window<R> {
    reader: R,
    buffer: Box<[u8]>,
    at: usize,
    end: usize,
    /// Offset of the buffer's first byte in the text.
    base: u64,
    ended: bool,
    /// An error that comes after what is in the buffer.
    failed: Option<io::Error>,
}

impl<R: Read> Window<R> {
    /// A window whose first byte has this offset.
    pub(super) fn new(reader: R, base: u64, size: usize) -> Self {
        Self {
            reader,
            buffer: vec![0; size.max(1)].into_boxed_slice(),
            at: 0,
            end: 0,
            base,
            ended: false,
            failed: None,
        }
    }

    /// What can be seen from here on; empty only at the end of the text.
    pub(super) fn rest(&mut self) -> io::Result<&[u8]> {
        if self.at == self.end && !self.ended {
            if self.failed.is_none() {
                self.fill();
            }
            if self.at == self.end
                && let Some(error) = self.failed.take()
            {
                self.ended = true;
                return Err(error);
            }
        }
        Ok(&self.buffer[self.at..self.end])
    }

    /// Fills the window wholly where it can, so that nothing depends on how a reader deals out its bytes.
    fn fill(&mut self) {
        self.base += self.end as u64;
        (self.at, self.end) = (0, 0);
        while self.end < self.buffer.len() {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(n) => self.end += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.failed = Some(e);
                    break;
                }
            }
        }
    }

    /// The next `count` bytes, which must be in the window, as read.
    pub(super) fn take(&mut self, count: usize) -> &[u8] {
        let start = self.at;
        self.at = (start + count).min(self.end);
        &self.buffer[start..self.at]
    }

    /// Offset of the next byte in the text.
    pub(super) const fn offset(&self) -> u64 {
        self.base + self.at as u64
    }
}
