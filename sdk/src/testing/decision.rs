//! Decisions and cancellation in a test, in the order in which the runner does them.

use od_protocol::adapter::RespondRunParams;
use od_protocol::{ApprovalOutcome, ApprovalResolved, ApprovalResolver, Event};

use crate::{Mapper, PoliteStop, RunOutput};

/// A decision without a message.
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

/// Cancels the run as the runner does: it marks the run first and calls the mapper then.
pub fn cancel(mapper: &mut dyn Mapper, output: &mut RunOutput) -> PoliteStop {
    output.is_cancelling = true;
    mapper.on_cancel(output)
}
