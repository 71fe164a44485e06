//! The command line as typed: every command, option and help text. Nothing is computed here.

use clap::{Args, Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Vector tiles under URLs that never change their content.
///
/// Cut features into tiles once, publish them under a version number that is never used for
/// anything else, and let caches do the serving.
#[derive(Debug, Parser)]
#[command(name = "immutile", version, max_term_width = 100, help_expected = true, propagate_version = true)]
#[command(after_help = "Try `immutile demo` first: it cuts, publishes and serves a map of the world.")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Cut the bundled world, publish it, serve it and print the address
    Demo(DemoArgs),
    /// Cut features into a tile file
    Build(BuildArgs),
    /// Give a tile file the next version of a tileset and switch to it
    Publish(PublishArgs),
    /// Answer requests for tiles: the origin behind your CDN
    Serve(ServeArgs),
    /// List the versions of a tileset
    Versions(VersionsArgs),
    /// Test a server with people who look at maps: requests/s, latencies, MB/s, hit ratio
    Load(LoadArgs),
}

/// Where the published versions are.
#[derive(Debug, Clone, Args)]
pub struct StoreArgs {
    /// Folder of the published versions
    #[arg(long, value_name = "DIR", env = "IMMUTILE_STORE", default_value = "store")]
    pub store: PathBuf,
}

/// Options of `demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Where versions are published and served from
    #[command(flatten)]
    pub store: StoreArgs,
    /// Address to serve at; the next free port is taken when this one is in use
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
}

/// Options of `build`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  immutile build tilesets/world -o world.mbtiles
  immutile build roads.geojson rivers.geojsonl.gz -o map.mbtiles --maxzoom 12
  zcat huge.geojsonl.gz | immutile build - --layer points -o points.mbtiles")]
pub struct BuildArgs {
    /// A tileset (a folder with tileset.toml), or GeoJSON files: plain, newline-delimited, gzip; `-` is standard input
    #[arg(value_name = "TILESET|FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// The tile file to write (MBTiles); an existing one is replaced when the new one is complete
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Layer that all files go into [default: a layer for each file, named after it]
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
    /// The tileset's name for people [default: the output's file name]
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
    /// Whom the map must credit, as HTML [default: nobody]
    #[arg(long, value_name = "HTML")]
    pub attribution: Option<String>,
    /// Smallest zoom, 0 to 20 [default: 0]
    #[arg(long, value_name = "ZOOM")]
    pub minzoom: Option<u8>,
    /// Largest zoom, 0 to 20 [default: 8]
    #[arg(long, value_name = "ZOOM")]
    pub maxzoom: Option<u8>,
    /// Tile units along one side of a tile, a power of two [default: 4096]
    #[arg(long, value_name = "UNITS")]
    pub extent: Option<u32>,
    /// Tile units kept beyond each side of a tile [default: 64]
    #[arg(long, value_name = "UNITS")]
    pub buffer: Option<u32>,
    /// Worker threads; 0 is one for each core
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Exit with 1 when any feature is skipped
    #[arg(long)]
    pub strict: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress and no report
    #[arg(short, long)]
    pub quiet: bool,
}

/// Options of `publish`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  immutile publish world.mbtiles --tileset world
  immutile publish world.mbtiles --tileset world --no-switch --json")]
pub struct PublishArgs {
    /// The tile file, as `immutile build` made it
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Name of the tileset: a-z, 0-9, - and _ [default: the file's name without its ending]
    #[arg(long, value_name = "NAME")]
    pub tileset: Option<String>,
    /// Where versions are published
    #[command(flatten)]
    pub store: StoreArgs,
    /// Publish only; the current version stays what it is
    #[arg(long)]
    pub no_switch: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Options of `serve`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  immutile serve --store store --listen 0.0.0.0:8080 --public-url https://tiles.example.com
  IMMUTILE_STORE=/srv/tiles immutile serve --trusted-proxy 10.0.0.0/8")]
pub struct ServeArgs {
    /// Where the published versions are
    #[command(flatten)]
    pub store: StoreArgs,
    /// Address to serve at
    #[arg(long, value_name = "ADDR", env = "IMMUTILE_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Address for operators, with /metrics for Prometheus; a port alone is one of 127.0.0.1 [default: none]
    #[arg(long, value_name = "ADDR", env = "IMMUTILE_ADMIN_LISTEN", value_parser = admin_address)]
    pub admin_listen: Option<SocketAddr>,
    /// URL under which the world reaches this origin, for TileJSON [default: from the request]
    #[arg(long, value_name = "URL", env = "IMMUTILE_PUBLIC_URL")]
    pub public_url: Option<String>,
    /// Proxies whose Forwarded and X-Forwarded-* headers are believed: addresses or networks, may be given several times
    #[arg(long, value_name = "ADDR", env = "IMMUTILE_TRUSTED_PROXIES", value_delimiter = ',')]
    pub trusted_proxy: Vec<String>,
    /// Memory for hot tiles, in MB
    #[arg(long, value_name = "MB", env = "IMMUTILE_CACHE_MB", default_value_t = 256)]
    pub cache_mb: u64,
    /// Worker threads for connections; 0 is one for each core
    #[arg(long, value_name = "N", env = "IMMUTILE_WORKERS", default_value_t = 0)]
    pub workers: usize,
}

/// An address, or a port of the loopback address.
fn admin_address(text: &str) -> Result<SocketAddr, String> {
    let port = text.parse::<u16>().map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
    port.or_else(|_| text.parse()).map_err(|_| "write it as 9090 or 127.0.0.1:9090".into())
}

/// Options of `versions`.
#[derive(Debug, Args)]
pub struct VersionsArgs {
    /// Name of the tileset
    #[arg(value_name = "TILESET")]
    pub tileset: String,
    /// Where the published versions are
    #[command(flatten)]
    pub store: StoreArgs,
    /// Print the list as JSON
    #[arg(long)]
    pub json: bool,
}

/// Options of `load`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  immutile load http://127.0.0.1:8080/world.json
  immutile load http://127.0.0.1:8080/world.json --rate 5000 --duration 60 --max-p99 5 --json")]
pub struct LoadArgs {
    /// The TileJSON of the tileset to ask for
    #[arg(value_name = "URL")]
    pub url: String,
    /// Clients at once, 1 to 512, each with a connection and one request at a time
    #[arg(short, long, value_name = "N", default_value_t = 8)]
    pub clients: usize,
    /// Requests before the measured ones, over all clients
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub warmup: u64,
    /// The Accept-Encoding of every request; empty for none
    #[arg(long, value_name = "LIST", default_value = "gzip")]
    pub encoding: String,
    /// Share of requests, 0 to 1, that ask again for a tile seen before, with its tag
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub revalidate: f64,
    /// Requests a second on a fixed schedule, latencies counted from it [default: as fast as answers come]
    #[arg(long, value_name = "N")]
    pub rate: Option<f64>,
    /// How long to measure, in seconds, up to 3600
    #[arg(short, long, value_name = "SECONDS", default_value_t = 10.0)]
    pub duration: f64,
    /// Measured requests after which it ends, if the time does not end it before [default: no limit]
    #[arg(short = 'n', long, value_name = "N")]
    pub requests: Option<u64>,
    /// Seed of all chance: the same seed, clients and requests ask for the same tiles
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Statuses that are no failure, beside those of tiles; may be given several times
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    pub allow_status: Vec<u16>,
    /// Exit with 1 when the 99th percentile of latency is above this, in ms [default: no limit]
    #[arg(long, value_name = "MS")]
    pub max_p99: Option<f64>,
    /// Allow a server that is not this machine
    #[arg(long)]
    pub yes_this_is_my_server: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn admin_addresses() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(admin_address(text).ok().map(|a| a.to_string()).as_deref(), expected, "{text}");
        };
        check("9090", Some("127.0.0.1:9090"));
        check("0.0.0.0:9090", Some("0.0.0.0:9090"));
        check("[::1]:9090", Some("[::1]:9090"));
        for wrong in ["", "65536", "localhost:9090", "127.0.0.1"] {
            check(wrong, None);
        }
    }

    #[test]
    fn values_have_names_and_help() {
        for command in Cli::command().get_subcommands() {
            for arg in command.get_arguments() {
                assert!(arg.get_help().is_some(), "{} {}", command.get_name(), arg.get_id());
                if arg.get_action().takes_values() {
                    assert!(arg.get_value_names().is_some(), "{} {}", command.get_name(), arg.get_id());
                }
            }
        }
    }
}
