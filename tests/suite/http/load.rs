//! Overload, shared reads, stopping.

use super::client::{Connection, get};
use super::fixture::{Origin, Store, usual};
use immutile::serve::{Config, Error, Server};
use immutile::tile::Empty;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A store with many tiles at zoom 4.
fn many() -> Store {
    let store = Store::new();
    let names: Vec<_> = (0..16).flat_map(|x| (0..16).map(move |y| format!("4/{x}/{y}"))).collect();
    let tiles: Vec<_> = names.iter().map(|name| (name.as_str(), "many")).collect();
    store.publish("world", 1, Empty::NoContent, &tiles);
    store
}

#[test]
fn more_misses_than_the_disk_delivers() {
    let store = many();
    let origin = Origin::start(&store, |c| {
        c.readers = 1;
        c.queue_length = 1;
        c.queue_wait = Duration::from_millis(20);
        c.read_delay = Duration::from_millis(100);
    });
    let hot = get(origin.at, "/v1/4/15/15.mvt");
    let mut flood: Vec<_> = (0..60).map(|_| Connection::open(origin.at)).collect();
    for (i, connection) in flood.iter_mut().enumerate() {
        connection.request("GET", &format!("/v1/4/{}/{}.mvt", i / 15, i % 15), &[]);
    }
    let started = Instant::now();
    let hit = get(origin.at, "/v1/4/15/15.mvt");
    assert_eq!((hit.status, hit.body), (200, hot.body), "hits go on");
    assert!(started.elapsed() < Duration::from_secs(2));
    let mut refused = 0;
    for connection in &mut flood {
        let answer = connection.answer("GET");
        match answer.status {
            200 => {}
            503 => {
                refused += 1;
                assert_eq!(answer.field("retry-after"), Some("1"));
                assert_eq!(answer.field("cache-control"), Some("no-store"));
                assert_eq!(answer.json()["type"], "urn:problem-type:immutile:busy");
            }
            other => panic!("{other}"),
        }
    }
    assert!((30..60).contains(&refused), "{refused} of 60 refused");
}

#[test]
fn a_tile_that_many_want_is_read_once() {
    let delay = Duration::from_millis(300);
    let origin = Origin::start(&many(), |c| {
        c.workers = 1;
        c.readers = 1;
        c.read_delay = delay;
    });
    let started = Instant::now();
    let mut first = Connection::open(origin.at);
    first.request("GET", "/v1/4/0/0.mvt", &[]);
    let mut others: Vec<_> = (0..10).map(|_| Connection::open(origin.at)).collect();
    for other in &mut others {
        other.request("GET", "/v1/4/0/0.mvt", &[]);
    }
    drop(first);
    assert!(others.iter_mut().all(|c| c.answer("GET").status == 200));
    assert!(started.elapsed() < 3 * delay, "{:?}", started.elapsed());
}

#[test]
fn stopping_lets_requests_finish_and_idle_connections_go() {
    let mut origin = Origin::start(&many(), |c| {
        c.read_delay = Duration::from_millis(300);
        c.grace = Duration::from_secs(30);
    });
    let mut idle = Connection::open(origin.at);
    idle.request("GET", "/health", &[]);
    assert_eq!(idle.answer("GET").status, 200);
    let mut running = Connection::open(origin.at);
    running.request("GET", "/health", &[]);
    assert_eq!(running.answer("GET").status, 200);
    running.request("GET", "/v1/4/1/1.mvt", &[]);
    // The request is on its way when another one that was sent later has been answered.
    get(origin.at, "/v1/9/0/0.mvt");
    let started = Instant::now();
    origin.order_stop();
    assert_eq!(running.answer("GET").status, 200);
    assert!(idle.is_closed());
    origin.wait();
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
}

#[cfg(unix)]
#[test]
fn the_program_ends_well_on_sigterm() {
    let store = usual();
    let mut program = Command::new(env!("CARGO_BIN_EXE_immutile"))
        .args(["serve", "--listen", "127.0.0.1:0", "--admin-listen", "0", "--store"])
        .arg(store.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(program.stderr.take().unwrap()).lines();
    let mut address = |what: &str| {
        let line = said.by_ref().map(Result::unwrap).find(|line| line.contains(what)).unwrap();
        line.split("http://").nth(1).unwrap().split('/').next().unwrap().trim().parse::<SocketAddr>().unwrap()
    };
    let (at, admin) = (address("serving"), address("metrics"));
    assert!(admin.ip().is_loopback());
    assert_eq!(get(admin, "/metrics").status, 200);
    let mut idle = Connection::open(at);
    idle.request("GET", "/v4/0/0/0.mvt", &[]);
    assert_eq!(idle.answer("GET").status, 200);
    let asked = Command::new("kill").args(["-TERM", &program.id().to_string()]).status().unwrap();
    assert!(asked.success());
    assert!(idle.is_closed());
    assert_eq!(program.wait().unwrap().code(), Some(0));
}

#[test]
fn not_ready_while_draining() {
    let mut origin = Origin::start(&usual(), |c| c.drain = Duration::from_secs(2));
    assert_eq!(get(origin.at, "/ready").status, 200);
    let mut connection = Connection::open(origin.at);
    origin.order_stop();
    let status = loop {
        connection.request("GET", "/ready", &[]);
        let answer = connection.answer("GET");
        if answer.status != 200 {
            break answer.status;
        }
    };
    assert_eq!(status, 503);
    assert_eq!(get(origin.at, "/v4/0/0/0.mvt").status, 200, "requests are still answered");
    origin.wait();
}

#[test]
fn an_address_that_is_taken() {
    let store = usual();
    let origin = Origin::start(&store, |_| ());
    let config = Config { store: store.path().to_owned(), listen: origin.at, ..Config::default() };
    assert!(matches!(Server::bind(config), Err(Error::Listen { address, .. }) if address == origin.at));
}
