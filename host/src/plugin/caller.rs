//! Typed calls to an adapter, each with its limit of time, and what to say when no answer comes.

use std::sync::Arc;
use std::time::Duration;

use jsonrpsee::core::ClientError;
use jsonrpsee::core::client::{Client, ClientBuilder, ClientT};
use jsonrpsee::core::traits::ToRpcParams;
use od_protocol::api::PLUGIN_PROTOCOL;
use od_protocol::{Call, ErrorKind, ErrorObject, JsonObject};
use serde_json::value::RawValue;

use super::observations::Observations;
use super::process::Process;
use super::stderr_tail::StderrTail;
use super::transport::{Down, Up};
use super::{LAST_WORDS, os};

/// jsonrpsee has a limit of its own; ours are shorter.
const NEVER: Duration = Duration::from_secs(24 * 60 * 60);
const STDERR_IN_ERROR: usize = 8 * 1024;

/// Calls an adapter; clones share the line.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// Whose adapter it is.
    agent: String,
    client: Arc<Client>,
    stderr: StderrTail,
    observations: Arc<Observations>,
}

struct Params(Box<RawValue>);

impl ToRpcParams for Params {
    fn to_rpc_params(self) -> Result<Option<Box<RawValue>>, serde_json::Error> {
        Ok(Some(self.0))
    }
}

impl Caller {
    pub(super) fn new(
        agent: String,
        down: Down,
        up: Up,
        stderr: StderrTail,
        observations: Arc<Observations>,
    ) -> Self {
        let client = ClientBuilder::default().request_timeout(NEVER).build_with_tokio(down, up);
        Self { agent, client: Arc::new(client), stderr, observations }
    }

    /// Calls a method with the method's own limit.
    pub(crate) async fn call<P: Call>(&self, params: P) -> Result<P::Result, ErrorObject> {
        self.call_within(params, P::METHOD.limit()).await
    }

    /// Calls a method with another limit.
    pub(crate) async fn call_within<P: Call>(
        &self,
        params: P,
        limit: Duration,
    ) -> Result<P::Result, ErrorObject> {
        let method = P::METHOD.name;
        let params = serde_json::value::to_raw_value(&params).map_err(|error| {
            ErrorObject::new(ErrorKind::Internal, format!("cannot write {method}: {error}"))
        })?;
        let call = self.client.request::<P::Result, _>(method, Params(params));
        match tokio::time::timeout(limit, call).await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(self.translate(method, error)),
            Err(_) => Err(self.hung(&format!(
                "the adapter of {} did not answer {method} within {} ms",
                self.agent,
                limit.as_millis()
            ))),
        }
    }

    /// What the reading thread has seen.
    pub(crate) fn observations(&self) -> &Observations {
        &self.observations
    }

    /// The adapter's last words.
    pub(crate) fn stderr(&self) -> &StderrTail {
        &self.stderr
    }

    /// Adds to an error how the process ended, when it has.
    pub(crate) async fn explain(&self, error: ErrorObject, process: &mut Process) -> ErrorObject {
        if error.kind() != ErrorKind::PluginCrashed {
            return error;
        }
        let exit = tokio::time::timeout(LAST_WORDS, process.exited()).await.ok().flatten();
        self.stderr.settled(LAST_WORDS).await;
        let exit = exit.map_or("its output was closed".to_owned(), os::describe_exit);
        self.crashed(&format!("the adapter ended unexpectedly ({exit})"))
    }

    /// The adapter has ended though it should not have.
    pub(crate) fn crashed(&self, what: &str) -> ErrorObject {
        self.with_circumstances(ErrorKind::PluginCrashed, what)
            .with_hint("run `od-host doctor`; if it happens again, reinstall or report the adapter")
    }

    /// The adapter no longer answers.
    pub(crate) fn hung(&self, what: &str) -> ErrorObject {
        self.with_circumstances(ErrorKind::PluginHung, what)
            .with_hint("try again; if it happens again, reinstall or report the adapter")
    }

    /// The adapter has broken the protocol so that its run cannot go on.
    pub(crate) fn breach(&self) -> Option<ErrorObject> {
        let breach = self.observations.breach()?;
        let agent = self.observations.meter().agent();
        let what = format!("the adapter {agent} broke the protocol: {}", breach.what);
        let kind = ErrorKind::from_wire(PLUGIN_PROTOCOL);
        Some(self.with_last_words(kind, what).with_hint(breach.hint))
    }

    fn with_circumstances(&self, kind: ErrorKind, what: &str) -> ErrorObject {
        let mut message = what.to_owned();
        if let Some((count, first)) = self.observations.violations() {
            message.push_str(&format!("; it broke the protocol {count} times, first with {first}"));
        }
        self.with_last_words(kind, message)
    }

    fn with_last_words(&self, kind: ErrorKind, mut message: String) -> ErrorObject {
        if let Some(lines) = self.stderr.last_lines() {
            message.push_str(&format!("; its last words: {lines}"));
        }
        let mut error = ErrorObject::new(kind, message);
        let stderr = self.stderr.text(STDERR_IN_ERROR);
        if let Some(data) = error.data.as_mut().filter(|_| !stderr.is_empty()) {
            data.details = Some(JsonObject::from_iter([("stderr".to_owned(), stderr.into())]));
        }
        error
    }

    fn translate(&self, method: &str, error: ClientError) -> ErrorObject {
        match error {
            ClientError::Call(error) => ErrorObject {
                code: error.code(),
                message: error.message().to_owned(),
                data: error.data().and_then(|data| serde_json::from_str(data.get()).ok()),
            },
            ClientError::ParseError(error) => ErrorObject::new(
                ErrorKind::Internal,
                format!("the adapter's answer to {method} has another shape: {error}"),
            )
            .with_hint("upgrade the adapter or od-host, whichever is older"),
            _ => self.crashed("the adapter ended unexpectedly"),
        }
    }
}
