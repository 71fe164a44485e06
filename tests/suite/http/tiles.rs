//! Tiles: statuses, encodings, tags, methods, and the fields that every answer has.

use super::client::{Answer, Connection, ask, get};
use super::fixture::{Origin, content, usual};
use immutile::store::{ContentHash, gzip};
use std::time::Duration;

const IMMUTABLE: &str = "public, max-age=31536000, immutable";
const GZIP: (&str, &str) = ("Accept-Encoding", "gzip");

/// What every answer has, whatever it says.
fn check_common(answer: &Answer) {
    assert_eq!(answer.field("access-control-allow-origin"), Some("*"), "{answer:?}");
    assert_eq!(answer.field("access-control-expose-headers"), Some("ETag, Server-Timing, Content-Length"));
    assert_eq!(answer.field("timing-allow-origin"), Some("*"));
    assert_eq!(answer.field("x-content-type-options"), Some("nosniff"));
    assert!(answer.field("cache-control").is_some() && answer.field("date").is_some(), "{answer:?}");
    for absent in ["server", "set-cookie", "pragma", "last-modified", "accept-ranges"] {
        assert_eq!(answer.field(absent), None, "{answer:?}");
    }
}

#[test]
fn a_tile_in_each_encoding() {
    let origin = Origin::start(&usual(), |_| ());
    let plain = content("0/0/0", "four");
    let tag = ContentHash::of(&plain).tag();
    let check = |target: &str, accept: Option<&str>, coding: Option<&str>| {
        let fields: Vec<_> = accept.map(|a| ("Accept-Encoding", a)).into_iter().collect();
        // The first answer comes from the file, the second from memory.
        for _ in 0..2 {
            let answer = ask(origin.at, "GET", target, &fields);
            check_common(&answer);
            let body = if coding.is_some() { gzip(&plain) } else { plain.clone() };
            assert_eq!((answer.status, &answer.body), (200, &body), "{target} {accept:?}");
            assert_eq!(answer.field("content-type"), Some("application/vnd.mapbox-vector-tile"));
            assert_eq!(answer.field("content-encoding"), coding);
            assert_eq!(answer.field("cache-control"), Some(IMMUTABLE));
            assert_eq!(answer.field("vary"), Some("accept-encoding"));
            assert_eq!(answer.field("etag"), Some(format!("\"{tag}-{}\"", coding.unwrap_or("identity")).as_str()));
            assert_eq!(answer.field("surrogate-key"), Some("world world-v4"));
            assert_eq!(answer.field("cache-tag"), Some("world,world-v4"));
        }
    };
    for target in ["/v4/0/0/0.mvt", "/world/v4/0/0/0.mvt", "/v4/0/0/0.mvt?key=1"] {
        check(target, Some("gzip"), Some("gzip"));
        check(target, Some("br;q=1.0, gzip;q=0.8, *;q=0.1"), Some("gzip"));
        check(target, Some("identity"), None);
        check(target, Some("br, lzma"), None);
        check(target, Some(""), None);
        check(target, Some("gzip;q=0"), None);
        check(target, None, None);
    }
}

#[test]
fn statuses_and_how_long_they_are_kept() {
    let origin = Origin::start(&usual(), |_| ());
    let check = |target: &str, status: u16, caching: &str| {
        let answer = get(origin.at, target);
        check_common(&answer);
        assert_eq!((answer.status, answer.field("cache-control")), (status, Some(caching)), "{target}");
        if status >= 400 {
            assert_eq!(answer.field("content-type"), Some("application/problem+json"), "{target}");
            let problem = answer.json();
            assert_eq!(problem["status"], status);
            assert!(problem["type"].as_str().unwrap().starts_with("urn:problem-type:immutile:"));
            assert!(!answer.text().contains(".mbtiles"), "{target}");
        }
    };
    for target in ["/v4/0/0/0.mvt", "/world/v4/4/15/15.mvt", "/v3/0/0/0.mvt", "/sparse/v1/0/0/0.mvt"] {
        check(target, 200, IMMUTABLE);
    }
    for target in ["/v4/1/0/1.mvt", "/world/v4/4/0/0.mvt"] {
        check(target, 204, IMMUTABLE);
    }
    for outside in [
        "5/0/0",
        "30/0/0",
        "31/0/0",
        "32/0/0",
        "63/0/0",
        "64/0/0",
        "255/0/0",
        "256/0/0",
        "4294967296/0/0",
        "0/1/0",
        "0/0/1",
        "2/4/0",
        "2/0/4",
        "4/16/16",
        "4/4294967295/0",
        "4/0/4294967296",
        "0/4294967296/0",
        "16/0/0",
    ] {
        check(&format!("/v4/{outside}.mvt"), 404, "public, max-age=86400");
    }
    for gone in ["/v1/0/0/0.mvt", "/v2/0/0/0.mvt", "/world/v1/9/0/0.mvt", "/world/v2.json"] {
        check(gone, 410, "public, max-age=300");
    }
    for unknown in [
        "/v5/0/0/0.mvt",
        "/v0/0/0/0.mvt",
        "/v9999999999/0/0/0.mvt",
        "/other/v1/0/0/0.mvt",
        "/World/v4/0/0/0.mvt",
        "/other.json",
        "/world/v5.json",
        "/no/such/thing",
        "/v4/0/0/0",
        "/v4/0/0/0.mvt.gz",
        "/v4/0/0/0.json",
        "/other/latest/0/0/0.mvt",
        "/favicon.ico",
        "/v4.json",
        "/store.json",
    ] {
        check(unknown, 404, "no-store");
    }
    for odd in [
        "/v4/00/0/0.mvt",
        "/v04/0/0/0.mvt",
        "/v4/-1/0/0.mvt",
        "/v4/+1/0/0.mvt",
        "/v4/1e0/0/0.mvt",
        "//v4/0/0/0.mvt",
        "/v4//0/0/0.mvt",
        "/v4/0/0/0.mvt/",
        "/v4/0/0/%30.mvt",
        "/v4/0/0/0%2emvt",
        "/%2e/v4/0/0/0.mvt",
        "/./v4/0/0/0.mvt",
        "/world/../v4/0/0/0.mvt",
        "/v4/12345678901/0/0.mvt",
        "/v12345678901/0/0/0.mvt",
        "/v4/nan/0/0.mvt",
    ] {
        check(odd, 400, "no-store");
    }
    check("/v4/0/0/0.mvt", 200, IMMUTABLE);
}

#[test]
fn where_there_is_nothing() {
    let origin = Origin::start(&usual(), |_| ());
    let check = |target: &str, status: u16, length: Option<&str>| {
        for method in ["GET", "HEAD"] {
            let answer = ask(origin.at, method, target, &[GZIP, ("If-None-Match", "*")]);
            check_common(&answer);
            assert_eq!((answer.status, answer.field("content-length")), (status, length), "{method} {target}");
            assert_eq!(answer.field("cache-control"), Some(IMMUTABLE));
            assert_eq!(answer.field("etag"), None);
            assert_eq!(answer.field("content-encoding"), None);
            assert_eq!(answer.field("vary"), Some("accept-encoding"));
            assert!(answer.field("surrogate-key").is_some());
        }
    };
    check("/v4/1/0/1.mvt", 204, None);
    check("/zero/v1/1/0/1.mvt", 200, Some("0"));
    let problem = get(origin.at, "/sparse/v1/1/0/1.mvt");
    check("/sparse/v1/1/0/1.mvt", 404, problem.field("content-length"));
    assert_eq!(problem.json()["type"], "urn:problem-type:immutile:empty-tile");
}

#[test]
fn no_acceptable_encoding() {
    let origin = Origin::start(&usual(), |_| ());
    for accept in ["*;q=0", "gzip;q=0, identity;q=0", "br, identity;q=0"] {
        let answer = ask(origin.at, "GET", "/v4/0/0/0.mvt", &[("Accept-Encoding", accept)]);
        check_common(&answer);
        assert_eq!((answer.status, answer.field("vary")), (406, Some("accept-encoding")), "{accept}");
        assert_eq!(answer.field("cache-control"), Some("no-store"));
    }
    let split = [("Accept-Encoding", "identity;q=0"), ("Accept-Encoding", "gzip")];
    assert_eq!(ask(origin.at, "GET", "/v4/0/0/0.mvt", &split).field("content-encoding"), Some("gzip"));
}

#[test]
fn whoever_has_it_gets_304() {
    let store = usual();
    let tag = |encoding| format!("\"{}-{encoding}\"", ContentHash::of(&content("0/0/0", "four")).tag());
    let (ours, other) = (tag("gzip"), tag("identity"));
    let cold = Origin::start(&store, |_| ());
    let warm = Origin::start(&store, |_| ());
    get(warm.at, "/v4/0/0/0.mvt");
    let check = |lines: &[&str], status: u16| {
        let fields: Vec<_> = [GZIP].into_iter().chain(lines.iter().map(|l| ("If-None-Match", *l))).collect();
        // A cold origin reads the tag alone, so it stays cold: only a 200 puts a tile into memory.
        for (origin, method) in [(&cold, "GET"), (&cold, "HEAD"), (&warm, "GET"), (&warm, "HEAD")] {
            let answer = ask(origin.at, method, "/v4/0/0/0.mvt", &fields);
            check_common(&answer);
            assert_eq!(answer.status, status, "{lines:?}");
            assert_eq!(answer.field("etag"), Some(ours.as_str()));
            assert_eq!(answer.field("cache-control"), Some(IMMUTABLE));
            assert_eq!(answer.field("vary"), Some("accept-encoding"));
            assert_eq!(answer.field("surrogate-key"), Some("world world-v4"));
            if status == 304 {
                assert_eq!(answer.field("content-type").or(answer.field("content-length")), None);
            }
        }
    };
    check(&[&ours], 304);
    check(&[&format!("W/{ours}")], 304);
    check(&[&format!("\"x\", {ours}")], 304);
    check(&[&format!("\"a,b\",W/\"y\",{ours},\"z\"")], 304);
    check(&["*"], 304);
    check(&["\"x\"", &ours], 304);
    check(&["\"different\""], 200);
    check(&[&other], 200);
    check(&[&ours.replace('"', "")], 200);
    check(&[&ours.replacen('"', "\"a,", 1)], 200);
    check(&["\"unterminated, W/, ,,"], 200);
    check(&[""], 200);
    let missing = ask(cold.at, "GET", "/v5/0/0/0.mvt", &[("If-None-Match", "*")]);
    assert_eq!(missing.status, 404);
    let later = [("If-None-Match", "\"x\""), ("If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT")];
    assert_eq!(ask(cold.at, "GET", "/v4/0/0/0.mvt", &later).status, 200);
}

#[test]
fn tags_name_bytes() {
    let origin = Origin::start(&usual(), |_| ());
    let tag = |target: &str| get(origin.at, target).field("etag").unwrap().to_owned();
    assert_eq!(tag("/v3/1/1/0.mvt"), tag("/v4/1/1/0.mvt"), "the tile did not change");
    assert_ne!(tag("/v3/0/0/0.mvt"), tag("/v4/0/0/0.mvt"), "the tile changed");
}

#[test]
fn head_says_what_get_says() {
    let origin = Origin::start(&usual(), |_| ());
    for target in [
        "/v4/0/0/0.mvt",
        "/v4/1/0/1.mvt",
        "/v4/9/0/0.mvt",
        "/v1/0/0/0.mvt",
        "/v9/0/0/0.mvt",
        "/v04/0/0/0.mvt",
        "/world.json",
        "/world/v4.json",
        "/tiles.json",
        "/catalog.json",
        "/health",
        "/ready",
        "/v4/0/0/0.pbf",
        "/world/latest/0/0/0.mvt",
        "/nothing",
        "/",
    ] {
        // Only the first of two equal answers is a miss and tells where its time went.
        let mut whole = get(origin.at, target);
        whole.fields.retain(|(name, _)| name != "server-timing");
        let mut head = ask(origin.at, "HEAD", target, &[GZIP]);
        head.fields.iter_mut().for_each(|(name, value)| {
            if name == "date" {
                *value = whole.field("date").unwrap().to_owned();
            }
        });
        let sorted = |answer: &Answer| {
            let mut fields = answer.fields.clone();
            fields.sort();
            (answer.status, fields)
        };
        assert_eq!(sorted(&head), sorted(&whole), "{target}");
        assert!(head.body.is_empty());
    }
}

#[test]
fn other_methods() {
    let origin = Origin::start(&usual(), |_| ());
    for target in ["/v4/0/0/0.mvt", "/world.json", "/nothing"] {
        for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW"] {
            let answer = ask(origin.at, method, target, &[("Content-Length", "0")]);
            check_common(&answer);
            assert_eq!((answer.status, answer.field("allow")), (405, Some("GET, HEAD, OPTIONS")), "{method}");
            assert_eq!(answer.field("cache-control"), Some("no-store"));
        }
    }
}

#[test]
fn preflights() {
    let origin = Origin::start(&usual(), |_| ());
    let page = ("Origin", "https://a.example");
    let method = ("Access-Control-Request-Method", "GET");
    let names = ("Access-Control-Request-Headers", "authorization, x-requested-with, b\"d,");
    for target in ["/v4/0/0/0.mvt", "/world.json", "/nothing"] {
        let answer = ask(origin.at, "OPTIONS", target, &[page, method, names]);
        check_common(&answer);
        assert_eq!((answer.status, answer.field("content-length")), (204, None));
        assert_eq!(answer.field("access-control-allow-methods"), Some("GET, HEAD, OPTIONS"));
        assert_eq!(answer.field("access-control-allow-headers"), Some("authorization, x-requested-with"));
        assert_eq!(answer.field("access-control-max-age"), Some("86400"));
        assert_eq!(answer.field("cache-control"), Some("no-store"));
    }
    let long = "x".repeat(1025);
    let answer = ask(origin.at, "OPTIONS", "/world.json", &[page, method, (names.0, &long)]);
    assert_eq!(answer.field("access-control-allow-headers"), None);
    let answer = ask(origin.at, "OPTIONS", "/world.json", &[page, method, (names.0, &long[1..])]);
    assert_eq!(answer.field("access-control-allow-headers"), Some(&long[1..]));
    let plain = ask(origin.at, "OPTIONS", "/v4/0/0/0.mvt", &[]);
    assert_eq!((plain.status, plain.field("allow")), (204, Some("GET, HEAD, OPTIONS")));
    assert_eq!(plain.field("access-control-allow-methods"), None);
}

#[test]
fn origins_of_pages_change_nothing() {
    let origin = Origin::start(&usual(), |_| ());
    for page in ["https://a.example", "https://b.example", "null"] {
        let answer = ask(origin.at, "GET", "/v4/0/0/0.mvt", &[("Origin", page), GZIP]);
        check_common(&answer);
        assert_eq!(answer.field("vary"), Some("accept-encoding"));
    }
}

#[test]
fn ranges_are_not_served() {
    let origin = Origin::start(&usual(), |_| ());
    for range in ["bytes=0-9", "bytes=99999999-", "bytes=abc"] {
        let answer = ask(origin.at, "GET", "/v4/0/0/0.mvt", &[GZIP, ("Range", range), ("If-Range", "W/\"x\"")]);
        assert_eq!((answer.status, answer.body), (200, gzip(&content("0/0/0", "four"))));
    }
}

/// Everything is sent before anything is read. The pauses make the origin read ahead while an
/// answer is being made: what an answer looks like must not depend on what was asked after it.
fn check_pipeline(requests: &[(&str, &str, u16)], pause: Duration) {
    let origin = Origin::start(&usual(), |c| c.read_delay = pause);
    let mut connection = Connection::open(origin.at);
    for (i, (method, target, _)) in requests.iter().enumerate() {
        let last = if i + 1 == requests.len() { "close" } else { "keep-alive" };
        connection.request(method, target, &[GZIP, ("Connection", last)]);
    }
    for (i, (method, target, status)) in requests.iter().enumerate() {
        let answer = connection.answer(method);
        assert_eq!(answer.status, *status, "{method} {target}");
        let last = i + 1 == requests.len();
        assert_eq!(answer.field("connection") == Some("close"), last, "{method} {target}");
    }
    assert!(connection.is_closed());
}

#[test]
fn answers_follow_each_other_on_one_connection() {
    let requests = [
        ("GET", "/v4/1/0/1.mvt", 204),
        ("HEAD", "/v4/0/0/0.mvt", 200),
        ("GET", "/v4/0/0/0.mvt", 200),
        ("HEAD", "/v4/1/0/1.mvt", 204),
        ("GET", "/v9/0/0/0.mvt", 404),
        ("HEAD", "/v9/0/0/0.mvt", 404),
        ("OPTIONS", "/v4/0/0/0.mvt", 204),
        ("GET", "/v4/1/1/0.mvt", 200),
        ("HEAD", "/world.json", 200),
        ("GET", "/world.json", 200),
    ];
    for pause in [Duration::ZERO, Duration::from_millis(20)] {
        check_pipeline(&requests, pause);
        check_pipeline(&[("GET", "/v4/0/0/0.mvt", 200), ("HEAD", "/v4/0/0/0.mvt", 200)], pause);
        check_pipeline(&[("HEAD", "/v4/0/0/0.mvt", 200), ("GET", "/v4/0/0/0.mvt", 200)], pause);
    }
    // More than any queue of requests read ahead may hold.
    check_pipeline(&[("GET", "/v4/4/15/15.mvt", 200); 100], Duration::ZERO);
}

#[test]
fn unchanged_answers_keep_the_connection() {
    let origin = Origin::start(&usual(), |_| ());
    let mut connection = Connection::open(origin.at);
    for (method, status) in [("GET", 304), ("HEAD", 304), ("GET", 304)] {
        connection.request(method, "/v4/0/0/0.mvt", &[GZIP, ("If-None-Match", "*")]);
        assert_eq!(connection.answer(method).status, status);
    }
    connection.request("GET", "/v4/0/0/0.mvt", &[]);
    assert_eq!(connection.answer("GET").body, content("0/0/0", "four"));
}

#[test]
fn bodies_are_not_taken_for_requests() {
    let origin = Origin::start(&usual(), |c| c.read_delay = Duration::from_millis(20));
    let smuggled = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";
    for method in ["GET", "POST"] {
        for length in [format!("Content-Length: {}", smuggled.len()), "Transfer-Encoding: chunked".into()] {
            let mut connection = Connection::open(origin.at);
            connection.send(&format!("{method} /v4/0/0/0.mvt HTTP/1.1\r\nHost: a\r\n{length}\r\n\r\n{smuggled}"));
            let answer = connection.answer(method);
            assert_eq!(answer.status, if method == "GET" { 200 } else { 405 });
            assert_eq!(answer.field("connection"), Some("close"));
            assert!(connection.is_closed(), "{method} {length}");
        }
    }
}

#[test]
fn old_clients() {
    let origin = Origin::start(&usual(), |_| ());
    for (target, status) in
        [("/v4/0/0/0.mvt", 200), ("/catalog.json", 200), ("/v9/0/0/0.mvt", 404), ("/world.json", 400)]
    {
        let mut connection = Connection::open(origin.at);
        connection.send(&format!("GET {target} HTTP/1.0\r\n\r\n"));
        let answer = connection.answer("GET");
        check_common(&answer);
        assert_eq!(answer.status, status, "{target}");
        assert!(connection.is_closed());
    }
}

#[test]
fn slow_senders_are_let_go_and_cost_nobody_else() {
    use std::io::{Read, Write};
    let origin = Origin::start(&usual(), |config| config.request_timeout = Duration::from_millis(500));
    // Many more than there are workers, each stuck in the middle of its request.
    let slow = (0..200).map(|_| {
        let mut stream = std::net::TcpStream::connect(origin.at).unwrap();
        stream.write_all(b"GET /v4/0/0/0.mvt HTTP/1.1\r\nHost: ti").unwrap();
        stream
    });
    let slow: Vec<_> = slow.collect();
    assert_eq!(get(origin.at, "/v4/0/0/0.mvt").status, 200);
    for mut stream in slow {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut said = Vec::new();
        stream.read_to_end(&mut said).expect("the connection ends");
        assert!(said.is_empty() || said.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&said));
    }
    assert_eq!(get(origin.at, "/v4/0/0/0.mvt").status, 200);
}

#[test]
fn broken_requests_do_not_hurt() {
    let origin = Origin::start(&usual(), |_| ());
    let long = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(100_000));
    for junk in ["\r\n\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /<script> HTTP/1.1\r\n\r\n", &long] {
        Connection::open(origin.at).send(junk);
    }
    let mut connection = Connection::open(origin.at);
    connection.send("GET http://tiles.test/v4/0/0/0.mvt HTTP/1.1\r\nHost: tiles.test\r\n\r\n");
    assert_eq!(connection.answer("GET").status, 200);
    connection.send("GET * HTTP/1.1\r\nHost: tiles.test\r\n\r\n");
    assert_eq!(connection.answer("GET").status, 404);
}
