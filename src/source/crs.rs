//! The `crs` member of GeoJSON from before RFC 7946.

use serde_json::Value;

/// The name of a reference system that is not WGS 84 longitude and latitude; `None` for those
/// that are, and for `null`.
///
/// Files with EPSG:4326 here have longitude first in practice, whatever the register says.
pub(super) fn foreign(crs: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(crs).ok()?;
    if value.is_null() {
        return None;
    }
    let properties = &value["properties"];
    let name = match (&properties["name"], &properties["code"]) {
        (Value::String(name), _) => name.clone(),
        (_, Value::Number(code)) => format!("EPSG:{code}"),
        (_, Value::String(code)) => format!("EPSG:{code}"),
        _ => value.to_string().chars().take(80).collect(),
    };
    let last = name.rsplit([':', '/', '#']).next().unwrap_or_default().to_ascii_uppercase();
    let wgs84 = ["CRS84", "CRS84H", "4326", "4979", "WGS84"].contains(&last.as_str());
    (!wgs84).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |crs: &str, want: Option<&str>| assert_eq!(foreign(crs.as_bytes()).as_deref(), want, "{crs}");
        let named = |name: &str| format!(r#"{{"type":"name","properties":{{"name":"{name}"}}}}"#);
        check(&named("urn:ogc:def:crs:OGC:1.3:CRS84"), None);
        check(&named("urn:ogc:def:crs:OGC::CRS84"), None);
        check(&named("urn:ogc:def:crs:EPSG::4326"), None);
        check(&named("EPSG:4326"), None);
        check(&named("http://www.opengis.net/def/crs/EPSG/0/4326"), None);
        check(&named("urn:ogc:def:crs:EPSG::3857"), Some("urn:ogc:def:crs:EPSG::3857"));
        check(r#"{"type":"EPSG","properties":{"code":25832}}"#, Some("EPSG:25832"));
        check("null", None);
    }
}
