//! The adapter against recorded output, and its committed manifest against the printed one.

use std::path::Path;

use od_adapter_my_agent::events::Events;
use od_adapter_my_agent::invocation::invocation;
use od_protocol::adapter::StartRunParams;
use od_sdk::testing::{Recording, check_manifest, replay};

const ADAPTER: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn recorded_run_becomes_expected_events() {
    let recording = Recording::new(ADAPTER, "1.2.3", "count_words");
    let stdout = recording.read("stdout.jsonl");
    recording.check(&replay(&mut Events, stdout.as_bytes(), &recording.exit()));
}

#[test]
fn prompt_goes_to_stdin() {
    let mut start_run_params = StartRunParams::default();
    start_run_params.prompt.text = "hello".to_owned();
    assert_eq!(invocation(&start_run_params).stdin, b"hello");
}

#[test]
fn committed_manifest_is_current() {
    let committed = Path::new(ADAPTER).join("manifest.json");
    check_manifest(&committed, env!("CARGO_BIN_EXE_od-adapter-my-agent"));
}
