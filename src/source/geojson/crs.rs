//! The `crs` member of GeoJSON before RFC 7946: judges names of coordinate reference systems.
//! Transforms nothing.

use super::cursor::Cursor;

/// What a `crs` member says that is not WGS 84, for a message; `None` if it is fine.
///
/// With EPSG:4326 the order stays longitude, latitude, as every writer of such files means it
/// (GeoJSON 2008, section 3, ordered axes easting first in every system). `null` said nothing
/// but "not known".
pub(super) fn foreign(member: &str) -> Option<String> {
    if member == "null" {
        return None;
    }
    let name = name(member);
    match name {
        Some(name) if is_wgs84(&name) => None,
        Some(name) => Some(format!("\"{name}\"")),
        None => Some(format!("an unnamed system ({})", member.chars().take(100).collect::<String>())),
    }
}

/// `{"type": "name", "properties": {"name": "…"}}` or the older `{"type": "EPSG", "properties": {"code": 4326}}`.
fn name(member: &str) -> Option<String> {
    let properties = Cursor::new(member).member("properties")?;
    if let Some(name) = Cursor::new(properties).member("name") {
        return Cursor::new(name).string().ok().map(std::borrow::Cow::into_owned);
    }
    Cursor::new(properties).member("code").map(|code| format!("EPSG:{}", code.trim_matches('"')))
}

/// `EPSG:4326`, `urn:ogc:def:crs:OGC:1.3:CRS84`, `http://www.opengis.net/def/crs/EPSG/0/4326` and their like;
/// also their variants with height (4979, `CRS84h`), whose first two axes are the same.
fn is_wgs84(name: &str) -> bool {
    let name = name.trim().to_ascii_uppercase();
    match name.rsplit([':', '/', '#']).next() {
        Some("CRS84" | "CRS84H" | "WGS84" | "WGS 84") => true,
        Some("4326" | "4979") => name.contains("EPSG"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_wgs84() {
        let check = |name: &str, expected: bool| assert_eq!(is_wgs84(name), expected, "{name}");
        check("urn:ogc:def:crs:OGC:1.3:CRS84", true);
        check("urn:ogc:def:crs:OGC::CRS84", true);
        check("OGC:CRS84", true);
        check("http://www.opengis.net/def/crs/OGC/1.3/CRS84", true);
        check("urn:ogc:def:crs:OGC:1.3:CRS84h", true);
        check("EPSG:4326", true);
        check("epsg:4326", true);
        check("urn:ogc:def:crs:EPSG::4326", true);
        check("urn:ogc:def:crs:EPSG:6.9:4326", true);
        check("http://www.opengis.net/gml/srs/epsg.xml#4326", true);
        check("EPSG:3857", false);
        check("EPSG:14326", false);
        check("urn:ogc:def:crs:EPSG::4258", false);
        check("ESRI:4326", false);
        check("", false);
    }

    #[test]
    fn members() {
        let check = |member: &str, expected: Option<&str>| assert_eq!(foreign(member).as_deref(), expected, "{member}");
        check("null", None);
        check(r#"{"type":"name","properties":{"name":"EPSG:4326"}}"#, None);
        check(r#"{"type":"EPSG","properties":{"code":4326}}"#, None);
        check(r#"{"type":"EPSG","properties":{"code":"25832"}}"#, Some("\"EPSG:25832\""));
        check(
            r#"{"properties":{"name":"urn:ogc:def:crs:EPSG::3857"},"type":"name"}"#,
            Some("\"urn:ogc:def:crs:EPSG::3857\""),
        );
        check("[]", Some("an unnamed system ([])"));
        check("{", Some("an unnamed system ({)"));
    }
}
