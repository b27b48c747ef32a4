//! `od-host run`: an agent on a prompt, shown while it works.

mod arguments;
mod plan;

use std::io::IsTerminal;

use od_host::{ExitStatus, Failure, Host, HostError, RunHandle};
use od_protocol::{Done, DoneStatus, ErrorEvent, ErrorKind};

pub(crate) use arguments::Arguments;
use plan::RunPlan;

use crate::cli::arguments::OutputMode;
use crate::cli::follow::{Control, Desk, Ending, Follower, View};
use crate::cli::print::{print_error, print_remark};
use crate::cli::signals::StopSignals;
use crate::cli::suggest::with_nearest_agent;
use crate::cli::terminal::while_waiting;

/// # Errors
/// When the run cannot be started. How a run that was started ends is told by its status.
pub(crate) async fn execute(arguments: Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let mut stops = StopSignals::listen()?;
    let plan = tokio::select! {
        plan = RunPlan::decide(arguments, host) => plan?,
        () = stops.next() => return Ok(ExitStatus::Cancelled),
    };
    let agent = plan.request.agent.clone();
    let started = tokio::select! {
        started = while_waiting("starting", host.start(plan.request)) => started,
        () = stops.next() => return Ok(ExitStatus::Cancelled),
    };
    let handle = match started {
        Ok(handle) => handle,
        Err(error) => return Err(explain(host, &agent, error).await),
    };
    let view = View::new(plan.output, &handle.record());
    let control = Control::Owner(handle.clone());
    let follower = Follower::new(view, Desk::new(plan.answers), control, stops);
    let followed = follower.follow(handle.events(0)?).await;
    if followed.is_err() {
        handle.cancel(std::time::Duration::ZERO);
    }
    let done = handle.wait().await;
    report(&followed?, &done, &handle);
    if plan.output == OutputMode::Pretty && std::io::stdout().is_terminal() {
        advise(&done, &handle, host).await;
    }
    Ok(ExitStatus::of_done(&done))
}

/// Why a run was not started, with what to type now.
async fn explain(host: &Host, agent: &str, error: HostError) -> HostError {
    match error.failure {
        Failure::Protocol(ErrorKind::CapabilityUnsupported) => error.with_hint(format!(
            "leave the option out; `od-host capabilities -a {agent}` shows what it can do"
        )),
        _ => with_nearest_agent(host, agent, error).await,
    }
}

/// Says on stderr why a run is not completed.
fn report(ending: &Ending, done: &Done, handle: &RunHandle) {
    match done.status {
        DoneStatus::Completed | DoneStatus::Cancelled => {}
        _ => print_error(&failure_of(ending.fatal.as_ref(), done, handle.id())),
    }
}

/// The error of a run that is over, with a hint in any case.
pub(crate) fn failure_of(fatal: Option<&ErrorEvent>, done: &Done, run_id: &str) -> HostError {
    let look = format!("see everything it said: od-host replay {run_id} --output jsonl");
    let Some(fatal) = fatal else {
        let word = done.error_kind.as_ref().map(|kind| format!(" ({kind})"));
        let text = format!("the run ended as {}{}", done.status, word.unwrap_or_default());
        let kind = done.error_kind.clone().unwrap_or(ErrorKind::Internal);
        return HostError::protocol(kind, text).with_hint(look);
    };
    let hint = match fatal.data.as_ref().and_then(|data| data.get("which")?.as_str()) {
        Some("total") => "give it more time with --timeout SECONDS".to_owned(),
        _ => fatal.hint.clone().unwrap_or(look),
    };
    HostError::protocol(fatal.kind.clone(), format!("{}: {}", fatal.kind, fatal.message))
        .with_hint(hint)
}

/// How to go on, for a person who may not know.
async fn advise(done: &Done, handle: &RunHandle, host: &Host) {
    let ended_well = matches!(done.status, DoneStatus::Completed | DoneStatus::Cancelled);
    if !ended_well || done.session_id.is_none() {
        return;
    }
    let (discovery, agent) = (host.discover().await, handle.record().agent);
    let adapter = discovery.adapters.iter().find(|adapter| adapter.id == agent);
    if adapter.is_some_and(|adapter| adapter.manifest.capabilities.resume.is_some()) {
        print_remark("go on: od-host run --resume last \"…\"");
    }
}
