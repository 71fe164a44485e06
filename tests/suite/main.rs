//! The integration tests: one binary, one module a topic.

mod browser;
mod chromium;
mod http;
mod publish;
