//! Cut geographic features into vector tiles once, publish them under a version number that is
//! never used for anything else, and let caches do the serving.
//!
//! The crate is three use cases over one kind of file:
//!
//! - [`build`] cuts features into a tile file: a valid MBTiles 1.3 database.
//! - [`publish`] checks such a file and gives it the next version of a tileset in a store.
//! - [`serve`] answers `/v<version>/<z>/<x>/<y>.mvt` from a store.
//!
//! # Floors
//!
//! ```text
//! F7 cli, main                 arguments in, text out; the only room that prints
//! F6 ops                       demo
//! F5 build publish serve       the use cases; none knows another
//! F4 tileset                   versions, manifest, ledger, catalog
//! F3 store                     one tile file: schema, writer, reader
//! F2 source cut encode tilejson  formats and algorithms; none knows another
//! F1 tile feature              vocabulary
//! F0 grid                      coordinates and integer geometry
//! ```
//!
//! A room imports only from lower floors; `tests/suite/architecture.rs` checks it.

pub mod grid;

pub mod feature;
pub mod tile;

pub mod cut;
pub mod encode;
pub mod source;
pub mod tilejson;

pub mod store;

pub mod tileset;

pub mod build;
pub mod publish;
pub mod serve;

pub mod ops;

pub mod cli;
