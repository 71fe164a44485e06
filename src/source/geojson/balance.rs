//! Finds the end of a JSON object, array or string in text that arrives in pieces.
//! Does not check what lies between.

use memchr::{memchr2, memchr3};

/// Counts one kind of bracket outside strings.
///
/// The other kind needs no counting in well-formed JSON, and in broken JSON not counting it keeps
/// the damage inside the object: `{"a":[1}` ends where a reader would say it ends.
#[derive(Debug)]
pub(super) struct Balance {
    open: u8,
    close: u8,
    depth: u64,
    in_string: bool,
    escaped: bool,
}

impl Balance {
    /// For the value that begins with this byte; `None` if it is neither object, array nor string.
    pub(super) const fn of(first: u8) -> Option<Self> {
        let close = match first {
            b'{' => b'}',
            b'[' => b']',
            b'"' => b'"',
            _ => return None,
        };
        Some(Self { open: first, close, depth: 0, in_string: false, escaped: false })
    }

    /// The number of bytes of this piece up to the end of the value, if it ends here.
    pub(super) fn feed(&mut self, piece: &[u8]) -> Option<usize> {
        let mut at = 0;
        if self.escaped && !piece.is_empty() {
            self.escaped = false;
            at = 1;
        }
        while at < piece.len() {
            if self.in_string {
                at += memchr2(b'"', b'\\', &piece[at..])?;
                if piece[at] == b'\\' {
                    self.escaped = at + 1 == piece.len();
                    at += 2;
                    continue;
                }
                self.in_string = false;
                if self.close == b'"' {
                    return Some(at + 1);
                }
            } else {
                at += memchr3(b'"', self.open, self.close, &piece[at..])?;
                match piece[at] {
                    b'"' => self.in_string = true,
                    byte if byte == self.open => self.depth += 1,
                    _ => {
                        self.depth = self.depth.saturating_sub(1);
                        if self.depth == 0 {
                            return Some(at + 1);
                        }
                    }
                }
            }
            at += 1;
        }
        None
    }
}

/// The number of bytes of the value at the start of this text, if it is complete.
pub(super) fn complete(text: &[u8]) -> Option<usize> {
    Balance::of(*text.first()?)?.feed(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_found_in_pieces_of_any_size() {
        let check = |text: &str, expected: Option<usize>| {
            for size in 1..=text.len() {
                let mut balance = Balance::of(text.as_bytes()[0]).unwrap();
                let mut before = 0;
                let found = text.as_bytes().chunks(size).find_map(|piece| {
                    let end = balance.feed(piece).map(|n| before + n);
                    before += piece.len();
                    end
                });
                assert_eq!(found, expected, "{text} in pieces of {size}");
            }
        };
        check("{}", Some(2));
        check("{} ", Some(2));
        check(r#"{"a":{"b":"}"}},{"#, Some(15));
        check(r#"{"a":"\"}"}}"#, Some(11));
        check(r#"{"a":"\\"}}"#, Some(10));
        check(r#"{"a":[1}]"#, Some(8));
        check(r#"{"a":"}"#, None);
        check("[[],[1]]]", Some(8));
        check(r#""a\"b","#, Some(6));
        check(r#""a\"b"#, None);
    }
}
