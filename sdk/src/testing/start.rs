//! For tests of `run/start`: a run that asks for nothing special, and what an adapter makes of it.

use od_protocol::ErrorKind;
use od_protocol::adapter::StartRunParams;
use serde_json::Value;

use crate::{Adapter, Install, Invocation};

/// The id of a session, for agent CLIs whose ids are UUIDs.
pub const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// A run with the prompt `hello`, changed as the test likes.
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

/// How an adapter starts such a run with this installation.
///
/// # Panics
/// When it refuses.
pub fn started_with(
    adapter: &dyn Adapter,
    install: &Install,
    change: impl FnOnce(&mut StartRunParams),
) -> Invocation {
    adapter.invocation(&start_params(change), install).expect("the options are fine")
}

/// The same with an installation nothing is known of.
///
/// # Panics
/// When it refuses.
pub fn started(adapter: &dyn Adapter, change: impl FnOnce(&mut StartRunParams)) -> Invocation {
    started_with(adapter, &Install::default(), change)
}

/// Why an adapter refuses such a run.
///
/// # Panics
/// When it does not.
pub fn refused(adapter: &dyn Adapter, change: impl FnOnce(&mut StartRunParams)) -> ErrorKind {
    let refused = adapter.invocation(&start_params(change), &Install::default());
    refused.expect_err("the option cannot be honoured").kind()
}

/// The arguments.
pub fn args(invocation: &Invocation) -> Vec<&str> {
    invocation.args.iter().map(|argument| argument.text.as_str()).collect()
}

/// Whether these arguments occur in this order, without gaps.
pub fn has(invocation: &Invocation, words: &[&str]) -> bool {
    args(invocation).windows(words.len()).any(|window| window == words)
}

/// The values of every occurrence of a flag.
pub fn values<'a>(invocation: &'a Invocation, flag: &str) -> Vec<&'a str> {
    args(invocation).windows(2).filter(|pair| pair[0] == flag).map(|pair| pair[1]).collect()
}

/// The first lines of stdin, where they are JSON.
///
/// # Panics
/// When they are not.
pub fn stdin_lines(invocation: &Invocation) -> Vec<Value> {
    let text = std::str::from_utf8(&invocation.stdin).expect("stdin is text");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}
