//! The integration tests: one binary, one module a topic.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by a panic")]

mod architecture;
mod browser;
mod caches;
mod chromium;
mod cli;
mod common;
mod demo;
mod http;
mod inputs;
mod load;
mod look;
mod publish;
mod world;
