//! `--stdio`: reads and answers requests until the host exits.

use std::io::BufRead;
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
use super::{detect, handshake, launch, leaks, options, run, sessions, tree};

/// The default grace period.
const DEFAULT_GRACE_MS: u64 = 2000;
/// The fault: the silence before `ping` is answered.
const PING_SILENCE: Duration = Duration::from_millis(400);

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
    if behaviour.has(Fault::Banner) {
        adapter.output.write(b"mutant adapter ready\n");
    }
    let mut stdin = std::io::stdin().lock();
    let mut line = Vec::new();
    while stdin.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        let text = line.trim_ascii();
        if !text.is_empty() {
            on_line(adapter, text);
        }
        line.clear();
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
    match Message::read(line) {
        Ok(Message::Request { id, method, params }) => {
            let (id, params) = (id.get().to_owned(), params.map(|params| params.get()));
            match on_request(adapter, &id, &method, params) {
                Answer::Now(outcome) => adapter.output.reply(&id, outcome),
                Answer::Later => {}
            }
        }
        Ok(Message::Notification { method, .. }) => {
            // A withdrawn request still gets its response, so there is nothing to do.
            let known = method == CANCEL_REQUEST;
            if !known && adapter.behaviour.has(Fault::AnswersNotifications) {
                adapter.output.reply("null", Err(unknown_method(&method)));
            }
        }
        // The adapter sends no requests, so a response is ignored.
        Ok(Message::Response { .. }) => {}
        Err(_) if adapter.behaviour.has(Fault::DiesOnBadJson) => std::process::exit(1),
        Err(error) => adapter.output.reply("null", Err(error)),
    }
}

fn on_request(adapter: &'static Adapter, id: &str, method: &str, params: Option<&str>) -> Answer {
    let gated = !matches!(method, "initialize" | "ping");
    if gated && adapter.initialized().is_none() && !adapter.behaviour.has(Fault::NoInitializeGate) {
        let text = format!("call initialize before {method}");
        return Answer::Now(Err(ErrorObject::new(ErrorKind::NotInitialized, text)));
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
            to_value(detect::detect(adapter.behaviour, cli_path(adapter).as_deref()))
        }
        "adapter/detect" => match parse_params::<DetectAdapterParams>(params) {
            Ok(_) => return detect_later(adapter, id),
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
        "run/start" => match parse_params::<StartRunParams>(params) {
            Ok(params) => return start_run(adapter, id, params),
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

fn detect_later(adapter: &'static Adapter, id: String) -> Answer {
    std::thread::spawn(move || {
        let result = detect::detect(adapter.behaviour, cli_path(adapter).as_deref());
        if adapter.behaviour.has(Fault::DetectKillsRuns) {
            tree::sweep(0, |_| false);
        }
        adapter.output.reply(&id, to_value(result));
    });
    Answer::Later
}

fn models_later(adapter: &'static Adapter, id: String) -> Answer {
    std::thread::spawn(move || {
        let result = detect::models(adapter.behaviour, cli_path(adapter).as_deref());
        adapter.output.reply(&id, to_value(result));
    });
    Answer::Later
}

fn shutdown_later(adapter: &'static Adapter, id: String, params: &ShutdownParams) -> Answer {
    adapter.begin_shutdown();
    if adapter.behaviour.has(Fault::ShutdownBeforeDone) {
        return Answer::Now(to_value(ShutdownResult {}));
    }
    let grace = Duration::from_millis(params.grace_ms.unwrap_or(DEFAULT_GRACE_MS));
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

/// Parses parameters; absent ones are an empty object.
pub(super) fn parse_params<P: DeserializeOwned>(params: Option<&str>) -> Result<P, ErrorObject> {
    serde_json::from_str(params.unwrap_or("{}"))
        .map_err(|error| ErrorObject::new(ErrorKind::InvalidParams, error.to_string()))
}

/// Writes a result.
pub(super) fn to_value(result: impl Serialize) -> Result<Value, ErrorObject> {
    serde_json::to_value(result)
        .map_err(|error| ErrorObject::new(ErrorKind::Internal, error.to_string()))
}
