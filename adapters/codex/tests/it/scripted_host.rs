//! The host's actions in a recording: decisions, input and cancel, each after a certain line, as when
//! the recording was made.

use od_protocol::{ApprovalOutcome, InputOutcome};
use od_sdk::testing::{decide, decision};
use od_sdk::{Mapper, PoliteStop, RunOutput};
use serde_json::Value;

/// An action of the host.
pub(crate) enum HostAction {
    Decide(ApprovalOutcome),
    Input(&'static str),
    Cancel,
}

/// Part of the lines that request a decision.
const DECISION_REQUEST: &str = "/request";

/// The actions of a scenario, each with the text of the line that it follows.
pub(crate) fn actions(scenario: &str) -> Vec<(&'static str, HostAction)> {
    let decide = |outcome| (DECISION_REQUEST, HostAction::Decide(outcome));
    match scenario {
        "cmd_accept" | "patch_accept" | "mcp" => vec![decide(ApprovalOutcome::AllowOnce)],
        "cmd_cancel" => vec![decide(ApprovalOutcome::RejectAlways)],
        "cmd_decline" | "patch_decline" => vec![decide(ApprovalOutcome::RejectOnce)],
        "mcp_decline" => {
            vec![decide(ApprovalOutcome::RejectOnce), decide(ApprovalOutcome::RejectOnce)]
        }
        "mcp_session" | "patch_session" => vec![decide(ApprovalOutcome::AllowAlways)],
        "cmd_session" => {
            vec![decide(ApprovalOutcome::AllowAlways), decide(ApprovalOutcome::AllowAlways)]
        }
        "user_input" => vec![("requestUserInput", HostAction::Input("B"))],
        "steer" => {
            vec![
                ("tick 0", HostAction::Input("steer SCN:plain")),
                (r#""id":4,"#, HostAction::Cancel),
            ]
        }
        "steer_done" => vec![("sleep 60", HostAction::Input("also SCN:plain"))],
        "interrupt" => vec![("tick 2", HostAction::Cancel)],
        "interrupt_tool" => vec![("sleep 60", HostAction::Cancel)],
        _ => Vec::new(),
    }
}

impl HostAction {
    pub(crate) fn perform(self, line: &str, mapper: &mut dyn Mapper, output: &mut RunOutput) {
        match self {
            Self::Decide(outcome) => {
                let line: Value = serde_json::from_str(line).expect("the request is JSON");
                let approval_id = format!("approval-{}", line["id"]);
                decide(&decision(approval_id, outcome), mapper, output);
            }
            Self::Input(text) => {
                assert_eq!(mapper.on_input(text.into(), output), InputOutcome::Steered, "{text}");
            }
            Self::Cancel => assert_eq!(mapper.on_cancel(output), PoliteStop::Written),
        }
    }
}
