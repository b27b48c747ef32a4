//! Short talks with an agent CLI.

use std::time::Duration;

use od_sdk::probe::converse::{Talk, converse, converse_until};
use od_sdk::probe::locate;
use od_sdk::testing::manifest;

use super::scratch::{CLI, Scratch};

/// Says whether stdin was still open a moment after the first line, and then waits for its end.
const WATCHER: &str = r#"exec bash -c 'read -r line; read -r -t 0.2 more; [ $? -gt 128 ] && echo open || echo closed; cat'"#;

#[test]
fn stdin_is_closed_at_once_or_once_the_answer_is_there() {
    let scratch = Scratch::new();
    scratch.program(&format!("path/{CLI}"), WATCHER);
    let machine = scratch.machine();
    let install = locate(&manifest(CLI), &machine).expect("it is there");
    let talk =
        || Talk { stdin: b"hello\n".to_vec(), limit: Duration::from_secs(60), ..Talk::default() };
    let closed = converse(talk(), &install, &machine).expect("it starts");
    assert_eq!(String::from_utf8_lossy(&closed), "closed\n");
    let is_enough = |answer: &[u8]| answer.ends_with(b"\n");
    let open = converse_until(talk(), is_enough, &install, &machine).expect("it starts");
    assert_eq!(String::from_utf8_lossy(&open), "open\n");
}
