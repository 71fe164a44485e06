//! Versions of tilesets, and the store directory that holds them.
//!
//! ```text
//! <store>/store.json                  {"default_tileset": "world"}, written once
//! <store>/<tileset>/current.json      {"version": 8}, replaced by rename
//!                   ledger.jsonl      one line per publish, switch, prune and withdrawal, append-only
//!                   v8.mbtiles        the tiles, read-only
//!                   v8.manifest.json  what is known about them, read-only
//! ```
//!
//! A version exists when ledger and manifest say so. Whatever else lies in a folder is not
//! served, but its number is not given to anything else.
//!
//! Responsible for these files, for the lock that keeps writers apart, and for the order of
//! writes that makes every moment a good one to die. Opens no tile file; does not check what it
//! is given to store.

mod catalog;
mod error;
mod fingerprint;
mod layout;
mod ledger;
mod manifest;
mod name;
mod version;

pub use catalog::{Catalog, Entry, Problem, Published, State};
pub use error::Error;
pub use fingerprint::Fingerprint;
pub use ledger::{Event, Happened, Ledger};
pub use manifest::Manifest;
pub use name::{InvalidName, MAX_NAME_BYTES, TilesetName};
pub use version::{InvalidVersion, Version};
