//! `load` against origins in the test's own process, and against servers that fail.

use super::http::client::get;
use super::http::fixture::{Origin, Store};
use immutile::ops::load::{Error, Options, Report, Step, load};
use immutile::tile::Empty;
use std::cell::RefCell;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Command;
use std::time::{Duration, Instant};

/// A store whose eastern half has tiles down to zoom 4.
pub fn half() -> Store {
    let store = Store::new();
    publish_half(&store, 1, "half");
    store
}

pub fn publish_half(store: &Store, version: u64, of: &str) {
    let zoom = |z: u32| (0..1_u32 << z).flat_map(move |x| (0..1_u32 << z).map(move |y| (z, x, y)));
    let east = (0..=4).flat_map(zoom).filter(|&(z, x, _)| z == 0 || x >= 1 << (z - 1));
    let names: Vec<_> = east.map(|(z, x, y)| format!("{z}/{x}/{y}")).collect();
    let tiles: Vec<_> = names.iter().map(|name| (name.as_str(), of)).collect();
    store.publish("world", version, Empty::NoContent, &tiles);
}

fn options(origin: &Origin) -> Options {
    Options {
        clients: 4,
        warmup: 100,
        requests: Some(1001),
        duration: Duration::from_secs(60),
        ..Options::new(&format!("http://{}/world.json", origin.at))
    }
}

fn run(options: &Options) -> Report {
    load(options, &|_| ()).unwrap()
}

#[test]
fn sessions_are_counted_and_the_same_for_the_same_seed() {
    let origin = Origin::start(&half(), |_| ());
    let options = options(&origin);
    let report = run(&options);
    assert_eq!(report.failed, [""; 0]);
    assert_eq!((report.requests, report.statuses.values().sum::<u64>()), (1001, 1001));
    assert!(report.statuses[&200] > 500 && report.statuses[&204] > 0, "{:?}", report.statuses);
    assert_eq!(report.encodings.keys().collect::<Vec<_>>(), ["gzip"]);
    assert_eq!(report.encodings["gzip"], report.statuses[&200]);
    assert_eq!((report.cache.hit_ratio, report.cache.unknown), (None, 1001));
    let latency = &report.latency_ms;
    assert!(
        latency.p50 > 0.0 && latency.p50 <= latency.p95 && latency.p95 <= latency.p99 && latency.p99 <= latency.max
    );
    // 128 places with data at zoom 4, a sample of which was looked at.
    assert!((40..=128).contains(&report.places), "{}", report.places);

    let again = run(&options);
    assert_eq!((again.bytes, &again.statuses), (report.bytes, &report.statuses), "the same tiles");
    let other = run(&Options { seed: 2, ..options });
    assert_ne!((other.bytes, &other.statuses), (report.bytes, &report.statuses), "other tiles");
}

#[test]
fn encodings_and_conditions() {
    let origin = Origin::start(&half(), |_| ());
    let plain = run(&Options { encoding: String::new(), ..options(&origin) });
    assert_eq!(plain.failed, [""; 0]);
    assert_eq!(plain.encodings.keys().collect::<Vec<_>>(), ["identity"]);
    let again = run(&Options { revalidate: 0.5, ..options(&origin) });
    assert_eq!(again.failed, [""; 0]);
    assert_eq!(again.statuses[&304], again.conditional, "{:?}", again.statuses);
    assert!((400..600).contains(&again.conditional), "{}", again.conditional);
}

#[test]
fn on_a_schedule_latency_counts_from_the_scheduled_time() {
    let origin = Origin::start(&half(), |_| ());
    let paced = Options { rate: Some(500.0), requests: Some(200), ..options(&origin) };
    let started = Instant::now();
    let report = run(&paced);
    assert_eq!((report.failed.as_slice(), report.requests), (&[][..], 200));
    // The last of 200 is due 398 ms after the first.
    assert!(started.elapsed() >= Duration::from_millis(398));
    assert!(report.requests_per_second <= 503.0, "{}", report.requests_per_second);
    // Far above what one client can do, the queue before the server is part of every latency.
    let flooded = run(&Options { rate: Some(1e6), clients: 1, requests: Some(2000), ..options(&origin) });
    assert!(flooded.latency_ms.p99 > 20.0 * run(&options(&origin)).latency_ms.mean, "{:?}", flooded.latency_ms);
}

#[test]
fn time_ends_it_and_news_come() {
    let origin = Origin::start(&half(), |_| ());
    let steps = RefCell::new(Vec::new());
    let options = Options { duration: Duration::from_millis(300), requests: None, ..options(&origin) };
    let report = load(&options, &|step| steps.borrow_mut().push(step)).unwrap();
    assert!((0.3..5.0).contains(&report.seconds), "{}", report.seconds);
    let steps = steps.into_inner();
    assert!(matches!(steps[0], Step::Found { .. }));
    assert!(steps.iter().any(|s| matches!(s, Step::Warming { requests: 100 })), "{steps:?}");
    assert!(matches!(steps.last(), Some(Step::Running { requests, .. }) if *requests == report.requests));
}

/// A server that says the same to everybody, and forgets them.
fn always(status: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut asked = 0;
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let n = stream.read(&mut request).unwrap();
            let json = format!(r#"{{"tiles":["http://{at}/{{z}}/{{x}}/{{y}}"],"minzoom":0,"maxzoom":0}}"#);
            asked += 1;
            let (status, body) = match () {
                () if request[..n].starts_with(b"GET /t.json ") => ("200 OK", json.as_str()),
                () if asked == 2 => ("200 OK", "data"),
                () => (status, "data"),
            };
            let length = body.len();
            let _ = write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
        }
    });
    format!("http://{at}/t.json")
}

#[test]
fn failures_are_counted_and_fail() {
    let few = |url: &str| Options { clients: 1, warmup: 0, requests: Some(5), ..Options::new(url) };
    let report = run(&few(&always("503 Busy")));
    assert_eq!((report.failed.as_slice(), report.statuses[&503]), (&["5 × status 503".to_owned()][..], 5));
    let allowed = run(&Options { allowed: vec![503], ..few(&always("503 Busy")) });
    assert_eq!((allowed.failed.as_slice(), allowed.statuses[&503]), (&[][..], 5));
    let wrong = run(&few(&always("200 OK\r\nContent-Encoding: br")));
    assert_eq!(wrong.failed, ["5 × encoding br was not asked for"]);
    let slow = run(&Options { max_p99: Some(Duration::from_nanos(1)), ..few(&always("200 OK")) });
    assert!(slow.failed.len() == 1 && slow.failed[0].starts_with("p99"), "{:?}", slow.failed);
}

#[test]
fn refusals() {
    let at = |url: &str| load(&Options::new(url), &|_| ());
    assert!(matches!(at("http://192.0.2.1/world.json"), Err(Error::NotLoopback { .. })));
    assert!(matches!(at("https://127.0.0.1/world.json"), Err(Error::Url { .. })));
    let origin = Origin::start(&half(), |c| c.public_url = Some("http://192.0.2.1".parse().unwrap()));
    let tiles_elsewhere = at(&format!("http://{}/world.json", origin.at));
    assert!(matches!(tiles_elsewhere, Err(Error::NotLoopback { .. })), "{tiles_elsewhere:?}");
    assert!(matches!(at(&format!("http://{}/health", origin.at)), Err(Error::TileJson { .. })));
    assert!(matches!(at(&format!("http://{}/no.json", origin.at)), Err(Error::TileJson { .. })));
    let store = Store::new();
    store.publish("world", 1, Empty::NoContent, &[]);
    let empty = Origin::start(&store, |_| ());
    assert!(matches!(at(&format!("http://{}/world.json", empty.at)), Err(Error::NoData { asked: 1, .. })));
    assert_eq!(get(empty.at, "/health").status, 200);
}

#[test]
fn the_program() {
    let origin = Origin::start(&half(), |_| ());
    let url = format!("http://{}/world.json", origin.at);
    let check = |args: &[&str], code: i32, out: &str, err: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_immutile")).arg("load").args(args).output().unwrap();
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
        assert!(stdout.contains(out) && stderr.contains(err), "{args:?}: {stdout}\n{stderr}");
        stdout.into_owned()
    };
    check(&[&url, "-n", "300", "--warmup", "10"], 0, "requests       300 in", "");
    let json = check(&[&url, "-n", "300", "--warmup", "10", "--json"], 0, "", "");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["requests"], &json["failed"]), (&300.into(), &serde_json::json!([])));
    check(&[&url, "-n", "300", "--max-p99", "0.000001"], 1, "requests/s", "failed: p99");
    check(&["http://192.0.2.1/world.json"], 2, "", "hint: --yes-this-is-my-server");
    check(&[&url, "--clients", "513"], 2, "", "hint: 1 to 512");
    check(&[&url, "--duration=-1"], 2, "", "--duration");
    check(&[&url, "--duration=0"], 2, "", "hint: above 0");
}
