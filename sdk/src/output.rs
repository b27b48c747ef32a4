//! What a mapper may do with a run: emit events, write to the agent CLI, say that it is over.

use std::sync::mpsc::Sender;
use std::time::Duration;

use od_protocol::{ErrorEvent, Event, Unmapped};
use serde::Serialize;

use crate::adapter::Ending;
use crate::emit::Emitter;
use crate::http;

/// Samples of unmapped native events are cut to this many characters.
const SAMPLE_CHARACTERS: usize = 240;

/// What goes to the agent CLI's stdin.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StdinCommand {
    /// These bytes.
    Write(Vec<u8>),
    /// The end.
    Close,
}

/// What a mapper may do with its run.
#[derive(Debug)]
pub struct RunOutput {
    pub(crate) emitter: Emitter,
    pub(crate) stdin: Sender<StdinCommand>,
    pub(crate) ending: Option<Ending>,
    pub(crate) cancelling: bool,
    /// How long the agent CLI may be silent now before its mapper is asked.
    pub(crate) silence_limit: Option<Duration>,
    /// Where wishes for HTTP go, in a run of an adapter that has asked for it.
    pub(crate) http: Option<Sender<http::Command>>,
}

impl RunOutput {
    pub(crate) fn new(emitter: Emitter, stdin: Sender<StdinCommand>) -> Self {
        Self { emitter, stdin, ending: None, cancelling: false, silence_limit: None, http: None }
    }

    /// Emits an event. The stream's rules are kept for you: missing starts are added, doubles and
    /// strays dropped, open things closed at the end.
    pub fn event(&mut self, event: Event) {
        self.emitter.event(event);
    }

    /// A piece of a message, without an allocation.
    pub fn text_delta(&mut self, message_id: &str, text: &str) {
        self.emitter.text_delta(message_id, text);
    }

    /// A piece of a thought, without an allocation.
    pub fn thinking_delta(&mut self, thinking_id: &str, text: &str) {
        self.emitter.thinking_delta(thinking_id, text);
    }

    /// A piece of a tool call's input, without an allocation.
    pub fn tool_input_delta(&mut self, tool_call_id: &str, text: &str) {
        self.emitter.tool_input_delta(tool_call_id, text);
    }

    /// The agent CLI said something this adapter does not know. The first of a type is emitted at
    /// once, the count of each again at the end.
    pub fn unmapped(&mut self, native_type: &str, sample: &[u8]) {
        let sample: String =
            String::from_utf8_lossy(sample).chars().take(SAMPLE_CHARACTERS).collect();
        self.emitter.unmapped(Unmapped {
            native_type: native_type.to_owned(),
            sample: crate::emit::redact(&sample),
            count: 1,
        });
    }

    /// The agent CLI's last word: the run is over. Only the first call counts; later lines are not
    /// mapped any more.
    pub fn finish(&mut self, ending: Ending) {
        self.ending.get_or_insert(ending);
    }

    /// Emits a fatal error and ends the run as failed.
    pub fn fail(&mut self, error: ErrorEvent) {
        if self.ending.is_some() {
            return;
        }
        // What the agent CLI calls an error while it obeys a cancel is no failure.
        if !self.cancelling {
            self.emitter.event(Event::Error(ErrorEvent { fatal: true, ..error }));
        }
        self.ending = Some(Ending {
            status: od_protocol::DoneStatus::Failed,
            stop_reason: od_protocol::StopReason::Error,
            evidence: od_protocol::DoneEvidence::NativeResult,
        });
    }

    /// From now on: after so much silence [`Mapper::on_silence`](crate::Mapper::on_silence) is
    /// called, for agent CLIs that hide their troubles. `None`, which it is at first, means never.
    /// Silence while an approval waits does not count.
    pub fn limit_silence(&mut self, limit: Option<Duration>) {
        self.silence_limit = limit;
    }

    /// The agent CLI has had its last word.
    pub fn is_finished(&self) -> bool {
        self.ending.is_some()
    }

    /// The run is being stopped: what the agent CLI now calls an error is its way to obey.
    pub fn is_cancelling(&self) -> bool {
        self.cancelling
    }

    /// From now on requests go to this server.
    pub fn connect(&mut self, server: http::Server) {
        self.http_command(http::Command::Connect(server));
    }

    /// Sends a request; the reply is a call of [`Mapper::on_reply`](crate::Mapper::on_reply).
    pub fn request(&mut self, request: http::Request) {
        self.http_command(http::Command::Request(request));
    }

    /// Opens a stream of server-sent events; each is a call of
    /// [`Mapper::on_stream_event`](crate::Mapper::on_stream_event).
    pub fn open_stream(&mut self, path: impl Into<String>) {
        self.http_command(http::Command::OpenStream(path.into()));
    }

    fn http_command(&mut self, command: http::Command) {
        match &self.http {
            // The receiver is gone once the run is over: nothing is owed then.
            Some(commands) => drop(commands.send(command)),
            None => tracing::error!(?command, "the adapter has not asked for HTTP"),
        }
    }

    /// Writes one line of JSON to the agent CLI's stdin.
    pub fn write_json(&mut self, message: &impl Serialize) {
        match serde_json::to_vec(message) {
            Ok(mut line) => {
                line.push(b'\n');
                self.write_stdin(line);
            }
            Err(error) => tracing::error!(%error, "a message for the agent CLI is no JSON"),
        }
    }

    /// Writes bytes to the agent CLI's stdin. A CLI that reads no more is no failure.
    pub fn write_stdin(&mut self, bytes: Vec<u8>) {
        self.stdin_command(StdinCommand::Write(bytes));
    }

    /// Closes the agent CLI's stdin.
    pub fn close_stdin(&mut self) {
        self.stdin_command(StdinCommand::Close);
    }

    fn stdin_command(&mut self, command: StdinCommand) {
        // The receiver is gone once the CLI has closed its end: nothing is owed then.
        if self.stdin.send(command).is_err() {
            tracing::debug!("the agent CLI reads no more");
        }
    }
}
