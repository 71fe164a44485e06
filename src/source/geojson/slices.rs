//! Collects the texts of features into batches. Does not look into them.

use super::super::error::Error;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes of text in one feature. A single feature has to be in memory, three to four times over
/// once it is parsed, and 512 MiB are some 25 million positions; a file that claims more is
/// more likely broken (a quotation mark missing, say) than meant.
pub const MAX_FEATURE_BYTES: usize = 512 << 20;

/// Text in a batch: enough that handing it over costs nothing, little enough that the features of a batch stay in
/// the cache until they are used (with 1 MiB, files of points took a quarter more time).
const BATCH_BYTES: usize = 1 << 18;

/// Features in a batch: bounds what a file of many tiny broken ones (`null,null,…`) costs in memory.
const BATCH_FEATURES: usize = 1 << 14;

/// One batch before it is parsed.
#[derive(Default)]
pub(super) struct Raw {
    /// The texts of all features, one after another.
    pub(super) text: Vec<u8>,
    pub(super) slices: Vec<Slice>,
    /// Bytes of input consumed since the batch before.
    pub(super) bytes: u64,
}

/// Where one feature is.
pub(super) struct Slice {
    pub(super) number: u64,
    pub(super) offset: u64,
    pub(super) content: Content,
}

/// The text of one feature, or why there is none.
pub(super) enum Content {
    Text(Range<usize>),
    TooLarge,
    Broken(String),
}

/// The batch that is being filled.
pub(super) struct Slices<'a> {
    raw: Raw,
    open: Option<Open>,
    /// Features so far.
    pub(super) count: u64,
    max: usize,
    consumed: Arc<AtomicU64>,
    reported: u64,
    dispatch: &'a (dyn Fn(Raw) -> Result<(), Error> + 'a),
}

struct Open {
    start: usize,
    offset: u64,
    lost: bool,
}

impl<'a> Slices<'a> {
    pub(super) fn new(
        max: usize,
        consumed: Arc<AtomicU64>,
        dispatch: &'a (dyn Fn(Raw) -> Result<(), Error> + 'a),
    ) -> Self {
        Self { raw: Raw::default(), open: None, count: 0, max, consumed, reported: 0, dispatch }
    }

    /// What is kept from now on may be a feature.
    pub(super) fn begin(&mut self, offset: u64) {
        self.forget();
        self.open = Some(Open { start: self.raw.text.len(), offset, lost: false });
    }

    /// Keeps text if a feature was begun.
    pub(super) fn keep(&mut self, piece: &[u8]) {
        let Some(open) = self.open.as_mut().filter(|open| !open.lost) else { return };
        if self.raw.text.len() - open.start + piece.len() > self.max {
            self.raw.text.truncate(open.start);
            open.lost = true;
        } else {
            self.raw.text.extend_from_slice(piece);
        }
    }

    /// It was none.
    pub(super) fn forget(&mut self) {
        if let Some(open) = self.open.take() {
            self.raw.text.truncate(open.start);
        }
    }

    /// The text that was kept since the beginning of the feature, unless it was too much.
    pub(super) fn kept(&self) -> Option<&[u8]> {
        let open = self.open.as_ref().filter(|open| !open.lost)?;
        Some(&self.raw.text[open.start..])
    }

    /// It was one.
    pub(super) fn commit(&mut self) -> Result<(), Error> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let content = if open.lost { Content::TooLarge } else { Content::Text(open.start..self.raw.text.len()) };
        self.push(open.offset, content)
    }

    /// Something that should have been a feature is not even JSON.
    pub(super) fn broken(&mut self, offset: u64, why: String) -> Result<(), Error> {
        self.forget();
        self.push(offset, Content::Broken(why))
    }

    fn push(&mut self, offset: u64, content: Content) -> Result<(), Error> {
        self.count += 1;
        self.raw.slices.push(Slice { number: self.count, offset, content });
        if self.raw.text.len() >= BATCH_BYTES || self.raw.slices.len() >= BATCH_FEATURES {
            return self.flush();
        }
        Ok(())
    }

    /// Hands over what is there.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        self.forget();
        let consumed = self.consumed.load(Relaxed);
        let mut raw = std::mem::take(&mut self.raw);
        raw.bytes = consumed - self.reported;
        self.reported = consumed;
        if raw.slices.is_empty() && raw.bytes == 0 {
            return Ok(());
        }
        (self.dispatch)(raw)
    }
}
