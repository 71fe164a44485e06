//! nginx and Varnish, started for real with the shipped configurations, in front of an origin.
//!
//! Between cache and origin lies a proxy that notes each request, so what reaches the origin is counted, not
//! believed. Where a cache is not installed its tests say that they were skipped; in CI they fail.

use super::http::client::{Answer, ask};
use super::http::fixture::{Origin, Store, content};
use super::load::{half, publish_half};
use flate2::read::GzDecoder;
use immutile::ops::load::{Options, Step, load};
use immutile::publish;
use immutile::serve::POINTER_POLICY;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Nothing here takes as long; what hangs fails.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Nginx,
    Varnish,
}

/// Requests as the origin saw them: path and `Accept-Encoding`.
type Seen = Arc<Mutex<Vec<(String, String)>>>;

/// A cache in front of a proxy in front of an origin.
struct Front {
    at: SocketAddr,
    seen: Seen,
    process: Child,
    _folder: TempDir,
}

impl Front {
    fn start(kind: Kind, origin: SocketAddr) -> Option<Self> {
        let program = program(kind)?;
        let (proxy, seen) = counting(origin);
        let folder = tempfile::tempdir().unwrap();
        // Somebody may take the port between our asking for a free one and the cache's taking it.
        for _ in 0..5 {
            let at = free_address();
            let mut process = launch(kind, &program, folder.path(), at, proxy);
            let started = Instant::now();
            while process.try_wait().unwrap().is_none() && started.elapsed() < PATIENCE {
                if TcpStream::connect(at).is_ok() {
                    return Some(Self { at, seen, process, _folder: folder });
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            end(&mut process);
        }
        panic!("{kind:?} does not start: {:?}", std::fs::read_to_string(folder.path().join("log")));
    }

    fn get(&self, target: &str, encoding: &str) -> Answer {
        let fields = [("Accept-Encoding", encoding)];
        ask(self.at, "GET", target, if encoding.is_empty() { &[] } else { &fields })
    }

    /// How often the origin was asked for a path.
    fn asked(&self, path: &str) -> usize {
        self.seen.lock().unwrap().iter().filter(|(p, _)| p == path).count()
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        end(&mut self.process);
    }
}

/// Asks a process to stop, so that its workers stop with it, and waits.
fn end(process: &mut Child) {
    let _ = Command::new("kill").args(["-TERM", &process.id().to_string()]).status();
    let _ = process.wait();
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// Where the cache is installed; `None` skips the test, but not in CI.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn program(kind: Kind) -> Option<PathBuf> {
    let name = if kind == Kind::Nginx { "nginx" } else { "varnishd" };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    let found = folders.map(|folder| folder.join(name)).find(|file| file.is_file());
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "{name} is not installed");
        eprintln!("caches: SKIPPED, {name} is not installed");
    }
    found
}

/// The shipped file with our addresses and folders in the place of the usual ones.
fn shipped(name: &str, changes: &[(&str, String)]) -> String {
    let mut text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(name)).unwrap();
    for (usual, ours) in changes {
        assert_eq!(text.matches(usual).count(), 1, "{usual}");
        text = text.replace(usual, ours);
    }
    text
}

fn launch(kind: Kind, program: &Path, folder: &Path, at: SocketAddr, origin: SocketAddr) -> Child {
    let here = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let mut command = Command::new(program);
    match kind {
        Kind::Nginx => {
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
                .map(|kind| format!("{kind}_temp_path {};\n", here(kind)))
                .concat();
            let text = shipped(
                "nginx.conf",
                &[
                    ("/var/cache/nginx/tiles", here("cache")),
                    ("127.0.0.1:8080", origin.to_string()),
                    ("listen 80 ", format!("listen {at} ")),
                    ("http {\n", format!("http {{\n{temporary}")),
                ],
            );
            std::fs::write(here("nginx.conf"), text).unwrap();
            // Workers keep the rights of whoever runs the test: the folder is private.
            let globals = format!("daemon off; user root root; pid {};", here("pid"));
            command.args(["-c", &here("nginx.conf"), "-p", &here(""), "-e", &here("errors"), "-g", &globals]);
        }
        Kind::Varnish => {
            let (ip, port) = (format!("\"{}\"", origin.ip()), format!("\"{}\"", origin.port()));
            let text = shipped("default.vcl", &[("\"127.0.0.1\"", ip), ("\"8080\"", port)]);
            std::fs::write(here("default.vcl"), text).unwrap();
            command.args(["-F", "-j", "none", "-n", &here("varnish"), "-f", &here("default.vcl")]);
            command.args(["-a", &at.to_string(), "-s", "malloc,64m", "-p", "http_gzip_support=off"]);
        }
    }
    let log = std::fs::File::create(here("log")).unwrap();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap()
}

/// A proxy that passes bytes on and notes the requests among them.
fn counting(origin: SocketAddr) -> (SocketAddr, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (at, seen) = (listener.local_addr().unwrap(), Seen::default());
    let notes = Arc::clone(&seen);
    std::thread::spawn(move || {
        for from in listener.incoming() {
            let from = from.unwrap();
            // An origin that is down refuses; dropping the connection says the same to the cache.
            let Ok(to) = TcpStream::connect(origin) else { continue };
            let (back, front) = (to.try_clone().unwrap(), from.try_clone().unwrap());
            let notes = Arc::clone(&notes);
            std::thread::spawn(move || pass(from, to, |bytes, rest| note(bytes, rest, &notes)));
            std::thread::spawn(move || pass(back, front, |_, _| ()));
        }
    });
    (at, seen)
}

fn pass(mut from: TcpStream, mut to: TcpStream, mut look: impl FnMut(&[u8], &mut Vec<u8>)) {
    let (mut buffer, mut rest) = ([0; 16 << 10], Vec::new());
    while let Ok(n @ 1..) = from.read(&mut buffer) {
        look(&buffer[..n], &mut rest);
        if to.write_all(&buffer[..n]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
    let _ = from.shutdown(std::net::Shutdown::Both);
}

/// Notes every head that is complete; requests for tiles have no body.
fn note(bytes: &[u8], rest: &mut Vec<u8>, seen: &Seen) {
    rest.extend_from_slice(bytes);
    while let Some(end) = rest.windows(4).position(|w| w == b"\r\n\r\n") {
        let head: Vec<u8> = rest.drain(..end + 4).collect();
        let head = String::from_utf8(head).unwrap();
        let path = head.split(' ').nth(1).unwrap().to_owned();
        let field = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("accept-encoding").then(|| value.trim().to_owned())
        });
        seen.lock().unwrap().push((path, field.unwrap_or_default()));
    }
}

/// Both caches in front of origins that serve the store; a test for each that is installed.
fn each(store: &Store, policy: &str, test: impl Fn(&Front, Origin)) {
    for kind in [Kind::Nginx, Kind::Varnish] {
        let origin = Origin::start(store, |config| {
            config.public_url = Some("http://tiles.test".parse().unwrap());
            policy.clone_into(&mut config.pointer_policy);
            config.poll = Duration::from_millis(50);
        });
        if let Some(front) = Front::start(kind, origin.at) {
            test(&front, origin);
        }
    }
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut plain).unwrap();
    plain
}

#[test]
fn a_tile_reaches_the_origin_once_for_each_kind_of_client() {
    const TILE: &str = "/v1/4/9/3.mvt";
    each(&half(), POINTER_POLICY, |front, _origin| {
        let check = |encoding: &str, expected: &str, cache: &str, class: &str, asked: usize| {
            let answer = front.get(TILE, encoding);
            let got = answer.field("content-encoding").unwrap_or("identity");
            assert_eq!((answer.status, got), (200, expected), "{encoding}: {answer:?}");
            assert_eq!(answer.field("x-cache"), Some(cache), "{encoding}");
            assert_eq!(answer.field("cache-control"), Some("public, max-age=31536000, immutable"));
            assert!(answer.field("vary").unwrap().eq_ignore_ascii_case("accept-encoding"));
            let plain = if got == "gzip" { gunzip(&answer.body) } else { answer.body };
            assert_eq!(plain, content("4/9/3", "half"), "{encoding}");
            assert_eq!(front.asked(TILE), asked, "{encoding}");
            assert_eq!(front.seen.lock().unwrap().last().unwrap().1, class, "{encoding}");
        };
        check("gzip", "gzip", "MISS", "gzip", 1);
        for same in ["gzip", "GZip;q=0.5", "gzip, deflate", "deflate, gzip;q=1.0, *;q=0.5", "x-gzip", "gzip, br;q=0"] {
            check(same, "gzip", "HIT", "gzip", 1);
        }
        check("gzip, deflate, br, zstd", "gzip", "MISS", "br, gzip", 2);
        check("br;q=1.0, gzip;q=0.8", "gzip", "HIT", "br, gzip", 2);
        check("", "identity", "MISS", "", 3);
        for same in ["identity", "deflate", "gzip;q=0", "gzip;q=0.000, deflate", "gzipped", "brx", "*"] {
            check(same, "identity", "HIT", "", 3);
        }
        check("br", "identity", "MISS", "br", 4);
        check("gzip;q=0, br", "identity", "HIT", "br", 4);
        // A tile is one thing whatever is written behind it, and a 304 costs the origin nothing.
        let tag = front.get(TILE, "gzip").field("etag").unwrap().to_owned();
        let again = ask(front.at, "GET", TILE, &[("Accept-Encoding", "gzip"), ("If-None-Match", &tag)]);
        assert_eq!((again.status, again.field("etag")), (304, Some(tag.as_str())));
        assert_eq!(front.get(&format!("{TILE}?x=1"), "gzip").field("x-cache"), Some("HIT"));
        assert_eq!(ask(front.at, "HEAD", TILE, &[("Accept-Encoding", "gzip")]).field("x-cache"), Some("HIT"));
        assert_eq!(front.asked(TILE), 4);
        // Who refuses all there is hears so, and nobody else hears it.
        for refusal in ["identity;q=0", "*;q=0", "br, identity;q=0"] {
            assert_eq!(front.get(TILE, refusal).status, 406, "{refusal}");
        }
        assert_eq!(front.get(TILE, "gzip, *;q=0").field("x-cache"), Some("HIT"));
    });
}

#[test]
fn empty_tiles_are_kept_and_what_may_appear_is_not() {
    each(&half(), POINTER_POLICY, |front, _origin| {
        let check = |path: &str, status: u16, asked: usize| {
            for _ in 0..3 {
                assert_eq!(front.get(path, "gzip").status, status, "{path}");
            }
            assert_eq!(front.asked(path), asked, "{path}");
        };
        check("/v1/4/1/1.mvt", 204, 1);
        check("/v1/5/1/1.mvt", 404, 1);
        check("/v7/4/1/1.mvt", 404, 3);
        check("/nothing", 404, 3);
        check("/v1/04/1/1.mvt", 400, 3);
    });
}

#[test]
fn many_clients_at_once_want_a_new_tile() {
    each(&half(), POINTER_POLICY, |front, _origin| {
        std::thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| assert_eq!(front.get("/v1/4/12/12.mvt", "gzip").status, 200));
            }
        });
        assert_eq!(front.asked("/v1/4/12/12.mvt"), 1);
    });
}

fn version_of(answer: &Answer) -> u64 {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["version_number"].as_u64().unwrap()
}

#[test]
fn a_new_version_is_seen_when_the_pointer_has_aged_and_old_ones_outlive_the_origin() {
    let policy = "public, max-age=2, s-maxage=2, stale-while-revalidate=1, stale-if-error=86400";
    let store = half();
    each(&store, policy, |front, origin| {
        let pointer = || front.get("/world.json", "gzip");
        let asked = Instant::now();
        let before = version_of(&plain(&pointer()));
        let tile = |version: u64| front.get(&format!("/v{version}/0/0/0.mvt"), "");
        assert_eq!(tile(before).body, content("0/0/0", &of(before)));
        assert_eq!(tile(before + 1).status, 404);
        assert_eq!(version_of(&plain(&pointer())), before);
        if asked.elapsed() < Duration::from_secs(1) {
            assert_eq!(front.asked("/world.json"), 1);
        }
        publish_half(&store, before + 1, &of(before + 1));
        let started = Instant::now();
        while version_of(&plain(&pointer())) == before {
            assert!(started.elapsed() < PATIENCE, "the new version is never seen");
            std::thread::sleep(Duration::from_millis(100));
        }
        assert_eq!(tile(before + 1).body, content("0/0/0", &of(before + 1)), "the 404 was not kept");
        assert_eq!(tile(before).body, content("0/0/0", &of(before)), "the old version stays what it was");
        // The origin goes down: what is kept is shown, stale or not.
        drop(origin);
        std::thread::sleep(Duration::from_secs(4));
        assert_eq!(version_of(&plain(&pointer())), before + 1);
        assert_eq!(tile(before + 1).field("x-cache"), Some("HIT"));
        let gone = tile(before + 2).status;
        assert!((500..600).contains(&gone), "{gone}");
    });
}

/// The content of a version in these stores.
fn of(version: u64) -> String {
    if version == 1 { "half".into() } else { format!("version {version}") }
}

/// The answer with its body unpacked.
fn plain(answer: &Answer) -> Answer {
    let mut answer = answer.clone();
    if answer.field("content-encoding") == Some("gzip") {
        answer.body = gunzip(&answer.body);
    }
    answer
}

#[test]
fn after_warm_up_hardly_a_request_reaches_the_origin() {
    let store = Store::new();
    let options = publish::Options::new(super::common::world_file(), store.path(), "world".parse().unwrap());
    publish::publish(&options, &|_| ()).unwrap();
    for kind in [Kind::Nginx, Kind::Varnish] {
        let origin = Origin::start(&store, |_| ());
        let Some(front) = Front::start(kind, origin.at) else { continue };
        let warmed = Mutex::new(None);
        let options = Options {
            warmup: 200_000,
            requests: Some(20_000),
            duration: Duration::from_secs(300),
            encoding: "gzip, deflate, br, zstd".into(),
            ..Options::new(&format!("http://{}/world.json", front.at))
        };
        let report = load(&options, &|step| {
            if matches!(step, Step::Warming { .. }) {
                *warmed.lock().unwrap() = Some(front.seen.lock().unwrap().len());
            }
        })
        .unwrap();
        let seen = front.seen.lock().unwrap();
        let reached = seen.len() - warmed.lock().unwrap().unwrap();
        eprintln!("{kind:?}: {reached} of {} requests reached the origin, {:?}", report.requests, report.cache);
        assert_eq!((report.failed.as_slice(), report.requests), (&[][..], 20_000));
        assert!(reached * 100 <= 20_000, "{kind:?}: {reached} of 20000 reached the origin");
        assert!(report.cache.hit_ratio.unwrap() >= 0.99, "{:?}", report.cache);
        let mut tiles: Vec<_> = seen.iter().filter(|(path, _)| path.starts_with("/v1/")).collect();
        let all = tiles.len();
        assert!(all > 1000, "{all} tiles are no test");
        tiles.sort_unstable();
        tiles.dedup();
        assert_eq!(tiles.len(), all, "{kind:?}: a tile reached the origin twice");
    }
}
