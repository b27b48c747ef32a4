//! Token usage of the process, which is the run's own, also in a resumed session (recording `resume`).
//! The CLI states no price.

use od_protocol::{Event, Usage, UsageScope};
use od_sdk::RunOutput;
use od_sdk::usage::Tokens;

use crate::native::Stats;

/// Emits the usage, unless it is zero.
pub(super) fn report(stats: &Stats, output: &mut RunOutput) {
    if stats.total_tokens == 0 {
        return;
    }
    // Only the total includes thoughts (recording `think`).
    let stated = stats.input_tokens.saturating_add(stats.output_tokens);
    let thought = stats.total_tokens.saturating_sub(stated);
    let tokens = Tokens {
        input: stats.input_tokens.saturating_sub(stats.cached),
        output: stats.output_tokens.saturating_add(thought),
        cache_read: stats.cached,
        cache_write: 0,
        reasoning: Some(thought),
    };
    for scope in [UsageScope::Turn, UsageScope::Run] {
        output.event(Event::Usage(Usage {
            total_tokens: stats.total_tokens,
            model: only_model(stats),
            ..tokens.usage(scope)
        }));
    }
}

/// The model, if only one was used.
fn only_model(stats: &Stats) -> Option<String> {
    let mut models = stats.models.keys();
    models.next().filter(|_| models.next().is_none()).cloned()
}
