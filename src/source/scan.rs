//! Text into slices, one for each feature, by brackets and quotes alone.
//!
//! ```text
//! {"type":"FeatureCollection","features":[ {…} , {…} , {…} ],"crs":…}   the elements of the array
//! {"type":"Feature",…}                                                  the whole value
//! {…}⏎{…}⏎{…}⏎                                                          each line
//! ```
//!
//! Lines are taken as lines once the first of them is a complete value (or the file's name says
//! so): then a broken line costs itself and nothing after it.

use super::input::Input;
use super::{Error, crs};

/// RFC 8142: the record separator before each text of a sequence.
const RECORD: u8 = 0x1e;

/// Finds features one after the other.
pub(super) struct Scanner<'a> {
    pub input: Input<'a>,
    /// Where the next thing starts in the window.
    at: usize,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before a top-level value.
    Between,
    /// Inside the `features` array; the collection's type is known or not yet.
    Features { typed: bool },
    /// Every line is a value.
    Lines,
}

/// What is around a feature's array in its collection.
#[derive(Debug, Default)]
struct Collection {
    typed: bool,
}

impl<'a> Scanner<'a> {
    pub(super) const fn new(input: Input<'a>, lines: bool) -> Self {
        Self { input, at: 0, state: if lines { State::Lines } else { State::Between } }
    }

    /// Appends the next feature's text to `out`; its offset, or `None` at the end.
    pub(super) fn next(&mut self, out: &mut Vec<u8>) -> Result<Option<u64>, Error> {
        loop {
            let found = match self.state {
                State::Between => self.value(out)?,
                State::Features { typed } => self.element(typed, out)?,
                State::Lines => return self.line(out),
            };
            match found {
                Found::Feature(offset) => return Ok(Some(offset)),
                Found::Nothing => {}
                Found::End => return Ok(None),
            }
        }
    }

    /// A line that is not blank.
    fn line(&mut self, out: &mut Vec<u8>) -> Result<Option<u64>, Error> {
        loop {
            self.input.discard(std::mem::take(&mut self.at));
            let mut searched = 0;
            let end = loop {
                if let Some(i) = memchr::memchr2(b'\n', RECORD, &self.input.bytes()[searched..]) {
                    break Some(searched + i);
                }
                searched = self.input.bytes().len();
                if !self.input.fill()? {
                    break None;
                }
            };
            let line = &self.input.bytes()[..end.unwrap_or(searched)];
            self.at = end.map_or(searched, |i| i + 1);
            let blank = line.iter().take_while(|b| b.is_ascii_whitespace()).count();
            if blank < line.len() {
                out.extend_from_slice(&line[blank..]);
                return Ok(Some(self.input.offset(blank)));
            }
            if end.is_none() {
                return Ok(None);
            }
        }
    }

    /// A top-level value: the start of a collection, or a feature by itself.
    fn value(&mut self, out: &mut Vec<u8>) -> Result<Found, Error> {
        let record = self.space()?;
        self.input.discard(std::mem::take(&mut self.at));
        if record {
            // A JSON text sequence: every text ends where the next separator or line starts.
            self.state = State::Lines;
            return Ok(Found::Nothing);
        }
        match self.input.at(0)? {
            None => return Ok(Found::End),
            Some(b'{') => {}
            Some(_) => return Err(self.input.syntax(0, "this is no GeoJSON: expected an object that starts with {")),
        }
        self.at = 1;
        let mut collection = Collection::default();
        while let Some(key) = self.key()? {
            if key == b"features" && self.input.at(self.at)? == Some(b'[') && !self.is_feature(&collection) {
                self.at += 1;
                self.state = State::Features { typed: collection.typed };
                self.input.discard(std::mem::take(&mut self.at));
                return Ok(Found::Nothing);
            }
            let start = self.at;
            self.at = self.end_of_value(start)?;
            self.member(&key, start, &mut collection)?;
        }
        let offset = self.input.offset(0);
        out.extend_from_slice(&self.input.bytes()[..self.at]);
        self.after_value()?;
        Ok(Found::Feature(offset))
    }

    /// Whether the object is known to be no collection, so that a member `features` is a stranger.
    fn is_feature(&self, collection: &Collection) -> bool {
        let head = &self.input.bytes()[..self.at];
        !collection.typed && memchr::memmem::find(head, b"\"Feature\"").is_some()
    }

    /// Looks at a member of a top-level object that lies at `start..self.at`.
    fn member(&mut self, key: &[u8], start: usize, collection: &mut Collection) -> Result<(), Error> {
        let value = &self.input.bytes()[start..self.at];
        if key == b"type" {
            collection.typed = value == b"\"FeatureCollection\"";
        } else if key == b"crs"
            && let Some(crs) = crs::foreign(value)
        {
            return Err(Error::ReferenceSystem { name: self.input.name.clone(), crs });
        }
        Ok(())
    }

    /// An element of the `features` array.
    fn element(&mut self, typed: bool, out: &mut Vec<u8>) -> Result<Found, Error> {
        self.space()?;
        while self.input.at(self.at)? == Some(b',') {
            self.at += 1;
            self.space()?;
        }
        self.input.discard(std::mem::take(&mut self.at));
        match self.input.at(0)? {
            None => Err(self.cut_off(0)),
            Some(b']') => {
                self.at = 1;
                self.rest_of_collection(typed)?;
                Ok(Found::Nothing)
            }
            Some(_) => {
                self.at = self.end_of_value(0)?;
                out.extend_from_slice(&self.input.bytes()[..self.at]);
                Ok(Found::Feature(self.input.offset(0)))
            }
        }
    }

    /// The members after the `features` array.
    fn rest_of_collection(&mut self, typed: bool) -> Result<(), Error> {
        let mut collection = Collection { typed };
        while let Some(key) = self.key()? {
            let start = self.at;
            self.at = self.end_of_value(start)?;
            self.member(&key, start, &mut collection)?;
        }
        if !collection.typed {
            return Err(self.input.syntax(self.at, "an object with features that is no FeatureCollection"));
        }
        self.after_value()
    }

    /// After a complete top-level value: a line break means that lines follow.
    fn after_value(&mut self) -> Result<(), Error> {
        self.state = State::Between;
        loop {
            match self.input.at(self.at)? {
                Some(b'\n' | RECORD) => {
                    self.state = State::Lines;
                    return Ok(());
                }
                Some(b) if b.is_ascii_whitespace() => self.at += 1,
                _ => return Ok(()),
            }
        }
    }

    /// The next key of an object, with `self.at` on its value then; `None` after the closing brace.
    fn key(&mut self) -> Result<Option<Vec<u8>>, Error> {
        self.space()?;
        while self.input.at(self.at)? == Some(b',') {
            self.at += 1;
            self.space()?;
        }
        let start = self.at;
        match self.input.at(start)? {
            None => return Err(self.cut_off(start)),
            Some(b'}') => {
                self.at += 1;
                return Ok(None);
            }
            Some(b'"') => {}
            Some(_) => return Err(self.input.syntax(start, "expected a member name in quotes")),
        }
        self.at = self.end_of_value(start)?;
        let key = self.input.bytes()[start + 1..self.at - 1].to_vec();
        self.space()?;
        match self.input.at(self.at)? {
            Some(b':') => self.at += 1,
            None => return Err(self.cut_off(self.at)),
            Some(_) => return Err(self.input.syntax(self.at, "expected a colon after a member name")),
        }
        self.space()?;
        Ok(Some(key))
    }

    /// Skips white space and record separators; whether there was a separator.
    fn space(&mut self) -> Result<bool, Error> {
        let mut record = false;
        while let Some(b) = self.input.at(self.at)? {
            if b == RECORD {
                record = true;
            } else if !b.is_ascii_whitespace() {
                break;
            }
            self.at += 1;
        }
        Ok(record)
    }

    /// The end of the value that starts at `start`; it has at least one byte.
    fn end_of_value(&mut self, start: usize) -> Result<usize, Error> {
        match self.brackets(start)? {
            end if end > start => Ok(end),
            _ => Err(self.input.syntax(start, "expected a value")),
        }
    }

    /// Matching brackets outside of strings, or the end of a number or word.
    fn brackets(&mut self, start: usize) -> Result<usize, Error> {
        let mut at = start;
        let mut depth = 0u32;
        loop {
            let Some(&b) = self.input.bytes().get(at) else {
                if self.input.fill()? {
                    continue;
                }
                return if depth == 0 && at > start { Ok(at) } else { Err(self.cut_off(at)) };
            };
            match b {
                b'"' => {
                    at = self.end_of_string(at)?;
                    if depth == 0 {
                        return Ok(at);
                    }
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth <= 1 => return Ok(if depth == 0 { at } else { at + 1 }),
                b'}' | b']' => depth -= 1,
                b',' if depth == 0 => return Ok(at),
                b if depth == 0 && b.is_ascii_whitespace() => return Ok(at),
                _ => {}
            }
            at += 1;
        }
    }

    fn end_of_string(&mut self, start: usize) -> Result<usize, Error> {
        let mut at = start + 1;
        loop {
            match memchr::memchr2(b'"', b'\\', &self.input.bytes()[at.min(self.input.bytes().len())..]) {
                Some(i) if self.input.bytes()[at + i] == b'"' => return Ok(at + i + 1),
                Some(i) => at += i + 2,
                None => {
                    at = at.max(self.input.bytes().len());
                    if !self.input.fill()? {
                        return Err(self.cut_off(at));
                    }
                }
            }
        }
    }

    fn cut_off(&self, position: usize) -> Error {
        self.input.syntax(
            position,
            "the file ends in the middle of a value\n  hint: it was cut off; fetch or export it again",
        )
    }
}

/// What one step of the scanner found.
enum Found {
    Feature(u64),
    Nothing,
    End,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices(text: &str, lines: bool) -> Result<Vec<String>, String> {
        let mut scanner = Scanner::new(Input::new(text.as_bytes(), "t").map_err(|e| e.to_string())?, lines);
        let mut found = Vec::new();
        loop {
            let mut out = Vec::new();
            match scanner.next(&mut out).map_err(|e| e.to_string())? {
                Some(offset) => {
                    let text = String::from_utf8(out).unwrap();
                    found.push(format!("{offset}:{}", text.trim_end()));
                }
                None => return Ok(found),
            }
        }
    }

    #[test]
    fn what_is_a_feature() {
        let check = |text: &str, want: &[&str]| assert_eq!(slices(text, false).unwrap(), want, "{text}");
        check("", &[]);
        check(" \n", &[]);
        check(r#"{"type":"FeatureCollection","features":[]}"#, &[]);
        check(
            r#"{"type":"FeatureCollection","features":[{"a":1},{"b":"]}\""}]}"#,
            &[r#"40:{"a":1}"#, r#"48:{"b":"]}\""}"#],
        );
        check(r#"{"features" : [ 1 , {} ], "type":"FeatureCollection"}"#, &["16:1", "20:{}"]);
        check(
            r#"{"x":{"features":[9]},"type":"FeatureCollection","features":[{}],"y":[{"features":[8]}]}"#,
            &["61:{}"],
        );
        check(r#"{"type":"Point","coordinates":[1,2]}"#, &[r#"0:{"type":"Point","coordinates":[1,2]}"#]);
        check("{\"a\":1}\n\n{\"b\":2}\r\n{\"c\":", &["0:{\"a\":1}", "9:{\"b\":2}", "18:{\"c\":"]);
        check("{\"a\":1} {\"b\":2}", &["0:{\"a\":1}", "8:{\"b\":2}"]);
        check("\u{1e}{\"a\":1}\n\u{1e}{\"b\":2}\n", &["1:{\"a\":1}", "10:{\"b\":2}"]);
        check(
            r#"{"type":"Feature","features":[1],"geometry":null}"#,
            &[r#"0:{"type":"Feature","features":[1],"geometry":null}"#],
        );
        check("\u{feff}{\"a\":1}", &["3:{\"a\":1}"]);
    }

    #[test]
    fn what_cannot_be_read() {
        let check = |text: &str, want: &str| {
            let error = slices(text, false).unwrap_err();
            assert!(error.contains(want), "{text}: {error}");
        };
        check("hello", "byte 0: this is no GeoJSON");
        check("[1,2]", "no GeoJSON");
        check(r#"{"type":"FeatureCollection","features":[{"a":1}"#, "byte 47: the file ends in the middle");
        check(r#"{"type":"FeatureCollection","features":[{"a":"#, "the file ends in the middle");
        check(r#"{"features":[{}]}"#, "no FeatureCollection");
        check(r#"{"type":"FeatureCollection","features":[],"crs":{"properties":{"name":"EPSG:3857"}}}"#, "EPSG:3857");
        check("{1}", "member name");
        check(r#"{"type":"FeatureCollection","features":[{},}]}"#, "byte 43: expected a value");
    }

    #[test]
    fn lines_survive_a_broken_one() {
        assert_eq!(slices("{{{\n{\"b\":2}", true).unwrap(), ["0:{{{", "4:{\"b\":2}"]);
    }
}
