//! Small tile files, and a store to publish them into.

use immutile::publish::{Options, Published, publish};
use immutile::store::{ContentHash, Metadata, Writer, gzip};
use immutile::tile::{Empty, Encoding, TileCoord};
use immutile::tilejson::VectorLayer;
use immutile::tileset::{Catalog, State, TilesetName, Version};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A tile with one point, which lies at `n`: MVT 2.1 written by hand.
pub fn tile(n: u8) -> Vec<u8> {
    let feature = [0x18, 1, 0x22, 3, 9, 2 * (n % 60), 2];
    let mut layer = vec![0x0a, 1, b'a', 0x12, feature.len() as u8];
    layer.extend(feature);
    layer.extend([0x28, 0x80, 0x20, 0x78, 2]);
    [vec![0x1a, layer.len() as u8], layer].concat()
}

pub fn metadata() -> Metadata {
    Metadata {
        name: "World".into(),
        description: None,
        attribution: None,
        minzoom: 0,
        maxzoom: 1,
        bounds: [-180.0, -85.0, 180.0, 85.0].into(),
        center: [0.0, 0.0, 0.0],
        vector_layers: vec![VectorLayer {
            id: "a".into(),
            description: None,
            minzoom: None,
            maxzoom: None,
            fields: BTreeMap::new(),
        }],
        empty: Empty::NoContent,
        encodings: vec![Encoding::Gzip],
        built_by: "immutile test".into(),
        inputs: None,
        report: serde_json::json!({"features": 2}),
    }
}

/// Writes a file whose content depends on `n`: three tiles, two of them equal.
pub fn file(path: &Path, n: u8) {
    let mut writer = Writer::create(path).unwrap();
    let mut put = |(z, x, y), bytes: Vec<u8>| {
        let packed = gzip(&bytes);
        writer.put(TileCoord::new(z, x, y).unwrap(), ContentHash::of(&bytes), Some(&packed)).unwrap();
    };
    put((0, 0, 0), tile(n));
    put((1, 0, 0), tile(0));
    put((1, 1, 1), tile(0));
    writer.finish(&metadata()).unwrap();
}

/// The tileset that files are published as.
pub fn world() -> TilesetName {
    "world".parse().unwrap()
}

/// A store in a temporary folder of its own, and files to publish beside it.
pub struct Store {
    folder: tempfile::TempDir,
    root: PathBuf,
}

impl Store {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("store");
        fs::create_dir(&root).unwrap();
        Self { folder, root }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn path(&self, inside: &str) -> PathBuf {
        self.root.join(inside)
    }

    /// The file with content `n`, made when it is first asked for.
    pub fn file(&self, n: u8) -> PathBuf {
        static MADE: Mutex<BTreeMap<u8, Vec<u8>>> = Mutex::new(BTreeMap::new());
        let path = self.folder.path().join(format!("{n}.mbtiles"));
        if !path.exists() {
            // Each content is made once: a new file is flushed to the disk, which takes its time.
            let mut made = MADE.lock().unwrap();
            let bytes = made.entry(n).or_insert_with(|| {
                file(&path, n);
                fs::read(&path).unwrap()
            });
            fs::write(&path, bytes).unwrap();
        }
        path
    }

    pub fn options(&self, n: u8) -> Options {
        Options::new(self.file(n), &self.root, world())
    }

    pub fn publish(&self, n: u8) -> Published {
        publish(&self.options(n), &|_| ()).unwrap()
    }

    pub fn publish_as(&self, tileset: &str, n: u8) -> Published {
        publish(&Options::new(self.file(n), &self.root, tileset.parse().unwrap()), &|_| ()).unwrap()
    }

    /// The catalogue of a store without problems.
    pub fn catalog(&self) -> Catalog {
        let (catalog, problems) = Catalog::read(&self.root).unwrap();
        assert_eq!(problems, []);
        catalog
    }

    pub fn current(&self) -> Option<Version> {
        Catalog::read(&self.root).unwrap().0.tilesets.get("world")?.current
    }

    pub fn live(&self) -> Vec<u64> {
        let (catalog, _) = Catalog::read(&self.root).unwrap();
        let Some(world) = catalog.tilesets.get("world") else { return vec![] };
        world.versions.iter().filter(|(_, e)| e.state == State::Live).map(|(v, _)| v.get()).collect()
    }

    pub fn append_to_ledger(&self, line: &str) {
        let mut ledger = fs::OpenOptions::new().append(true).open(self.path("world/ledger.jsonl")).unwrap();
        writeln!(ledger, "{line}").unwrap();
    }

    /// Every file but the lock with its bytes.
    pub fn snapshot(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        for folder in [self.root.clone(), self.path("world")] {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.path().is_file() && entry.file_name() != ".lock" {
                    found.insert(entry.path(), fs::read(entry.path()).unwrap());
                }
            }
        }
        found
    }

    /// How many temporary files there are.
    pub fn temporary(&self) -> usize {
        self.snapshot().keys().filter(|p| p.extension().is_some_and(|e| e == "tmp")).count()
    }
}
