//! Ids of features: which of them a tile can carry. Never rounds or hashes one into a number.

use super::cursor::{Cursor, compact};
use crate::feature::Id;

/// Whole numbers written as floating point (`2.0`, `1e3`) count below this only: beyond it
/// the program that wrote them can have rounded already.
const EXACT_BELOW: u64 = 1 << 53;

/// The id from a member's text, which has to be JSON.
///
/// `null` is no id; `7`, `"7"`, `7.0` and `70e-1` are the number 7; `"07"`, `-1`, `1.5`, `true` are not usable.
pub(super) fn id(text: &str) -> Id {
    match text.as_bytes().first() {
        Some(b'n') => Id::None,
        Some(b'"') => {
            let text = Cursor::new(text).string().unwrap_or_default();
            canonical(&text).map_or_else(|| Id::Unusable(text.into_owned()), Id::Number)
        }
        Some(b'-' | b'0'..=b'9') => number(text).map_or_else(|| Id::Unusable(text.to_owned()), Id::Number),
        _ => Id::Unusable(compact(text)),
    }
}

/// Digits as a program would write the number; `"007"` is a code, not the number 7.
fn canonical(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| digits)
}

/// The whole number that a JSON number is, by its decimal digits.
fn number(text: &str) -> Option<u64> {
    if let Some(number) = canonical(text) {
        return Some(number);
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('-').trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some(0);
    }
    let zeros = exponent.parse::<i64>().ok()?.checked_sub(fraction.len() as i64)?;
    let zeros = zeros.checked_add((digits.len() - significant.len()) as i64)?;
    let value = significant.parse::<u64>().ok()?.checked_mul(10u64.checked_pow(u32::try_from(zeros).ok()?)?)?;
    (value < EXACT_BELOW && !all.starts_with('-')).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tile_can_carry() {
        let number = |text: &str, expected: u64| assert_eq!(id(text), Id::Number(expected), "{text}");
        number("0", 0);
        number("-0", 0);
        number("0.0e7", 0);
        number("7", 7);
        number("\"7\"", 7);
        number("2.0", 2);
        number("1e3", 1000);
        number("1.5E1", 15);
        number("70e-1", 7);
        number("9007199254740993", 9_007_199_254_740_993);
        number("9007199254740991.0", 9_007_199_254_740_991);
        number("9223372036854775808", 1 << 63);
        number("18446744073709551615", u64::MAX);
        number("\"18446744073709551615\"", u64::MAX);
        assert_eq!(id("null"), Id::None);
        let unusable = |text: &str, expected: &str| assert_eq!(id(text), Id::Unusable(expected.into()), "{text}");
        unusable("18446744073709551616", "18446744073709551616");
        unusable("9007199254740992.0", "9007199254740992.0");
        unusable("1.00000000000000000000001", "1.00000000000000000000001");
        unusable("1e99999999999999999999", "1e99999999999999999999");
        unusable("1e400", "1e400");
        unusable("-1", "-1");
        unusable("1.5", "1.5");
        unusable("true", "true");
        unusable("{ \"a\": 1 }", "{\"a\":1}");
        unusable("\"\"", "");
        unusable("\"+7\"", "+7");
        unusable("\"07\"", "07");
        unusable("\"7.0\"", "7.0");
        unusable("\"way\\/7\"", "way/7");
    }
}
