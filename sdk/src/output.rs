//! What a mapper can do with its run: emit events, write to the agent CLI, end the run.

use std::sync::mpsc::Sender;
use std::time::Duration;

use od_protocol::{ErrorEvent, Event, Unmapped};
use serde::Serialize;

use crate::emit::Emitter;
use crate::{RunOutcome, http};

/// Samples of unmapped native events are cut to this many characters.
const MAX_SAMPLE_CHARS: usize = 240;

/// What goes to the agent CLI's stdin.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StdinCommand {
    /// These bytes.
    Write(Vec<u8>),
    /// The end of stdin.
    Close,
}

/// What a mapper can do with its run.
///
/// | to | call |
/// |---|---|
/// | emit text, thinking, tool input piece by piece | [`text_delta`](Self::text_delta), [`thinking_delta`](Self::thinking_delta), [`tool_input_delta`](Self::tool_input_delta) |
/// | emit any other event | [`event`](Self::event) |
/// | report a native event the adapter does not know | [`unmapped`](Self::unmapped) |
/// | end the run | [`finish`](Self::finish), [`fail`](Self::fail) |
/// | write to the agent CLI | [`write_json`](Self::write_json), [`write_stdin`](Self::write_stdin), [`close_stdin`](Self::close_stdin) |
/// | use the agent CLI's HTTP server | [`connect`](Self::connect), [`request`](Self::request), [`open_stream`](Self::open_stream) |
/// | notice a silent agent CLI | [`limit_silence`](Self::limit_silence) |
///
/// ```
/// use od_protocol::{ErrorEvent, ErrorKind};
/// use od_sdk::{RunOutcome, RunOutput};
///
/// fn on_result(is_error: bool, text: &str, output: &mut RunOutput) {
///     match is_error {
///         false => output.finish(RunOutcome::COMPLETED),
///         true => output.fail(
///             ErrorEvent::fatal(ErrorKind::AuthMissing, text).with_hint("acme login"),
///         ),
///     }
/// }
/// ```
#[derive(Debug)]
pub struct RunOutput {
    pub(crate) emitter: Emitter,
    pub(crate) stdin: Sender<StdinCommand>,
    pub(crate) outcome: Option<RunOutcome>,
    pub(crate) is_cancelling: bool,
    /// How long the agent CLI may be silent before the mapper is called.
    pub(crate) silence_limit: Option<Duration>,
    /// Receives HTTP commands; absent in a run of an adapter without [`crate::Adapter::http`].
    pub(crate) http: Option<Sender<http::Command>>,
}

impl RunOutput {
    pub(crate) fn new(emitter: Emitter, stdin: Sender<StdinCommand>) -> Self {
        Self {
            emitter,
            stdin,
            outcome: None,
            is_cancelling: false,
            silence_limit: None,
            http: None,
        }
    }

    /// Emits an event. The rules of the stream are applied: missing starts are added, duplicates
    /// and events without a start are dropped, and what is open is closed at the end.
    pub fn event(&mut self, event: Event) {
        self.emitter.event(event);
    }

    /// Emits a piece of a message, without an allocation.
    pub fn text_delta(&mut self, message_id: &str, text: &str) {
        self.emitter.text_delta(message_id, text);
    }

    /// Emits a piece of thinking, without an allocation.
    pub fn thinking_delta(&mut self, thinking_id: &str, text: &str) {
        self.emitter.thinking_delta(thinking_id, text);
    }

    /// Emits a piece of a tool call's input, without an allocation.
    pub fn tool_input_delta(&mut self, tool_call_id: &str, text: &str) {
        self.emitter.tool_input_delta(tool_call_id, text);
    }

    /// Reports a native event that this adapter does not know. The first of a type is emitted at
    /// once, the count of each type at the end.
    pub fn unmapped(&mut self, native_type: &str, sample: &[u8]) {
        let sample: String =
            String::from_utf8_lossy(sample).chars().take(MAX_SAMPLE_CHARS).collect();
        self.emitter.unmapped(Unmapped {
            native_type: native_type.to_owned(),
            sample: crate::emit::redact(&sample),
            count: 1,
        });
    }

    /// Ends the run: the agent CLI has reported its end. Only the first call counts; later lines
    /// are not mapped.
    pub fn finish(&mut self, outcome: RunOutcome) {
        self.outcome.get_or_insert(outcome);
    }

    /// Emits a fatal error and ends the run as failed.
    pub fn fail(&mut self, error: ErrorEvent) {
        if self.outcome.is_some() {
            return;
        }
        // While a run is cancelled, an error of the agent CLI is its way to stop.
        if !self.is_cancelling {
            self.emitter.event(Event::Error(ErrorEvent { fatal: true, ..error }));
        }
        self.outcome = Some(RunOutcome::FAILED);
    }

    /// Sets how long the agent CLI may be silent before
    /// [`Mapper::on_silence`](crate::Mapper::on_silence) is called, for agent CLIs that hide their
    /// errors. `None`, the default, means forever. Silence while an approval waits does not count.
    pub fn limit_silence(&mut self, limit: Option<Duration>) {
        self.silence_limit = limit;
    }

    /// Whether the run has its outcome.
    pub fn is_finished(&self) -> bool {
        self.outcome.is_some()
    }

    /// Whether the run is being cancelled: an error of the agent CLI is then its way to stop.
    pub fn is_cancelling(&self) -> bool {
        self.is_cancelling
    }

    /// Sets the server of all later requests.
    pub fn connect(&mut self, server: http::Server) {
        self.http_command(http::Command::Connect(server));
    }

    /// Sends a request; the reply arrives at [`Mapper::on_reply`](crate::Mapper::on_reply).
    pub fn request(&mut self, request: http::Request) {
        self.http_command(http::Command::Request(request));
    }

    /// Opens a stream of server-sent events; each arrives at
    /// [`Mapper::on_stream_event`](crate::Mapper::on_stream_event).
    pub fn open_stream(&mut self, path: impl Into<String>) {
        self.http_command(http::Command::OpenStream(path.into()));
    }

    fn http_command(&mut self, command: http::Command) {
        match &self.http {
            // The receiver is dropped when the run has ended; the command is not needed then.
            Some(commands) => drop(commands.send(command)),
            None => tracing::error!(?command, "Adapter::http returns no client"),
        }
    }

    /// Writes one line of JSON to the agent CLI's stdin.
    pub fn write_json(&mut self, message: &impl Serialize) {
        match serde_json::to_vec(message) {
            Ok(mut line) => {
                line.push(b'\n');
                self.write_stdin(line);
            }
            Err(error) => {
                tracing::error!(%error, "cannot write a message for the agent CLI as JSON")
            }
        }
    }

    /// Writes bytes to the agent CLI's stdin. It is not an error when the CLI has closed stdin.
    pub fn write_stdin(&mut self, bytes: Vec<u8>) {
        self.stdin_command(StdinCommand::Write(bytes));
    }

    /// Closes the agent CLI's stdin.
    pub fn close_stdin(&mut self) {
        self.stdin_command(StdinCommand::Close);
    }

    fn stdin_command(&mut self, command: StdinCommand) {
        if self.stdin.send(command).is_err() {
            tracing::debug!("the agent CLI has closed stdin");
        }
    }
}
