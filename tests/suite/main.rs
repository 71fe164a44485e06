//! The integration tests: one binary, one module a topic.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by a panic")]

mod browser;
mod chromium;
mod http;
mod publish;
