//! Queries to an agent CLI.

use std::time::Duration;

use od_sdk::probe::cli_query::CliQuery;
use od_sdk::{Adapter, Install};

use super::scratch::{CLI, PlainAdapter, Scratch};

/// Prints whether stdin is still open 0.2 s after the first line, then waits for its end.
const STDIN_WATCHER: &str = r#"exec bash -c 'read -r line; read -r -t 0.2 more; [ $? -gt 128 ] && echo open || echo closed; cat'"#;

#[test]
fn stdin_closes_after_input_or_complete_answer() {
    let scratch = Scratch::new();
    scratch.program(&format!("path/{CLI}"), STDIN_WATCHER);
    let machine = scratch.machine();
    let install: Install = PlainAdapter::new().locate(&machine).expect("it is installed");
    let query = || CliQuery {
        stdin: b"hello\n".to_vec(),
        limit: Duration::from_secs(60),
        ..CliQuery::default()
    };
    let closed = query().run(&install, &machine).expect("it starts");
    assert_eq!(String::from_utf8_lossy(&closed), "closed\n");
    let is_complete = |answer: &[u8]| answer.ends_with(b"\n");
    let open = query().run_until(is_complete, &install, &machine).expect("it starts");
    assert_eq!(String::from_utf8_lossy(&open), "open\n");
}
