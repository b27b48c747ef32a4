//! Tokens of the process: every figure is this run's, a resumed session included (recording
//! `resume`). The CLI states no price.

use od_protocol::{Event, Usage, UsageScope, UsageSource};
use od_sdk::RunOutput;

use crate::native::Stats;

/// Tells the figures, unless there are none.
pub(super) fn report(stats: &Stats, output: &mut RunOutput) {
    if stats.total_tokens == 0 {
        return;
    }
    // The total includes what was thought, which no other figure states (recording `think`).
    let stated = stats.input_tokens.saturating_add(stats.output_tokens);
    let thought = stats.total_tokens.saturating_sub(stated);
    for scope in [UsageScope::Turn, UsageScope::Run] {
        output.event(Event::Usage(Usage {
            scope,
            cumulative: scope == UsageScope::Run,
            input_tokens: stats.input_tokens.saturating_sub(stats.cached),
            output_tokens: stats.output_tokens.saturating_add(thought),
            cache_read_tokens: stats.cached,
            cache_write_tokens: 0,
            reasoning_tokens: Some(thought),
            total_tokens: stats.total_tokens,
            cost_usd: None,
            model: only_model(stats),
            provider: None,
            service_tier: None,
            source: UsageSource::Cli,
        }));
    }
}

/// The model the tokens were spent on, when there is only one.
fn only_model(stats: &Stats) -> Option<String> {
    let mut models = stats.models.keys();
    models.next().filter(|_| models.next().is_none()).cloned()
}
