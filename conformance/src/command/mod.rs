//! The command line: one file per command.

mod acp;
mod acp_self_test;
mod drift;
mod explain;
mod fixtures;
mod generated_self_test;
mod list;
mod model;
mod new;
mod real;
mod real_acp;
mod real_all;
mod record;
mod report_target;
mod run;
mod self_test;
mod starter_pack;
mod suite_setup;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Exit code: the adapter conforms.
pub const EXIT_CONFORMANT: u8 = 0;
/// Exit code: a check failed.
pub const EXIT_FAILURES: u8 = 1;
/// Exit code: the command line or the pack is wrong.
pub const EXIT_USAGE: u8 = 2;
/// Exit code: the adapter cannot be started.
pub const EXIT_NO_PLUGIN: u8 = 3;
/// Exit code: the suite itself failed.
pub const EXIT_SUITE: u8 = 4;

/// Check od-adapter-* executables against the protocol.
#[derive(Debug, Parser)]
#[command(
    name = "conformance",
    version,
    after_help = "\
Exit code: 0 conformant, 1 failures, 2 wrong usage, 3 the adapter cannot be started, 4 the suite failed.

Examples:
  conformance run target/debug/od-adapter-demo
  conformance run ./od-adapter-x --only HS --only DET-03 --seed 7
  conformance run ./od-adapter-x --report html=report.html --report junit=results.xml
  conformance run --profile acp-agent --env BASE_URL={{url}} -- some-agent --acp
  conformance new my-agent --language rust
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
    /// Run the checks on an adapter.
    Run(Box<run::RunArguments>),
    /// List every check.
    List(list::ListArguments),
    /// Explain what a check requires, and why.
    Explain(explain::ExplainArguments),
    /// Create a new adapter that builds and conforms.
    New(new::NewArguments),
    /// Create or lint a fixture pack.
    Fixtures(fixtures::FixturesArguments),
    /// Compare the real agent CLI with the recordings of the pack.
    Drift(drift::DriftArguments),
    /// Record the real agent CLI: recordings and step files.
    Record(record::RecordArguments),
    /// Install the pinned agent CLI of every pack and run each adapter with it.
    RealAll(real_all::RealAllArguments),
    /// Test the suite: its reference adapter passes, each mutant is found.
    SelfTest(self_test::SelfTestArguments),
    /// Serve the fake model, which replaces the provider of real agent CLIs.
    Model(model::ModelArguments),
}

/// A failed command.
#[derive(Debug)]
pub struct CommandError {
    /// The exit code.
    pub code: u8,
    /// What failed, on what, why.
    pub message: String,
    /// What to type or change now; may be empty.
    pub hint: String,
}

impl CommandError {
    /// A usage error.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: EXIT_USAGE, message: message.into(), hint: hint.into() }
    }

    /// An error of the suite or of the machine.
    pub fn suite(message: impl Into<String>) -> Self {
        Self { code: EXIT_SUITE, message: message.into(), hint: String::new() }
    }
}

/// Runs the command.
pub fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::List(arguments) => list::list(&arguments),
        Command::Explain(arguments) => explain::explain(&arguments),
        Command::New(arguments) => new::new(&arguments),
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
