//! `--stdio`: reads and answers requests until the host exits.

use std::process::ExitCode;
use std::time::Duration;

use od_protocol::adapter::{
    CANCEL_REQUEST, CancelRunParams, CancelRunResult, DetectAdapterParams, HealthAdapterParams,
    InputRunResult, ListModelsParams, METHODS, PingParams, RespondRunParams, RespondRunResult,
    ShutdownParams, ShutdownResult, StartRunParams, StartRunResult,
};
use od_protocol::{ApprovalOutcome, ErrorKind, ErrorObject, Message};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::adapter::{Adapter, Cancelled};
use super::fault::{Behaviour, Fault};
use super::host_lines::{HostLine, HostLines, messages};
use super::{detect, handshake, kept_state, launch, leaks, options, run, sessions, tree};
use crate::generated_faults;

/// The default grace period.
const DEFAULT_GRACE_MS: u64 = 2000;
/// The fault: the silence before `ping` is answered.
const PING_SILENCE: Duration = Duration::from_millis(400);

/// The fault: how long a call blocks the reader, longer than `ping` may take on a slow machine.
const BLOCKED_READER: Duration = Duration::from_secs(4);

/// A response now, or later from another thread.
enum Answer {
    Now(Result<Value, ErrorObject>),
    Later,
}

/// Serves a host until it exits.
pub(super) fn serve(behaviour: Behaviour) -> ExitCode {
    let adapter: &'static Adapter = Box::leak(Box::new(Adapter::new(behaviour)));
    tree::adopt_orphans();
    leaks::while_idle(behaviour);
    if behaviour.has(Fault::LogsEnvironment) {
        eprintln!("environment: {:?}", std::env::vars().collect::<Vec<_>>());
    }
    if behaviour.has(Fault::Banner) {
        adapter.output.write(b"mutant adapter ready\n");
    }
    let mut lines = HostLines::new(std::io::stdin().lock(), behaviour);
    while let Some(line) = lines.next() {
        match line {
            HostLine::Complete(line) => {
                let messages = messages(behaviour, &line);
                let messages = messages.iter().map(|message| message.trim_ascii());
                messages.filter(|it| !it.is_empty()).for_each(|it| {
                    on_line(adapter, &generated_faults::incoming(it));
                });
            }
            HostLine::TooLong if behaviour.has(Fault::SwallowsLongLines) => {}
            HostLine::TooLong => {
                let error = ErrorObject::new(ErrorKind::ParseError, "the line is too long");
                adapter.output.reply("null", Err(error));
            }
        }
    }
    while behaviour.has(Fault::IgnoreEof) {
        std::thread::sleep(Duration::from_secs(1));
    }
    if behaviour.has(Fault::EofLeavesCli) {
        return ExitCode::SUCCESS;
    }
    adapter.exit_with_host()
}

fn on_line(adapter: &'static Adapter, line: &[u8]) {
    let text = String::from_utf8_lossy(line);
    if adapter.behaviour.has(Fault::DiesOnDeepJson) && text.contains(&"[".repeat(1000)) {
        std::process::exit(101);
    }
    match Message::read(line) {
        Ok(Message::Request { id, method, params }) => {
            let (id, params) = (id.get().to_owned(), params.map(|params| params.get()));
            if adapter.refuses_params(&text, params) {
                let error = ErrorObject::new(ErrorKind::InvalidParams, "params must be an object");
                return adapter.output.reply(&id, Err(error));
            }
            match on_request(adapter, &id, &method, params) {
                Answer::Now(outcome) => adapter.output.reply(&id, outcome),
                Answer::Later => {}
            }
        }
        Ok(Message::Notification { method, params }) => {
            // A withdrawn request still gets its response, so there is nothing to do.
            let known = method == CANCEL_REQUEST;
            if known {
                cancel_request_faults(adapter, params.map(|params| params.get()));
            }
            if !known && adapter.behaviour.has(Fault::AnswersNotifications) {
                adapter.output.reply("null", Err(unknown_method(&method)));
            }
        }
        // The adapter sends no requests, so a response is ignored.
        Ok(Message::Response { id, .. }) => {
            if adapter.behaviour.has(Fault::AnswersResponses) {
                let error = ErrorObject::new(ErrorKind::InvalidRequest, "not a request");
                adapter.output.reply(id.get(), Err(error));
            }
        }
        Err(_) if adapter.behaviour.has(Fault::DiesOnBadJson) => std::process::exit(1),
        Err(_) if adapter.behaviour.has(Fault::BatchDies) && line.starts_with(b"[") => {
            std::process::exit(1)
        }
        Err(error) => adapter.output.reply(&refused_id(adapter.behaviour, line), Err(error)),
    }
}

/// The id of the response to a line that is not a message: null, except with the faults.
fn refused_id(behaviour: Behaviour, line: &[u8]) -> String {
    let message: Value = serde_json::from_slice(line).unwrap_or_default();
    let is_text = message["method"].is_string();
    let repeats = behaviour.has(Fault::InvalidRequestWithId)
        || behaviour.has(Fault::AnyJsonRpcVersion) && is_text;
    if repeats { message["id"].to_string() } else { "null".to_owned() }
}

fn cancel_request_faults(adapter: &'static Adapter, params: Option<&str>) {
    let params: Value = serde_json::from_str(params.unwrap_or("null")).unwrap_or_default();
    if adapter.behaviour.has(Fault::DiesOnBadNotification) && params.get("id").is_none() {
        std::process::exit(101);
    }
    if adapter.behaviour.has(Fault::CancelledRequestSilent) {
        adapter.output.silence(params["id"].to_string());
    }
    if adapter.behaviour.has(Fault::CancelRequestStopsRun) {
        std::thread::spawn(|| adapter.stop_runs(Duration::ZERO, Duration::from_secs(5)));
    }
}

/// Refuses methods before `initialize` and after `shutdown`.
fn check_phase(adapter: &Adapter, method: &str) -> Result<(), ErrorObject> {
    let is_ungated = method == "models/list" && adapter.behaviour.has(Fault::UngatedModels);
    let gated = !matches!(method, "initialize" | "ping") && !is_ungated;
    if gated && adapter.initialized().is_none() && !adapter.behaviour.has(Fault::NoInitializeGate) {
        let text = format!("call initialize before {method}");
        return Err(ErrorObject::new(ErrorKind::NotInitialized, text));
    }
    if adapter.refuses_after_shutdown(method) {
        return Err(ErrorObject::new(ErrorKind::ShuttingDown, "the adapter is shutting down"));
    }
    Ok(())
}

fn on_request(adapter: &'static Adapter, id: &str, method: &str, params: Option<&str>) -> Answer {
    if let Err(error) = check_phase(adapter, method) {
        return Answer::Now(Err(error));
    }
    let id = id.to_owned();
    Answer::Now(match method {
        "initialize" => handshake::initialize(adapter, params),
        "ping" if adapter.behaviour.has(Fault::PingBehindEvents) => {
            return ping_when_silent(adapter, id);
        }
        "ping" => parse_params::<PingParams>(params).and_then(to_value),
        "adapter/health" if adapter.behaviour.has(Fault::SlowHealth) => {
            return health_slowly(adapter, id);
        }
        "adapter/health" => parse_params(params).and_then(|HealthAdapterParams {}| {
            to_value(detect::health(cli_path(adapter).as_deref(), adapter.open_runs()))
        }),
        "adapter/detect" if adapter.behaviour.has(Fault::DetectBlocks) => {
            to_value(detect::detect(adapter.behaviour, cli_path(adapter).as_deref(), true))
        }
        "adapter/detect" => match parse_params::<DetectAdapterParams>(params) {
            Ok(params) => return detect_later(adapter, id, params.refresh),
            Err(error) => Err(error),
        },
        "models/list" => match parse_params::<ListModelsParams>(params) {
            Ok(_) => return models_later(adapter, id),
            Err(error) => Err(error),
        },
        "sessions/list" => {
            parse_params(params).and_then(|params| to_value(sessions::list(adapter, &params)))
        }
        "sessions/read" => parse_params(params)
            .and_then(|params| sessions::read(adapter, &params))
            .and_then(to_value),
        "run/start" if adapter.takes_null_for_option(params) => {
            Err(ErrorObject::new(ErrorKind::CapabilityUnsupported, "this option is not supported"))
        }
        "run/start" => match parse_params::<StartRunParams>(params) {
            Ok(mut params) => {
                kept_state::add_kept(adapter.behaviour, &mut params);
                return start_run(adapter, id, params);
            }
            Err(error) => Err(error),
        },
        "run/cancel" => parse_params(params).and_then(|params| cancel_run(adapter, &params)),
        "run/respond" => parse_params(params).and_then(|params| respond_run(adapter, params)),
        "run/input" => parse_params(params)
            .and_then(|params| adapter.input(params))
            .and_then(|outcome| to_value(InputRunResult { outcome })),
        "quota/get" if adapter.behaviour.has(Fault::AnswersUndeclared) => Ok(Value::Null),
        "shutdown" => match parse_params::<ShutdownParams>(params) {
            Ok(params) => return shutdown_later(adapter, id, &params),
            Err(error) => Err(error),
        },
        _ if adapter.behaviour.has(Fault::SilentUnknown) => return Answer::Later,
        other => Err(unsupported_method(adapter, other)),
    })
}

/// The error of a method that this adapter does not serve.
fn unsupported_method(adapter: &Adapter, method: &str) -> ErrorObject {
    let known = METHODS.iter().find(|known| known.name == method);
    match known.and_then(|known| known.gate) {
        Some(gate) => options::unsupported(adapter.behaviour, gate, method),
        None => unknown_method(method),
    }
}

fn unknown_method(method: &str) -> ErrorObject {
    ErrorObject::new(ErrorKind::MethodNotFound, format!("unknown method {method}"))
}

fn cli_path(adapter: &Adapter) -> Option<String> {
    adapter.initialized().and_then(|host| host.config.cli_path)
}

/// The fault: answers only after a silence.
fn ping_when_silent(adapter: &'static Adapter, id: String) -> Answer {
    std::thread::spawn(move || {
        while adapter.output.silent_for() < PING_SILENCE {
            std::thread::sleep(PING_SILENCE / 8);
        }
        adapter.output.reply(&id, to_value(PingParams {}));
    });
    Answer::Later
}

/// The fault: answers too late.
fn health_slowly(adapter: &'static Adapter, id: String) -> Answer {
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(30));
        let health = detect::health(cli_path(adapter).as_deref(), adapter.open_runs());
        adapter.output.reply(&id, to_value(health));
    });
    Answer::Later
}

fn detect_later(adapter: &'static Adapter, id: String, refresh: bool) -> Answer {
    let detect = move || {
        let _busy = adapter.hold_events(Fault::DetectBlocksRuns);
        let result = detect::detect(adapter.behaviour, cli_path(adapter).as_deref(), refresh);
        if adapter.behaviour.has(Fault::DetectKillsRuns) {
            tree::sweep(0, |_| false);
        }
        adapter.output.reply(&id, to_value(result));
    };
    answer_later(adapter, Fault::DetectBlocksReader, detect)
}

fn models_later(adapter: &'static Adapter, id: String) -> Answer {
    let list = move || {
        let result = detect::models(adapter.behaviour, cli_path(adapter).as_deref());
        adapter.output.reply(&id, to_value(result));
    };
    answer_later(adapter, Fault::ModelsBlockReader, list)
}

/// Answers from another thread; the fault blocks the thread that reads.
fn answer_later(
    adapter: &Adapter,
    blocks: Fault,
    answer: impl FnOnce() + Send + 'static,
) -> Answer {
    match adapter.behaviour.has(blocks) {
        true => {
            std::thread::sleep(BLOCKED_READER);
            answer();
        }
        false => drop(std::thread::spawn(answer)),
    }
    Answer::Later
}

fn shutdown_later(adapter: &'static Adapter, id: String, params: &ShutdownParams) -> Answer {
    adapter.begin_shutdown();
    if adapter.behaviour.has(Fault::ShutdownBeforeDone) {
        return Answer::Now(to_value(ShutdownResult {}));
    }
    let grace_ms = match params.grace_ms.unwrap_or(DEFAULT_GRACE_MS) {
        _ if adapter.behaviour.has(Fault::FixedShutdownGrace) => DEFAULT_GRACE_MS,
        _ if adapter.behaviour.has(Fault::ShutdownWithoutGrace) => 0,
        grace_ms => grace_ms,
    };
    let grace = Duration::from_millis(grace_ms);
    std::thread::spawn(move || {
        adapter.stop_runs(grace, grace + Duration::from_secs(5));
        adapter.output.reply(&id, to_value(ShutdownResult {}));
    });
    Answer::Later
}

fn start_run(adapter: &'static Adapter, id: String, params: StartRunParams) -> Answer {
    let run_id = params.run_id.clone();
    let launched = adapter
        .may_open(&run_id)
        .and_then(|()| launch::launch(adapter.behaviour, cli_path(adapter).as_deref(), &params));
    match launched {
        Ok(launched) => {
            let answer = move || adapter.output.reply(&id, to_value(StartRunResult { run_id }));
            run::start(adapter, params, launched, answer);
            Answer::Later
        }
        Err(error) => Answer::Now(Err(error)),
    }
}

fn cancel_run(adapter: &Adapter, params: &CancelRunParams) -> Result<Value, ErrorObject> {
    let grace = Duration::from_millis(params.grace_ms.unwrap_or(DEFAULT_GRACE_MS));
    let unknown = || {
        let text = format!("unknown run {}", params.run_id);
        Err(ErrorObject::new(ErrorKind::RunUnknown, text))
    };
    let accepted = match adapter.cancel(&params.run_id, grace) {
        Cancelled::Before if adapter.behaviour.has(Fault::SecondCancelErrors) => return unknown(),
        Cancelled::NotThere if adapter.behaviour.has(Fault::LateCancelErrors) => return unknown(),
        Cancelled::Now | Cancelled::Before => true,
        Cancelled::NotThere => false,
    };
    to_value(CancelRunResult { accepted })
}

fn respond_run(adapter: &Adapter, answer: Value) -> Result<Value, ErrorObject> {
    let word = answer["outcome"].as_str().unwrap_or_default().to_owned();
    let mut params: RespondRunParams = parse_params(Some(&answer.to_string()))?;
    if adapter.behaviour.has(Fault::ApprovesUnknown) && params.outcome.as_str() != word {
        params.outcome = ApprovalOutcome::AllowOnce;
    }
    adapter.answer(params)?;
    to_value(RespondRunResult {})
}

/// Parses parameters; absent ones are an empty object. A list would be read as members in order.
pub(super) fn parse_params<P: DeserializeOwned>(params: Option<&str>) -> Result<P, ErrorObject> {
    let params = params.unwrap_or("{}");
    if !params.starts_with('{') {
        return Err(ErrorObject::new(ErrorKind::InvalidParams, "params must be an object"));
    }
    serde_json::from_str(params)
        .map_err(|error| ErrorObject::new(ErrorKind::InvalidParams, error.to_string()))
}

/// Writes a result.
pub(super) fn to_value(result: impl Serialize) -> Result<Value, ErrorObject> {
    serde_json::to_value(result)
        .map_err(|error| ErrorObject::new(ErrorKind::Internal, error.to_string()))
}
