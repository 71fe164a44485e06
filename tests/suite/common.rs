//! What several topics need: the world cut once, and an origin that serves it.

use immutile::build::{self, Definition};
use immutile::publish;
use immutile::serve::{Config, Server};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The folder of the world's definition.
pub fn world_definition() -> Definition {
    Definition::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tilesets/world")).unwrap()
}

/// Options that write to `output` with this many threads.
pub fn to(output: &Path, threads: usize) -> build::Options {
    build::Options { output: output.to_owned(), threads, strict: false, inputs: None }
}

/// The world as a tile file, cut once for the whole run.
pub fn world_file() -> &'static Path {
    static WORLD: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, file) = WORLD.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("world.mbtiles");
        build::build(&world_definition(), &to(&file, 0), &|_| ()).unwrap();
        (folder, file)
    });
    file
}

/// The base URL of a running origin with the world tileset, on loopback, without a slash at the
/// end. One for the whole run; it ends with the process.
pub fn origin_with_world() -> String {
    static ORIGIN: OnceLock<(tempfile::TempDir, String)> = OnceLock::new();
    let (_, url) = ORIGIN.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let options = publish::Options::new(world_file(), folder.path(), "world".parse().unwrap());
        publish::publish(&options, &|_| ()).unwrap();
        let listen = ([127, 0, 0, 1], 0).into();
        let server = Server::bind(Config { store: folder.path().to_owned(), listen, ..Config::default() }).unwrap();
        let url = format!("http://{}", server.address());
        std::thread::spawn(move || server.run(std::future::pending()));
        (folder, url)
    });
    url.clone()
}

/// Cuts GeoJSON text as the layer `t` and hands the file to `look`.
pub fn cut(text: &str, minzoom: u8, maxzoom: u8) -> Result<(tempfile::TempDir, PathBuf, build::Report), build::Error> {
    cut_as("in.geojson", text.as_bytes(), |definition| (definition.minzoom, definition.maxzoom) = (minzoom, maxzoom))
}

/// Cuts bytes of a file with this name as the layer `t`, with changes to the definition.
pub fn cut_as(
    name: &str,
    bytes: &[u8],
    change: impl FnOnce(&mut Definition),
) -> Result<(tempfile::TempDir, PathBuf, build::Report), build::Error> {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join(name), folder.path().join("out.mbtiles"));
    std::fs::write(&input, bytes).unwrap();
    let mut definition = Definition::from_files("test", &[input], Some("t"));
    change(&mut definition);
    let report = build::build(&definition, &to(&output, 0), &|_| ())?;
    Ok((folder, output, report))
}
