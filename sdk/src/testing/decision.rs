//! Decisions and cancellation in a test, in the order of a real run.

use od_protocol::adapter::RespondRunParams;
use od_protocol::{ApprovalOutcome, ApprovalResolved, ApprovalResolver, Event};

use crate::{Mapper, PoliteStop, RunOutput};

/// Builds a decision without a message.
pub fn decision(approval_id: impl Into<String>, outcome: ApprovalOutcome) -> RespondRunParams {
    RespondRunParams {
        run_id: "run".to_owned(),
        approval_id: approval_id.into(),
        outcome,
        updated_input: None,
        message: None,
        by: None,
    }
}

/// Emits a decision of the user, then passes it to the mapper.
pub fn decide(
    respond_run_params: &RespondRunParams,
    mapper: &mut dyn Mapper,
    output: &mut RunOutput,
) {
    output.event(Event::ApprovalResolved(ApprovalResolved {
        approval_id: respond_run_params.approval_id.clone(),
        outcome: respond_run_params.outcome,
        by: ApprovalResolver::User,
    }));
    mapper.on_decision(respond_run_params, output);
}

/// Cancels the run: marks it, then calls the mapper.
pub fn cancel(mapper: &mut dyn Mapper, output: &mut RunOutput) -> PoliteStop {
    output.is_cancelling = true;
    mapper.on_cancel(output)
}
