//! `demo`: the whole way from files to a map, skipping what was done before.

use super::world::World;
use crate::build::{self, Definition, Report};
use crate::publish;
use crate::serve::{self, Config, Server};
use crate::tileset::{self, Catalog, TilesetName};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The tileset that the demo publishes.
const TILESET: &str = "world";

/// Ports that are tried after the wanted one.
const PORTS: u16 = 100;

/// What the demo has come to, for whoever tells.
#[derive(Debug)]
pub enum Step<'a> {
    /// Cutting goes on; the largest zoom is given along.
    Cutting(build::Event, u8),
    /// The tiles are cut.
    Cut(&'a Report),
    /// The file is published.
    Published(&'a publish::Published),
    /// Nothing changed since the last time.
    Unchanged,
    /// The wanted port is taken by somebody else.
    PortTaken(SocketAddr),
}

/// What ended it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The tiles cannot be cut.
    #[error("cannot cut the world")]
    Build(#[from] build::Error),
    /// The file cannot be published.
    #[error("cannot publish the world")]
    Publish(#[from] publish::Error),
    /// The store cannot be read.
    #[error("cannot read the store")]
    Tileset(#[from] tileset::Error),
    /// The origin cannot run.
    #[error("cannot serve")]
    Serve(#[from] serve::Error),
    /// The store's folder cannot be written.
    #[error("{}: cannot write to the store's folder", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's own words.
        #[source]
        source: std::io::Error,
    },
}

/// Cuts and publishes the world unless that was done before, and takes an address to serve it
/// at: the wanted one, or the next free port. The origin is ready to run.
pub fn demo(mut config: Config, tell: &(dyn Fn(Step) + Sync)) -> Result<Server, Error> {
    publish_world(&config.store, tell)?;
    let wanted = config.listen;
    loop {
        match Server::bind(config.clone()) {
            Err(error) if error.is_address_in_use() && config.listen.port() < wanted.port().saturating_add(PORTS) => {
                tell(Step::PortTaken(config.listen));
                config.listen.set_port(config.listen.port() + 1);
            }
            result => return Ok(result?),
        }
    }
}

fn publish_world(store: &Path, tell: &(dyn Fn(Step) + Sync)) -> Result<(), Error> {
    let folder = |source| Error::Folder { path: store.to_owned(), source };
    std::fs::create_dir_all(store).map_err(folder)?;
    let world = World::find(store).map_err(folder)?;
    let definition = Definition::read(&world.folder)?;
    let inputs = build::fingerprint(&definition)?;
    if current_inputs(store)?.as_ref() == Some(&inputs) {
        tell(Step::Unchanged);
        return Ok(());
    }
    let file = TemporaryFile(store.join(format!(".world.{}.mbtiles", std::process::id())));
    let options = build::Options { output: file.0.clone(), threads: 0, strict: false, inputs: Some(inputs) };
    let report = build::build(&definition, &options, &|event| tell(Step::Cutting(event, definition.maxzoom)))?;
    tell(Step::Cut(&report));
    let published = publish::publish(&publish::Options::new(&file.0, store, name()), &|_| ())?;
    tell(Step::Published(&published));
    Ok(())
}

/// The hash of what the current version was made from.
fn current_inputs(store: &Path) -> Result<Option<String>, Error> {
    let (catalog, _) = Catalog::read(store)?;
    let published = catalog.tilesets.get(&name());
    let current = published.and_then(|p| p.versions.get(&p.current?));
    Ok(current.and_then(|entry| entry.manifest.as_ref()?.inputs.clone()))
}

fn name() -> TilesetName {
    TILESET.parse().unwrap_or_else(|_| unreachable!("the name is valid"))
}

/// A file that goes away with its owner.
struct TemporaryFile(PathBuf);

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
