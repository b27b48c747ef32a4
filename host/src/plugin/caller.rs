//! Typed calls to an adapter, each with a time limit, and the error of a call without an answer.

use std::sync::Arc;
use std::time::Duration;

use od_protocol::api::PLUGIN_PROTOCOL;
use od_protocol::{Call, ErrorKind, ErrorObject, JsonObject};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::sync::mpsc::{Receiver, Sender};

use super::observations::Observations;
use super::pending_calls::PendingCalls;
use super::process::Process;
use super::stderr_tail::StderrTail;
use super::{FINAL_OUTPUT_GRACE, os};

const MAX_STDERR_BYTES: usize = 8 * 1024;

/// Calls an adapter; clones share the pipe. Stdin closes with the last clone.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(super) agent: String,
    /// Request lines for [`write_stdin`].
    pub(super) requests: Sender<Vec<u8>>,
    pub(super) calls: PendingCalls,
    pub(super) stderr: StderrTail,
    pub(super) observations: Arc<Observations>,
}

/// Writes lines to stdin until the channel closes, the adapter is gone, or the task is aborted.
pub(super) async fn write_stdin(mut stdin: ChildStdin, mut lines: Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if let Err(error) = stdin.write_all(&line).await {
            tracing::debug!(%error, "the adapter no longer reads its input");
            return;
        }
    }
}

impl Caller {
    /// Calls a method with the method's own time limit.
    pub(crate) async fn call<P: Call>(&self, params: P) -> Result<P::Result, ErrorObject> {
        self.call_within(params, P::METHOD.limit()).await
    }

    /// Calls a method with another time limit.
    pub(crate) async fn call_within<P: Call>(
        &self,
        params: P,
        limit: Duration,
    ) -> Result<P::Result, ErrorObject> {
        let method = P::METHOD.name;
        let params = serde_json::value::to_raw_value(&params)
            .map_err(|error| not_serialised(method, &error))?;
        match tokio::time::timeout(limit, self.request(method, &params)).await {
            Ok(result) => result,
            Err(_) => Err(self.hung(&format!(
                "the adapter of {} did not answer {method} within {} ms",
                self.agent,
                limit.as_millis()
            ))),
        }
    }

    async fn request<R: DeserializeOwned>(
        &self,
        method: &str,
        params: &RawValue,
    ) -> Result<R, ErrorObject> {
        let (line, answer) =
            self.calls.register(method, params).map_err(|error| not_serialised(method, &error))?;
        let ended = || self.crashed("the adapter exited unexpectedly");
        self.requests.send(line).await.map_err(|_| ended())?;
        let result = answer.await.map_err(|_| ended())??;
        serde_json::from_str(result.get()).map_err(|error| {
            ErrorObject::new(
                ErrorKind::Internal,
                format!("cannot parse the adapter's answer to {method}: {error}"),
            )
            .with_hint("upgrade the adapter or od-host, whichever is older")
        })
    }

    pub(crate) fn observations(&self) -> &Observations {
        &self.observations
    }

    pub(crate) fn stderr(&self) -> &StderrTail {
        &self.stderr
    }

    /// Adds the exit status to a `plugin_crashed` error.
    pub(crate) async fn explain(&self, error: ErrorObject, process: &mut Process) -> ErrorObject {
        if error.kind() != ErrorKind::PluginCrashed {
            return error;
        }
        let exit = tokio::time::timeout(FINAL_OUTPUT_GRACE, process.exited()).await.ok().flatten();
        self.stderr.wait_for_end(FINAL_OUTPUT_GRACE).await;
        let exit = exit.map_or("its output was closed".to_owned(), os::describe_exit);
        self.crashed(&format!("the adapter exited unexpectedly ({exit})"))
    }

    /// The error of an adapter that exited unexpectedly.
    pub(crate) fn crashed(&self, what: &str) -> ErrorObject {
        self.with_violations(ErrorKind::PluginCrashed, what)
            .with_hint("run `od-host doctor`; if it happens again, reinstall or report the adapter")
    }

    /// The error of an adapter that does not answer.
    pub(crate) fn hung(&self, what: &str) -> ErrorObject {
        self.with_violations(ErrorKind::PluginHung, what)
            .with_hint("try again; if it happens again, reinstall or report the adapter")
    }

    /// The error of a fatal protocol violation, if there was one.
    pub(crate) fn fatal_violation(&self) -> Option<ErrorObject> {
        let violation = self.observations.fatal_violation()?;
        let agent = self.observations.counters().agent();
        let what = format!("the adapter {agent} violated the protocol: {}", violation.what);
        let kind = ErrorKind::from_wire(PLUGIN_PROTOCOL);
        Some(self.with_stderr(kind, what).with_hint(violation.hint))
    }

    fn with_violations(&self, kind: ErrorKind, what: &str) -> ErrorObject {
        let mut message = what.to_owned();
        if let Some((count, first)) = self.observations.violations() {
            message
                .push_str(&format!("; it violated the protocol {count} times, first with {first}"));
        }
        self.with_stderr(kind, message)
    }

    fn with_stderr(&self, kind: ErrorKind, mut message: String) -> ErrorObject {
        if let Some(lines) = self.stderr.last_lines() {
            message.push_str(&format!("; last stderr lines: {lines}"));
        }
        let mut error = ErrorObject::new(kind, message);
        let stderr = self.stderr.text(MAX_STDERR_BYTES);
        if let Some(data) = error.data.as_mut().filter(|_| !stderr.is_empty()) {
            data.details = Some(JsonObject::from_iter([("stderr".to_owned(), stderr.into())]));
        }
        error
    }
}

fn not_serialised(method: &str, error: &serde_json::Error) -> ErrorObject {
    ErrorObject::new(ErrorKind::Internal, format!("cannot serialise {method}: {error}"))
}
