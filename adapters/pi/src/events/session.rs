//! The session and its turns; compaction and notices.

use od_protocol::{
    Context, Event, NoticeLevel, SessionChoice, SessionMode, SessionStarted, Status,
};

use crate::content::model_id;
use crate::native::{CompactionLine, NoticeLine, SessionLine, State};
use od_sdk::turns::Turns;
use od_sdk::{RunOutput, event};

/// The session and its turns. A turn lasts from a prompt to the end of the agent's work on it,
/// retries and input included; what the CLI calls a turn is a single answer.
#[derive(Debug)]
pub(super) struct Session {
    mode: SessionMode,
    parent: Option<String>,
    /// The working folder; paths of tools are relative to it.
    pub(super) cwd: String,
    /// Its turns.
    pub(super) turns: Turns,
}

impl Session {
    pub(super) fn new(choice: &SessionChoice, cwd: &str) -> Self {
        let is_fork = choice.mode == SessionMode::Fork;
        Self {
            mode: choice.mode,
            parent: choice.id.clone().filter(|_| is_fork),
            cwd: cwd.to_owned(),
            turns: Turns::default(),
        }
    }

    /// The first line of `--mode json`.
    pub(super) fn on_header(&self, line: SessionLine, output: &mut RunOutput) {
        self.start(line.id, None, line.cwd, output);
    }

    /// The reply to `get_state`, our first command in `--mode rpc`.
    pub(super) fn on_state(&self, state: State, output: &mut RunOutput) {
        // Without a login the provider is `unknown`.
        let model = state.model.filter(|model| model.provider != "unknown");
        let model = model.map(|model| model_id(&model.provider, &model.id));
        self.start(state.session_id, model, Some(self.cwd.clone()), output);
    }

    fn start(
        &self,
        session_id: String,
        model: Option<String>,
        cwd: Option<String>,
        output: &mut RunOutput,
    ) {
        if session_id.is_empty() {
            return;
        }
        output.event(Event::SessionStarted(SessionStarted {
            session_id,
            mode: self.mode,
            parent_session_id: self.parent.clone(),
            model,
            cwd,
            tools: None,
            mcp_servers: None,
        }));
    }
}

/// Emits the size after a compaction, unless nothing was compacted (recording `ctx400`).
pub(super) fn on_compaction(line: &CompactionLine, output: &mut RunOutput) {
    let Some(result) = line.result.as_ref().filter(|_| !line.skipped) else { return };
    output.event(Event::Context(Context {
        used_tokens: result.estimated_tokens_after.unwrap_or_default(),
        max_tokens: None,
        compacted: true,
    }));
}

/// Emits a notice of the CLI or of an extension.
pub(super) fn on_notice(code: &str, line: NoticeLine, output: &mut RunOutput) {
    let text = line.error.unwrap_or(line.message);
    let text = match line.source {
        Some(source) => format!("{source}: {text}"),
        None => text,
    };
    let level = match line.level.as_str() {
        "info" => NoticeLevel::Info,
        _ => NoticeLevel::Warn,
    };
    output.event(notice(level, code, text));
}

pub(super) fn status(phase: &str) -> Event {
    Event::Status(Status { phase: phase.to_owned(), detail: None, ttft_ms: None })
}

pub(super) fn notice(level: NoticeLevel, code: &str, text: impl Into<String>) -> Event {
    Event::Notice(event::notice(level, code, text))
}
