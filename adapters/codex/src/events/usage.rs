//! Token usage and the used part of the context window. The CLI counts the whole thread, so a run that
//! resumes or forks subtracts the earlier usage (recordings `resume_turn`, `fork_turn`).

use od_protocol::{Context, Event, SessionMode, Usage, UsageScope, UsageSource};
use od_sdk::RunOutput;

use crate::native::{ThreadTokenUsage, TokenUsage};

/// The usage of the thread.
#[derive(Debug)]
pub(crate) struct UsageTracker {
    /// The usage before this run; known with the first report of the run.
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

    /// The CLI compacted the context; the size came with the usage report before it.
    pub(crate) fn on_compaction(&self, output: &mut RunOutput) {
        output.event(Event::Context(Context { compacted: true, ..self.context.clone() }));
    }

    /// Emits the usage after a model call. Some versions repeat a report (recording 0.120.0 `badtool`);
    /// emitting totals keeps the sum correct.
    pub(crate) fn on_usage(&mut self, usage: &ThreadTokenUsage, output: &mut RunOutput) {
        // An interrupted response has no usage (recording `maxtok`).
        if usage.total == TokenUsage::default() {
            return;
        }
        if self.before_run.is_none() {
            let before = usage.total.since(usage.last);
            self.before_run = Some(before);
            self.before_turn = before;
        }
        self.total = usage.total;
        let run_usage = self.total.since(self.before_run.unwrap_or_default());
        output.event(self.usage(UsageScope::Run, true, run_usage));
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

    /// Handles the usage of the whole thread from `exec --json`, which does not report the earlier usage.
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
