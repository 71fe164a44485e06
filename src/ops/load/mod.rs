//! `load`: the load test of this field, people who look at maps.
//!
//! ```text
//! options → target     the TileJSON            url: loopback unless allowed
//!           places     where tiles have data
//!           run        clients, each with      session: pans and zooms, zipf: where
//!             client   a connection            answer: what came back
//!             tally    counts                  histogram: latencies
//!           report
//! ```
//!
//! Responsible for asking and counting. Prints nothing; does not look into tiles. The same seed,
//! clients and number of requests ask for the same tiles. Bounded: clients, time and memory.

mod answer;
mod client;
mod error;
mod histogram;
mod options;
mod places;
mod random;
mod report;
mod run;
mod session;
mod tally;
mod target;
mod url;
mod zipf;

pub use error::Error;
pub use options::Options;
pub use report::{Cache, Latency, Report};
pub use run::{Step, load};
