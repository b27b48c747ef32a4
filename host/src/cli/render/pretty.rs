//! The output format `pretty`: a live feed for people. This file has the state and the dispatch; its submodules render
//! each kind of event.

mod end;
mod messages;
mod status;
#[cfg(test)]
mod tests;
mod tools;

use std::collections::BTreeMap;

use od_protocol::{Event, RunEventParams};

use super::canvas::{Block, Canvas, Frame, Viewport};
use crate::cli::format;
use crate::cli::terminal::{BOLD, DIM, WARNING, single_line};
use messages::OpenMessage;
use tools::Call;

/// Facts about the run that are not in its events.
#[derive(Debug, Clone)]
pub(crate) struct Headline {
    /// The agent's display name.
    pub(crate) agent: String,
    /// The working folder; paths inside it are shown relative to it.
    pub(crate) cwd: String,
    /// The current time; times of today are shown without the date.
    pub(crate) now: jiff::Zoned,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Pretty {
    headline: Headline,
    canvas: Canvas,
    messages: BTreeMap<String, OpenMessage>,
    /// The message or thinking at the cursor.
    current_message: Option<String>,
    /// The message that can still be erased.
    marked: Option<String>,
    calls: BTreeMap<String, Call>,
    /// What the agent is doing, for the spinner.
    activity: String,
    /// An approval or a question waits for the user.
    is_waiting_for_user: bool,
    is_plan_shown: bool,
    unmapped: BTreeMap<String, u64>,
}

impl Pretty {
    pub(crate) fn new(viewport: Viewport, headline: Headline) -> Self {
        Self {
            headline,
            canvas: Canvas::new(viewport),
            messages: BTreeMap::new(),
            current_message: None,
            marked: None,
            calls: BTreeMap::new(),
            activity: "starting".to_owned(),
            is_waiting_for_user: false,
            is_plan_shown: false,
            unmapped: BTreeMap::new(),
        }
    }

    /// Renders an event.
    pub(crate) fn on_event(&mut self, envelope: &RunEventParams) -> Frame {
        self.dispatch(&envelope.event, envelope.ts);
        self.canvas.take_frame()
    }

    /// The text beside the spinner; `None` while a line is unfinished or the user is asked.
    pub(crate) fn activity(&self) -> Option<String> {
        if self.is_waiting_for_user || !self.canvas.at_line_start() {
            return None;
        }
        let running = self.calls.values().max_by_key(|call| call.order);
        Some(running.map_or_else(|| self.activity.clone(), Call::activity))
    }

    /// Lets something else write to the terminal. True when the caller must end an unfinished line first.
    pub(crate) fn break_line(&mut self) -> bool {
        self.marked = None;
        self.canvas.break_line()
    }

    fn dispatch(&mut self, event: &Event, ts: u64) {
        if matches!(
            event,
            Event::ToolResult(_)
                | Event::FileChange(_)
                | Event::ApprovalRequested(_)
                | Event::InputRequested(_)
                | Event::SubagentStarted(_)
        ) {
            self.show_held_text();
        }
        match event {
            Event::RunStarted(started) => self.run_started(started),
            Event::SessionStarted(started) => self.session_started(started),
            Event::Status(status) => self.status(status),
            Event::UserMessage(message) => self.user_message(message),
            Event::TextDelta(delta) => self.text_delta(delta),
            Event::MessageStopped(message) => self.message_stopped(&message.message_id),
            Event::MessageDiscarded(message) => self.message_discarded(&message.message_id),
            Event::ThinkingStarted(_) => self.activity = "thinking".to_owned(),
            Event::ThinkingDelta(delta) => self.thinking_delta(delta),
            Event::ThinkingStopped(thinking) => self.thinking_stopped(&thinking.thinking_id),
            Event::ToolCallStarted(call) => self.tool_call_started(call, ts),
            Event::ToolCallReady(call) => self.tool_call_ready(call),
            Event::ToolOutputDelta(delta) => self.tool_output_delta(delta),
            Event::ToolResult(result) => self.tool_result(result, ts),
            Event::FileChange(change) => self.file_change(change),
            Event::ApprovalRequested(approval) => self.approval_requested(approval),
            Event::ApprovalResolved(approval) => self.approval_resolved(approval),
            Event::InputRequested(question) => self.input_requested(question),
            Event::Plan(plan) => self.plan(plan),
            Event::SubagentStarted(subagent) => self.subagent_started(subagent),
            Event::SubagentStopped(subagent) => self.subagent_stopped(subagent),
            Event::Done(done) => self.done(done),
            _ => self.other_event(event),
        }
    }

    /// Starts a paragraph that is not a message.
    fn begin(&mut self, block: Block) {
        self.current_message = None;
        self.canvas.begin(block);
    }

    /// Writes one line: a sign, a text cut to the width, and a dim remark.
    fn note(&mut self, sign: Sign, text: &str, remark: &str) {
        self.begin(Block::Work);
        self.note_here(sign, text, remark);
    }

    fn note_here(&mut self, sign: Sign, text: &str, remark: &str) {
        let columns = self.canvas.viewport().columns;
        let available =
            columns.saturating_sub(format::width(sign.text) + 1 + format::width(remark));
        let text = format::fit(&single_line(text), available.max(20));
        self.canvas.write(sign.style, sign.text).write(anstyle::Style::new(), " ");
        self.canvas.write(sign.body, &text).write(DIM, remark).end_line();
    }

    /// Writes a warning in full, with its hint.
    fn warning(&mut self, text: &str, hint: Option<&str>) {
        self.begin(Block::Work);
        self.paragraph("! ", WARNING, text);
        if let Some(hint) = hint {
            self.paragraph("  hint: ", BOLD, hint);
        }
    }

    /// Writes wrapped lines; the first one starts with `lead`.
    fn paragraph(&mut self, lead: &str, style: anstyle::Style, text: &str) {
        let indent = if lead.starts_with(' ') { 4 } else { format::width(lead) };
        let available = self.canvas.viewport().columns.saturating_sub(format::width(lead)).max(20);
        for (index, line) in format::wrap(&single_line(text), available).iter().enumerate() {
            let lead = if index == 0 { lead.to_owned() } else { " ".repeat(indent) };
            self.canvas.write(style, &lead).write(anstyle::Style::new(), line).end_line();
        }
    }
}

/// The symbol at the start of a line.
#[derive(Debug, Clone, Copy)]
struct Sign {
    text: &'static str,
    style: anstyle::Style,
    /// The style of the text after it.
    body: anstyle::Style,
}
