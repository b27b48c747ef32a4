//! Token usage of the process, which is the run's own, also in a resumed session (recording `resume`).
//! The CLI states no price.

use od_protocol::{Event, Usage, UsageScope, UsageSource};
use od_sdk::RunOutput;

use crate::native::Stats;

/// Emits the usage, unless it is zero.
pub(super) fn report(stats: &Stats, output: &mut RunOutput) {
    if stats.total_tokens == 0 {
        return;
    }
    // Only the total includes thoughts (recording `think`).
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

/// The model, if only one was used.
fn only_model(stats: &Stats) -> Option<String> {
    let mut models = stats.models.keys();
    models.next().filter(|_| models.next().is_none()).cloned()
}
