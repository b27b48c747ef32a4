//! Actions of the host during the replay of a recording: decisions, input, cancel. Each follows the
//! line after which it happened when the recording was made.

use od_protocol::adapter::RespondRunParams;
use od_protocol::{ApprovalOutcome, InputOutcome, JsonObject};
use od_sdk::testing::{decide, decision};
use od_sdk::{Mapper, PoliteStop, RunOutput};
use serde_json::{Value, json};

/// An action of the host.
pub(crate) enum HostAction {
    Decide { outcome: ApprovalOutcome, input: Option<Value>, message: Option<&'static str> },
    Input { text: &'static str, expected: InputOutcome },
    Cancel,
}

/// The actions of a scenario, each with a text of the line that it follows.
pub(crate) fn host_actions(scenario: &str) -> Vec<(&'static str, HostAction)> {
    let decide =
        |outcome, input, message| ("can_use_tool", HostAction::Decide { outcome, input, message });
    let input = |text, expected| HostAction::Input { text, expected };
    match scenario {
        "sj_perm_allow" => vec![decide(ApprovalOutcome::AllowOnce, None, None)],
        "sj_perm_allow_mod" => {
            let edited = json!({"file_path": "/workspace/edited.txt", "content": "edited"});
            vec![decide(ApprovalOutcome::AllowOnce, Some(edited), None)]
        }
        "sj_approval_edit" => {
            let edited = json!({"command": "echo edited"});
            vec![decide(ApprovalOutcome::AllowOnce, Some(edited), None)]
        }
        "sj_approval_always" => vec![
            decide(ApprovalOutcome::AllowAlways, None, None),
            ("tool_use_result", input("once more", InputOutcome::Queued)),
        ],
        "sj_perm_error" | "sj_approval_deny" => {
            vec![decide(ApprovalOutcome::RejectOnce, None, Some("not today"))]
        }
        "sj_perm_hang" => vec![("can_use_tool", HostAction::Cancel)],
        "sj_interrupt_tool" => vec![("message_stop", HostAction::Cancel)],
        "sj_steer" => vec![("message_stop", input("two", InputOutcome::Steered))],
        "sj_state_queue" => vec![("tick 1", input("two", InputOutcome::Queued))],
        "sj_queue" => vec![
            ("tick 1", input("two", InputOutcome::Queued)),
            ("tick 1", input("three", InputOutcome::Queued)),
        ],
        "sj_question" => vec![("can_use_tool", input("B", InputOutcome::Steered))],
        "sj_compact" => vec![("message_stop", input("/compact", InputOutcome::Queued))],
        "sj_multiturn" => vec![("message_stop", input("second", InputOutcome::Queued))],
        "sj_err_then_ok" => vec![("api_retry", input("again", InputOutcome::Queued))],
        "sj_interrupt" | "sj_interrupt_text" | "sj_state_interrupt" => {
            vec![("tick 1", HostAction::Cancel)]
        }
        _ => Vec::new(),
    }
}

impl HostAction {
    pub(crate) fn perform(self, line: &str, mapper: &mut dyn Mapper, output: &mut RunOutput) {
        match self {
            Self::Decide { outcome, input, message } => {
                let line: Value = serde_json::from_str(line).expect("an approval request is JSON");
                let approval_id = line["request_id"].as_str().unwrap_or_default();
                let respond_run_params = RespondRunParams {
                    updated_input: input.map(object),
                    message: message.map(str::to_owned),
                    ..decision(approval_id, outcome)
                };
                decide(&respond_run_params, mapper, output);
            }
            Self::Input { text, expected } => {
                assert_eq!(mapper.on_input(text.into(), output), expected, "{text}");
            }
            Self::Cancel => assert_eq!(mapper.on_cancel(output), PoliteStop::Written),
        }
    }
}

fn object(value: Value) -> JsonObject {
    value.as_object().expect("an input is an object").clone()
}
