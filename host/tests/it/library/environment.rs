//! The environment variables that an adapter inherits.

use std::process::Command;

use od_protocol::{Event, RunEventParams};

use super::stage::{Stage, example};

#[test]
fn secrets_and_nesting_markers_are_not_inherited() {
    let stage = Stage::with("x", "env");
    let settings = "[environment]\nallow = [\"ALLOWED\", \"TEST_NESTED\"]\n[agents.x]\nallowEnv = [\"MINE\"]\n";
    stage.write_settings(settings);
    let mut command = Command::new(example("run_once"));
    command
        .arg(stage.home().root())
        .arg(stage.adapters())
        .args(["x", "go"])
        .current_dir(stage.work());
    command.env_clear();
    for name in ["PATH", "LC_TIME", "XDG_DATA_HOME", "https_proxy", "ALLOWED", "MINE"] {
        command.env(name, "x");
    }
    for name in ["CANARY_SECRET", "TEST_NESTED", "OD_HOME", "LD_PRELOAD_NOT", "TERM"] {
        command.env(name, "x");
    }
    let output = command.output().expect("a host");
    assert!(output.status.success(), "{output:?}");
    let names = String::from_utf8(output.stdout).expect("UTF-8").lines().find_map(|line| {
        match serde_json::from_str::<RunEventParams>(line).expect("an event").event {
            Event::TextDelta(delta) => Some(delta.text),
            _ => None,
        }
    });
    let expected = "ALLOWED LC_TIME MINE NO_COLOR OD_STARTED_BY PATH TERM XDG_DATA_HOME https_proxy; run: ALLOWED MINE";
    assert_eq!(names.as_deref(), Some(expected));
}
