//! A small store, and origins that serve it inside the test's own process.

use immutile::serve::{Config, Error, Server};
use immutile::store::{ContentHash, Metadata, Summary, Writer, gzip};
use immutile::tile::{Empty, Encoding, TileCoord};
use immutile::tilejson::VectorLayer;
use immutile::tileset::{Event, Happened, Manifest};
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;

/// A store in a folder of its own, which goes with the last clone.
#[derive(Clone)]
pub struct Store {
    folder: Arc<TempDir>,
}

/// The plain bytes of a tile in these stores: long enough to be worth compressing.
pub fn content(tile: &str, of: &str) -> Vec<u8> {
    format!("{of} {tile} ").repeat(50).into_bytes()
}

impl Store {
    pub fn new() -> Self {
        Self { folder: Arc::new(TempDir::new().unwrap()) }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn file(&self, tileset: &str, version: u64) -> PathBuf {
        self.path().join(tileset).join(format!("v{version}.mbtiles"))
    }

    /// Writes a tile file with zooms 0 to 4 and these tiles, each holding [`content`] of `of`.
    pub fn write(to: &Path, empty: Empty, tiles: &[(&str, &str)]) -> Summary {
        let mut writer = Writer::create(to).unwrap();
        for (tile, of) in tiles {
            let mut numbers = tile.split('/').map(|n| n.parse::<u32>().unwrap());
            let mut next = || numbers.next().unwrap();
            let place = TileCoord::new(next() as u8, next(), next()).unwrap();
            let bytes = content(tile, of);
            writer.put(place, ContentHash::of(&bytes), Some(&gzip(&bytes))).unwrap();
        }
        writer
            .finish(&Metadata {
                name: "A test".into(),
                description: None,
                attribution: Some("<a href=\"x\">\u{a9} \"them\"</a>".into()),
                minzoom: 0,
                maxzoom: 4,
                bounds: [-180.0, -85.0, 180.0, 85.0].into(),
                center: [0.0, 0.0, 1.0],
                vector_layers: vec![VectorLayer {
                    id: "pts".into(),
                    description: None,
                    minzoom: None,
                    maxzoom: None,
                    fields: [("name".to_owned(), "String".to_owned())].into(),
                }],
                empty,
                encodings: vec![Encoding::Gzip],
                built_by: "a test".into(),
                inputs: None,
                report: serde_json::Value::Null,
            })
            .unwrap()
    }

    /// Publishes a version of a tileset and makes it current.
    pub fn publish(&self, tileset: &str, version: u64, empty: Empty, tiles: &[(&str, &str)]) {
        let folder = self.path().join(tileset);
        std::fs::create_dir_all(&folder).unwrap();
        let file = self.file(tileset, version);
        let summary = Self::write(&file, empty, tiles);
        let digest = summary.digest.to_string();
        let manifest = Manifest {
            tileset: tileset.parse().unwrap(),
            version: version.try_into().unwrap(),
            digest: digest.clone(),
            bytes: std::fs::metadata(&file).unwrap().len(),
            tiles: summary.tiles,
            distinct: summary.distinct,
            minzoom: 0,
            maxzoom: 4,
            bounds: [-180.0, -85.0, 180.0, 85.0].into(),
            built_by: String::new(),
            inputs: None,
            report: serde_json::Value::Null,
            published_at: String::new(),
        };
        put(&folder.join(format!("v{version}.manifest.json")), &serde_json::to_string(&manifest).unwrap());
        self.note(tileset, Happened::Publish, version, Some(digest));
        self.switch(tileset, version);
        if !self.path().join("store.json").exists() {
            put(&self.path().join("store.json"), &format!("{{\"default_tileset\": \"{tileset}\"}}"));
        }
    }

    /// Makes a version current.
    pub fn switch(&self, tileset: &str, version: u64) {
        self.note(tileset, Happened::Switch, version, None);
        put(&self.path().join(tileset).join("current.json"), &format!("{{\"version\": {version}}}"));
    }

    /// Prunes or withdraws a version.
    pub fn retire(&self, tileset: &str, version: u64, how: Happened) {
        self.note(tileset, how, version, None);
        std::fs::remove_file(self.file(tileset, version)).unwrap();
    }

    fn note(&self, tileset: &str, event: Happened, version: u64, digest: Option<String>) {
        let version = version.try_into().unwrap();
        let event = Event { event, version, digest, reason: None, at: String::new() };
        let ledger = self.path().join(tileset).join("ledger.jsonl");
        let mut file = std::fs::File::options().create(true).append(true).open(ledger).unwrap();
        writeln!(file, "{}", serde_json::to_string(&event).unwrap()).unwrap();
    }
}

/// Replaces a small file as a publisher does: whole or not at all.
fn put(path: &Path, text: &str) {
    let temporary = path.with_extension("tmp");
    std::fs::write(&temporary, text).unwrap();
    std::fs::rename(temporary, path).unwrap();
}

/// The store most tests use: `world` (default) with versions 3 and 4 (current) and what became
/// of 1 and 2; `sparse` and `zero` with the other policies for empty tiles.
pub fn usual() -> Store {
    let store = Store::new();
    for version in 1..=2 {
        store.publish("world", version, Empty::NoContent, &[("0/0/0", "old")]);
    }
    store.publish("world", 3, Empty::NoContent, &[("0/0/0", "three"), ("1/1/0", "both")]);
    store.publish("world", 4, Empty::NoContent, &[("0/0/0", "four"), ("1/1/0", "both"), ("4/15/15", "corner")]);
    store.retire("world", 1, Happened::Prune);
    store.retire("world", 2, Happened::Withdraw);
    store.publish("sparse", 1, Empty::NotFound, &[("0/0/0", "sparse")]);
    store.publish("zero", 1, Empty::Ok, &[("0/0/0", "zero")]);
    store
}

/// A running origin; dropped, it stops.
pub struct Origin {
    pub at: SocketAddr,
    pub admin: Option<SocketAddr>,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), Error>>>,
    _store: Store,
}

impl Origin {
    /// Serves the store with the settings that `change` makes of small ones. It does not look
    /// for news by itself: whatever it notices, a request made it notice.
    pub fn start(store: &Store, change: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config {
            store: store.path().to_owned(),
            listen: ([127, 0, 0, 1], 0).into(),
            workers: 2,
            readers: 2,
            cache_bytes: 8 << 20,
            poll: Duration::from_secs(3600),
            grace: Duration::from_secs(5),
            ..Config::default()
        };
        change(&mut config);
        let server = Server::bind(config).unwrap();
        let (at, admin) = (server.address(), server.admin_address());
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let run = move || {
            server.run(async move {
                let _ = stopped.await;
            })
        };
        Self { at, admin, stop: Some(stop), thread: Some(std::thread::spawn(run)), _store: store.clone() }
    }

    /// Gives the order to stop.
    pub fn order_stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    /// Waits until it has stopped.
    pub fn wait(&mut self) {
        self.thread.take().unwrap().join().unwrap().unwrap();
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let stopped = thread.join();
            assert!(std::thread::panicking() || matches!(stopped, Ok(Ok(()))), "{stopped:?}");
        }
    }
}
