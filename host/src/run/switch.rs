//! How another agent takes over: which one, what it is told, and the wait for a place with it.

use od_protocol::{AgentSwitched, Event, SessionChoice, SessionMode};

use super::attempts::Failure;
use super::conduct::{Conductor, Next, Turn};
use super::go_on::notice;
use super::launch::Opening;
use super::pending::Move;
use super::repair::Verdict;
use crate::discover::Adapter;
use crate::error::HostError;
use crate::host::Host;

impl Conductor {
    /// The next agent of the list that can run takes over. It may take long to find out who can, so that is given up
    /// when the run is stopped.
    pub(super) async fn fall_back(&mut self, failure: &Failure, verdict: &Verdict) -> Next {
        let mut skipped = Vec::new();
        while let Some(id) = self.attempts.next_agent(&self.request.agent) {
            let host = self.host.clone();
            match self.unless_stopped(ready(&host, &id)).await {
                Ok(Ok(adapter)) => return self.switch(failure, adapter, skipped).await,
                Ok(Err(error)) => skipped.push(notice(
                    "fallback_skipped",
                    format!("{id} does not take over: {}", error.message),
                    error.hint,
                )),
                Err(verdict) => {
                    self.close_attempt(failure);
                    return Next::Break(self.finish(&verdict, skipped));
                }
            }
        }
        Next::Break(self.finish(verdict, skipped))
    }

    /// Another agent.
    async fn switch(&mut self, failure: &Failure, adapter: Adapter, notices: Vec<Event>) -> Next {
        let reason = self.reason(failure);
        let from_agent = std::mem::replace(&mut self.request.agent, adapter.id.clone());
        let handover = self.attempts.handover();
        self.close_attempt(failure);
        let briefing = self.handed_over();
        let attempt = self.attempts.total() + 1;
        notices.into_iter().for_each(|notice| self.tell(notice));
        self.tell(Event::AgentSwitched(AgentSwitched {
            from_agent,
            to_agent: adapter.id.clone(),
            attempt,
            error_kind: failure.error.kind.clone(),
            reason,
            handover,
            handover_bytes: briefing.bytes,
        }));
        self.leave_behind(&adapter.id);
        self.update_record(|record| {
            record.first_agent.get_or_insert_with(|| self.first_agent.clone());
            record.agent.clone_from(&adapter.id);
            record.adapter_path.clone_from(&adapter.path);
            record.adapter_version.clone_from(&adapter.manifest.version);
            record.session_id = None;
        });
        self.adapter = adapter;
        if let Err(verdict) = self.wait_for_place().await {
            return Next::Break(self.finish(&verdict, Vec::new()));
        }
        let session = SessionChoice::default();
        self.begin_next(Opening { session, briefing, notices: Vec::new() }).await
    }

    /// Gives the place with the agent before back and waits for one with the next, where somebody keeps count.
    async fn wait_for_place(&mut self) -> Result<(), Verdict> {
        let Some(moves) = &self.moves else { return Ok(()) };
        let (wish, turn) = Move::to(&self.adapter.id);
        if moves.send(wish).is_err() {
            return Ok(()); // Nobody keeps count of this run.
        }
        match self.unless_stopped(turn).await? {
            Ok(Turn::Launch) => Ok(()),
            Ok(Turn::Abandon(verdict)) => Err(verdict),
            Err(_) => Err(Verdict::Cancelled),
        }
    }

    /// What belongs to the agent before and means nothing to the next one.
    fn leave_behind(&mut self, agent: &str) {
        let params = &mut self.request.params;
        let model = params.model.take();
        let session = std::mem::take(&mut params.session);
        if let Some(model) = model {
            let text =
                format!("the model {model} was meant for the first agent; {agent} takes its own");
            self.tell(notice("fallback_model_dropped", text, None));
        }
        if session.mode != SessionMode::New {
            let text = format!("{agent} does not know the session the run began with");
            self.tell(notice("fallback_session_dropped", text, None));
        }
    }
}

/// An agent that can run.
async fn ready(host: &Host, id: &str) -> Result<Adapter, HostError> {
    let adapter = host.adapter(id).await?;
    match host.agent(id).await?.problem() {
        None => Ok(adapter),
        Some(problem) => Err(HostError {
            hint: problem.fix,
            ..HostError::protocol(problem.kind, problem.message)
        }),
    }
}
