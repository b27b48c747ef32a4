//! The scripted agent: a small process that reads commands from stdin and prints messages.

mod page;
mod script;
mod sessions;
mod stdio;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as os;
#[cfg(windows)]
use windows as os;

use std::process::ExitCode;

use od_protocol::Effort;

use crate::adapter::MODELS;

/// The agent's command line.
#[derive(Debug, Default)]
struct Options {
    model: String,
    effort: Option<Effort>,
    system: Option<String>,
    session: Option<String>,
    resume: Option<String>,
    fork: Option<String>,
}

/// Runs the agent until all prompts are answered or a stop command arrives.
pub(crate) fn main(arguments: impl Iterator<Item = String>) -> ExitCode {
    let options = match parse(arguments) {
        Ok(options) => options,
        Err(text) => {
            eprintln!("error: {text}\nhint: the demo agent is started by its adapter");
            return ExitCode::from(2);
        }
    };
    script::run(&options)
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options { model: MODELS[0].0.to_owned(), ..Options::default() };
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--model" => options.model = value,
            "--effort" => options.effort = Effort::from_known(&value),
            "--system" => options.system = Some(value),
            "--session" => options.session = Some(value),
            "--resume" => options.resume = Some(value),
            "--fork" => options.fork = Some(value),
            _ => return Err(format!("unknown flag {flag}")),
        }
    }
    Ok(options)
}
