//! A cursor over JSON text (RFC 8259): strings, numbers, and whole values to step over.
//!
//! Written for this reader instead of `serde_json`, whose numbers are exact only with a slower
//! build of it, and which keeps neither the spelling of ids nor that of nested values; the tests
//! hold it to what `serde_json` accepts. Does not recurse, whatever the text. Knows no GeoJSON.

use super::super::problem::SkipReason;
use std::borrow::Cow;

/// Why a feature cannot be used; boxed, so that the many small results on the way to a position stay small.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault(pub(super) Box<Problem>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Problem {
    /// It is skipped.
    Skip(SkipReason, String),
    /// It declares another coordinate reference system: the whole file is in doubt.
    Crs(String),
}

pub(super) type Result<T> = std::result::Result<T, Fault>;

/// A feature's problem.
pub(super) fn fault(reason: SkipReason, detail: impl Into<String>) -> Fault {
    Fault(Box::new(Problem::Skip(reason, detail.into())))
}

/// A place in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next byte, if there is one.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Steps over white space and says what follows.
    #[inline]
    pub(super) fn next_token(&mut self) -> Option<u8> {
        loop {
            match self.peek() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                other => return other,
            }
        }
    }

    /// Steps over this byte if it is the next token.
    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let there = self.next_token() == Some(byte);
        self.at += usize::from(there);
        there
    }

    pub(super) fn expect(&mut self, byte: u8) -> Result<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.unexpected(&format!("'{}'", char::from(byte)))) }
    }

    /// That the text goes on in another way than JSON may.
    pub(super) fn unexpected(&self, wanted: &str) -> Fault {
        let found = self.text.get(self.at..).and_then(|rest| rest.chars().next());
        let found = found.map_or_else(|| "the end".to_owned(), |c| format!("{c:?}"));
        fault(SkipReason::BadJson, format!("expected {wanted} at its byte {}, found {found}", self.at))
    }

    /// Whether nothing but white space is left.
    pub(super) fn at_end(&mut self) -> bool {
        self.next_token().is_none()
    }

    /// Calls `each` before every element of an array; returns how many there were.
    #[inline]
    pub(super) fn array(&mut self, mut each: impl FnMut(&mut Self) -> Result<()>) -> Result<usize> {
        self.expect(b'[')?;
        if self.eat(b']') {
            return Ok(0);
        }
        let mut count = 0;
        loop {
            each(self)?;
            count += 1;
            if !self.eat(b',') {
                break;
            }
        }
        if self.eat(b']') { Ok(count) } else { Err(self.unexpected("',' or ']'")) }
    }

    /// Calls `each` with every name of an object, before its value.
    pub(super) fn object(&mut self, mut each: impl FnMut(&mut Self, Cow<'a, str>) -> Result<()>) -> Result<()> {
        self.expect(b'{')?;
        if self.eat(b'}') {
            return Ok(());
        }
        loop {
            let name = self.name()?;
            each(self, name)?;
            if !self.eat(b',') {
                break;
            }
        }
        if self.eat(b'}') { Ok(()) } else { Err(self.unexpected("',' or '}'")) }
    }

    /// A member's name and the colon after it.
    fn name(&mut self) -> Result<Cow<'a, str>> {
        self.next_token();
        let name = self.string()?;
        self.expect(b':')?;
        Ok(name)
    }

    /// The text of a member's value, if this is an object that has it; the last one, if it has more.
    pub(super) fn member(mut self, wanted: &str) -> Option<&'a str> {
        let mut found = None;
        self.object(|cursor, name| {
            let value = cursor.value()?;
            if name == wanted {
                found = Some(value);
            }
            Ok(())
        })
        .ok()?;
        found
    }

    /// A string, as it is meant.
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a string"));
        }
        self.at += 1;
        let plain = self.plain()?;
        if self.peek() == Some(b'"') {
            self.at += 1;
            return Ok(Cow::Borrowed(plain));
        }
        let mut text = plain.to_owned();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Cow::Owned(text));
                }
                Some(b'\\') => text.push(self.escape()?),
                _ => text.push_str(self.plain()?),
            }
        }
    }

    /// Characters up to the next quotation mark or backslash.
    fn plain(&mut self) -> Result<&'a str> {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        match rest.iter().position(|&b| b == b'"' || b == b'\\' || b < b' ') {
            Some(n) if rest[n] >= b' ' => {
                self.at += n;
                Ok(&self.text[start..self.at])
            }
            Some(n) => {
                self.at += n;
                Err(self.unexpected("'\"' (no control character may stand in a string)"))
            }
            None => {
                self.at = self.text.len();
                Err(self.unexpected("'\"'"))
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        self.at += 1;
        let Some(kind) = self.peek() else { return Err(self.unexpected("an escape")) };
        let meant = match kind {
            b'"' | b'\\' | b'/' => char::from(kind),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => return Err(self.unexpected("an escape")),
        };
        self.at += 1;
        Ok(meant)
    }

    /// `\uXXXX`, or two of them for a character outside the basic plane (RFC 8259, section 7).
    fn unicode(&mut self) -> Result<char> {
        let start = self.at;
        let high = self.unit()?;
        let pair = if (0xd800..0xdc00).contains(&high) && self.text[self.at..].starts_with("\\u") {
            self.at += 1;
            [high, self.unit()?]
        } else {
            [high, 0]
        };
        let length = if pair[1] == 0 { 1 } else { 2 };
        match char::decode_utf16(pair[..length].iter().copied()).next() {
            Some(Ok(c)) => Ok(c),
            _ => Err(fault(SkipReason::BadJson, format!("half a surrogate pair in a string at its byte {start}"))),
        }
    }

    /// `uXXXX`
    fn unit(&mut self) -> Result<u16> {
        self.at += 1;
        let digits = self.text.get(self.at..self.at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let Some(unit) = unit else { return Err(self.unexpected("four hexadecimal digits")) };
        self.at += 4;
        Ok(unit)
    }

    /// A number's value: the nearest `f64`, infinite if there is none.
    #[inline]
    pub(super) fn number(&mut self) -> Result<f64> {
        let start = self.at;
        let Decimal { mantissa, digits, fraction, plain } = self.decimal()?;
        // Exact: both are whole numbers that an f64 holds, and a division rounds correctly (Clinger 1990).
        if plain && digits <= 19 && mantissa < 1 << 53 && fraction < POWERS.len() {
            let value = mantissa as f64 / POWERS[fraction];
            return Ok(if self.text.as_bytes()[start] == b'-' { -value } else { value });
        }
        self.text[start..self.at].parse().map_err(|_| self.unexpected("a number"))
    }

    /// Steps over a number.
    #[inline]
    fn decimal(&mut self) -> Result<Decimal> {
        let bytes = self.text.as_bytes();
        let first = self.at + usize::from(self.peek() == Some(b'-'));
        let mut mantissa = 0;
        let mut at = digits(bytes, first, &mut mantissa);
        let whole = at - first;
        if whole == 0 || (whole > 1 && bytes[first] == b'0') {
            self.at = first + usize::from(whole > 0);
            return Err(self.unexpected("a number"));
        }
        let mut fraction = 0;
        if bytes.get(at) == Some(&b'.') {
            let dot = at + 1;
            at = digits(bytes, dot, &mut mantissa);
            fraction = at - dot;
            if fraction == 0 {
                self.at = at;
                return Err(self.unexpected("a digit"));
            }
        }
        self.at = at;
        Ok(Decimal { mantissa, digits: whole + fraction, fraction, plain: !self.exponent()? })
    }

    /// Steps over an exponent and says whether there was one.
    #[inline]
    fn exponent(&mut self) -> Result<bool> {
        if !matches!(self.peek(), Some(b'e' | b'E')) {
            return Ok(false);
        }
        self.at += 1;
        self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected("a digit")) } else { Ok(true) }
    }

    /// Steps over a value of any kind; returns its text.
    pub(super) fn value(&mut self) -> Result<&'a str> {
        self.next_token();
        let start = self.at;
        // The closing brackets that are still to come.
        let mut open = Vec::new();
        loop {
            match self.next_token() {
                Some(b'{') => {
                    self.at += 1;
                    if !self.eat(b'}') {
                        open.push(b'}');
                        self.name()?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    if !self.eat(b']') {
                        open.push(b']');
                        continue;
                    }
                }
                _ => self.scalar()?,
            }
            loop {
                let Some(&close) = open.last() else { return Ok(&self.text[start..self.at]) };
                if self.eat(close) {
                    open.pop();
                } else if self.eat(b',') {
                    if close == b'}' {
                        self.name()?;
                    }
                    break;
                } else {
                    return Err(self.unexpected(&format!("',' or '{}'", char::from(close))));
                }
            }
        }
    }

    fn scalar(&mut self) -> Result<()> {
        match self.peek() {
            Some(b'"') => self.string().map(drop),
            Some(b'-' | b'0'..=b'9') => self.decimal().map(drop),
            _ => self.literal(),
        }
    }

    fn literal(&mut self) -> Result<()> {
        for word in ["null", "true", "false"] {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(());
            }
        }
        Err(self.unexpected("a value"))
    }
}

/// A number as it is written.
struct Decimal {
    /// All digits as one number, wrapped around if there are more than 19.
    mantissa: u64,
    digits: usize,
    /// How many of them stand after the point.
    fraction: usize,
    /// Whether there is no exponent.
    plain: bool,
}

/// Appends the digits from here on to `mantissa`; returns where they end.
#[inline]
fn digits(bytes: &[u8], mut at: usize, mantissa: &mut u64) -> usize {
    while let Some(value) = bytes.get(at..).and_then(<[u8]>::first_chunk).and_then(|chunk| eight_digits(*chunk)) {
        *mantissa = mantissa.wrapping_mul(100_000_000).wrapping_add(value);
        at += 8;
    }
    while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|&d| d < 10) {
        *mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    at
}

/// The number that eight digits are, in three multiplications: neighbours are joined to pairs, pairs to fours,
/// fours to the whole, all lanes of a word at a time.
#[inline]
fn eight_digits(chunk: [u8; 8]) -> Option<u64> {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    const HIGH: u64 = 0xf0f0_f0f0_f0f0_f0f0;
    const SIX: u64 = 0x0606_0606_0606_0606;
    let word = u64::from_le_bytes(chunk);
    // All in '0'..='?', and none of them beyond '9'.
    if word & HIGH != ZEROS || word.wrapping_add(SIX) & HIGH != ZEROS {
        return None;
    }
    let ones = word & !HIGH;
    let pairs = (ones * 10 + (ones >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some((fours * 10_000 + (fours >> 32)) & 0xffff_ffff)
}

/// The powers of ten that an `f64` holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// A value's text without white space outside strings; it has to be JSON.
pub(super) fn compact(value: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    value
        .chars()
        .filter(|&c| {
            if escaped {
                escaped = false;
            } else if in_string {
                escaped = c == '\\';
                in_string = c != '"';
            } else {
                in_string = c == '"';
                return !matches!(c, ' ' | '\n' | '\r' | '\t');
            }
            true
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Anything that looks like JSON, right or wrong.
    fn jsonish() -> impl Strategy<Value = String> {
        let token = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\"a\"",
            "\"b\":",
            "\\",
            "\\n",
            "\\u00e9",
            "\\ud83d\\ude80",
            "\\ud800",
            "\\uDC00",
            "0",
            "1",
            "-",
            "01",
            ".5",
            "1.5",
            "e",
            "E+5",
            "1e400",
            "-0",
            "null",
            "true",
            "false",
            "NaN",
            " ",
            "\n",
            "\u{1}",
            "é",
        ]);
        prop::collection::vec(token, 0..12).prop_map(|tokens| tokens.concat())
    }

    fn arbitrary_json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<f64>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            any::<String>().prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
                prop::collection::hash_map(any::<String>(), inner, 0..5).prop_map(|m| m.into_iter().collect()),
            ]
        })
    }

    fn accepts(text: &str) -> bool {
        let mut cursor = Cursor::new(text);
        cursor.value().is_ok() && cursor.at_end()
    }

    #[test]
    fn deep_nesting_needs_no_stack() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert!(accepts(&deep));
        assert!(!accepts(&deep[..deep.len() - 1]));
        assert!(!accepts(&"{\"a\":".repeat(1_000_000)));
    }

    #[test]
    fn compacting_leaves_strings_alone() {
        assert_eq!(compact("{ \"a b\" : [ 1 ,\n\"\\\" x\" ] }"), r#"{"a b":[1,"\" x"]}"#);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn accepts_what_serde_json_accepts(text in jsonish()) {
            // serde_json refuses numbers beyond f64, which are JSON all the same.
            let expected = serde_json::from_str::<serde_json::Value>(&text);
            if !expected.as_ref().is_err_and(|e| e.to_string().starts_with("number out of range")) {
                prop_assert_eq!(accepts(&text), expected.is_ok(), "{}: {:?}", text, expected);
            }
        }
    }

    proptest! {
        #[test]
        fn values_and_strings_come_back(value in arbitrary_json(), text in any::<String>()) {
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert!(accepts(&pretty));
            prop_assert_eq!(compact(&pretty), serde_json::to_string(&value).unwrap());
            let quoted = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(Cursor::new(&quoted).string().unwrap(), text);
        }

        #[test]
        fn numbers_are_the_nearest(text in "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?") {
            let value = Cursor::new(&text).number().unwrap();
            prop_assert_eq!(value.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{}", text);
        }

        #[test]
        fn shortest_forms_come_back(value in any::<f64>().prop_filter("finite", |v| v.is_finite())) {
            prop_assert_eq!(Cursor::new(&format!("{value:?}")).number().unwrap().to_bits(), value.to_bits());
        }
    }
}
