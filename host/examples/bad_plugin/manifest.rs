//! The output of `--manifest`.

use serde_json::{Value, json};

use crate::Mode;
use crate::wire::{bytes, forever, line};

/// The declared capabilities.
pub(crate) fn capabilities(mode: &Mode) -> Value {
    let mut capabilities =
        json!({"run": {}, "input": {"steer": true}, "approvals": {"editInput": true}});
    if mode.name == "answers_calls" {
        for name in ["models", "quota", "sessions"] {
            capabilities[name] = json!({});
        }
    }
    if mode.name.ends_with("resumable") {
        capabilities["resume"] = json!({});
    }
    capabilities
}

/// Prints the manifest, or an invalid one.
pub(crate) fn print(mode: &Mode) {
    let mut manifest = json!({
        "manifestVersion": "1.0", "adapterId": mode.id, "displayName": "Test", "version": "1.2.3",
        "vendor": "test", "protocol": {"min": 1, "max": 1}, "capabilities": capabilities(mode),
        "cli": {"names": ["test"], "transport": "embedded", "install": [
            {"platform": "any", "kind": "script", "command": "get test"},
            {"platform": "plan9", "kind": "script", "command": "get test for another platform"},
        ]},
        "auth": {"loginCommand": "test login"},
        "requirements": {"nestingEnv": ["TEST_NESTED"]},
    });
    match mode.name.as_str() {
        "wrong_id" => manifest["adapterId"] = "another-id".into(),
        "future_manifest" => manifest["manifestVersion"] = "9.1".into(),
        "next_minor" => manifest["manifestVersion"] = "1.99".into(),
        "future_protocol" => manifest["protocol"] = json!({"min": 8, "max": 9}),
        "slow_manifest" => forever(),
        "bad_manifest" => return line("this is not JSON"),
        "big_manifest" => return bytes(&vec![b' '; 3 * 1024 * 1024]),
        "failing_manifest" => std::process::exit(3),
        _ => {}
    }
    line(&manifest.to_string());
}
