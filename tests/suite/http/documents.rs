//! TileJSON, catalogue, redirects, pages, and the answers to whoever watches the process.

use super::client::{Answer, ask, get};
use super::fixture::{Origin, usual};
use immutile::serve::{POINTER_POLICY, PageAsset};

fn tiles_url(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["tiles"][0].as_str().unwrap().to_owned()
}

#[test]
fn tilejson_of_current_and_of_any_version() {
    let origin = Origin::start(&usual(), |_| ());
    let check = |target: &str, url: &str, version: u64| {
        let answer = get(origin.at, target);
        assert_eq!(tiles_url(&answer), url, "{target}");
        let json = answer.json();
        assert_eq!((&json["tilejson"], &json["version_number"]), (&"3.0.0".into(), &version.into()));
        assert_eq!((&json["minzoom"], &json["maxzoom"]), (&0.into(), &4.into()));
        assert_eq!(json["bounds"].as_array().unwrap().len(), 4);
        assert_eq!(json["vector_layers"][0]["fields"]["name"], "String");
        assert_eq!(json["attribution"], "<a href=\"x\">\u{a9} \"them\"</a>");
        assert_eq!(answer.field("content-type"), Some("application/json"));
        // Without a configured address the URLs are the request's: nobody may remember them.
        assert_eq!(answer.field("cache-control"), Some("no-cache"));
        assert_eq!(answer.field("vary"), Some("accept-encoding"));
        let again = ask(origin.at, "GET", target, &[("If-None-Match", answer.field("etag").unwrap())]);
        assert_eq!((again.status, again.field("etag")), (304, answer.field("etag")));
        assert_eq!(again.field("cache-control"), Some("no-cache"));
        assert_eq!(again.field("access-control-allow-origin"), Some("*"));
    };
    check("/tiles.json", "http://tiles.test/v4/{z}/{x}/{y}.mvt", 4);
    check("/world.json", "http://tiles.test/v4/{z}/{x}/{y}.mvt", 4);
    check("/world.json?a=b", "http://tiles.test/v4/{z}/{x}/{y}.mvt", 4);
    check("/world/v3.json", "http://tiles.test/v3/{z}/{x}/{y}.mvt", 3);
    check("/sparse.json", "http://tiles.test/sparse/v1/{z}/{x}/{y}.mvt", 1);
    assert_eq!(get(origin.at, "/sparse.json").json()["sparse"], true);
    assert!(get(origin.at, "/world.json").json().get("sparse").is_none());
}

#[test]
fn tilejson_with_a_configured_address() {
    let origin = Origin::start(&usual(), |c| {
        c.public_url = Some("https://tiles.example/maps/".parse().unwrap());
        c.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    });
    let check = |target: &str, url: &str, caching: &str| {
        let answer = ask(origin.at, "GET", target, &[("Host", "<evil>"), ("X-Forwarded-Host", "evil.example")]);
        assert_eq!((tiles_url(&answer).as_str(), answer.field("cache-control")), (url, Some(caching)));
    };
    check("/world.json", "https://tiles.example/maps/v4/{z}/{x}/{y}.mvt", POINTER_POLICY);
    check("/zero.json", "https://tiles.example/maps/zero/v1/{z}/{x}/{y}.mvt", POINTER_POLICY);
    check("/world/v3.json", "https://tiles.example/maps/v3/{z}/{x}/{y}.mvt", "public, max-age=31536000, immutable");
}

#[test]
fn tilejson_behind_proxies() {
    let store = usual();
    let trusting = Origin::start(&store, |c| c.trusted_proxies = vec!["127.0.0.1".parse().unwrap()]);
    let alone = Origin::start(&store, |_| ());
    let forwarded = [
        ("X-Forwarded-Proto", "https, http"),
        ("X-Forwarded-Host", "t.example, inner"),
        ("X-Forwarded-Prefix", "/maps/"),
        ("Connection", "close"),
    ];
    let through = |origin: &Origin, fields: &[(&str, &str)]| tiles_url(&ask(origin.at, "GET", "/world.json", fields));
    assert_eq!(through(&trusting, &forwarded), "https://t.example/maps/v4/{z}/{x}/{y}.mvt");
    assert_eq!(through(&alone, &forwarded), "http://tiles.test/v4/{z}/{x}/{y}.mvt");
    let standard = [("Forwarded", "for=10.0.0.1;proto=https;host=\"t.example:8443\"")];
    assert_eq!(through(&trusting, &standard), "https://t.example:8443/v4/{z}/{x}/{y}.mvt");
    assert_eq!(through(&alone, &[("Host", "[::1]:8080")]), "http://[::1]:8080/v4/{z}/{x}/{y}.mvt");
    for host in ["a b", "user@host", "<script>", "", "host:port"] {
        let answer = ask(alone.at, "GET", "/world.json", &[("Host", host)]);
        assert_eq!((answer.status, answer.field("cache-control")), (400, Some("no-store")), "{host}");
        assert!(!answer.text().contains("script"));
        assert_eq!(ask(alone.at, "GET", "/v4/0/0/0.mvt", &[("Host", host)]).status, 200, "tiles need no host");
    }
}

#[test]
fn redirects() {
    let origin = Origin::start(&usual(), |c| c.pointer_policy = "public, max-age=3".into());
    let check = |target: &str, status: u16, location: &str, caching: &str| {
        let answer = get(origin.at, target);
        assert_eq!((answer.status, answer.field("location")), (status, Some(location)), "{target}");
        assert_eq!((answer.field("cache-control"), answer.field("content-length")), (Some(caching), Some("0")));
        assert_eq!(answer.field("access-control-allow-origin"), Some("*"));
    };
    let pointer = "public, max-age=3";
    check("/world/latest/1/1/0.mvt", 307, "../../../../v4/1/1/0.mvt", pointer);
    check("/world/latest/1/1/0.mvt?k=1", 307, "../../../../v4/1/1/0.mvt?k=1", pointer);
    check("/sparse/latest/0/0/0.mvt", 307, "../../../../sparse/v1/0/0/0.mvt", pointer);
    let immutable = "public, max-age=31536000, immutable";
    check("/v4/0/0/0.pbf", 308, "0.mvt", immutable);
    check("/v4/0/0/0.pbf?k=1&l=/a", 308, "0.mvt?k=1&l=/a", immutable);
    check("/world/v4/1/1/0.pbf", 308, "0.mvt", immutable);
}

#[test]
fn the_catalogue() {
    let origin = Origin::start(&usual(), |_| ());
    let answer = get(origin.at, "/catalog.json");
    assert_eq!((answer.status, answer.field("cache-control")), (200, Some(POINTER_POLICY)));
    let catalog = answer.json();
    assert_eq!(catalog["default_tileset"], "world");
    let world = catalog["tilesets"].as_array().unwrap().iter().find(|t| t["name"] == "world").unwrap();
    assert_eq!(world["current"], 4);
    let versions: Vec<_> =
        world["versions"].as_array().unwrap().iter().map(|v| (v["version"].as_u64(), v["state"].as_str())).collect();
    let expected = [(1, "pruned"), (2, "withdrawn"), (3, "live"), (4, "live")];
    assert_eq!(versions, expected.map(|(v, s)| (Some(v), Some(s))));
    assert_eq!(world["versions"][3]["served"], true);
    let again = ask(origin.at, "GET", "/catalog.json", &[("If-None-Match", answer.field("etag").unwrap())]);
    assert_eq!((again.status, again.field("cache-control")), (304, Some(POINTER_POLICY)));
}

#[test]
fn health_and_readiness() {
    let origin = Origin::start(&usual(), |_| ());
    for target in ["/health", "/ready"] {
        let answer = get(origin.at, target);
        assert_eq!((answer.status, answer.field("cache-control")), (200, Some("no-store")));
        assert_eq!(answer.field("content-type"), Some("application/json"));
    }
}

#[test]
fn pages() {
    let store = usual();
    let none = Origin::start(&store, |c| c.pages = |_| None);
    for target in ["/", "/leaflet", "/assets/a.js"] {
        assert_eq!((get(none.at, target).status, get(none.at, target).field("cache-control")), (404, Some("no-store")));
    }
    let some = Origin::start(&store, |c| {
        c.public_url = Some("https://tiles.example/maps".parse().unwrap());
        c.pages = |path| {
            let html = PageAsset { body: "<p>".into(), media_type: "text/html", etag: "\"1\"".into() };
            (path == "/" || path == "/assets/x/y/z/a.js").then_some(html)
        };
    });
    for target in ["/", "/assets/x/y/z/a.js"] {
        let answer = get(some.at, target);
        assert_eq!((answer.status, answer.field("cache-control")), (200, Some("no-cache")));
        assert_eq!((answer.field("content-type"), answer.field("etag")), (Some("text/html"), Some("\"1\"")));
        let policy = answer.field("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none';") && !policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("connect-src 'self' https://tiles.example;"), "{policy}");
        assert_eq!(ask(some.at, "GET", target, &[("If-None-Match", "\"1\"")]).status, 304);
    }
    assert_eq!(get(some.at, "/leaflet").status, 404);
}
