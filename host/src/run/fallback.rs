//! Another agent takes over after a failure: which one, its prompt, and its slot in the queue.

use od_protocol::{AgentSwitched, Event, SessionChoice, SessionMode};

use super::attempt::AttemptStart;
use super::attempts::Failure;
use super::outcome::RunOutcome;
use super::registry::RunRegistry;
use super::retry::notice;
use super::task::{Next, RunTask};
use crate::discover::Adapter;
use crate::error::HostError;

impl RunTask {
    /// Switches to the next agent of the list that can run. The lookup may take long, so a cancel interrupts it.
    pub(super) async fn fall_back(&mut self, failure: &Failure, outcome: &RunOutcome) -> Next {
        let mut skipped = Vec::new();
        while let Some(id) = self.attempts.next_agent(&self.request.agent) {
            let runs = self.runs.clone();
            match self.unless_stopped(find_ready(&runs, &id)).await {
                Ok(Ok(adapter)) => return self.switch(failure, adapter, skipped).await,
                Ok(Err(error)) => skipped.push(notice(
                    "fallback_skipped",
                    format!("{id} cannot take over: {}", error.message),
                    error.hint,
                )),
                Err(outcome) => {
                    self.close_attempt(failure);
                    return Next::Break(self.finish(&outcome, skipped));
                }
            }
        }
        Next::Break(self.finish(outcome, skipped))
    }

    async fn switch(&mut self, failure: &Failure, adapter: Adapter, notices: Vec<Event>) -> Next {
        let reason = self.reason(failure);
        let from_agent = std::mem::replace(&mut self.request.agent, adapter.id.clone());
        let handover = self.attempts.handover();
        self.close_attempt(failure);
        let prompt = self.handover_prompt();
        let attempt = self.attempts.total() + 1;
        notices.into_iter().for_each(|notice| self.emit(notice));
        self.emit(Event::AgentSwitched(AgentSwitched {
            from_agent,
            to_agent: adapter.id.clone(),
            attempt,
            error_kind: failure.error.kind.clone(),
            reason,
            handover,
            handover_bytes: prompt.bytes,
        }));
        self.drop_agent_options(&adapter.id);
        self.update_record(|record| {
            record.first_agent.get_or_insert_with(|| self.first_agent.clone());
            record.agent.clone_from(&adapter.id);
            record.adapter_path.clone_from(&adapter.path);
            record.adapter_version.clone_from(&adapter.manifest.version);
            record.session_id = None;
        });
        if let Some(slot) = &mut self.slot {
            slot.move_to(&adapter.id);
        }
        self.adapter = adapter;
        if let Err(outcome) = self.wait_for_slot().await {
            return Next::Break(self.finish(&outcome, Vec::new()));
        }
        let session = SessionChoice::default();
        self.start_next(AttemptStart { session, prompt, notices: Vec::new() }).await
    }

    /// Drops the options that only the previous agent understands.
    fn drop_agent_options(&mut self, agent: &str) {
        let params = &mut self.request.params;
        let model = params.model.take();
        let session = std::mem::take(&mut params.session);
        if let Some(model) = model {
            let text = format!(
                "the model {model} belongs to the first agent; {agent} uses its own default"
            );
            self.emit(notice("fallback_model_dropped", text, None));
        }
        if session.mode != SessionMode::New {
            let text = format!("{agent} does not know the session of the first agent");
            self.emit(notice("fallback_session_dropped", text, None));
        }
    }
}

/// Finds the adapter of an agent that can run.
async fn find_ready(runs: &RunRegistry, id: &str) -> Result<Adapter, HostError> {
    let adapter = runs.context().adapter(id).await?;
    match runs.agents().detected(&adapter).await.problem() {
        None => Ok(adapter),
        Some(problem) => Err(HostError {
            hint: problem.fix,
            ..HostError::protocol(problem.kind, problem.message)
        }),
    }
}
