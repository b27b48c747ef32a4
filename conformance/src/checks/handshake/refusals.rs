//! The refusals of `initialize`, and of every method before it has succeeded.

use od_protocol::ErrorKind;
use od_protocol::adapter::{INITIALIZE, METHODS};
use serde_json::{Value, json};

use super::initialize_value;
use crate::adapter_client::{AdapterClient, Answer};
use crate::checks::expectations::still_answers;
use crate::context::CheckContext;
use crate::outcome::CheckOutcome;

pub(super) fn until_initialized(context: &mut CheckContext) -> CheckOutcome {
    let manifest = context.manifest()?;
    let mut adapter = context.launch_uninitialized()?;
    every_method_refused(&mut adapter, "before initialize")?;
    let max = manifest["protocol"]["max"].as_u64().unwrap_or(1);
    for (low, high) in [(1000, 1001), (0, 0), (max + 1, max + 1)] {
        no_common_major(&mut adapter, &manifest, low, high)?;
    }
    invalid_parameters(&mut adapter)?;
    every_method_refused(&mut adapter, "after a refused initialize")?;
    still_answers(&mut adapter, "ping after a refused initialize")?;

    let mut params = initialize_value(&adapter);
    params["protocol"] = json!({"min": 0, "max": max + 3, "ofTomorrow": [1]});
    params["capabilities"] = json!({"approvals": {"deep": [1]}, "ofTomorrow": {"x": null}});
    params["limits"]["ofTomorrow"] = json!({"maxEvents": 7});
    params["config"]["ofTomorrow"] = json!([{"x": 1}]);
    params["host"]["ofTomorrow"] = json!([]);
    let answer = adapter.request(INITIALIZE.name, params)?;
    same_adapter(&adapter, &answer, &manifest, max)?;
    let health = adapter.request("adapter/health", json!({}))?;
    let is_result = matches!(health, Answer::Result(_));
    adapter.ensure(is_result, "a result", health.summary(), "adapter/health after initialize")
}

/// Every method except `initialize` and `ping`, with parameters that are valid for it.
fn every_method_refused(adapter: &mut AdapterClient, state: &str) -> CheckOutcome {
    let cwd = adapter.home.to_string_lossy().into_owned();
    for method in METHODS.iter().map(|method| method.name) {
        let params = match method {
            "initialize" | "ping" => continue,
            "run/start" => json!({"runId": "early", "cwd": cwd, "prompt": {"text": "hello"}}),
            "run/cancel" => json!({"runId": "early"}),
            "run/input" => json!({"runId": "early", "text": "more"}),
            "run/respond" => {
                json!({"runId": "early", "approvalId": "a", "outcome": "reject_once"})
            }
            "sessions/read" => json!({"sessionId": "early"}),
            _ => json!({}),
        };
        let answer = adapter.request(method, params)?;
        let sent = format!("{method} {state}");
        adapter.expect_error(answer, &ErrorKind::NotInitialized, &sent)?;
    }
    Ok(())
}

fn no_common_major(
    adapter: &mut AdapterClient,
    manifest: &Value,
    low: u64,
    high: u64,
) -> CheckOutcome {
    let mut params = initialize_value(adapter);
    params["protocol"] = json!({"min": low, "max": high});
    let sent = format!("initialize with majors {low} to {high}");
    let answer = adapter.request(INITIALIZE.name, params)?;
    let error = adapter.expect_error(answer, &ErrorKind::UnsupportedProtocol, &sent)?;
    let text = error.message.to_lowercase();
    let names_side = text.contains("host") || text.contains("adapter");
    let expected = "a message that names the side to upgrade, host or adapter";
    adapter.ensure(names_side, expected, format!("{:?}", error.message), &sent)?;
    let supported = serde_json::to_value(error.data.and_then(|data| data.supported));
    let supported = supported.unwrap_or_default();
    let range = &manifest["protocol"];
    let is_same = supported["min"] == range["min"] && supported["max"] == range["max"];
    let expected = format!("data.supported {range}");
    adapter.ensure(is_same, expected, format!("data.supported {supported}"), sent)
}

fn invalid_parameters(adapter: &mut AdapterClient) -> CheckOutcome {
    for params in [json!({}), json!({"protocol": "1"})] {
        adapter.refused(INITIALIZE.name, params, &ErrorKind::InvalidParams)?;
    }
    Ok(())
}

fn same_adapter(
    adapter: &AdapterClient,
    answer: &Answer,
    manifest: &Value,
    major: u64,
) -> CheckOutcome {
    let sent = "initialize with a common major and unknown members, after refused ones";
    let Answer::Result(result) = answer else {
        return Err(adapter.failure("a result", answer.summary(), sent));
    };
    let pairs = [
        ("adapter.id", &result["adapter"]["id"], manifest["adapterId"].clone()),
        ("adapter.version", &result["adapter"]["version"], manifest["version"].clone()),
        ("adapter.vendor", &result["adapter"]["vendor"], manifest["vendor"].clone()),
        ("protocol", &result["protocol"], json!(major)),
    ];
    for (name, got, expected) in pairs {
        let expected_text = format!("{name} {expected}");
        adapter.ensure(*got == expected, expected_text, format!("{name} {got}"), sent)?;
    }
    Ok(())
}
