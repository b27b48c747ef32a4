//! The host's part in a recording that was made live: decisions, input, cancelling. It acts when
//! a certain line has gone by, as the person at the recording did.

use od_protocol::{ApprovalOutcome, InputOutcome};
use od_sdk::testing::{decide, decision};
use od_sdk::{Mapper, PoliteStop, RunOutput};
use serde_json::Value;

/// What the host does once the line has gone by.
pub(crate) enum Act {
    Decide(ApprovalOutcome),
    Say(&'static str),
    Cancel,
}

/// How lines begin that ask for a decision.
const ASKS: &str = "/request";

/// The scripted host of a scenario: the text of a line, and what follows it.
pub(crate) fn acts(scenario: &str) -> Vec<(&'static str, Act)> {
    let decide = |outcome| (ASKS, Act::Decide(outcome));
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
        "user_input" => vec![("requestUserInput", Act::Say("B"))],
        "steer" => {
            vec![("tick 0", Act::Say("steer SCN:plain")), (r#""id":4,"#, Act::Cancel)]
        }
        "steer_done" => vec![("sleep 60", Act::Say("also SCN:plain"))],
        "interrupt" => vec![("tick 2", Act::Cancel)],
        "interrupt_tool" => vec![("sleep 60", Act::Cancel)],
        _ => Vec::new(),
    }
}

impl Act {
    pub(crate) fn perform(self, line: &str, mapper: &mut dyn Mapper, output: &mut RunOutput) {
        match self {
            Self::Decide(outcome) => {
                let line: Value = serde_json::from_str(line).expect("a line that asks is JSON");
                let approval_id = format!("approval-{}", line["id"]);
                decide(&decision(approval_id, outcome), mapper, output);
            }
            Self::Say(text) => {
                assert_eq!(mapper.on_input(text, None, output), InputOutcome::Steered, "{text}");
            }
            Self::Cancel => assert_eq!(mapper.on_cancel(output), PoliteStop::Written),
        }
    }
}
