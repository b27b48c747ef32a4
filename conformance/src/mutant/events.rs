//! Messages of `parrot` to protocol events. A pure state machine: no clock, no process.

use std::collections::BTreeMap;
use std::path::PathBuf;

use od_protocol::{
    ErrorEvent, Event, FileChange, FileChangeSource, FileOp, MessageDiscarded, MessageStarted,
    MessageStopped, SessionChoice, SessionMode, SessionStarted, StopReason, TextDelta,
    ThinkingDelta, ThinkingStarted, ThinkingStopped, ToolCallReady, ToolCallStarted, ToolKind,
    ToolStatus, Unmapped, Usage, UsageScope, UsageSource,
};

use super::fault::{Behaviour, Fault};
use super::leaks;
use super::native::{Ask, File, Native, TokenCounts, Tool, ToolOut};
use super::redact::strip_ansi;
use super::stateless_events::{
    approval_request, failure, retry, slow_down, stop_reason, tool_result,
};

/// Longer texts become several deltas, so that no line exceeds the limit.
const MAX_DELTA_BYTES: usize = 1 << 20;

/// The final message of the agent CLI.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FinalMessage {
    /// Success.
    Completed(StopReason),
    /// Failure, with the reason.
    Failed(ErrorEvent),
}

/// The mapper of one run.
pub(super) struct Events {
    pub(super) behaviour: Behaviour,
    cwd: PathBuf,
    session: SessionChoice,
    /// The number of reported files.
    files: usize,
    /// Values that no event may contain.
    pub(super) secrets: Vec<String>,
    next_id: u64,
    thinking: Option<String>,
    message: Option<String>,
    /// Every call; `true` while it is open.
    tools: BTreeMap<String, bool>,
    pub(super) unmapped: BTreeMap<String, Unmapped>,
    pub(super) session_id: Option<String>,
    pub(super) figures: Option<TokenCounts>,
    pub(super) final_message: Option<FinalMessage>,
}

impl Events {
    pub(super) fn new(
        behaviour: Behaviour,
        cwd: PathBuf,
        session: SessionChoice,
        secrets: Vec<String>,
    ) -> Self {
        Self {
            behaviour,
            cwd,
            session,
            files: 0,
            secrets,
            next_id: 0,
            thinking: None,
            message: None,
            tools: BTreeMap::new(),
            unmapped: BTreeMap::new(),
            session_id: None,
            figures: None,
            final_message: None,
        }
    }

    /// One line in, events out. Lines after the final message are ignored.
    pub(super) fn on_line(&mut self, line: &str) -> Vec<Event> {
        let mut out = Vec::new();
        if self.final_message.is_some() || line.trim().is_empty() {
            return out;
        }
        match Native::read(line) {
            Native::Hello { session, model } => self.on_hello(session, model, &mut out),
            Native::Think(text) => self.on_think(&text, &mut out),
            Native::ThinkEnd => self.close_thinking(&mut out),
            Native::Say(text) => self.on_say(&text, &mut out),
            Native::SayEnd => self.close_message(&mut out),
            Native::Tool(tool) => self.on_tool(tool, &mut out),
            Native::ToolOut(result) => self.on_tool_out(result, &mut out),
            Native::File(file) => self.on_file(file, &mut out),
            Native::Ask(run_probe) => self.on_ask(run_probe, &mut out),
            Native::Usage(figures) => self.figures = Some(figures),
            Native::SlowDown(limit) => out.push(slow_down(self.behaviour, limit)),
            Native::Again { attempt, why } => self.on_again(attempt, why, &mut out),
            Native::Fail { code, text } => {
                let is_hidden = self.next_id > 0 && self.behaviour.has(Fault::FailureAfterTextIsOk);
                self.final_message = Some(match is_hidden {
                    true => FinalMessage::Completed(StopReason::EndTurn),
                    false => FinalMessage::Failed(failure(&code, text)),
                });
            }
            Native::End { stop } => {
                self.final_message = Some(FinalMessage::Completed(stop_reason(stop)))
            }
            Native::Unmapped { native_type } => self.on_unmapped(native_type, line, &mut out),
            Native::Noise => self.on_noise(line),
        }
        out
    }

    /// Closes what is open: thought, message, calls.
    pub(super) fn close(&mut self, status: ToolStatus) -> Vec<Event> {
        let mut out = Vec::new();
        if !self.behaviour.has(Fault::ThinkingLeftOpen) {
            self.close_thinking(&mut out);
        }
        let has_crashed = status == ToolStatus::Unknown && self.final_message.is_none();
        if has_crashed && self.behaviour.has(Fault::DiscardsTextOnCrash) {
            let discarded = self.message.take().map(|message_id| MessageDiscarded { message_id });
            out.extend(discarded.map(Event::MessageDiscarded));
        }
        self.close_message(&mut out);
        if !self.behaviour.has(Fault::OpenToolLeft) {
            for (id, open) in &mut self.tools {
                if std::mem::take(open) {
                    out.push(tool_result(id.clone(), status, serde_json::Value::Null, None));
                }
            }
        }
        out.extend(
            self.unmapped
                .values()
                .filter(|unmapped| unmapped.count > 1)
                .cloned()
                .map(Event::Unmapped),
        );
        out
    }

    /// The usage of the run, if the CLI reported it.
    pub(super) fn usage(&self) -> Option<Usage> {
        let figures = self.figures.as_ref()?;
        let cost_usd = match figures.usd {
            None if self.behaviour.has(Fault::NullCostZero) => Some(0.0),
            stated => stated,
        };
        Some(Usage {
            scope: UsageScope::Run,
            cumulative: true,
            input_tokens: figures.input,
            output_tokens: figures.output,
            cache_read_tokens: figures.cached,
            cache_write_tokens: figures.cached_new,
            reasoning_tokens: None,
            total_tokens: [figures.input, figures.output, figures.cached, figures.cached_new]
                .into_iter()
                .fold(0, u64::saturating_add),
            cost_usd,
            model: None,
            provider: None,
            service_tier: None,
            source: UsageSource::Cli,
        })
    }

    /// `parrot` would retry a rate limit without end, so the run fails: waiting is up to the host.
    fn on_again(&mut self, attempt: u32, why: String, out: &mut Vec<Event>) {
        let is_limit = why == "slow_down" && !self.behaviour.has(Fault::NoRlKill);
        let first = u32::from(self.behaviour.has(Fault::RetriesFromZero));
        out.push(retry(attempt.saturating_sub(first), why));
        if is_limit {
            let text = "the provider asks to slow down and the agent CLI retries".to_owned();
            self.final_message = Some(FinalMessage::Failed(failure("slow_down", text)));
        }
    }

    fn on_hello(&mut self, session: String, model: Option<String>, out: &mut Vec<Event>) {
        let parent_session_id =
            self.session.id.clone().filter(|_| self.session.mode == SessionMode::Fork);
        let session = match &parent_session_id {
            _ if self.behaviour.has(Fault::OwnSessionId) => "parrot-session-1".to_owned(),
            Some(parent) if self.behaviour.has(Fault::ForkKeepsId) => parent.clone(),
            _ => session,
        };
        self.session_id = Some(session.clone());
        leaks::note_session(&session);
        out.push(Event::SessionStarted(SessionStarted {
            session_id: session,
            mode: match self.behaviour.has(Fault::EverySessionIsNew) {
                true => SessionMode::New,
                false => self.session.mode,
            },
            parent_session_id,
            model,
            cwd: None,
            tools: None,
            mcp_servers: None,
        }));
    }

    fn on_think(&mut self, text: &str, out: &mut Vec<Event>) {
        if self.behaviour.has(Fault::SilentThinking) {
            return;
        }
        self.close_message(out);
        let thinking_id = self.thinking.clone().unwrap_or_else(|| {
            let thinking_id = self.new_id("thought");
            out.push(Event::ThinkingStarted(ThinkingStarted { thinking_id: thinking_id.clone() }));
            self.thinking = Some(thinking_id.clone());
            thinking_id
        });
        for text in self.fragments(text) {
            let thinking_id = thinking_id.clone();
            out.push(Event::ThinkingDelta(ThinkingDelta { thinking_id, text, truncated: None }));
        }
    }

    fn on_say(&mut self, text: &str, out: &mut Vec<Event>) {
        if self.behaviour.has(Fault::RlByWord) && text.contains("rate limit") {
            self.final_message = Some(FinalMessage::Failed(failure("slow_down", text.to_owned())));
            return;
        }
        if !self.behaviour.has(Fault::ThinkingLeftOpen) {
            self.close_thinking(out);
        }
        let message_id = self.message.clone().unwrap_or_else(|| {
            let message_id = self.new_id("message");
            out.push(Event::MessageStarted(MessageStarted { message_id: message_id.clone() }));
            self.message = Some(message_id.clone());
            message_id
        });
        let copies = if self.behaviour.has(Fault::DupText) { 2 } else { 1 };
        for text in self.fragments(text) {
            for _ in 0..copies {
                let (message_id, text) = (message_id.clone(), text.clone());
                out.push(Event::TextDelta(TextDelta { message_id, text, truncated: None }));
            }
        }
    }

    fn close_thinking(&mut self, out: &mut Vec<Event>) {
        if self.behaviour.has(Fault::ThinkingLeftOpen) {
            return;
        }
        if let Some(thinking_id) = self.thinking.take() {
            out.push(Event::ThinkingStopped(ThinkingStopped { thinking_id }));
        }
    }

    fn close_message(&mut self, out: &mut Vec<Event>) {
        if let Some(message_id) = self.message.take() {
            out.push(Event::MessageStopped(MessageStopped { message_id }));
        }
    }

    fn on_tool(&mut self, tool: Tool, out: &mut Vec<Event>) {
        self.close_thinking(out);
        self.close_message(out);
        if self.tools.contains_key(&tool.id) {
            return;
        }
        self.tools.insert(tool.id.clone(), true);
        if self.behaviour.has(Fault::ResultBeforeCall) {
            out.push(tool_result(tool.id.clone(), ToolStatus::Ok, serde_json::Value::Null, None));
            self.tools.insert(tool.id.clone(), false);
        }
        out.push(Event::ToolCallStarted(ToolCallStarted {
            tool_call_id: tool.id.clone(),
            name: tool.name,
            kind: ToolKind::from_wire(tool.kind.as_deref().unwrap_or_default()),
            title: None,
            mcp_server: None,
            parent_tool_call_id: None,
        }));
        out.push(Event::ToolCallReady(ToolCallReady {
            tool_call_id: tool.id,
            input: tool.input,
            title: None,
            truncated: None,
        }));
    }

    fn on_tool_out(&mut self, result: ToolOut, out: &mut Vec<Event>) {
        let Some(open) = self.tools.get_mut(&result.id).filter(|open| **open) else {
            return;
        };
        *open = false;
        let status = match result.ok {
            Some(false) if !self.behaviour.has(Fault::ToolErrorIsOk) => ToolStatus::Error,
            Some(_) => ToolStatus::Ok,
            None => ToolStatus::Unknown,
        };
        let id = match self.behaviour.has(Fault::RenamesToolCalls) {
            true => format!("{}-result", result.id),
            false => result.id,
        };
        out.push(tool_result(id, status, result.output, result.code));
    }

    fn on_file(&mut self, file: File, out: &mut Vec<Event>) {
        let mut path = self.cwd.join(file.path);
        self.files += 1;
        let is_outside = !path.starts_with(&self.cwd);
        if is_outside && self.behaviour.has(Fault::ForgetsOutside)
            || self.files > 3 && self.behaviour.has(Fault::FewFiles)
        {
            return;
        }
        if self.behaviour.has(Fault::WrongFilePath) {
            path.set_extension("tmp");
        }
        let op = match FileOp::from_wire(file.op.as_deref().unwrap_or_default()) {
            FileOp::Delete if self.behaviour.has(Fault::DeleteIsEdit) => FileOp::Edit,
            op => op,
        };
        let from = file.from.filter(|_| !self.behaviour.has(Fault::ForgetsOldPath));
        out.push(Event::FileChange(FileChange {
            path: path.to_string_lossy().into_owned(),
            op,
            from: from.map(|from| self.cwd.join(from).to_string_lossy().into_owned()),
            source: FileChangeSource::Native,
            diff: None,
            tool_call_id: file.tool,
            truncated: None,
        }));
    }

    fn on_ask(&mut self, run_probe: Ask, out: &mut Vec<Event>) {
        self.close_thinking(out);
        self.close_message(out);
        out.push(Event::ApprovalRequested(approval_request(self.behaviour, run_probe)));
    }

    fn new_id(&mut self, noun: &str) -> String {
        self.next_id += 1;
        format!("{noun}-{}", self.next_id)
    }

    /// A text without colours, split between characters into fragments that fit a line.
    fn fragments(&self, text: &str) -> Vec<String> {
        if self.behaviour.has(Fault::HardcodedReply) {
            return vec!["Hello! How can I help you today?".to_owned()];
        }
        let clean = match self.behaviour.has(Fault::AnsiInText) {
            true => text.to_owned(),
            false => strip_ansi(text),
        };
        let (mut fragments, mut rest) = (Vec::new(), clean.as_str());
        while rest.len() > MAX_DELTA_BYTES {
            let cut = (0..=MAX_DELTA_BYTES).rev().find(|cut| rest.is_char_boundary(*cut));
            let (piece, tail) = rest.split_at(cut.unwrap_or(rest.len()));
            fragments.push(piece.to_owned());
            rest = tail;
        }
        fragments.push(rest.to_owned());
        fragments
    }
}
