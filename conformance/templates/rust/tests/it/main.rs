//! The invocation, and the committed manifest against the printed one.

use std::path::Path;

use od_adapter_my_agent::MyAgentAdapter;
use od_sdk::testing::{check_manifest, started};

#[test]
fn prompt_goes_to_stdin() {
    let invocation = started(&MyAgentAdapter, |params| params.prompt.text = "hello".to_owned());
    assert_eq!(invocation.stdin, b"hello");
}

#[test]
fn committed_manifest_is_current() {
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("manifest.json");
    check_manifest(&committed, env!("CARGO_BIN_EXE_od-adapter-my-agent"));
}
