//! Attributes of a feature: JSON values as tile values. Does not choose among them.

use super::super::problem::WarningKind;
use super::cursor::{Cursor, Result, compact};
use super::parse::Notes;
use crate::feature::Value;

/// The attributes at the cursor, sorted by name, each name once.
pub(super) fn properties(cursor: &mut Cursor, notes: &mut Notes) -> Result<Vec<(String, Value)>> {
    match cursor.next_token() {
        Some(b'{') => {}
        Some(b'n') => return cursor.value().map(|_| Vec::new()),
        _ => {
            let text = cursor.value()?;
            // What PHP writes for an empty map.
            if text != "[]" {
                notes.add(WarningKind::BadProperties, || {
                    format!("\"properties\" is {}", text.chars().take(40).collect::<String>())
                });
            }
            return Ok(Vec::new());
        }
    }
    let mut list = Vec::new();
    cursor.object(|cursor, name| {
        let value = value(cursor, &name, notes)?;
        list.push((name.into_owned(), value));
        Ok(())
    })?;
    Ok(unique(list, notes))
}

/// Sorts; of equal names the last one stays, null or not.
fn unique(mut list: Vec<(String, Option<Value>)>, notes: &mut Notes) -> Vec<(String, Value)> {
    // Stable, so that the last of equal names is the last in the text.
    list.sort_by(|a, b| a.0.cmp(&b.0));
    list.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            notes.add(WarningKind::DuplicateProperty, || format!("attribute \"{}\" stands there twice", later.0));
            std::mem::swap(later, earlier);
        }
        same
    });
    list.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// A value; `None` for null and for what cannot be kept.
fn value(cursor: &mut Cursor, name: &str, notes: &mut Notes) -> Result<Option<Value>> {
    Ok(Some(match cursor.next_token() {
        Some(b'"') => Value::String(cursor.string()?.into_owned()),
        Some(b'{' | b'[') => Value::String(compact(cursor.value()?)),
        _ => match cursor.value()? {
            "null" => return Ok(None),
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            text => return Ok(number(text, name, notes)),
        },
    }))
}

/// Whole numbers stay exact; the others become the nearest `f64`.
fn number(text: &str, name: &str, notes: &mut Notes) -> Option<Value> {
    let whole = !text.bytes().any(|b| matches!(b, b'.' | b'e' | b'E'));
    if whole {
        if let Ok(value) = text.parse() {
            return Some(Value::Int(value));
        }
        if let Ok(value) = text.parse() {
            return Some(Value::Uint(value));
        }
    }
    let value = text.parse::<f64>().ok().filter(|v| v.is_finite());
    let short = || text.chars().take(40).collect::<String>();
    match value {
        None => notes.add(WarningKind::NumberTooLarge, || format!("attribute \"{name}\" is {}", short())),
        Some(_) if whole => notes.add(WarningKind::NumberRounded, || format!("attribute \"{name}\" is {}", short())),
        Some(_) => {}
    }
    value.map(Value::Double)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, Value)], warnings: &[WarningKind]) {
        let mut notes = Notes::default();
        let found = properties(&mut Cursor::new(text), &mut notes).unwrap();
        let found: Vec<_> = found.iter().map(|(n, v)| (n.as_str(), v.clone())).collect();
        assert_eq!(found, expected, "{text}");
        assert_eq!(notes.kinds(), warnings, "{text}");
    }

    fn text(text: &str) -> Value {
        Value::String(text.into())
    }

    #[test]
    fn every_value_keeps_its_type() {
        let one = |json: &str, value: Value| check(&format!("{{\"v\":{json}}}"), &[("v", value)], &[]);
        one("5", Value::Int(5));
        one("-3", Value::Int(-3));
        one("-0", Value::Int(0));
        one("5.0", Value::Double(5.0));
        one("1e2", Value::Double(100.0));
        one("0.1", Value::Double(0.1));
        one("1e-320", Value::Double(1e-320));
        one("0.30000000000000004", Value::Double(0.300_000_000_000_000_04));
        one("9007199254740993", Value::Int(9_007_199_254_740_993));
        one("-9223372036854775808", Value::Int(i64::MIN));
        one("9223372036854775808", Value::Uint(1 << 63));
        one("18446744073709551615", Value::Uint(u64::MAX));
        one("true", Value::Bool(true));
        one("\"5\"", text("5"));
        one("\"\"", text(""));
        one(r#""a\u0000b""#, text("a\0b"));
        one(r#""\ud83d\ude80 l1\nl2 \"\\""#, text("🚀 l1\nl2 \"\\"));
        one("[ 1, \"t w\", null ]", text(r#"[1,"t w",null]"#));
        one("{ \"b\": {\"a\": 1.0} }", text(r#"{"b":{"a":1.0}}"#));
        one("{}", text("{}"));
    }

    #[test]
    fn names_are_sorted_and_null_is_absent() {
        check(
            r#"{"é":1,"b":null,"":2,"B":3}"#,
            &[("", Value::Int(2)), ("B", Value::Int(3)), ("é", Value::Int(1))],
            &[],
        );
        check("null", &[], &[]);
        check("{}", &[], &[]);
        check("[]", &[], &[]);
    }

    #[test]
    fn what_cannot_be_kept_is_said() {
        use WarningKind::{BadProperties, DuplicateProperty, NumberRounded, NumberTooLarge};
        check(r#"{"a":1,"b":0,"a":2,"a":3}"#, &[("a", Value::Int(3)), ("b", Value::Int(0))], &[DuplicateProperty]);
        check(r#"{"a":1,"a":null}"#, &[], &[DuplicateProperty]);
        check(r#"{"a":1e400,"b":-1e400}"#, &[], &[NumberTooLarge]);
        check(r#"{"a":18446744073709551616}"#, &[("a", Value::Double(18_446_744_073_709_551_616.0))], &[NumberRounded]);
        check(r#"{"a":-9223372036854775809}"#, &[("a", Value::Double(-9_223_372_036_854_775_808.0))], &[NumberRounded]);
        check("[1]", &[], &[BadProperties]);
        check("5", &[], &[BadProperties]);
    }
}
