//! The loop that reads the host's requests and dispatches them, with the state of the handshake.
//!
//! The reading thread never blocks: it answers quick calls itself and starts a thread for slow ones
//! (they may read files or start the agent CLI), so `ping` is answered at any time.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use od_os::lines::LineReader;
use od_os::process;
use od_protocol::adapter::{
    AdapterInfo, CANCEL_REQUEST, CancelRequestParams, CancelRunParams, DetectAdapterParams,
    GetQuotaParams, HealthAdapterParams, HealthAdapterResult, InitializeParams, InitializeResult,
    InputRunParams, ListModelsParams, ListSessionsParams, METHODS, PingParams, PingResult,
    ReadSessionParams, RespondRunParams, RespondRunResult, ShutdownParams, ShutdownResult,
    StartRunParams,
};
use od_protocol::{
    Call, ErrorKind, ErrorObject, HealthStatus, JsonObject, MAX_LINE_BYTES, Message,
    PROTOCOL_MAJOR, PROTOCOL_REVISION, ProtocolRange,
};
use serde_json::value::{RawValue, to_raw_value};

use super::stdio;
use crate::outbox::Outbox;
use crate::run::{RunSetup, Runs};
use crate::{Adapter, Machine, detect};

/// A larger result is refused: the envelope and the id need the rest of the line.
const MAX_RESULT_BYTES: u64 = MAX_LINE_BYTES - 4096;

/// How long runs may take to stop when `shutdown` sets no time.
const DEFAULT_SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// Serves until the host closes stdin, exits, or closes our stdout.
pub(super) fn serve_stdio(adapter: Arc<dyn Adapter>) -> ExitCode {
    let protocol_output = match stdio::protect_stdout() {
        Ok(file) => file,
        Err(error) => {
            eprintln!("error: cannot use standard output: {error}");
            return ExitCode::FAILURE;
        }
    };
    if let Err(error) = process::adopt_orphans() {
        tracing::warn!(%error, "cannot adopt orphans; a detached tool may survive its run");
    }
    let outbox = Outbox::new(Box::new(protocol_output));
    let dispatcher = Dispatcher::new(adapter, outbox.clone());
    let runs = dispatcher.runs.clone();
    thread::spawn(move || {
        outbox.run_writer();
        exit(&runs);
    });
    dispatcher.read_host();
    exit(&dispatcher.runs);
    ExitCode::SUCCESS
}

/// Kills all runs and exits. Called by the first thread that notices the end of the host.
fn exit(runs: &Runs) {
    runs.kill_all();
    std::process::exit(0);
}

/// Dispatches the calls of the host.
#[derive(Clone)]
struct Dispatcher {
    adapter: Arc<dyn Adapter>,
    outbox: Outbox,
    runs: Runs,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// Set by `initialize`.
    setup: Option<RunSetup>,
    is_shutting_down: bool,
    /// Slow calls without an answer yet, by their id as text.
    open_calls: HashSet<String>,
}

/// The answer to a call.
type Answer = Result<Box<RawValue>, ErrorObject>;

impl Dispatcher {
    fn new(adapter: Arc<dyn Adapter>, outbox: Outbox) -> Self {
        let runs = Runs::new(outbox.clone());
        Self { adapter, outbox, runs, state: Arc::default() }
    }

    fn read_host(&self) {
        let cap = usize::try_from(MAX_LINE_BYTES).unwrap_or(usize::MAX);
        let mut reader = LineReader::new(std::io::stdin().lock(), cap);
        let mut oversized = 0;
        while reader.fill() {
            reader.each_line(|line| self.on_line(line));
            while oversized < reader.oversized() {
                oversized += 1;
                let text = format!("the line exceeds {MAX_LINE_BYTES} bytes");
                self.answer_unknown(&ErrorObject::new(ErrorKind::ParseError, text));
            }
        }
    }

    fn on_line(&self, line: &[u8]) {
        match Message::read(line) {
            Ok(Message::Request { id, method, params }) => self.on_request(id, &method, params),
            Ok(Message::Notification { method, params }) => self.on_notification(&method, params),
            // The adapter sends no requests.
            Ok(Message::Response { .. }) => tracing::debug!("unexpected response dropped"),
            Err(error) => self.answer_unknown(&error),
        }
    }

    fn on_notification(&self, method: &str, params: Option<&RawValue>) {
        if method != CANCEL_REQUEST {
            tracing::debug!(method, "unknown notification dropped");
            return;
        }
        let Ok(params) = parse::<CancelRequestParams>(params) else { return };
        let id = params.id.to_string();
        let was_open = self.lock().open_calls.remove(&id);
        if let (true, Ok(id)) = (was_open, RawValue::from_string(id)) {
            let error =
                ErrorObject::new(ErrorKind::RequestCancelled, "the host cancelled the request");
            self.send_error(&id, &error);
        }
    }

    fn on_request(&self, id: &RawValue, method: &str, params: Option<&RawValue>) {
        if let Err(error) = self.check_state(method) {
            self.send_error(id, &error);
            return;
        }
        match method {
            "ping" => self.now(id, params, |_: PingParams| Ok(PingResult {})),
            "initialize" => self.now(id, params, |params| self.initialize(&params)),
            "run/start" => {
                self.now(id, params, |params: StartRunParams| {
                    self.runs.start(&self.setup()?, params)
                });
                self.runs.begin_accepted();
            }
            "run/input" => self.now(id, params, |params: InputRunParams| {
                self.gated("input", |capabilities| capabilities.input.is_some())?;
                self.runs.input(&params)
            }),
            "run/respond" => self.now(id, params, |params| self.respond(&params)),
            "run/cancel" => {
                self.now(id, params, |params: CancelRunParams| Ok(self.runs.cancel(&params)));
            }
            "adapter/health" => self.slow(id, params, |this, _: HealthAdapterParams| this.health()),
            "adapter/detect" => self.slow(id, params, |this, params: DetectAdapterParams| {
                Ok(detect::detect(this.adapter.as_ref(), &this.setup()?.machine, params.refresh))
            }),
            "models/list" => self.slow(id, params, |this, _: ListModelsParams| {
                this.gated("models", |capabilities| capabilities.models.is_some())?;
                this.adapter.models(&this.setup()?.machine)
            }),
            "quota/get" => self.slow(id, params, |this, _: GetQuotaParams| {
                this.gated("quota", |capabilities| capabilities.quota.is_some())?;
                this.adapter.quota(&this.setup()?.machine)
            }),
            "sessions/list" => self.slow(id, params, |this, params: ListSessionsParams| {
                this.gated("sessions", |capabilities| capabilities.sessions.is_some())?;
                this.adapter.list_sessions(&this.setup()?.machine, &params)
            }),
            "sessions/read" => self.slow(id, params, |this, params: ReadSessionParams| {
                this.gated("sessions", |capabilities| capabilities.sessions.is_some())?;
                this.adapter.read_session(&this.setup()?.machine, &params)
            }),
            "shutdown" => {
                self.lock().is_shutting_down = parse::<ShutdownParams>(params).is_ok();
                self.slow(id, params, |this, params: ShutdownParams| {
                    let grace = params.grace_ms.map(Duration::from_millis);
                    this.runs.cancel_all(grace.unwrap_or(DEFAULT_SHUTDOWN_GRACE));
                    Ok(ShutdownResult {})
                });
            }
            unknown => {
                let text = format!("unknown method {unknown:?}");
                self.send_error(id, &ErrorObject::new(ErrorKind::MethodNotFound, text));
            }
        }
    }

    /// Refuses everything but `ping` before `initialize` and after `shutdown`.
    fn check_state(&self, method: &str) -> Result<(), ErrorObject> {
        let state = self.lock();
        let refuse = |kind, text: &str| Err(ErrorObject::new(kind, text));
        match (method, &state.setup) {
            ("ping", _) => Ok(()),
            ("initialize", Some(_)) => {
                refuse(ErrorKind::AlreadyInitialized, "initialize was already called")
            }
            ("initialize", None) => Ok(()),
            (_, None) => refuse(ErrorKind::NotInitialized, "initialize has not been called"),
            _ if state.is_shutting_down && METHODS.iter().any(|known| known.name == method) => {
                refuse(ErrorKind::ShuttingDown, "the adapter is shutting down")
            }
            _ => Ok(()),
        }
    }

    fn initialize(&self, params: &InitializeParams) -> Result<InitializeResult, ErrorObject> {
        let manifest = self.adapter.manifest();
        if manifest.protocol.highest_common(&params.protocol).is_none() {
            return Err(unsupported_protocol(&manifest.protocol, &params.protocol));
        }
        let setup = RunSetup {
            adapter: self.adapter.clone(),
            machine: Machine::current().configured(params),
            max_line_bytes: params.limits.max_line_bytes.min(MAX_LINE_BYTES),
        };
        self.lock().setup = Some(setup);
        if let Some(host_pid) = params.host_pid {
            self.watch_host(host_pid);
        }
        Ok(InitializeResult {
            protocol: PROTOCOL_MAJOR,
            revision: Some(PROTOCOL_REVISION.to_owned()),
            adapter: AdapterInfo {
                id: manifest.adapter_id,
                version: manifest.version,
                vendor: manifest.vendor,
            },
            capabilities: manifest.capabilities,
        })
    }

    /// Edited input needs its capability: without it the tool would silently run with the original.
    fn respond(&self, params: &RespondRunParams) -> Result<RespondRunResult, ErrorObject> {
        self.gated("approvals", |capabilities| capabilities.approvals.is_some())?;
        if params.updated_input.is_some() {
            self.gated("approvals.editInput", |capabilities| {
                capabilities.approvals.as_ref().is_some_and(|approvals| approvals.edit_input)
            })?;
        }
        self.runs.respond(params)
    }

    /// Exits with the host, even when another process still holds our stdin open.
    fn watch_host(&self, host_pid: u32) {
        let runs = self.runs.clone();
        thread::spawn(move || {
            if process::wait_until_exited(host_pid) {
                exit(&runs);
            }
        });
    }

    fn health(&self) -> Result<HealthAdapterResult, ErrorObject> {
        let machine = self.setup()?.machine;
        let mut details = JsonObject::new();
        details.insert("openRuns".to_owned(), self.runs.count().into());
        Ok(match self.adapter.locate(&machine) {
            Ok(install) => {
                details.insert("cliPath".to_owned(), install.path.to_string_lossy().into());
                details.insert("cliVersion".to_owned(), install.version.into());
                let message = "the agent CLI is installed".to_owned();
                HealthAdapterResult { status: HealthStatus::Ok, message, details }
            }
            Err(error) => HealthAdapterResult {
                status: HealthStatus::Unavailable,
                message: error.message,
                details,
            },
        })
    }

    fn gated(
        &self,
        which: &str,
        declared: impl FnOnce(&od_protocol::Capabilities) -> bool,
    ) -> Result<(), ErrorObject> {
        match declared(&self.adapter.manifest().capabilities) {
            true => Ok(()),
            false => Err(ErrorObject::new(
                ErrorKind::CapabilityUnsupported,
                format!("this adapter does not declare the capability {which:?}"),
            )
            .with_which(which)),
        }
    }

    /// Answers on this thread.
    fn now<P: Call>(
        &self,
        id: &RawValue,
        params: Option<&RawValue>,
        work: impl FnOnce(P) -> Result<P::Result, ErrorObject>,
    ) {
        let answer = parse::<P>(params).and_then(|params| guarded(|| work(params)));
        self.send_answer(id, answer);
    }

    /// Answers on a new thread, unless the host cancels the call first.
    fn slow<P: Call + 'static>(
        &self,
        id: &RawValue,
        params: Option<&RawValue>,
        work: impl FnOnce(&Self, P) -> Result<P::Result, ErrorObject> + Send + 'static,
    ) {
        let params = match parse::<P>(params) {
            Ok(params) => params,
            Err(error) => return self.send_error(id, &error),
        };
        let (this, id) = (self.clone(), id.to_owned());
        self.lock().open_calls.insert(id.get().to_owned());
        thread::spawn(move || {
            let answer = guarded(|| work(&this, params));
            if this.lock().open_calls.remove(id.get()) {
                this.send_answer(&id, answer);
            }
        });
    }

    fn send_answer(&self, id: &RawValue, answer: Answer) {
        match answer {
            Ok(result) if result.get().len() as u64 <= MAX_RESULT_BYTES => {
                let mut line = Vec::new();
                Message::write_result(&mut line, id, &result).expect("a result is JSON");
                self.send(line);
            }
            Ok(_) => {
                let text = "the result exceeds the line limit";
                self.send_error(id, &ErrorObject::new(ErrorKind::Internal, text));
            }
            Err(error) => self.send_error(id, &error),
        }
    }

    /// Answers a line without a readable id; JSON-RPC requires the id null.
    fn answer_unknown(&self, error: &ErrorObject) {
        self.send_error(RawValue::NULL, error);
    }

    fn send_error(&self, id: &RawValue, error: &ErrorObject) {
        let mut line = Vec::new();
        Message::write_error(&mut line, id, error).expect("an error is JSON");
        self.send(line);
    }

    fn send(&self, mut line: Vec<u8>) {
        self.outbox.push(&mut line);
        self.outbox.write_soon();
    }

    fn setup(&self) -> Result<RunSetup, ErrorObject> {
        self.lock().setup.clone().ok_or_else(|| {
            ErrorObject::new(ErrorKind::NotInitialized, "initialize has not been called")
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Absent parameters are an empty object; a list is refused, although serde would read it.
fn parse<P: serde::de::DeserializeOwned>(params: Option<&RawValue>) -> Result<P, ErrorObject> {
    let invalid = |reason: &dyn std::fmt::Display| {
        ErrorObject::new(ErrorKind::InvalidParams, format!("invalid parameters: {reason}"))
            .with_hint("schemas/v1/schema.json describes them")
    };
    let text = params.map_or("{}", RawValue::get);
    if !text.starts_with('{') {
        return Err(invalid(&"they must be an object with named members"));
    }
    serde_json::from_str(text).map_err(|error| invalid(&error))
}

/// Turns a panic into an error, so that every call is answered.
fn guarded<T: serde::Serialize>(work: impl FnOnce() -> Result<T, ErrorObject>) -> Answer {
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(ErrorObject::new(ErrorKind::Internal, "the adapter panicked on this call")
            .with_hint("its stderr has the location"))
    })?;
    to_raw_value(&result).map_err(|error| {
        ErrorObject::new(ErrorKind::Internal, format!("cannot write the result as JSON: {error}"))
    })
}

fn unsupported_protocol(ours: &ProtocolRange, theirs: &ProtocolRange) -> ErrorObject {
    let side = if theirs.min > ours.max { "adapter" } else { "host" };
    let text = format!(
        "the host supports protocol {} to {}, this adapter {} to {}: update the {side}",
        theirs.min, theirs.max, ours.min, ours.max
    );
    let mut error = ErrorObject::new(ErrorKind::UnsupportedProtocol, text);
    if let Some(data) = &mut error.data {
        data.supported = Some(ours.clone());
    }
    error
}
