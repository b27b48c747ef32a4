//! Tokens. The figures of a `result` are those of the whole session, earlier processes included
//! (recording `resume`): only in a session of our own do they tell what this run has spent.

use od_protocol::{Context, Event, SessionMode, Usage, UsageScope, UsageSource};
use od_sdk::RunOutput;
use od_sdk::stream_json::TokenUsage;

use crate::native::ResultLine;

/// Tokens by kind, as the protocol counts them.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tokens {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
}

/// What this run has spent.
#[derive(Debug)]
pub(super) struct Meter {
    /// The session began with this run.
    is_own_session: bool,
    /// The model of the session.
    pub(super) model: Option<String>,
    /// The last figures of a `result`.
    session: Tokens,
    /// The sum over the messages of this turn; hidden requests are not in it.
    turn: Tokens,
    run: Tokens,
    context_tokens: u64,
}

impl Meter {
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

    /// A message of the main conversation: what the window holds.
    pub(super) fn on_message(&mut self, usage: Option<&TokenUsage>) {
        let Some(tokens) = usage.map(Tokens::of) else { return };
        self.turn = self.turn.with(tokens, u64::saturating_add);
        if tokens.sum() > 0 {
            self.context_tokens = tokens.sum();
        }
    }

    pub(super) fn on_result(&mut self, result: &ResultLine, output: &mut RunOutput) {
        let session = result.usage.as_ref().map(Tokens::of);
        let turn = match session.filter(|_| self.is_own_session) {
            Some(session) => session.with(self.session, u64::saturating_sub),
            None => self.turn,
        };
        self.session = session.unwrap_or(self.session);
        self.turn = Tokens::default();
        self.run = self.run.with(turn, u64::saturating_add);
        if self.run.sum() == 0 {
            return;
        }
        output.event(self.usage(UsageScope::Turn, false, turn));
        output.event(self.usage(UsageScope::Run, true, self.run));
        if self.context_tokens > 0 {
            output.event(Event::Context(Context {
                used_tokens: self.context_tokens,
                max_tokens: None,
                compacted: false,
            }));
        }
    }

    fn usage(&self, scope: UsageScope, cumulative: bool, tokens: Tokens) -> Event {
        Event::Usage(Usage {
            scope,
            cumulative,
            input_tokens: tokens.input,
            output_tokens: tokens.output,
            cache_read_tokens: tokens.cache_read,
            cache_write_tokens: tokens.cache_write,
            reasoning_tokens: None,
            total_tokens: tokens.sum(),
            cost_usd: None,
            model: self.model.clone(),
            service_tier: None,
            source: UsageSource::Cli,
        })
    }
}

impl Tokens {
    /// Qwen Code counts what came from the cache or went there as input, too (recording `text`).
    fn of(usage: &TokenUsage) -> Self {
        let cache_read = usage.cache_read_input_tokens;
        let cache_write = usage.cache_creation_input_tokens;
        let cached = cache_read.saturating_add(cache_write);
        Self {
            input: usage.input_tokens.saturating_sub(cached),
            output: usage.output_tokens,
            cache_read,
            cache_write,
        }
    }

    fn with(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            input: operation(self.input, other.input),
            output: operation(self.output, other.output),
            cache_read: operation(self.cache_read, other.cache_read),
            cache_write: operation(self.cache_write, other.cache_write),
        }
    }

    fn sum(self) -> u64 {
        [self.input, self.output, self.cache_read, self.cache_write]
            .into_iter()
            .fold(0, u64::saturating_add)
    }
}
