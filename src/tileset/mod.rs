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
mod clock;
mod disk;
mod error;
mod fingerprint;
mod folder;
mod layout;
mod ledger;
mod listing;
mod lock;
mod manifest;
mod name;
mod store_writer;
mod version;

pub use catalog::{Catalog, Entry, Problem, Published, State};
pub use clock::now;
pub use disk::{Disk, SystemDisk};
pub use error::Error;
pub use fingerprint::Fingerprint;
pub use folder::{Copied, Folder};
pub use ledger::{Event, Happened, Ledger};
pub use listing::{Listed, Listing, versions};
pub use manifest::Manifest;
pub use name::{InvalidName, MAX_NAME_BYTES, TilesetName};
pub use store_writer::StoreWriter;
pub use version::{InvalidVersion, Version};
