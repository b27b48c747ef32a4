//! A run over HTTP without a socket: a test plays the server, the mapper's requests are kept.

use std::sync::mpsc::{Receiver, channel};

use od_protocol::adapter::RespondRunParams;
use od_protocol::{ApprovalOutcome, Event, MAX_LINE_BYTES, RunStarted};
use serde_json::Value;

use super::{Replay, cancel, decide, decision, end};
use crate::emit::Emitter;
use crate::http::{Answer, Command, Reply, Request, Server};
use crate::output::RunOutput;
use crate::{Exit, Mapper, PoliteStop};

/// One run, played by hand.
pub struct ScriptedHttpRun<'a> {
    mapper: &'a mut dyn Mapper,
    output: RunOutput,
    commands: Receiver<Command>,
}

impl<'a> ScriptedHttpRun<'a> {
    /// The run has begun.
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

    /// A request finds no server.
    pub fn lose(&mut self, tag: &'static str, reason: &str) {
        let outcome = Err(reason.to_owned());
        self.mapper.on_reply(&Reply { tag, outcome }, &mut self.output);
    }

    /// The server sends an event; ignored after the end of the run.
    pub fn event(&mut self, event: &Value) {
        if !self.output.is_finished() {
            self.mapper.on_stream_event(event.to_string().as_bytes(), &mut self.output);
        }
    }

    /// Nothing happened for as long as the mapper allows.
    pub fn silence(&mut self) {
        self.mapper.on_silence(&mut self.output);
    }

    /// The host sends input.
    pub fn input(&mut self, text: &str) -> od_protocol::InputOutcome {
        self.mapper.on_input(text, None, &mut self.output)
    }

    /// The host decides, as the runner hands it on.
    pub fn decide(&mut self, approval_id: &str, outcome: ApprovalOutcome, message: Option<&str>) {
        let message = message.map(str::to_owned);
        let respond_run_params = RespondRunParams { message, ..decision(approval_id, outcome) };
        decide(&respond_run_params, self.mapper, &mut self.output);
    }

    /// The host wants the run stopped.
    pub fn cancel(&mut self) -> PoliteStop {
        cancel(self.mapper, &mut self.output)
    }

    /// What the mapper has asked for since it was last looked at, streams as a GET.
    pub fn requests(&mut self) -> Vec<Request> {
        let wish = |command| match command {
            Command::Request(request) => Some(request),
            Command::OpenStream(path) => Some(Request::get("stream", path)),
            Command::Connect(_) => None,
        };
        self.commands.try_iter().filter_map(wish).collect()
    }

    /// The server the mapper has connected to, when that is what it did last.
    pub fn server(&mut self) -> Option<Server> {
        self.commands.try_iter().find_map(|command| match command {
            Command::Connect(server) => Some(server),
            _ => None,
        })
    }

    /// The server has ended: the events.
    pub fn finish(mut self, exit: &Exit) -> Replay {
        Replay { events: end(self.mapper, &mut self.output, exit), stdin: Vec::new() }
    }
}
