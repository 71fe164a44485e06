//! The origin: answers `/v{version}/{z}/{x}/{y}.mvt` and what belongs to it from a store.
//!
//! ```text
//! server     listening, running, stopping; gate: one request at a time on each connection
//! origin     method and path to one of:
//!   tile       cache hit, or presence, or pool → readers → cache
//!   describe   TileJSON                       address: under which URL clients reach us
//!   redirect   latest, .pbf                   document: bytes, tag, 304
//!   page       pages, if there are any        problem: everything that says no
//! follow     the store's news, as snapshots
//! control    watches the workers; admin: answers operators, with what metrics adds up
//! ```
//!
//! Responsible for HTTP: paths, negotiation, conditional requests, caching, overload. It writes
//! nothing to disk and never decodes a tile. What can block runs on threads of its own ([`Config`]
//! says how many), never on a worker.

mod address;
mod admin;
mod cache;
mod conditional;
mod config;
mod control;
mod counters;
mod describe;
mod document;
mod drain;
mod error;
mod follow;
mod gate;
mod headers;
mod histogram;
mod lists;
mod metrics;
mod negotiate;
mod origin;
mod page;
mod pages;
mod pool;
mod preflight;
mod presence;
mod problem;
mod readers;
mod redirect;
mod reply;
mod route;
mod server;
mod snapshot;
mod tile;
mod timing;

pub use address::Network;
pub use config::{BLOCK, Config, POINTER_POLICY, PublicUrl, Unfit};
pub use error::Error;
pub use pages::{BUNDLED, PageAsset, Pages};
pub use server::{Server, asked_to_stop};
