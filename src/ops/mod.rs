//! Operations: what people do with the use cases.
//!
//! Responsible for putting *build*, *publish* and *serve* together; adds no rules of its own and
//! prints nothing.

mod demo;
pub mod load;
mod world;

pub use demo::{Error, Step, demo};
