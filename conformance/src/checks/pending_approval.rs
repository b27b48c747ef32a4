//! A run whose agent CLI waits for an approval. Contains no check.

use std::collections::BTreeMap;
use std::time::Duration;

use od_protocol::adapter::RESPOND_RUN;
use od_protocol::{ApprovalOutcome, ApprovalRequested, ApprovalResolved, Event};
use serde_json::{Value, json};

use super::expectations::{SHORT_RUN_TIMEOUT, completed};
use crate::adapter_client::{AdapterClient, Answer, Received, RunRecord};
use crate::context::CheckContext;
use crate::outcome::{CheckOutcome, Finding};
use crate::prepared_run::PreparedRun;

/// How long the agent CLI must make no progress without an answer.
pub(super) const NO_PROGRESS_WINDOW: Duration = Duration::from_millis(300);

/// The placeholders that were bound after the approval request: what the agent CLI received.
pub(super) type Bound = BTreeMap<String, Value>;

/// A run whose agent CLI has requested an approval.
pub(super) struct PendingApproval {
    pub(super) run_id: String,
    pub(super) approval_id: String,
    /// The event `approval_requested`.
    pub(super) event: Received,
    /// The index of its invocation of the fake CLI.
    pub(super) index: usize,
    /// The placeholders that were bound before the request.
    bound: Bound,
}

impl PendingApproval {
    /// Starts the scenario and waits for the approval request.
    pub(super) fn begin(
        adapter: &mut AdapterClient,
        prepared: &PreparedRun,
    ) -> Result<Self, Finding> {
        let index = adapter.fake_cli.starts().len();
        adapter.begin(prepared)?;
        Self::wait(adapter, prepared.run_id(), index)
    }

    /// Waits for the approval request of a run that was started.
    pub(super) fn wait(
        adapter: &mut AdapterClient,
        run_id: &str,
        index: usize,
    ) -> Result<Self, Finding> {
        let wanted = "`approval_requested`";
        let event = adapter.wait_event(run_id, SHORT_RUN_TIMEOUT, wanted, |received| {
            received.type_name() == "approval_requested"
        })?;
        let approval_id = event.value["approvalId"].as_str().unwrap_or_default().to_owned();
        let bound = bound(adapter, index);
        Ok(Self { run_id: run_id.to_owned(), approval_id, event, index, bound })
    }

    /// Returns the request as a typed event.
    pub(super) fn requested(&self) -> Result<ApprovalRequested, Finding> {
        match self.event.event() {
            Some(Event::ApprovalRequested(requested)) => Ok(requested),
            _ => Err(Finding::Blocked("SCH-01: `approval_requested` is malformed".to_owned())),
        }
    }

    /// Returns what the agent CLI received since the request.
    pub(super) fn received(&self, adapter: &AdapterClient) -> Bound {
        let now = bound(adapter, self.index);
        now.into_iter().filter(|(name, _)| !self.bound.contains_key(name)).collect()
    }

    pub(super) fn respond(
        &self,
        adapter: &mut AdapterClient,
        outcome: &str,
    ) -> Result<Answer, Finding> {
        self.respond_with(adapter, json!({"outcome": outcome}))
    }

    /// Responds with these members in addition to the ids; they may replace the ids.
    pub(super) fn respond_with(
        &self,
        adapter: &mut AdapterClient,
        members: Value,
    ) -> Result<Answer, Finding> {
        let mut params = json!({"runId": self.run_id, "approvalId": self.approval_id});
        for (name, value) in members.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        adapter.request(RESPOND_RUN.name, params)
    }

    /// Responds; the answer must be accepted.
    pub(super) fn respond_accepted(
        &self,
        adapter: &mut AdapterClient,
        members: Value,
        sent: &str,
    ) -> CheckOutcome {
        match self.respond_with(adapter, members)? {
            Answer::Result(_) => Ok(()),
            refused @ Answer::Error(_) => {
                Err(adapter.failure("run/respond is accepted", refused.summary(), sent))
            }
        }
    }

    /// Returns every resolution of the approval.
    pub(super) fn resolutions(&self, record: &RunRecord) -> Vec<ApprovalResolved> {
        record
            .of_type("approval_resolved")
            .filter_map(|received| match received.event()? {
                Event::ApprovalResolved(resolved) => Some(resolved),
                _ => None,
            })
            .filter(|resolved| resolved.approval_id == self.approval_id)
            .collect()
    }

    /// Returns the outcome of every resolution.
    pub(super) fn resolved(&self, record: &RunRecord) -> Vec<ApprovalOutcome> {
        self.resolutions(record).into_iter().map(|resolved| resolved.outcome).collect()
    }

    /// Fails if the agent CLI or the run has made progress since the request.
    pub(super) fn still_waits(&self, adapter: &mut AdapterClient, sent: &str) -> CheckOutcome {
        adapter.listen(NO_PROGRESS_WINDOW);
        let record = adapter.run(&self.run_id);
        let received = self.received(adapter);
        let continued = ["approval_resolved", "tool_result", "done"];
        let has_continued = continued.iter().any(|name| record.position(name).is_some());
        if received.is_empty() && !has_continued {
            return Ok(());
        }
        let got = format!("it received {received:?}; events: {}", record.summary());
        Err(record.failure("the approval stays open", got, sent))
    }

    /// Fails unless the run ends without approval and the approval is resolved once with a denial.
    pub(super) fn ends_without_approval(
        &self,
        adapter: &mut AdapterClient,
        approval: &Bound,
        sent: &str,
    ) -> Result<RunRecord, Finding> {
        let record = adapter.finish(&self.run_id, SHORT_RUN_TIMEOUT)?;
        let received = self.received(adapter);
        if received == *approval {
            let expected = format!("anything but {approval:?}, which means approved");
            let got = format!("the agent CLI received {received:?}");
            return Err(record.failure(expected, got, sent));
        }
        let resolved = self.resolved(&record);
        match resolved.as_slice() {
            [outcome] if !outcome.is_allowed() => Ok(record),
            _ => {
                let expected = "`approval_resolved` once, with a denial";
                Err(record.failure(expected, format!("{resolved:?}"), sent))
            }
        }
    }
}

fn bound(adapter: &AdapterClient, index: usize) -> Bound {
    adapter.fake_cli.starts().into_iter().nth(index).unwrap_or_default().bound
}

/// Approves, and returns what the agent CLI receives then.
pub(super) fn approved(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
) -> Result<Bound, Finding> {
    let prepared = context.prepare("approval")?;
    let sent =
        "run/start; the agent CLI requests an approval; 300 ms later run/respond with allow_once";
    let pending = PendingApproval::begin(adapter, &prepared)?;
    adapter.listen(NO_PROGRESS_WINDOW);
    let early = adapter.run(&pending.run_id);
    let received_early = pending.received(adapter);
    let continued = ["approval_resolved", "tool_result", "done"];
    if !received_early.is_empty() || continued.iter().any(|name| early.position(name).is_some()) {
        let got = format!("it received {received_early:?}; events: {}", early.summary());
        return Err(early.failure("no progress until `run/respond`", got, sent));
    }
    pending.respond_accepted(adapter, json!({"outcome": "allow_once"}), sent)?;
    let record = adapter.finish(&pending.run_id, SHORT_RUN_TIMEOUT)?;
    completed(&record, sent)?;
    let resolved = pending.resolved(&record);
    if resolved != [ApprovalOutcome::AllowOnce] {
        let expected = "`approval_resolved` once, with allow_once";
        return Err(record.failure(expected, format!("{resolved:?}"), sent));
    }
    Ok(pending.received(adapter))
}

/// The same for checks whose result depends on it.
pub(super) fn known_approval(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
) -> Result<Bound, Finding> {
    let approval = approved(context, adapter).map_err(|finding| {
        finding.map_failure(|failure| Finding::Blocked(format!("APR-01: {}", failure.got)))
    })?;
    if approval.is_empty() {
        return Err(Finding::Untestable(
            "the step that waits for the answer must bind its content, for example with {{?allow}}"
                .to_owned(),
        ));
    }
    Ok(approval)
}
