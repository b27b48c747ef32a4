//! A run over HTTP without a socket: a test acts as the server and reads the mapper's requests.

use std::sync::mpsc::{Receiver, channel};

use od_protocol::adapter::RespondRunParams;
use od_protocol::{ApprovalOutcome, Event, MAX_LINE_BYTES, RunStarted};
use serde_json::Value;

use super::{Replay, cancel, decide, decision, end};
use crate::emit::Emitter;
use crate::http::{Answer, Command, Reply, Request, Server};
use crate::output::RunOutput;
use crate::{Exit, Mapper, PoliteStop};

/// One run; each method is one event of the server or of the host.
pub struct ScriptedHttpRun<'a> {
    mapper: &'a mut dyn Mapper,
    output: RunOutput,
    commands: Receiver<Command>,
}

impl<'a> ScriptedHttpRun<'a> {
    /// Starts the run.
    pub fn begin(mapper: &'a mut dyn Mapper) -> Self {
        let (stdin, _) = channel();
        let (http, commands) = channel();
        let mut output = RunOutput::new(Emitter::new("run", MAX_LINE_BYTES, Vec::new()), stdin);
        output.http = Some(http);
        output.event(Event::RunStarted(RunStarted::default()));
        mapper.on_begin(&mut output);
        Self { mapper, output, commands }
    }

    /// The server prints a line.
    pub fn line(&mut self, line: &str) {
        self.mapper.on_line(line.as_bytes(), &mut self.output);
    }

    /// The server answers a request.
    pub fn reply(&mut self, tag: &'static str, status: u16, body: &str) {
        let outcome = Ok(Answer { status, body: body.as_bytes().to_vec() });
        self.mapper.on_reply(&Reply { tag, outcome }, &mut self.output);
    }

    /// A request fails because the server cannot be reached.
    pub fn fail_request(&mut self, tag: &'static str, reason: &str) {
        let outcome = Err(reason.to_owned());
        self.mapper.on_reply(&Reply { tag, outcome }, &mut self.output);
    }

    /// The server sends an event. It is ignored after the end of the run.
    pub fn event(&mut self, event: &Value) {
        if !self.output.is_finished() {
            self.mapper.on_stream_event(event.to_string().as_bytes(), &mut self.output);
        }
    }

    /// The limit on silence has passed.
    pub fn silence(&mut self) {
        self.mapper.on_silence(&mut self.output);
    }

    /// The host sends input.
    pub fn input(&mut self, text: &str) -> od_protocol::InputOutcome {
        self.mapper.on_input(text.into(), &mut self.output)
    }

    /// The host sends a decision.
    pub fn decide(&mut self, approval_id: &str, outcome: ApprovalOutcome, message: Option<&str>) {
        let message = message.map(str::to_owned);
        let respond_run_params = RespondRunParams { message, ..decision(approval_id, outcome) };
        decide(&respond_run_params, self.mapper, &mut self.output);
    }

    /// The host cancels the run.
    pub fn cancel(&mut self) -> PoliteStop {
        cancel(self.mapper, &mut self.output)
    }

    /// Returns the mapper's requests since the last call; a stream counts as a GET.
    pub fn requests(&mut self) -> Vec<Request> {
        let request = |command| match command {
            Command::Request(request) => Some(request),
            Command::OpenStream(path) => Some(Request::get("stream", path)),
            Command::Connect(_) => None,
        };
        self.commands.try_iter().filter_map(request).collect()
    }

    /// Returns the server that the mapper has connected to since the last call.
    pub fn server(&mut self) -> Option<Server> {
        self.commands.try_iter().find_map(|command| match command {
            Command::Connect(server) => Some(server),
            _ => None,
        })
    }

    /// Ends the server; returns the events.
    pub fn finish(mut self, exit: &Exit) -> Replay {
        Replay { events: end(self.mapper, &mut self.output, exit), stdin: Vec::new() }
    }
}
