//! `od-host run`: runs an agent with a prompt and shows its progress.

mod arguments;
mod plan;

use std::io::IsTerminal;

use od_host::{ExitStatus, Failure, Host, HostError, RunHandle};
use od_protocol::{Done, DoneStatus, ErrorEvent, ErrorKind};

pub(crate) use arguments::Arguments;
use plan::RunPlan;

use crate::cli::arguments::OutputMode;
use crate::cli::follow::{ApprovalPrompt, Control, Ending, Follower, View};
use crate::cli::print::{print_error, print_remark};
use crate::cli::signals::Signals;
use crate::cli::suggest::with_similar_agent;
use crate::cli::terminal::while_waiting;

/// Returns an error only when the run cannot be started; the exit status reports how a started run ended.
pub(crate) async fn execute(arguments: Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let mut stops = Signals::listen()?;
    let plan = tokio::select! {
        plan = RunPlan::decide(arguments, host) => plan?,
        _ = stops.next() => return Ok(ExitStatus::Cancelled),
    };
    let agent = plan.request.agent.clone();
    let denies_tools = plan.request.params.denied_tools.is_some();
    let started = tokio::select! {
        started = while_waiting("starting", host.start(plan.request)) => started,
        _ = stops.next() => return Ok(ExitStatus::Cancelled),
    };
    let handle = match started {
        Ok(handle) => handle,
        Err(error) => return Err(explain(host, &agent, denies_tools, error).await),
    };
    let view = View::new(plan.output, &handle.record());
    let control = Control::Owner(handle.clone());
    let follower = Follower::new(view, ApprovalPrompt::new(plan.answers), control, stops);
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

/// Adds what to type to the error of a run that was not started.
async fn explain(host: &Host, agent: &str, denies_tools: bool, mut error: HostError) -> HostError {
    if error.failure != Failure::Protocol(ErrorKind::CapabilityUnsupported) {
        return with_similar_agent(host, agent, error).await;
    }
    if let Some(capability) = &error.which
        && let Some(option) = option_of(capability, denies_tools)
        && !declares(host, agent, capability).await
    {
        error.message = format!("{agent} does not support {option}");
    }
    error.with_hint(format!(
        "leave the option out; `od-host capabilities -a {agent}` shows what {agent} supports"
    ))
}

/// The option of `run` that needs a capability.
fn option_of(capability: &str, denies_tools: bool) -> Option<&'static str> {
    match capability {
        "models" => Some("--model"),
        "effort" => Some("--effort"),
        "systemPrompt" => Some("--system"),
        "resume" => Some("--resume"),
        "fork" => Some("--fork"),
        "toolLists" if denies_tools => Some("--deny-tool"),
        "toolLists" => Some("--allow-tool"),
        "permissionModes" => Some("--permission-mode"),
        _ => None,
    }
}

async fn declares(host: &Host, agent: &str, capability: &str) -> bool {
    let discovery = host.discover().await;
    let adapter = discovery.adapters.iter().find(|adapter| adapter.id == agent);
    let capabilities = adapter.and_then(|it| serde_json::to_value(&it.manifest.capabilities).ok());
    capabilities.is_some_and(|capabilities| capabilities.get(capability).is_some())
}

/// Prints why a run did not complete.
fn report(ending: &Ending, done: &Done, handle: &RunHandle) {
    match done.status {
        DoneStatus::Completed | DoneStatus::Cancelled => {}
        _ => print_error(&failure_of(ending.fatal.as_ref(), done, handle.id())),
    }
}

/// The error of an ended run, always with a hint.
pub(crate) fn failure_of(fatal: Option<&ErrorEvent>, done: &Done, run_id: &str) -> HostError {
    let replay = format!("see all events: od-host replay {run_id} --output jsonl");
    let Some(fatal) = fatal else {
        let kind_text = done.error_kind.as_ref().map(|kind| format!(" ({kind})"));
        let text = format!("the run ended as {}{}", done.status, kind_text.unwrap_or_default());
        let kind = done.error_kind.clone().unwrap_or(ErrorKind::Internal);
        return HostError::protocol(kind, text).with_hint(replay);
    };
    let hint = match fatal.data.as_ref().and_then(|data| data.get("which")?.as_str()) {
        Some("total") => "allow more time with --timeout SECONDS".to_owned(),
        _ => fatal.hint.clone().unwrap_or(replay),
    };
    HostError::protocol(fatal.kind.clone(), format!("{}: {}", fatal.kind, fatal.message))
        .with_hint(hint)
}

/// Shows how to continue the session.
async fn advise(done: &Done, handle: &RunHandle, host: &Host) {
    let ended_well = matches!(done.status, DoneStatus::Completed | DoneStatus::Cancelled);
    if !ended_well || done.session_id.is_none() {
        return;
    }
    let (discovery, agent) = (host.discover().await, handle.record().agent);
    let adapter = discovery.adapters.iter().find(|adapter| adapter.id == agent);
    if adapter.is_some_and(|adapter| adapter.manifest.capabilities.resume.is_some()) {
        print_remark("continue: od-host run --resume last \"…\"");
    }
}
