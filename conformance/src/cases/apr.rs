//! APR: nothing happens without an answer, and only a clear yes is one.

use std::collections::BTreeMap;
use std::time::Duration;

use od_protocol::{
    ApprovalCategory, ApprovalOutcome, ErrorKind, Event, NetworkMode, Policy, RESPOND_RUN,
};
use serde_json::{Value, json};

use super::expectations::{RUN_LIMIT, completed, failure, told};
use super::told::Told;
use crate::bench::{Bench, Setup, perform_on};
use crate::case::{Check, Gate, active};
use crate::play::Play;
use crate::plugin::{Answer, Plugin, RunRecord};
use crate::verdict::{Failure, Finding, Verdict};

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    active(
        "APR-01",
        "when the agent CLI asks, it waits until `run/respond`; then it is told yes and goes on",
        "an approval that nobody gave is the worst thing an adapter can do",
        Gate::cli_scenario("approval").with_capability("approvals"),
        waits_for_answer,
    ),
    active(
        "APR-02",
        "a denial, an answer of an unknown word, a cancel and a limit of time never approve, and \
         each approval is resolved once",
        "whatever is not a clear yes is a no",
        Gate::cli_scenario("approval").with_capability("approvals"),
        never_approves,
    ),
    active(
        "APR-03",
        "a command that the policy denies is named to the agent CLI, also where the policy \
         allows it too",
        "the host cannot refuse what the agent CLI does not ask about",
        Gate::cli_scenario("text").with_capability("policy"),
        policy_reaches_cli,
    ),
    active(
        "APR-04",
        "a policy is passed on in its strictest form: a command that is both allowed and denied is \
         never told as allowed, and a closed network is told or the run is refused",
        "what is looser than the policy lets an agent do what its host has forbidden",
        Gate::cli_scenario("text").with_capability("policy"),
        policy_is_strict,
    ),
];

/// How long is looked whether the agent CLI goes on by itself.
const PATIENCE: Duration = Duration::from_millis(300);

/// The limit of time of the run that nobody answers.
const TOTAL_MS: u64 = 800;

/// What the agent CLI was told after its question: placeholders that were bound then.
type Bound = BTreeMap<String, Value>;

/// A run whose agent CLI has asked.
struct Asked {
    run_id: String,
    approval_id: String,
    /// Which start of the stand-in it is.
    index: usize,
    /// What was bound before.
    bound: Bound,
}

impl Asked {
    /// Starts the scenario and waits for the question.
    fn begin(plugin: &mut Plugin, play: &Play) -> Result<Self, Finding> {
        let index = plugin.stand_in.starts().len();
        plugin.begin(play)?;
        let run_id = play.run_id().to_owned();
        let received =
            plugin.wait_event(&run_id, RUN_LIMIT, "`approval_requested`", |received| {
                received.type_name() == "approval_requested"
            })?;
        let approval_id = received.value["approvalId"].as_str().unwrap_or_default().to_owned();
        let bound = bound(plugin, index);
        Ok(Self { run_id, approval_id, index, bound })
    }

    /// What the agent CLI was told since.
    fn told(&self, plugin: &Plugin) -> Bound {
        let now = bound(plugin, self.index);
        now.into_iter().filter(|(name, _)| !self.bound.contains_key(name)).collect()
    }

    /// Sends an answer.
    fn respond(&self, plugin: &mut Plugin, outcome: &str) -> Result<Answer, Finding> {
        let params = json!({
            "runId": self.run_id, "approvalId": self.approval_id, "outcome": outcome,
        });
        plugin.request(RESPOND_RUN.name, params)
    }

    /// How the approval was resolved, each time.
    fn resolved(&self, record: &RunRecord) -> Vec<ApprovalOutcome> {
        record
            .of_type("approval_resolved")
            .filter_map(|received| match received.event()? {
                Event::ApprovalResolved(resolved) => Some(resolved),
                _ => None,
            })
            .filter(|resolved| resolved.approval_id == self.approval_id)
            .map(|resolved| resolved.outcome)
            .collect()
    }
}

fn bound(plugin: &Plugin, index: usize) -> Bound {
    plugin.stand_in.starts().into_iter().nth(index).unwrap_or_default().bound
}

/// Approves, and gives what the agent CLI is told then.
fn approved(bench: &mut Bench, plugin: &mut Plugin) -> Result<Bound, Finding> {
    let play = bench.prepare("approval")?;
    let sent = "run/start; the agent CLI asks; 300 ms later run/respond with allow_once";
    let asked = Asked::begin(plugin, &play)?;
    plugin.listen(PATIENCE);
    let early = plugin.run(&asked.run_id);
    let told_early = asked.told(plugin);
    let went_on = ["approval_resolved", "tool_result", "done"];
    if !told_early.is_empty() || went_on.iter().any(|name| early.position(name).is_some()) {
        let got = format!("it was told {told_early:?}; events: {}", early.summary());
        return Err(failure(&early, "nothing more until `run/respond`", got, sent));
    }
    let answer = asked.respond(plugin, "allow_once")?;
    if let Answer::Error(_) = &answer {
        let failure = Failure::new("the answer is taken", answer.summary()).sent(sent);
        return Err(failure.at(plugin.place()).into());
    }
    let record = plugin.finish(&asked.run_id, RUN_LIMIT)?;
    completed(&record, sent)?;
    let resolved = asked.resolved(&record);
    if resolved != [ApprovalOutcome::AllowOnce] {
        let expected = "`approval_resolved` once, with allow_once";
        return Err(failure(&record, expected, format!("{resolved:?}"), sent));
    }
    Ok(asked.told(plugin))
}

fn waits_for_answer(bench: &mut Bench) -> Verdict {
    let mut plugin = bench.launch(&Setup::default())?;
    approved(bench, &mut plugin).map(drop)
}

fn never_approves(bench: &mut Bench) -> Verdict {
    let mut plugin = bench.launch(&Setup::default())?;
    let yes = approved(bench, &mut plugin).map_err(|finding| match finding {
        Finding::Fail(failure) => Finding::Blocked(format!("APR-01: {}", failure.got)),
        other => other,
    })?;
    if yes.is_empty() {
        return Err(Finding::Untestable(
            "the step that waits for the answer must bind what it says, such as {{?allow}}"
                .to_owned(),
        ));
    }
    for word in ["reject_once", "allow_everything_of_a_later_version", ""] {
        denied(bench, &mut plugin, word, &yes)?;
    }
    let play = bench.prepare("approval")?;
    let asked = Asked::begin(&mut plugin, &play)?;
    plugin.cancel(&asked.run_id)?;
    ends_without_yes(&mut plugin, &asked, &yes, "run/cancel while the agent CLI asks")?;
    let mut play = bench.prepare("approval")?;
    play.request.timeouts.total_ms = Some(TOTAL_MS);
    let asked = Asked::begin(&mut plugin, &play)?;
    let sent = format!("nobody answers, timeouts.totalMs is {TOTAL_MS}");
    ends_without_yes(&mut plugin, &asked, &yes, &sent)
}

/// An answer that is no yes; a second one is refused.
fn denied(bench: &mut Bench, plugin: &mut Plugin, word: &str, yes: &Bound) -> Verdict {
    let play = bench.prepare("approval")?;
    let asked = Asked::begin(plugin, &play)?;
    let sent = format!("run/respond with outcome {word:?}");
    if let Answer::Error(_) = asked.respond(plugin, word)? {
        // A word that is refused is no yes either, but the question stays open.
        plugin.cancel(&asked.run_id)?;
    } else {
        let again = asked.respond(plugin, "allow_once")?;
        let kinds = [ErrorKind::ApprovalUnknown, ErrorKind::RunUnknown];
        let is_refused = matches!(&again, Answer::Error(error) if kinds.contains(&error.kind()));
        if !is_refused {
            let expected = "approval_unknown, since it is answered";
            let failure = Failure::new(expected, again.summary());
            let sent = format!("{sent}, then with allow_once");
            return Err(failure.sent(sent).at(plugin.place()).into());
        }
    }
    ends_without_yes(plugin, &asked, yes, &sent)
}

/// The run ends, the agent CLI was not told yes, and the approval was resolved once with a no.
fn ends_without_yes(plugin: &mut Plugin, asked: &Asked, yes: &Bound, sent: &str) -> Verdict {
    let record = plugin.finish(&asked.run_id, RUN_LIMIT)?;
    let told = asked.told(plugin);
    if told == *yes {
        let expected = format!("anything but {yes:?}, which means yes");
        return Err(failure(&record, expected, format!("the agent CLI was told {told:?}"), sent));
    }
    let resolved = asked.resolved(&record);
    match resolved.as_slice() {
        [outcome] if !outcome.is_allowed() => Ok(()),
        _ => {
            let expected = "`approval_resolved` once, with a denial";
            Err(failure(&record, expected, format!("{resolved:?}"), sent))
        }
    }
}

fn policy_reaches_cli(bench: &mut Bench) -> Verdict {
    let mut plugin = bench.launch(&Setup::default())?;
    let (allowed, denied) = (bench.nonce(), bench.nonce());
    let mut play = bench.prepare("text")?;
    play.request.policy = Some(Policy {
        shell_allow: vec![allowed, denied.clone()],
        shell_deny: vec![denied.clone()],
        ask: vec![ApprovalCategory::Execute],
        network: Some(NetworkMode::None),
    });
    let sent = format!("run/start with a policy that allows and denies the command {denied}");
    let performance = perform_on(&mut plugin, play)?;
    let invocation = performance.invocation.unwrap_or_default();
    if told(&invocation, &denied) {
        return completed(&performance.record, &sent);
    }
    let expected = format!("{denied} in an argument, a line or a variable of the agent CLI");
    let got = format!("arguments {:?}", invocation.args);
    Err(failure(&performance.record, expected, got, &sent))
}

fn policy_is_strict(bench: &mut Bench) -> Verdict {
    let mut plugin = bench.launch(&Setup::default())?;
    let play = bench.prepare("text")?;
    let with = |policy: Policy| {
        let mut play = play.clone();
        play.request.policy = Some(policy);
        play
    };
    let command = format!("tool{}", bench.nonce());
    let denied = Policy { shell_deny: vec![command.clone()], ..Policy::default() };
    let both = Policy { shell_allow: vec![command.clone()], ..denied.clone() };
    let sent = format!("run/start with a policy that denies the command {command}");
    let once = Told::by(bench, &mut plugin, &with(denied), &sent)?.count(&command);
    let sent = format!("{sent} and allows it too");
    let twice = Told::by(bench, &mut plugin, &with(both), &sent)?;
    if twice.count(&command) > once {
        let expected = format!("{command} is named {once} time(s), as where it is only denied");
        let got = format!("{} times: {}", twice.count(&command), twice.words());
        return Err(Failure::new(expected, got).sent(sent).at(plugin.place()).into());
    }
    let sent = "run/start with a policy whose network is default, then none";
    let open = Policy { network: Some(NetworkMode::Default), ..Policy::default() };
    let open = Told::by(bench, &mut plugin, &with(open), sent)?;
    let closed = Policy { network: Some(NetworkMode::None), ..Policy::default() };
    if is_refused(bench, &mut plugin, &with(closed.clone()))? {
        return Ok(());
    }
    let closed = Told::by(bench, &mut plugin, &with(closed), sent)?;
    if closed == open {
        let expected = "the agent CLI is told that the network is closed, or the run is refused";
        let failure = Failure::new(expected, format!("nothing else: {}", closed.words()));
        return Err(failure.sent(sent).at(plugin.place()).into());
    }
    Ok(())
}

/// Whether such a run is refused as something that cannot be honoured; one that is not is played.
fn is_refused(bench: &mut Bench, plugin: &mut Plugin, play: &Play) -> Result<bool, Finding> {
    let mut play = play.clone();
    play.request.run_id = format!("run-{}", bench.nonce());
    let kinds = [ErrorKind::CapabilityUnsupported, ErrorKind::ConfigInvalid];
    match plugin.try_begin(&play)? {
        Answer::Error(error) if kinds.contains(&error.kind()) => Ok(true),
        Answer::Error(_) => Ok(false),
        Answer::Result(_) => plugin.finish(play.run_id(), RUN_LIMIT).map(|_| false),
    }
}
