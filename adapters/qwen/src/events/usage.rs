//! Token usage. A `result` counts the whole session, earlier processes included (recording
//! `resume`), so it measures the run only in a session that the run created.

use od_protocol::{Context, Event, SessionMode, Usage, UsageScope};
use od_sdk::RunOutput;
use od_sdk::stream_json::TokenUsage;
use od_sdk::usage::Tokens;

use crate::native::ResultLine;

/// Tokens of the run, by turn and in total.
#[derive(Debug)]
pub(super) struct UsageTracker {
    /// The run created the session.
    is_own_session: bool,
    /// The session's model.
    pub(super) model: Option<String>,
    /// The counters of the last `result`.
    session: Tokens,
    /// Sum over the messages of this turn, without hidden requests.
    turn: Tokens,
    run: Tokens,
    context_tokens: u64,
}

impl UsageTracker {
    pub(super) fn new(mode: SessionMode) -> Self {
        Self {
            is_own_session: mode == SessionMode::New,
            model: None,
            session: Tokens::default(),
            turn: Tokens::default(),
            run: Tokens::default(),
            context_tokens: 0,
        }
    }

    /// Counts a message of the main conversation; its tokens are the current context size.
    pub(super) fn on_message(&mut self, usage: Option<&TokenUsage>) {
        let Some(tokens) = usage.map(tokens) else { return };
        self.turn = self.turn.and(tokens);
        if tokens.sum() > 0 {
            self.context_tokens = tokens.sum();
        }
    }

    pub(super) fn on_result(&mut self, result: &ResultLine, output: &mut RunOutput) {
        let session = result.usage.as_ref().map(tokens);
        let turn = match session.filter(|_| self.is_own_session) {
            Some(session) => session.since(self.session),
            None => self.turn,
        };
        self.session = session.unwrap_or(self.session);
        self.turn = Tokens::default();
        self.run = self.run.and(turn);
        if self.run.sum() == 0 {
            return;
        }
        output.event(self.usage(UsageScope::Turn, turn));
        output.event(self.usage(UsageScope::Run, self.run));
        if self.context_tokens > 0 {
            output.event(Event::Context(Context {
                used_tokens: self.context_tokens,
                max_tokens: None,
                compacted: false,
            }));
        }
    }

    fn usage(&self, scope: UsageScope, tokens: Tokens) -> Event {
        Event::Usage(Usage { model: self.model.clone(), ..tokens.usage(scope) })
    }
}

/// Qwen Code counts cached tokens as input too (recording `text`).
fn tokens(usage: &TokenUsage) -> Tokens {
    let cache_read = usage.cache_read_input_tokens;
    let cache_write = usage.cache_creation_input_tokens;
    let cached = cache_read.saturating_add(cache_write);
    Tokens {
        input: usage.input_tokens.saturating_sub(cached),
        output: usage.output_tokens,
        cache_read,
        cache_write,
        reasoning: None,
    }
}
