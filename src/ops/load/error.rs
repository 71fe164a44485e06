//! What keeps a load test from running. What goes wrong while it runs is counted instead.

use std::io;

/// Why there was no load test.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option is out of its range.
    #[error("{option}: {value} is out of range\n  hint: {hint}")]
    Option {
        /// The option's name.
        option: &'static str,
        /// What was given.
        value: String,
        /// What would do.
        hint: &'static str,
    },
    /// Not an address that can be tested.
    #[error("{url}: cannot be tested, {why}\n  hint: give the TileJSON's address, as http://127.0.0.1:8080/world.json")]
    Url {
        /// The address.
        url: String,
        /// What is wrong.
        why: &'static str,
    },
    /// The host has no address.
    #[error("{host}: cannot be resolved")]
    Resolve {
        /// Host and port.
        host: String,
        /// The system's own words.
        source: io::Error,
    },
    /// Somebody's server, for all we know.
    #[error("{host} is not this machine, and a load test may take a server down\n  hint: --yes-this-is-my-server")]
    NotLoopback {
        /// Host and port.
        host: String,
    },
    /// The TileJSON, or a tile before the test began, could not be read.
    #[error("{url}: cannot be read")]
    Read {
        /// The address.
        url: String,
        /// What happened.
        source: io::Error,
    },
    /// The TileJSON is another kind of answer.
    #[error("{url}: no TileJSON: {why}\n  hint: give the TileJSON's address, as http://127.0.0.1:8080/world.json")]
    TileJson {
        /// The address.
        url: String,
        /// What is wrong.
        why: String,
    },
    /// There is nothing to ask for.
    #[error("{url}: {asked} tiles were looked at, and none has data\n  hint: does its TileJSON name the right zooms?")]
    NoData {
        /// The TileJSON's address.
        url: String,
        /// Tiles that were asked for.
        asked: usize,
    },
}
