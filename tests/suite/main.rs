//! The integration tests, one binary: what several rooms do together.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by a panic")]

mod publish;
