//! The small grammar that header fields share: lists, weights, spaces (RFC 9110, section 5.6).

/// Optional white space of RFC 9110, section 5.6.3.
pub(super) fn trim(bytes: &[u8]) -> &[u8] {
    let is_space = |b: &u8| matches!(b, b' ' | b'\t');
    let Some(start) = bytes.iter().position(|b| !is_space(b)) else { return &[] };
    let end = bytes.iter().rposition(|b| !is_space(b)).map_or(start, |i| i + 1);
    &bytes[start..end]
}

/// The elements of a comma-separated list, trimmed, empty ones left out (section 5.6.1.2). Not
/// for lists whose elements may hold quoted commas: see [`quoted_elements`].
pub(super) fn elements(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&b| b == b',').map(trim).filter(|e| !e.is_empty())
}

/// The parts of `line` between separators that stand outside quoted strings (section 5.6.4),
/// trimmed, empty ones left out.
pub(super) fn quoted_elements(line: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let (mut quoted, mut escaped) = (false, false);
    line.split(move |&b| {
        match b {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ => return b == separator && !quoted,
        }
        false
    })
    .map(trim)
    .filter(|e| !e.is_empty())
}

/// The trimmed parts before and after the first `separator`.
pub(super) fn split_once(bytes: &[u8], separator: u8) -> (&[u8], Option<&[u8]>) {
    match bytes.iter().position(|&b| b == separator) {
        Some(at) => (trim(&bytes[..at]), Some(trim(&bytes[at + 1..]))),
        None => (trim(bytes), None),
    }
}

/// A weight in thousandths: `0` or `1` with at most three decimals (section 12.4.2).
pub(super) fn weight(text: &[u8]) -> Option<u16> {
    let (whole, decimals) = match text {
        [whole] => (whole, &[][..]),
        [whole, b'.', decimals @ ..] if decimals.len() <= 3 => (whole, decimals),
        _ => return None,
    };
    if !decimals.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let thousandths = (0..3).fold(0, |sum, i| sum * 10 + decimals.get(i).map_or(0, |d| u16::from(d - b'0')));
    match (whole, thousandths) {
        (b'0', t) => Some(t),
        (b'1', 0) => Some(1000),
        _ => None,
    }
}

/// Whether this is a token: a header or parameter name (section 5.6.2).
pub(super) fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights() {
        let check = |text: &str, expected| assert_eq!(weight(text.as_bytes()), expected, "{text}");
        for (text, expected) in
            [("0", 0), ("1", 1000), ("0.", 0), ("1.", 1000), ("0.5", 500), ("0.001", 1), ("1.000", 1000)]
        {
            check(text, Some(expected));
        }
        for text in ["", "2", "-1", "1.001", "0.0001", "1.0000", ".5", "0,5", "a", "0.5x", "1e0", " 1"] {
            check(text, None);
        }
    }

    #[test]
    fn lists() {
        let check = |line: &str, expected: &[&str]| {
            let found: Vec<_> = elements(line.as_bytes()).map(|e| String::from_utf8_lossy(e).into_owned()).collect();
            assert_eq!(found, expected, "{line}");
        };
        check("", &[]);
        check(" ,\t, ,", &[]);
        check("a,b ,\tc d", &["a", "b", "c d"]);
    }

    #[test]
    fn separators_in_quotes_do_not_count() {
        let check = |line: &str, expected: &[&str]| {
            let found: Vec<_> =
                quoted_elements(line.as_bytes(), b',').map(|e| String::from_utf8_lossy(e).into_owned()).collect();
            assert_eq!(found, expected, "{line}");
        };
        check(r#"a="1,2", b"#, &[r#"a="1,2""#, "b"]);
        check(r#"a="1\",2", b"#, &[r#"a="1\",2""#, "b"]);
        check(r#"a="1, b"#, &[r#"a="1, b"#]);
    }

    #[test]
    fn tokens() {
        assert!(is_token(b"x-requested-with"));
        assert!(!is_token(b"") && !is_token(b"a b") && !is_token(b"a:b") && !is_token("ä".as_bytes()));
    }
}
