//! Tokens and how full the window is. The CLI counts whole threads, so a run that goes on with an
//! old one subtracts what was there (recordings `resume_turn`, `fork_turn`).

use od_protocol::{Context, Event, SessionMode, Usage, UsageScope, UsageSource};
use od_sdk::RunOutput;

use crate::native::{ThreadTokenUsage, TokenUsage};

/// The figures of a thread so far.
#[derive(Debug)]
pub(crate) struct UsageTracker {
    /// What the thread had spent before this run; known with the first figures of the run.
    before_run: Option<TokenUsage>,
    before_turn: TokenUsage,
    total: TokenUsage,
    model: Option<String>,
    has_history: bool,
    context: Context,
}

impl UsageTracker {
    pub(crate) fn new(mode: SessionMode) -> Self {
        Self {
            before_run: None,
            before_turn: TokenUsage::default(),
            total: TokenUsage::default(),
            model: None,
            has_history: mode != SessionMode::New,
            context: Context { used_tokens: 0, max_tokens: None, compacted: false },
        }
    }

    pub(crate) fn set_model(&mut self, model: Option<&str>) {
        self.model = model.map(str::to_owned);
    }

    /// The conversation was shortened; how much is left came with the figures before.
    pub(crate) fn on_compaction(&self, output: &mut RunOutput) {
        output.event(Event::Context(Context { compacted: true, ..self.context.clone() }));
    }

    /// The figures after a request of this run. Some versions repeat them: the total stays right.
    pub(crate) fn on_usage(&mut self, usage: &ThreadTokenUsage, output: &mut RunOutput) {
        // An answer that broke off has none (recording `maxtok`).
        if usage.total == TokenUsage::default() {
            return;
        }
        if self.before_run.is_none() {
            let before = usage.total.since(usage.last);
            self.before_run = Some(before);
            self.before_turn = before;
        }
        self.total = usage.total;
        let spent = self.total.since(self.before_run.unwrap_or_default());
        output.event(self.usage(UsageScope::Run, true, spent));
        let context = Context {
            used_tokens: usage.last.total_tokens,
            max_tokens: usage.model_context_window,
            compacted: false,
        };
        if self.context != context {
            self.context = context.clone();
            output.event(Event::Context(context));
        }
    }

    /// The figures of a whole thread, when nothing tells what there was before (`exec --json`).
    pub(crate) fn on_thread_total(&mut self, total: TokenUsage, output: &mut RunOutput) {
        self.total = total;
        if !self.has_history {
            self.before_run = Some(TokenUsage::default());
            output.event(self.usage(UsageScope::Run, true, total));
        }
    }

    pub(crate) fn on_turn_end(&mut self, output: &mut RunOutput) {
        let turn = self.total.since(self.before_turn);
        if self.before_run.is_some() {
            output.event(self.usage(UsageScope::Turn, false, turn));
        }
        if self.has_history && turn != TokenUsage::default() {
            output.event(self.usage(UsageScope::Session, true, self.total));
        }
        self.before_turn = self.total;
    }

    fn usage(&self, scope: UsageScope, cumulative: bool, tokens: TokenUsage) -> Event {
        let cached = tokens.cached_input_tokens.saturating_add(tokens.cache_write_input_tokens);
        Event::Usage(Usage {
            scope,
            cumulative,
            input_tokens: tokens.input_tokens.saturating_sub(cached),
            output_tokens: tokens.output_tokens,
            cache_read_tokens: tokens.cached_input_tokens,
            cache_write_tokens: tokens.cache_write_input_tokens,
            reasoning_tokens: Some(tokens.reasoning_output_tokens),
            total_tokens: tokens.input_tokens.saturating_add(tokens.output_tokens),
            cost_usd: None,
            model: self.model.clone(),
            provider: None,
            service_tier: None,
            source: UsageSource::Cli,
        })
    }
}

impl TokenUsage {
    fn since(self, earlier: Self) -> Self {
        let rest = |now: u64, before: u64| now.saturating_sub(before);
        Self {
            total_tokens: rest(self.total_tokens, earlier.total_tokens),
            input_tokens: rest(self.input_tokens, earlier.input_tokens),
            cached_input_tokens: rest(self.cached_input_tokens, earlier.cached_input_tokens),
            cache_write_input_tokens: rest(
                self.cache_write_input_tokens,
                earlier.cache_write_input_tokens,
            ),
            output_tokens: rest(self.output_tokens, earlier.output_tokens),
            reasoning_output_tokens: rest(
                self.reasoning_output_tokens,
                earlier.reasoning_output_tokens,
            ),
        }
    }
}
