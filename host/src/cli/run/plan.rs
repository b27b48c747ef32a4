//! Decides what the arguments of `run` mean: agent, prompt, session, approvals.

use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use od_host::home::open_private_file;
use od_host::journal::RunRecord;
use od_host::{Answers, Host, HostError, RunRequest};
use od_protocol::adapter::StartRunParams;
use od_protocol::api::{FallbackPolicy, RetryPolicy};
use od_protocol::{
    Effort, ErrorKind, MAX_LINE_BYTES, Meta, Prompt, SessionChoice, SessionMode, Timeouts,
};

use super::Arguments;
use crate::cli::arguments::OutputMode;
use crate::cli::follow::AnswerRules;
use crate::cli::print::print_remark;
use crate::cli::terminal::while_waiting;

/// The agent argument that selects an agent.
const AUTO: &str = "auto";
/// The session argument that selects the session of the newest run.
const LAST: &str = "last";

/// What `run` does.
#[derive(Debug)]
pub(super) struct RunPlan {
    pub(super) request: RunRequest,
    pub(super) answers: AnswerRules,
    pub(super) output: OutputMode,
}

impl RunPlan {
    pub(super) async fn decide(arguments: Arguments, host: &Host) -> Result<Self, HostError> {
        let prompt = Prompt {
            system: arguments.system.as_deref().map(system).transpose()?,
            text: prompt_text(arguments.prompt.as_deref())?,
            ..Prompt::default()
        };
        let (session, earlier) = session(&arguments, host)?;
        let agent = agent(&arguments.agent, earlier.as_ref(), host).await?;
        host.check_known(&arguments.fallback).await.map_err(|error| HostError {
            message: format!("--fallback: {}", error.message),
            ..error
        })?;
        let cwd = folder(arguments.cwd.or(earlier.map(|record| record.cwd)))?;
        let answers = AnswerRules {
            yes: arguments.yes,
            allowed_tools: arguments.allowed_tools.clone(),
            ask: arguments.output != OutputMode::Quiet,
        };
        let allowed_tools = tools_for_adapter(arguments.allowed_tools, &agent, host).await;
        let params = StartRunParams {
            cwd,
            prompt,
            model: arguments.model,
            effort: arguments.effort.as_deref().map(Effort::from_wire),
            session,
            allowed_tools,
            denied_tools: unless_empty(arguments.denied_tools),
            permission_mode: arguments.permission_mode,
            env: arguments.env.into_iter().collect(),
            trace_path: arguments.trace.map(trace_file).transpose()?,
            meta: caller_span(),
            timeouts: Timeouts { total_ms: arguments.timeout, ..Timeouts::default() },
            ..StartRunParams::default()
        };
        let request = RunRequest {
            agent,
            params,
            answers: Answers::Client,
            retry: arguments.retry.map(|times| RetryPolicy {
                max_attempts: Some(times.saturating_add(1)),
                ..RetryPolicy::default()
            }),
            fallback: unless_empty(arguments.fallback)
                .map(|agents| FallbackPolicy { agents, ..FallbackPolicy::default() }),
            ..RunRequest::default()
        };
        Ok(Self { request, answers, output: arguments.output })
    }
}

/// For an adapter without tool lists but with approvals, the answer rules allow the tools instead.
async fn tools_for_adapter(tools: Vec<String>, agent: &str, host: &Host) -> Option<Vec<String>> {
    let tools = unless_empty(tools)?;
    let discovery = host.discover().await;
    let adapter = discovery.adapters.iter().find(|adapter| adapter.id == agent);
    let answered_here = adapter.is_some_and(|adapter| {
        let capabilities = &adapter.manifest.capabilities;
        capabilities.tool_lists.is_none() && capabilities.approvals.is_some()
    });
    (!answered_here).then_some(tools)
}

fn unless_empty(list: Vec<String>) -> Option<Vec<String>> {
    Some(list).filter(|list| !list.is_empty())
}

fn prompt_text(argument: Option<&str>) -> Result<String, HostError> {
    let text = match argument {
        Some(text) if text != "-" => text.to_owned(),
        None if std::io::stdin().is_terminal() => String::new(),
        _ => prompt_from_stdin()?,
    };
    if text.trim().is_empty() {
        return Err(HostError::usage("the prompt is empty")
            .with_hint("pass a prompt: od-host run \"make a small page\""));
    }
    Ok(text)
}

/// Stops reading after the maximum size of a message: a larger prompt cannot reach an adapter.
fn prompt_from_stdin() -> Result<String, HostError> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MAX_LINE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| HostError::usage(format!("cannot read the prompt from stdin: {error}")))?;
    if bytes.len() as u64 > MAX_LINE_BYTES {
        let text = format!("the prompt on stdin is larger than {MAX_LINE_BYTES} bytes");
        return Err(HostError::protocol(ErrorKind::PromptTooLarge, text)
            .with_hint("write the text to a file and let the agent read it"));
    }
    String::from_utf8(bytes).map_err(|error| {
        HostError::usage(format!(
            "the prompt on stdin is not valid UTF-8 (byte {})",
            error.utf8_error().valid_up_to()
        ))
        .with_hint("write the data to a file and let the agent read it")
    })
}

fn system(argument: &str) -> Result<String, HostError> {
    let Some(path) = argument.strip_prefix('@') else { return Ok(argument.to_owned()) };
    std::fs::read_to_string(path).map_err(|error| {
        HostError::usage(format!("cannot read the system prompt from {path}: {error}"))
            .with_hint("--system expects a text, or @FILE with an existing file")
    })
}

/// The session, and the run it belongs to when it is `last`.
fn session(
    arguments: &Arguments,
    host: &Host,
) -> Result<(SessionChoice, Option<RunRecord>), HostError> {
    let (mode, id) = match (&arguments.resume, &arguments.fork) {
        (Some(id), _) => (SessionMode::Resume, id),
        (None, Some(id)) => (SessionMode::Fork, id),
        (None, None) => return Ok((SessionChoice::default(), None)),
    };
    if id != LAST {
        return Ok((SessionChoice { mode, id: Some(id.clone()) }, None));
    }
    let record = host.find_run(LAST)?;
    let Some(session_id) = record.session_id.clone() else {
        let text = format!("the newest run {} has no session to resume", record.run_id);
        return Err(HostError::usage(text).with_hint("list the other runs: od-host runs"));
    };
    Ok((SessionChoice { mode, id: Some(session_id) }, Some(record)))
}

async fn agent(
    argument: &str,
    earlier: Option<&RunRecord>,
    host: &Host,
) -> Result<String, HostError> {
    match (argument, earlier) {
        (AUTO, Some(record)) => Ok(record.agent.clone()),
        (AUTO, None) => {
            let agent = while_waiting("detecting agents", host.auto()).await?;
            let is_active = host.active_agent().as_ref() == Some(&agent.id);
            let reason = if is_active { "the active agent" } else { "the best ready agent" };
            print_remark(format!("using {}, {reason} (od-host agents)", agent.id));
            Ok(agent.id)
        }
        (id, _) => Ok(id.to_owned()),
    }
}

/// Checks the file before the run: without this, a missing trace would show only afterwards.
fn trace_file(path: PathBuf) -> Result<String, HostError> {
    let problem = |reason: String| {
        HostError::usage(format!("cannot write the trace to {}: {reason}", path.display()))
            .with_hint("pass a file in an existing folder: --trace FILE")
    };
    let absolute = std::path::absolute(&path).map_err(|error| problem(error.to_string()))?;
    open_private_file(&absolute).map_err(|error| problem(error.to_string()))?;
    absolute
        .into_os_string()
        .into_string()
        .map_err(|_| problem("its name is not valid UTF-8".to_owned()))
}

/// The span of the process that started this one, from `TRACEPARENT`.
fn caller_span() -> Option<Meta> {
    let traceparent = std::env::var("TRACEPARENT").ok().filter(|value| !value.is_empty())?;
    Some(Meta::from_iter([("traceparent".to_owned(), traceparent.into())]))
}

fn folder(argument: Option<PathBuf>) -> Result<String, HostError> {
    let path = argument.unwrap_or_else(|| PathBuf::from("."));
    let problem = |reason: String| {
        HostError::usage(format!("the agent cannot work in {}: {reason}", path.display()))
            .with_hint("pass an existing folder with -C DIR")
    };
    let folder = std::fs::canonicalize(&path).map_err(|error| problem(error.to_string()))?;
    if !folder.is_dir() {
        return Err(problem("it is not a folder".to_owned()));
    }
    folder
        .into_os_string()
        .into_string()
        .map_err(|_| problem("its name is not valid UTF-8".to_owned()))
}
