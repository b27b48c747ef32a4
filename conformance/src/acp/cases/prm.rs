//! ACP-PRM: permissions: the agent waits for the answer, and nothing but yes is yes.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;

use super::evidence::{asking, ended, has_worked, prompt};
use super::{must, rule, should};
use crate::acp::agent::Agent;
use crate::acp::bench::AgentBench;
use crate::acp::client::Policy;
use crate::acp::turn::{Open, Turn};
use crate::case::{Check, Gate, Level};
use crate::verdict::{Finding, Verdict};

/// How long it is looked whether the agent waits.
const WAIT: Duration = Duration::from_millis(1500);

/// How soon a cancelled turn must end.
const CANCEL_LIMIT: Duration = Duration::from_secs(10);

pub(super) const CHECKS: &[Check] = &[
    rule(
        "ACP-PRM-01",
        Level::Must,
        "asks for permission with a tool call and options that have unique ids, names and known kinds",
        "a client can only offer what it can read",
        Gate::MODEL,
    ),
    must(
        "ACP-PRM-02",
        "does nothing until the permission is given",
        "a question that does not wait is no question",
        Gate::MODEL,
        waits,
    ),
    must(
        "ACP-PRM-03",
        "does what was allowed, and ends the turn",
        "an agent that asks and then does nothing is of no use",
        Gate::MODEL,
        allowed_is_done,
    ),
    must(
        "ACP-PRM-04",
        "does not do what was rejected",
        "no means no",
        Gate::MODEL,
        rejected_is_not_done,
    ),
    must(
        "ACP-PRM-05",
        "does not do what was answered with the outcome cancelled",
        "a closed window is no approval",
        Gate::MODEL,
        cancelled_is_not_done,
    ),
    must(
        "ACP-PRM-06",
        "does not do what was answered with an option it never offered, or with an error",
        "a confused client is no approval",
        Gate::MODEL,
        nonsense_is_not_done,
    ),
    should(
        "ACP-PRM-07",
        "tells of a rejected tool call as failed",
        "a call without an end spins on the screen for ever",
        Gate::MODEL,
        rejected_is_told,
    ),
    must(
        "ACP-PRM-08",
        "ends the turn as cancelled, without doing anything, when it is cancelled during a question",
        "the user pressed stop because of the question",
        Gate::MODEL,
        cancel_clears_the_question,
    ),
];

/// A turn in a new session that is about to ask.
struct Scene {
    scenario: &'static str,
    session: String,
    cwd: PathBuf,
}

impl Scene {
    fn set(bench: &mut AgentBench) -> Result<Self, Finding> {
        let scenario = asking(bench)?;
        let (session, cwd) = bench.session()?;
        Ok(Self { scenario, session, cwd })
    }

    fn prompt(&self) -> String {
        prompt(self.scenario, &self.cwd)
    }

    fn play(&self, agent: &mut Agent, policy: Policy) -> Result<Turn, Finding> {
        let turn = agent.play(&self.session, &self.prompt(), policy)?;
        if turn.permissions.is_empty() {
            return Err(agent.wrong("a permission request", &turn.summary(), &turn.sent));
        }
        Ok(turn)
    }

    /// Fails when the tool did its work, whatever was answered.
    fn nothing_done(&self, agent: &Agent, turn: &Turn, answer: &str) -> Verdict {
        if !has_worked(self.scenario, &self.cwd, turn) {
            return Ok(());
        }
        let expected = format!("nothing is done after {answer}");
        Err(agent.wrong(&expected, &format!("it was done; {}", turn.summary()), &turn.sent))
    }

    /// Begins the turn and waits for the question.
    fn ask(&self, agent: &mut Agent) -> Result<Open, Finding> {
        let open = agent.begin(&self.session, &self.prompt());
        if agent.wait_permission(&open) {
            return Ok(open);
        }
        let turn = agent.so_far(&open);
        Err(agent.wrong("a permission request", &turn.summary(), &turn.sent))
    }
}

fn waits(bench: &mut AgentBench) -> Verdict {
    let scene = Scene::set(bench)?;
    let agent = bench.agent()?;
    let open = scene.ask(agent)?;
    agent.listen(WAIT);
    let turn = agent.so_far(&open);
    scene.nothing_done(agent, &turn, "a question that nobody has answered")?;
    if agent.inbox.answers.contains_key(&open.key) {
        return Err(agent.wrong("the turn stays open", "it ended unanswered", &turn.sent));
    }
    agent.finish(&open, Policy::Reject).map(drop)
}

fn allowed_is_done(bench: &mut AgentBench) -> Verdict {
    let scene = Scene::set(bench)?;
    let agent = bench.agent()?;
    let turn = scene.play(agent, Policy::Allow)?;
    ended(agent, &turn, "end_turn")?;
    if has_worked(scene.scenario, &scene.cwd, &turn) {
        return Ok(());
    }
    Err(agent.wrong("it is done", &format!("it is not; {}", turn.summary()), &turn.sent))
}

fn rejected_is_not_done(bench: &mut AgentBench) -> Verdict {
    let scene = Scene::set(bench)?;
    let agent = bench.agent()?;
    let turn = scene.play(agent, Policy::Reject)?;
    scene.nothing_done(agent, &turn, "a rejection")
}

fn cancelled_is_not_done(bench: &mut AgentBench) -> Verdict {
    let scene = Scene::set(bench)?;
    let agent = bench.agent()?;
    let turn = scene.play(agent, Policy::Cancelled)?;
    scene.nothing_done(agent, &turn, "the outcome cancelled")
}

fn nonsense_is_not_done(bench: &mut AgentBench) -> Verdict {
    for (policy, words) in
        [(Policy::Stranger, "an option that was never offered"), (Policy::Error, "an error")]
    {
        let scene = Scene::set(bench)?;
        let agent = bench.agent()?;
        let turn = scene.play(agent, policy)?;
        scene.nothing_done(agent, &turn, words)?;
    }
    Ok(())
}

fn rejected_is_told(bench: &mut AgentBench) -> Verdict {
    let scene = Scene::set(bench)?;
    let agent = bench.agent()?;
    let turn = scene.play(agent, Policy::Reject)?;
    if turn.tools().iter().all(|(_, status)| status == "failed") {
        return Ok(());
    }
    Err(agent.wrong("the call ends as failed", &turn.summary(), &turn.sent))
}

fn cancel_clears_the_question(bench: &mut AgentBench) -> Verdict {
    let scene = Scene::set(bench)?;
    let agent = bench.agent()?;
    let open = scene.ask(agent)?;
    agent.notify("session/cancel", json!({"sessionId": scene.session}));
    let turn = agent.finish_within(&open, Policy::Cancelled, CANCEL_LIMIT)?;
    scene.nothing_done(agent, &turn, "session/cancel")?;
    ended(agent, &turn, "cancelled")
}
