//! `cargo xtask`: the commands for people who work on this repository.

use std::process::ExitCode;

use anyhow::Context as _;
use xtask::generate;

const USAGE: &str = "\
usage: cargo xtask generate [--check]

generate          rewrites schemas, client types and the generated tables of documents
generate --check  lists the files that are not current and exits with 1 if there are any";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["generate"] => write(),
        ["generate", "--check"] => Ok(check()),
        _ => {
            eprintln!("{USAGE}");
            Ok(ExitCode::from(2))
        }
    }
}

fn write() -> anyhow::Result<ExitCode> {
    let paths = generate::write().context("cannot write the generated files")?;
    paths.iter().for_each(|path| println!("{path}"));
    Ok(ExitCode::SUCCESS)
}

fn check() -> ExitCode {
    let stale = generate::stale();
    if stale.is_empty() {
        return ExitCode::SUCCESS;
    }
    stale.iter().for_each(|difference| println!("{difference}"));
    eprintln!("error: {} generated files are not current\nhint: cargo xtask generate", stale.len());
    ExitCode::FAILURE
}
