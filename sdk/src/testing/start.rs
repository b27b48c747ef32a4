//! For tests of `run/start`: parameters of a run, and the invocation that an adapter builds for them.

use od_protocol::ErrorKind;
use od_protocol::adapter::StartRunParams;
use serde_json::Value;

use crate::{Adapter, Install, Invocation};

/// The id of a session, for agent CLIs whose ids are UUIDs.
pub const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// Returns a run with the prompt `hello`; `change` sets what the test needs.
pub fn start_params(change: impl FnOnce(&mut StartRunParams)) -> StartRunParams {
    let mut start_run_params = StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        ..StartRunParams::default()
    };
    start_run_params.prompt.text = "hello".to_owned();
    change(&mut start_run_params);
    start_run_params
}

/// Returns the invocation that an adapter builds for [`start_params`] and this install.
///
/// # Panics
/// The adapter refuses the run.
pub fn started_with(
    adapter: &dyn Adapter,
    install: &Install,
    change: impl FnOnce(&mut StartRunParams),
) -> Invocation {
    adapter.invocation(&start_params(change), install).expect("the options are valid")
}

/// As [`started_with`], for an install without version and flags.
///
/// # Panics
/// The adapter refuses the run.
pub fn started(adapter: &dyn Adapter, change: impl FnOnce(&mut StartRunParams)) -> Invocation {
    started_with(adapter, &Install::default(), change)
}

/// Returns why an adapter refuses a run.
///
/// # Panics
/// The adapter accepts the run.
pub fn refused(adapter: &dyn Adapter, change: impl FnOnce(&mut StartRunParams)) -> ErrorKind {
    let refused = adapter.invocation(&start_params(change), &Install::default());
    refused.expect_err("the option is not supported").kind()
}

/// Returns the arguments.
pub fn args(invocation: &Invocation) -> Vec<&str> {
    invocation.args.iter().map(|argument| argument.text.as_str()).collect()
}

/// Whether these arguments occur in a row.
pub fn has(invocation: &Invocation, wanted: &[&str]) -> bool {
    args(invocation).windows(wanted.len()).any(|window| window == wanted)
}

/// Returns the values of every occurrence of a flag.
pub fn values<'a>(invocation: &'a Invocation, flag: &str) -> Vec<&'a str> {
    args(invocation).windows(2).filter(|pair| pair[0] == flag).map(|pair| pair[1]).collect()
}

/// Parses the first lines of stdin as JSON.
///
/// # Panics
/// A line is not JSON.
pub fn stdin_lines(invocation: &Invocation) -> Vec<Value> {
    let text = std::str::from_utf8(&invocation.stdin).expect("stdin is text");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}
