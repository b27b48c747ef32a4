//! Token usage, from the report that the CLI writes at its end (recording `usage_file`).

use od_protocol::{Context, Event, Usage, UsageScope};
use od_sdk::RunOutput;
use od_sdk::usage::Tokens;

use crate::native::{ModelUsage, UsageReport};

/// The usage of the run.
#[derive(Debug, Default)]
pub(super) struct UsageTracker {
    /// The session's model.
    pub(super) model: Option<String>,
}

impl UsageTracker {
    /// Emits the usage of this process: all models and subagents together.
    pub(super) fn on_report(&self, report: &[u8], output: &mut RunOutput) {
        let Ok(report) = serde_json::from_slice::<UsageReport>(report) else { return };
        if report.model_metrics.is_empty() {
            return;
        }
        let mut models = report.model_metrics.keys();
        let only_model = models.next().filter(|_| models.next().is_none()).cloned();
        let all = report.model_metrics.values().map(|metrics| &metrics.usage);
        let sum = |part: fn(&ModelUsage) -> u64| all.clone().map(part).fold(0, u64::saturating_add);
        let cache_read = sum(|usage| usage.cache_read_tokens);
        let cache_write = sum(|usage| usage.cache_write_tokens);
        let sent = sum(|usage| usage.input_tokens);
        let received = sum(|usage| usage.output_tokens);
        let tokens = Tokens {
            input: sent.saturating_sub(cache_read.saturating_add(cache_write)),
            output: received,
            cache_read,
            cache_write,
            reasoning: Some(sum(|usage| usage.reasoning_tokens)),
        };
        output.event(Event::Usage(Usage {
            total_tokens: sent.saturating_add(received),
            model: only_model.or_else(|| self.model.clone()),
            ..tokens.usage(UsageScope::Run)
        }));
        if let Some(sent) = report.last_call_input_tokens {
            output.event(Event::Context(Context {
                used_tokens: sent.saturating_add(report.last_call_output_tokens.unwrap_or(0)),
                max_tokens: None,
                compacted: false,
            }));
        }
    }
}
