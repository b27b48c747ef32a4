//! The demo adapter: a scripted agent that needs no network, no login and no other program.
//!
//! The agent is this very executable, started with one hidden switch and driven as any agent CLI
//! is: so a newcomer sees the whole walk, and a test of the demo tests it.

mod adapter;
mod agent;
mod events;
mod manifest;
mod native;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some(adapter::AGENT_SWITCH) => agent::main(arguments),
        _ => od_sdk::serve(adapter::Demo),
    }
}
