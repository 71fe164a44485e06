//! Members of a feature: id and properties.

use crate::feature::{Id, Value};
use serde_json::{Map, Number, Value as Json};

/// The id that a tile can carry (MVT 2.1, section 4.2): whole numbers from 0 to 2^64 − 1, also as
/// decimal digits in a string, or with a fraction of zero as long as that is exact (below 2^53).
pub(super) fn id(value: &Json) -> Id {
    let number = match value {
        Json::Null => return Id::None,
        Json::Number(n) => n.as_u64().or_else(|| whole(n)),
        Json::String(text) => text.parse().ok().filter(|v: &u64| &v.to_string() == text),
        _ => None,
    };
    number.map_or_else(|| Id::Unusable(value.to_string().chars().take(80).collect()), Id::Number)
}

fn whole(n: &Number) -> Option<u64> {
    let v = n.as_f64()?;
    let exact = v >= 0.0 && v.fract() == 0.0 && v < 9_007_199_254_740_992.0;
    exact.then_some(v as u64)
}

/// Attributes sorted by name; null is no attribute, nested values are compact JSON text.
pub(super) fn properties(members: Map<String, Json>) -> Vec<(String, Value)> {
    let mut out: Vec<(String, Value)> = Vec::with_capacity(members.len());
    out.extend(members.into_iter().filter_map(|(name, value)| Some((name, attribute(value)?))));
    out.sort_by(|a, b| a.0.cmp(&b.0));
    out
}

fn attribute(value: Json) -> Option<Value> {
    Some(match value {
        Json::Null => return None,
        Json::Bool(v) => Value::Bool(v),
        Json::String(v) => Value::String(v),
        Json::Number(n) => match (n.as_i64(), n.as_u64(), n.as_f64()) {
            (Some(v), _, _) => Value::Int(v),
            (_, Some(v), _) => Value::Uint(v),
            (_, _, Some(v)) if v.is_finite() => Value::Double(v),
            _ => return None,
        },
        nested @ (Json::Array(_) | Json::Object(_)) => Value::String(nested.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids() {
        let check = |json: &str, want: Option<u64>| {
            let got = id(&serde_json::from_str(json).unwrap());
            let number = if let Id::Number(n) = got { Some(n) } else { None };
            assert_eq!(number, want, "{json}");
        };
        check("0", Some(0));
        check("9007199254740993", Some(9_007_199_254_740_993));
        check("18446744073709551615", Some(u64::MAX));
        check("18446744073709551616", None);
        check("-1", None);
        check("1.5", None);
        check("2.0", Some(2));
        check("1e3", Some(1000));
        check("9007199254740992.0", None);
        check("\"7\"", Some(7));
        check("\"07\"", None);
        check("\"+7\"", None);
        check("\"abc\"", None);
        check("true", None);
        check("{}", None);
        check("null", None);
    }

    #[test]
    fn attributes() {
        let json = r#"{"z":null,"b":true,"i":-3,"u":18446744073709551615,"d":1.0,"s":"a\u0000b","":1,"n":{"y":[1,"two",null],"x":1.5}}"#;
        let got = properties(serde_json::from_str(json).unwrap());
        let want = [
            ("", Value::Int(1)),
            ("b", Value::Bool(true)),
            ("d", Value::Double(1.0)),
            ("i", Value::Int(-3)),
            ("n", Value::String(r#"{"x":1.5,"y":[1,"two",null]}"#.into())),
            ("s", Value::String("a\0b".into())),
            ("u", Value::Uint(u64::MAX)),
        ];
        assert_eq!(got, want.map(|(k, v)| (k.to_owned(), v)));
    }
}
