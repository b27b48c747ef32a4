//! The command line: one file per command. Parsing says what was typed; each command decides what
//! it means.

mod acp;
mod acp_self_test;
mod drift;
mod explain;
mod fixtures;
mod list;
mod model;
mod real;
mod real_all;
mod record;
mod run;
mod self_test;
mod starter;
mod target;
mod work;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The adapter conforms.
pub const EXIT_CONFORMANT: u8 = 0;
/// It does not.
pub const EXIT_FAILURES: u8 = 1;
/// The command line or the pack is wrong.
pub const EXIT_USAGE: u8 = 2;
/// The plugin cannot be started.
pub const EXIT_NO_PLUGIN: u8 = 3;
/// The suite itself failed.
pub const EXIT_SUITE: u8 = 4;

/// Judges od-adapter-* executables against the protocol.
#[derive(Debug, Parser)]
#[command(
    name = "conformance",
    version,
    after_help = "\
Exit code: 0 conformant, 1 failures, 2 wrong usage, 3 the plugin cannot be started, 4 the suite failed.

Examples:
  conformance run target/debug/od-adapter-demo
  conformance run ./od-adapter-x --only HS --only DET-03 --seed 7
  conformance run ./od-adapter-x --report html=report.html --report junit=results.xml
  conformance run --profile acp-agent --env BASE_URL={{url}} -- some-agent --acp
  conformance fixtures init adapters/x/conformance --cli x
  conformance run ./od-adapter-x --real
  conformance drift ./od-adapter-x --cli ./node_modules/.bin/x
  conformance explain DET-02"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Judges a plugin.
    Run(Box<run::RunArguments>),
    /// Lists every check with its sentence.
    List(list::ListArguments),
    /// Says what a check asks for, and why.
    Explain(explain::ExplainArguments),
    /// Begins a fixture pack, or looks one over.
    Fixtures(fixtures::FixturesArguments),
    /// Compares the real agent CLI with what the pack knows of it.
    Drift(drift::DriftArguments),
    /// Makes recordings and step files from the real agent CLI.
    Record(record::RecordArguments),
    /// Installs the pinned agent CLI of every pack and judges each adapter with it.
    RealAll(real_all::RealAllArguments),
    /// Judges the suite: its reference adapter passes, each of its mutants is caught.
    SelfTest(self_test::SelfTestArguments),
    /// The fake model, which real agent CLIs are driven against.
    Model(model::ModelArguments),
}

/// What went wrong, with its exit code.
#[derive(Debug)]
pub struct CommandError {
    /// The exit code.
    pub code: u8,
    /// What was tried, on what, why it failed.
    pub message: String,
    /// What to type or change now; empty when there is nothing to say.
    pub hint: String,
}

impl CommandError {
    /// Wrong usage.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: EXIT_USAGE, message: message.into(), hint: hint.into() }
    }

    /// A fault of the suite or of the machine it runs on.
    pub fn suite(message: impl Into<String>) -> Self {
        Self { code: EXIT_SUITE, message: message.into(), hint: String::new() }
    }
}

/// Runs the command that was typed.
pub fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::List(arguments) => list::list(&arguments),
        Command::Explain(arguments) => explain::explain(&arguments),
        Command::Fixtures(arguments) => fixtures::fixtures(&arguments),
        Command::Drift(arguments) => drift::drift(&arguments),
        Command::Record(arguments) => record::record(&arguments),
        Command::RealAll(arguments) => real_all::real_all(&arguments),
        Command::SelfTest(arguments) => self_test::self_test(&arguments),
        Command::Model(arguments) => model::model(arguments),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            anstream::eprintln!("error: {}", error.message);
            if !error.hint.is_empty() {
                anstream::eprintln!("hint: {}", error.hint);
            }
            ExitCode::from(error.code)
        }
    }
}
