//! The demo adapter: a scripted agent that needs no network, no login and no other program.
//!
//! The agent is this executable, started with one hidden flag and driven like any other agent CLI,
//! so a first run and the tests of the demo use the whole event path.

mod adapter;
mod agent;
mod events;
mod manifest;
mod native;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some(adapter::AGENT_FLAG) => agent::main(arguments),
        _ => od_sdk::serve(adapter::Demo),
    }
}
