//! The host's part in a recording that was made live: decisions, input, cancelling. It acts when
//! a certain line has gone by, as the person at the recording did.

use od_protocol::adapter::RespondRunParams;
use od_protocol::{ApprovalOutcome, InputOutcome, JsonObject};
use od_sdk::testing::{decide, decision};
use od_sdk::{Mapper, PoliteStop, RunOutput};
use serde_json::{Value, json};

/// What the host does once the line has gone by.
pub(crate) enum Act {
    Decide { outcome: ApprovalOutcome, input: Option<Value>, message: Option<&'static str> },
    Say { text: &'static str, expected: InputOutcome },
    Cancel,
}

/// The scripted host of a scenario: the text of a line, and what follows it.
pub(crate) fn acts(scenario: &str) -> Vec<(&'static str, Act)> {
    let decide =
        |outcome, input, message| ("can_use_tool", Act::Decide { outcome, input, message });
    let say = |text, expected| Act::Say { text, expected };
    match scenario {
        "sj_perm_allow" => vec![decide(ApprovalOutcome::AllowOnce, None, None)],
        "sj_perm_allow_mod" => {
            let input = json!({"file_path": "/workspace/edited.txt", "content": "edited"});
            vec![decide(ApprovalOutcome::AllowOnce, Some(input), None)]
        }
        "sj_approval_edit" => {
            let input = json!({"command": "echo edited"});
            vec![decide(ApprovalOutcome::AllowOnce, Some(input), None)]
        }
        "sj_approval_always" => vec![
            decide(ApprovalOutcome::AllowAlways, None, None),
            ("tool_use_result", say("once more", InputOutcome::Queued)),
        ],
        "sj_perm_error" | "sj_approval_deny" => {
            vec![decide(ApprovalOutcome::RejectOnce, None, Some("not today"))]
        }
        "sj_perm_hang" => vec![("can_use_tool", Act::Cancel)],
        "sj_interrupt_tool" => vec![("message_stop", Act::Cancel)],
        "sj_steer" => vec![("message_stop", say("two", InputOutcome::Steered))],
        "sj_state_queue" => vec![("tick 1", say("two", InputOutcome::Queued))],
        "sj_queue" => vec![
            ("tick 1", say("two", InputOutcome::Queued)),
            ("tick 1", say("three", InputOutcome::Queued)),
        ],
        "sj_question" => vec![("can_use_tool", say("B", InputOutcome::Steered))],
        "sj_compact" => vec![("message_stop", say("/compact", InputOutcome::Queued))],
        "sj_multiturn" => vec![("message_stop", say("second", InputOutcome::Queued))],
        "sj_err_then_ok" => vec![("api_retry", say("again", InputOutcome::Queued))],
        "sj_interrupt" | "sj_interrupt_text" | "sj_state_interrupt" => {
            vec![("tick 1", Act::Cancel)]
        }
        _ => Vec::new(),
    }
}

impl Act {
    pub(crate) fn perform(self, line: &str, mapper: &mut dyn Mapper, output: &mut RunOutput) {
        match self {
            Self::Decide { outcome, input, message } => {
                let line: Value = serde_json::from_str(line).expect("a line that asks is JSON");
                let approval_id = line["request_id"].as_str().unwrap_or_default();
                let respond_run_params = RespondRunParams {
                    updated_input: input.map(object),
                    message: message.map(str::to_owned),
                    ..decision(approval_id, outcome)
                };
                decide(&respond_run_params, mapper, output);
            }
            Self::Say { text, expected } => {
                assert_eq!(mapper.on_input(text, None, output), expected, "{text}");
            }
            Self::Cancel => assert_eq!(mapper.on_cancel(output), PoliteStop::Written),
        }
    }
}

fn object(value: Value) -> JsonObject {
    value.as_object().expect("an input is an object").clone()
}
