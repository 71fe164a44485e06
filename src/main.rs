//! The `immutile` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    immutile::cli::main()
}
