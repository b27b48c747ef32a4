//! The last lines of the feed: the outcome, the totals and the cost.

use od_protocol::{Done, DoneStatus};

use super::{Block, Pretty};
use crate::cli::format;
use crate::cli::terminal::{DIM, FAILURE, SUCCESS, WARNING, single_line};

impl Pretty {
    pub(super) fn done(&mut self, done: &Done) {
        self.finish_messages();
        self.begin(Block::End);
        let (style, sign, label) = match done.status {
            DoneStatus::Completed => (SUCCESS, "✓ ", "done in"),
            DoneStatus::Cancelled => (WARNING, "■ ", "cancelled after"),
            DoneStatus::TimedOut => (FAILURE, "✗ ", "timed out after"),
            _ => (FAILURE, "✗ ", "failed after"),
        };
        let time = format!("{label} {}", format::duration(done.duration_ms));
        self.canvas.write(style, sign).write(style, &time);
        let mut used = format::width(sign) + format::width(&time);
        for fact in facts(done) {
            let fact = format!(" · {fact}");
            if used + format::width(&fact) > self.canvas.viewport().columns {
                self.canvas.end_line();
                self.canvas.write(DIM, " ");
                used = 1;
            }
            used += format::width(&fact);
            self.canvas.write(DIM, &fact);
        }
        self.canvas.end_line();
        self.show_unmapped();
        self.activity = String::new();
    }

    /// Messages that the adapter cannot map are the first sign of a changed agent CLI.
    fn show_unmapped(&mut self) {
        let total: u64 = self.unmapped.values().sum();
        if total == 0 {
            return;
        }
        let names: Vec<&str> = self.unmapped.keys().map(String::as_str).take(3).collect();
        let text = format!(
            "  {} of the agent CLI not known to the adapter: {}",
            format::counted(total, "message"),
            single_line(&names.join(", ")),
        );
        self.canvas.write(DIM, &format::fit(&text, self.canvas.viewport().columns)).end_line();
    }
}

fn facts(done: &Done) -> Vec<String> {
    let totals = &done.totals;
    let mut facts = Vec::new();
    if totals.tool_calls > 0 {
        facts.push(format::counted(totals.tool_calls, "tool call"));
    }
    if totals.files_changed > 0 {
        facts.push(format!("{} changed", format::counted(totals.files_changed, "file")));
    }
    if let Some(usage) = totals.usage.as_ref().filter(|usage| usage.total_tokens > 0) {
        let sent = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
        facts.push(format!(
            "{} tokens in, {} out",
            format::tokens(sent),
            format::tokens(usage.output_tokens)
        ));
    }
    let cost = totals.cost_usd.or(totals.usage.as_ref().and_then(|usage| usage.cost_usd));
    facts.extend(cost.filter(|cost| *cost > 0.0).map(format::money));
    facts
}
