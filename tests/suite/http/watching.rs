//! What operators see: metrics, where the time of a miss went, blocked event loops.

use super::client::{Answer, ask, get};
use super::fixture::{Origin, usual};
use immutile::serve::{BLOCK, Config};
use std::time::{Duration, Instant};

fn watched(change: impl FnOnce(&mut Config)) -> Origin {
    Origin::start(&usual(), |c| {
        c.admin_listen = Some(([127, 0, 0, 1], 0).into());
        change(c);
    })
}

fn metrics(origin: &Origin) -> String {
    let answer = get(origin.admin.unwrap(), "/metrics");
    assert_eq!((answer.status, answer.field("cache-control")), (200, Some("no-store")));
    assert_eq!(answer.field("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    answer.text()
}

/// The value of a metric, by its name with labels; 0 when it is not there.
fn value(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(' '));
    line.map_or(0, |v| v.parse().unwrap())
}

/// Looks at the metrics until one has this value: the cache counts its entries a moment later.
fn await_value(origin: &Origin, name: &str, expected: impl Fn(u64) -> bool) {
    let patience = Instant::now() + Duration::from_secs(20);
    loop {
        let text = metrics(origin);
        if expected(value(&text, name)) {
            return;
        }
        assert!(Instant::now() < patience, "{name} is not as expected in {text}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn requests_are_counted_by_route_status_and_encoding() {
    let origin = watched(|_| ());
    for _ in 0..3 {
        get(origin.at, "/v4/0/0/0.mvt");
    }
    let asked = [
        ("GET", "/v4/0/0/0.mvt"),
        ("HEAD", "/v4/1/0/1.mvt"),
        ("GET", "/v4/9/0/0.mvt"),
        ("GET", "/world.json"),
        ("GET", "/world/latest/0/0/0.mvt"),
        ("GET", "/v04/0/0/0.mvt"),
        ("POST", "/v4/0/0/0.mvt"),
        ("OPTIONS", "/v4/0/0/0.mvt"),
    ];
    for (method, target) in asked {
        ask(origin.at, method, target, &[]);
    }
    ask(origin.at, "GET", "/v4/0/0/0.mvt", &[("If-None-Match", "*")]);
    let text = metrics(&origin);
    let check = |route: &str, status: u16, encoding: &str, expected: u64| {
        let labels = format!("{{route=\"{route}\",status=\"{status}\",encoding=\"{encoding}\"}}");
        assert_eq!(value(&text, &format!("immutile_requests_total{labels}")), expected, "{labels} in {text}");
    };
    check("tile", 200, "gzip", 3);
    check("tile", 200, "identity", 1);
    check("tile", 204, "none", 1);
    check("tile", 304, "none", 1);
    check("tile", 404, "none", 1);
    check("tilejson", 200, "none", 1);
    check("redirect", 307, "none", 1);
    check("other", 400, "none", 1);
    check("other", 405, "none", 1);
    check("preflight", 204, "none", 1);
    let tiles = "immutile_request_duration_seconds_count{route=\"tile\"}";
    assert_eq!(value(&text, tiles), 7);
    assert_eq!(value(&text, "immutile_request_duration_seconds_bucket{route=\"tile\",le=\"+Inf\"}"), 7);
    // Hits: the second and third look at the gzip bytes, and the 304. Misses: the first of each
    // encoding, and the empty place. A place outside the grid is no question to the cache.
    assert_eq!(value(&text, "immutile_cache_hits_total"), 3);
    assert_eq!(value(&text, "immutile_cache_misses_total"), 3);
    assert_eq!(value(&text, "immutile_open_versions{tileset=\"world\"}"), 2);
    assert_eq!(value(&text, "immutile_current_version{tileset=\"world\"}"), 4);
    await_value(&origin, "immutile_cache_entries", |v| v == 2);
    await_value(&origin, "immutile_cache_bytes", |v| (800..8000).contains(&v));
    assert!(!text.contains("v4/0"), "no paths in labels");
}

#[test]
fn every_line_is_prometheus_text() {
    let origin = watched(|_| ());
    get(origin.at, "/v4/0/0/0.mvt");
    let text = metrics(&origin);
    assert!(text.ends_with('\n'));
    let mut typed = std::collections::BTreeSet::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert!(["counter", "gauge", "histogram"].contains(&kind) && typed.insert(name.to_owned()), "{line}");
        } else if !line.starts_with("# HELP ") {
            let (name, number) = line.rsplit_once(' ').unwrap();
            number.parse::<f64>().unwrap();
            let name = name.split('{').next().unwrap();
            let family = ["_bucket", "_sum", "_count"].iter().find_map(|s| name.strip_suffix(s)).unwrap_or(name);
            assert!(typed.contains(name) || typed.contains(family), "{line} has no type");
        }
    }
}

#[test]
fn evictions_and_refusals_are_counted() {
    let origin = watched(|c| {
        c.cache_bytes = 1200;
        c.readers = 1;
        c.queue_length = 1;
        c.queue_wait = Duration::from_millis(1);
        c.read_delay = Duration::from_millis(100);
    });
    for target in ["/v4/0/0/0.mvt", "/v4/1/1/0.mvt", "/v4/4/15/15.mvt", "/v3/0/0/0.mvt"] {
        get(origin.at, target);
    }
    await_value(&origin, "immutile_cache_evictions_total", |v| v >= 1);
    let mut flood: Vec<_> = (0..8).map(|_| super::client::Connection::open(origin.at)).collect();
    for (i, connection) in flood.iter_mut().enumerate() {
        connection.request("GET", &format!("/v4/4/{i}/0.mvt"), &[]);
    }
    let refused = flood.iter_mut().filter_map(|c| (c.answer("GET").status == 503).then_some(())).count();
    assert!(refused > 0);
    assert_eq!(value(&metrics(&origin), "immutile_queue_rejected_total"), refused as u64);
    assert_eq!(value(&metrics(&origin), "immutile_queue_jobs"), 0);
}

#[test]
fn empty_places_reach_the_file_once_for_each_block() {
    let origin = watched(|_| ());
    let tiles = ["0/0/0", "1/1/0", "4/15/15"];
    let all = || {
        (0..=4u8).flat_map(|z| (0..1u32 << z).flat_map(move |x| (0..1u32 << z).map(move |y| format!("{z}/{x}/{y}"))))
    };
    let check = |name: &str, fields: &[(&str, &str)]| {
        for tile in all() {
            let answer = ask(origin.at, "GET", &format!("/v4/{tile}.mvt"), fields);
            let expected = if !tiles.contains(&tile.as_str()) {
                204
            } else if fields.len() > 1 {
                304
            } else {
                200
            };
            assert_eq!(answer.status, expected, "{tile}, {name}");
        }
        value(&metrics(&origin), "immutile_reads_total")
    };
    let gzip = ("Accept-Encoding", "gzip");
    // Zoom 0 has no empty place; each other zoom of this version is one block.
    assert_eq!(check("conditional", &[gzip, ("If-None-Match", "*")]), 3 + 4);
    assert_eq!(check("plain", &[gzip]), 3 + 4 + 3);
    assert_eq!(check("again", &[gzip]), 3 + 4 + 3);
    // Another version is another file.
    assert_eq!(get(origin.at, "/v3/4/15/15.mvt").status, 204);
    assert_eq!(value(&metrics(&origin), "immutile_reads_total"), 3 + 4 + 3 + 1);
    assert!((500..10_000).contains(&value(&metrics(&origin), "immutile_presence_bytes")));
}

#[test]
fn the_admin_address_answers_nothing_else() {
    let origin = watched(|_| ());
    let admin = origin.admin.unwrap();
    for target in ["/", "/metrics/", "/v4/0/0/0.mvt", "/world.json"] {
        assert_eq!(get(admin, target).status, 404, "{target}");
    }
    assert_eq!(ask(admin, "POST", "/metrics", &[]).status, 405);
    assert_eq!(get(origin.at, "/metrics").status, 404, "clients do not see them");
    assert_eq!(Origin::start(&usual(), |_| ()).admin, None, "off unless set");
}

fn steps(answer: &Answer) -> Vec<&str> {
    let value = answer.field("server-timing").unwrap_or_default();
    value
        .split(", ")
        .filter_map(|e| e.split_once(";dur=").filter(|(_, ms)| ms.parse::<f64>().is_ok()))
        .map(|(n, _)| n)
        .collect()
}

#[test]
fn misses_say_where_their_time_went() {
    let origin = watched(|c| c.read_delay = Duration::from_millis(20));
    let miss = get(origin.at, "/v4/0/0/0.mvt");
    assert_eq!(steps(&miss), ["queue", "store"]);
    let queue = miss.field("server-timing").unwrap().strip_prefix("queue;dur=").unwrap();
    assert!(queue.split(',').next().unwrap().parse::<f64>().unwrap() >= 20.0, "{queue}");
    assert_eq!(get(origin.at, "/v4/0/0/0.mvt").field("server-timing"), None, "a hit");
    let plain = ask(origin.at, "GET", "/v4/1/1/0.mvt", &[]);
    assert_eq!(steps(&plain), ["queue", "store", "decompress"]);
    let unpacked = ask(origin.at, "GET", "/v4/0/0/0.mvt", &[]);
    assert_eq!(steps(&unpacked), ["queue", "decompress"], "the gzip bytes were in memory");
}

#[test]
fn blocked_event_loops_are_seen() {
    let origin = watched(|c| {
        c.workers = 1;
        c.block_route = true;
    });
    let ticks = "immutile_loop_drift_seconds_count";
    let calm = "immutile_loop_drift_seconds_bucket{le=\"0.25\"}";
    await_value(&origin, ticks, |v| v >= 1);
    let started = Instant::now();
    assert_eq!(get(origin.at, "/block").status, 404);
    assert!(started.elapsed() >= BLOCK);
    let patience = Instant::now() + Duration::from_secs(20);
    loop {
        let text = metrics(&origin);
        if value(&text, ticks) - value(&text, calm) >= 1 {
            break;
        }
        assert!(Instant::now() < patience, "{text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn nobody_blocks_an_origin_that_does_not_ask_for_it() {
    let origin = watched(|c| c.workers = 1);
    let started = Instant::now();
    let asked = 50;
    for _ in 0..asked {
        assert_eq!(get(origin.at, "/block").status, 404);
    }
    assert!(started.elapsed() < asked * BLOCK);
}
