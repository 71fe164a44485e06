//! Finds the features of a text without parsing them.
//!
//! ```text
//! {"type":"FeatureCollection", "crs":{…}, "features":[ {…} , {…} , null ], "foreign":[…]}
//!                                                      └─┬┘   └─┬┘   └─┬┘
//! {"type":"Feature", …}      the whole object is one    slices, by counting brackets outside strings
//! ```
//!
//! Responsible for the structure around features: anything wrong there ends the reading, because
//! nothing after it can be trusted; except between lines and record separators, where the next
//! record is as good as ever. Does not look inside features, and does not check foreign members.

use super::super::error::Error;
use super::balance::{Balance, complete};
use super::crs;
use super::slices::Slices;
use super::window::Window;
use memchr::{memchr, memmem};
use std::io::Read;

/// RFC 8142: stands before every record of a GeoJSON text sequence; in no valid JSON text.
const RECORD_SEPARATOR: u8 = 0x1e;

/// Names and types of members are compared, `crs` is judged; longer ones than this are foreign.
const MAX_TAP: usize = 16 << 10;

const COLLECTION: &str = "FeatureCollection";

/// Walks over one text.
pub(super) struct Scanner<'s, 'd, R> {
    window: Window<R>,
    slices: &'s mut Slices<'d>,
    name: &'s str,
    /// Text that is wanted beside the feature it may belong to.
    tap: Option<Vec<u8>>,
    /// Whether a line has ended since the last top-level value began.
    line_ended: bool,
}

impl<'s, 'd, R: Read> Scanner<'s, 'd, R> {
    pub(super) const fn new(window: Window<R>, slices: &'s mut Slices<'d>, name: &'s str) -> Self {
        Self { window, slices, name, tap: None, line_ended: false }
    }

    /// Scans the whole text; `lines` says that the file's name promises one value a line.
    pub(super) fn run(&mut self, lines: bool) -> Result<(), Error> {
        let result = self.values(lines);
        // What was found before an error is delivered all the same.
        self.slices.forget();
        self.slices.flush().and(result)
    }

    /// Offset of the next byte.
    pub(super) const fn offset(&self) -> u64 {
        self.window.offset()
    }

    fn values(&mut self, lines: bool) -> Result<(), Error> {
        if self.space(false)? == Some(RECORD_SEPARATOR) {
            return self.records(RECORD_SEPARATOR);
        }
        if by_lines(self.rest()?, lines) {
            return self.records(b'\n');
        }
        let mut first = true;
        while let Some(byte) = self.space(true)? {
            if byte != b'{' {
                return Err(if first {
                    self.not_geojson("it does not begin with '{'")
                } else {
                    self.syntax("an object or the end")?
                });
            }
            self.line_ended = false;
            self.object()?;
            if first && !self.line_ended && self.line_ends()? {
                return self.records(b'\n');
            }
            first = false;
        }
        Ok(())
    }

    /// Whether nothing but blanks is left on this line, and it is not the last.
    fn line_ends(&mut self) -> Result<bool, Error> {
        loop {
            match self.rest()?.first() {
                Some(b' ' | b'\t' | b'\r') => self.take(1),
                other => return Ok(other == Some(&b'\n')),
            }
        }
    }

    /// Values that are separated by line ends or record separators: each for itself.
    fn records(&mut self, separator: u8) -> Result<(), Error> {
        // Made once: for short lines, making it costs more than the search.
        let collection = memmem::Finder::new(COLLECTION);
        while self.space(true)?.is_some() {
            let offset = self.offset();
            self.slices.begin(offset);
            let mut ended = false;
            while !ended {
                let rest = self.rest()?;
                if rest.is_empty() {
                    break;
                }
                let end = memchr(separator, rest);
                ended = end.is_some();
                let count = end.unwrap_or(rest.len());
                self.take(count);
                if ended {
                    // The separator itself is white space before the next record.
                    break;
                }
            }
            let Some(record) = self.slices.kept() else {
                self.slices.commit()?;
                continue;
            };
            if !ended && record.first() == Some(&b'{') && complete(record).is_none() {
                return Err(self.truncated("a record"));
            }
            if collection.find(record).is_some() {
                let record = record.to_vec();
                self.collection(&record, offset)?;
            } else {
                self.slices.commit()?;
            }
        }
        Ok(())
    }

    /// A record that may be a collection: its features count one by one.
    fn collection(&mut self, record: &[u8], offset: u64) -> Result<(), Error> {
        self.slices.forget();
        let window = Window::new(record, offset, record.len());
        let mut inner = Scanner::new(window, self.slices, self.name);
        let result = inner.space(true).and_then(|_| inner.object()).and_then(|()| match inner.space(true)? {
            None => Ok(()),
            Some(_) => Err(inner.syntax("the end of the record")?),
        });
        match result {
            Err(error @ (Error::Syntax { .. } | Error::Truncated { .. } | Error::NotGeoJson { .. })) => {
                let why = error.to_string();
                let why = why.strip_prefix(self.name).and_then(|why| why.strip_prefix(": ")).unwrap_or(&why);
                self.slices.broken(offset, why.lines().next().unwrap_or_default().to_owned())
            }
            other => other,
        }
    }

    /// One top-level object: a collection, or the feature itself.
    fn object(&mut self) -> Result<(), Error> {
        self.slices.begin(self.offset());
        self.take(1);
        let (mut kind, mut found, mut foreign_crs) = (None, false, None);
        if self.space(false)? == Some(b'}') {
            self.take(1);
            return self.slices.commit();
        }
        loop {
            let name = self.member()?;
            let first = self.space(false)?;
            let open = kind.as_deref().is_none_or(|kind| kind == COLLECTION);
            match (name.as_str(), first) {
                ("type", Some(b'"')) => {
                    let text = self.tapped()?;
                    kind = serde_json::from_slice::<String>(&text).ok();
                    if kind.as_deref() == Some(COLLECTION) {
                        self.slices.forget();
                    }
                }
                ("features", Some(b'[')) if open => {
                    self.slices.forget();
                    self.elements()?;
                    found = true;
                }
                // Only of a collection: a feature's own member is the parser's.
                ("crs", _) if open => {
                    let text = self.tapped()?;
                    foreign_crs = crs::foreign(&String::from_utf8_lossy(&text)).or(foreign_crs);
                }
                _ => self.value()?,
            }
            match self.space(false)? {
                Some(b',') => self.take(1),
                Some(b'}') => break self.take(1),
                _ => return Err(self.syntax("',' or '}'")?),
            }
        }
        if let Some(crs) = foreign_crs.filter(|_| found || kind.as_deref() == Some(COLLECTION)) {
            return Err(Error::Crs { name: self.name.to_owned(), crs });
        }
        match (kind.as_deref(), found) {
            (Some(COLLECTION), true) => Ok(()),
            (Some(COLLECTION), false) => Err(self.not_geojson("a FeatureCollection without an array \"features\"")),
            (Some(kind), true) => Err(self.not_geojson(&format!(
                "an array \"features\" stands before the type \"{}\", which has none",
                kind.chars().take(60).collect::<String>()
            ))),
            (None, true) => Err(self.not_geojson("an object with \"features\" lacks \"type\": \"FeatureCollection\"")),
            (_, false) => self.slices.commit(),
        }
    }

    /// The elements of `features`.
    fn elements(&mut self) -> Result<(), Error> {
        self.take(1);
        if self.space(false)? == Some(b']') {
            self.take(1);
            return Ok(());
        }
        loop {
            self.space(false)?;
            self.slices.begin(self.offset());
            self.value()?;
            self.slices.commit()?;
            match self.space(false)? {
                Some(b',') => self.take(1),
                Some(b']') => break self.take(1),
                _ => return Err(self.syntax("',' or ']'")?),
            }
        }
        Ok(())
    }

    /// A member's name and the colon after it; a name too long to be ours is empty.
    fn member(&mut self) -> Result<String, Error> {
        if self.space(false)? != Some(b'"') {
            return Err(self.syntax("a member's name")?);
        }
        let text = self.tapped()?;
        if self.space(false)? != Some(b':') {
            return Err(self.syntax("':'")?);
        }
        self.take(1);
        Ok(serde_json::from_slice(&text).unwrap_or_default())
    }

    /// Steps over a value and returns the beginning of its text.
    fn tapped(&mut self) -> Result<Vec<u8>, Error> {
        self.tap = Some(Vec::new());
        let result = self.value();
        let text = self.tap.take().unwrap_or_default();
        result.map(|()| text)
    }

    /// Steps over a value of any kind.
    fn value(&mut self) -> Result<(), Error> {
        let Some(first) = self.space(false)? else { return Err(self.truncated("an object")) };
        let Some(mut balance) = Balance::of(first) else { return self.scalar() };
        loop {
            let rest = self.rest()?;
            if rest.is_empty() {
                return Err(self.truncated(if first == b'"' { "a string" } else { "an array or object" }));
            }
            let (count, ended) = balance.feed(rest).map_or((rest.len(), false), |count| (count, true));
            self.take(count);
            if ended {
                return Ok(());
            }
        }
    }

    /// Steps over a number, a literal, or whatever stands there instead.
    fn scalar(&mut self) -> Result<(), Error> {
        let mut any = false;
        loop {
            let rest = self.rest()?;
            let end = rest.iter().position(|&b| {
                matches!(b, b',' | b'}' | b']' | b':' | b'"' | b'{' | b'[' | RECORD_SEPARATOR) || is_space(b)
            });
            let count = end.unwrap_or(rest.len());
            let ended = end.is_some() || rest.is_empty();
            any |= count > 0;
            self.take(count);
            if ended {
                return if any { Ok(()) } else { Err(self.syntax("a value")?) };
            }
        }
    }

    /// Steps over white space, and over record separators where they may be; says what follows.
    fn space(&mut self, separators: bool) -> Result<Option<u8>, Error> {
        loop {
            let rest = self.rest()?;
            let blank = |b: &u8| is_space(*b) || (separators && *b == RECORD_SEPARATOR);
            let end = rest.iter().position(|b| !blank(b));
            let found = end.map(|n| rest[n]);
            let count = end.unwrap_or(rest.len());
            let ended = found.is_some() || rest.is_empty();
            self.take(count);
            if ended {
                return Ok(found);
            }
        }
    }

    fn rest(&mut self) -> Result<&[u8], Error> {
        // Looked up before the borrow of the window begins.
        let (offset, features, name) = (self.window.offset(), self.slices.count, self.name);
        self.window.rest().map_err(|source| match source.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                Error::Truncated { name: name.to_owned(), offset, inside: "compressed data", features }
            }
            _ => Error::Io { name: name.to_owned(), doing: "read", source },
        })
    }

    /// Goes on by `count` bytes that were seen by `rest`.
    fn take(&mut self, count: usize) {
        let piece = self.window.take(count);
        self.slices.keep(piece);
        if let Some(tap) = &mut self.tap {
            tap.extend_from_slice(&piece[..piece.len().min(MAX_TAP.saturating_sub(tap.len()))]);
        }
        self.line_ended = self.line_ended || memchr(b'\n', piece).is_some();
    }

    fn not_geojson(&self, why: &str) -> Error {
        Error::NotGeoJson { name: self.name.to_owned(), why: why.to_owned() }
    }

    fn truncated(&self, inside: &'static str) -> Error {
        Error::Truncated { name: self.name.to_owned(), offset: self.offset(), inside, features: self.slices.count }
    }

    /// That something else should stand here; at the end of the text, that it is not complete.
    fn syntax(&mut self, wanted: &str) -> Result<Error, Error> {
        let Some(&found) = self.rest()?.first() else { return Err(self.truncated("an object")) };
        let why = format!("expected {wanted}, found '{}'", found.escape_ascii());
        Ok(Error::Syntax { name: self.name.to_owned(), offset: self.offset(), why, features: self.slices.count })
    }
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Whether a text that begins like this goes line by line: its first line is a complete value and
/// not the last; or its name promises it and nothing in the first line speaks against it.
fn by_lines(start: &[u8], promised: bool) -> bool {
    let Some(end) = memchr(b'\n', start) else { return false };
    let line = start[..end].trim_ascii_end();
    if complete(line) == Some(line.len()) {
        return start[end..].iter().any(|b| !is_space(*b));
    }
    // A pretty-printed value breaks its lines after these.
    promised && !matches!(line.last(), None | Some(b'{' | b'[' | b','))
}
