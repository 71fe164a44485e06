//! The command line: arguments in, text out. The only room that prints.
//!
//! Data goes to standard output, everything else to standard error. Exit codes: 0 done, 1 failed,
//! 2 wrong usage, 3 refused by a check.

mod args;
mod build;
mod demo;
mod load;
mod progress;
mod publish;
mod report;
mod serve;
mod versions;

use args::{Cli, Command};
use clap::Parser;
use std::io::Write;
use std::process::ExitCode;

/// Wrong usage that the argument parser cannot see: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Usage(String);

/// Runs the program with the process's own arguments.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let result = match &cli.command {
        Command::Demo(args) => demo::run(args),
        Command::Build(args) => build::run(args),
        Command::Publish(args) => publish::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Load(args) => load::run(args),
        Command::Versions(args) => versions::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            note(&format!("error: {}", chain(&error)));
            ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
        }
    }
}

/// An error with its causes on one line, and their hints on lines of their own after it.
fn chain(error: &anyhow::Error) -> String {
    let mut text = Vec::new();
    let mut hints = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        let mut parts = cause.split("\n  hint:");
        let first = parts.next().unwrap_or_default().trim_end().to_owned();
        // A transparent wrapper says the same as what it wraps.
        if text.last() != Some(&first) {
            text.push(first);
        }
        hints.extend(parts.map(|hint| format!("\n  hint:{hint}")));
    }
    hints.dedup();
    text.join(": ") + &hints.concat()
}

/// Whether whoever reads our output has gone away, which is no failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}

/// Data for standard output.
fn print(text: &str) -> anyhow::Result<()> {
    writeln!(std::io::stdout().lock(), "{text}")?;
    Ok(())
}

/// Words for standard error; if nobody can read them there is nothing to do about it.
fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_come_last() {
        let error = anyhow::anyhow!("no such thing\n  hint: look there").context("a: cannot read");
        assert_eq!(chain(&error), "a: cannot read: no such thing\n  hint: look there");
    }
}
