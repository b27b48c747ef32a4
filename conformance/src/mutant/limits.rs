//! The time limits of a run.

use std::time::{Duration, Instant};

use super::fault::Fault;
use super::run::Run;

impl Run<'_> {
    /// The active limits with their deadlines.
    pub(super) fn limits(&self) -> Vec<(&'static str, Instant)> {
        let behaviour = self.adapter.behaviour;
        let after = |from: Instant, ms: Option<u64>, ignored: Fault| {
            let is_active = |ms: &u64| *ms > 0 || behaviour.has(Fault::ZeroEndsAtOnce);
            let ms = ms.filter(|ms| is_active(ms) && !behaviour.has(ignored));
            let overflows =
                |ms: u64| i32::try_from(ms).is_err() && behaviour.has(Fault::LargeLimitOverflows);
            let ms = ms.map(|ms| if overflows(ms) { 0 } else { ms });
            ms.and_then(|ms| from.checked_add(Duration::from_millis(ms)))
        };
        let timeouts = &self.params.timeouts;
        let started_at = self.stream.started;
        let silent_since =
            if behaviour.has(Fault::IdleNotReset) { started_at } else { self.last_output };
        let start =
            after(started_at, timeouts.start_ms, Fault::IgnoresStart).filter(|_| !self.any_output);
        // A pending approval waits for a user, so the CLI is not idle.
        let idle = after(silent_since, timeouts.idle_ms, Fault::IgnoresIdle)
            .filter(|_| self.any_output)
            .filter(|_| self.open_approvals.is_empty() || behaviour.has(Fault::ApprovalIsIdle));
        let total = after(started_at, timeouts.total_ms, Fault::IgnoresTotal).filter(|_| {
            self.open_approvals.is_empty() || !behaviour.has(Fault::ApprovalStopsTotal)
        });
        [("start", start), ("idle", idle), ("total", total)]
            .into_iter()
            .filter_map(|(which, deadline)| Some((which, deadline?)))
            .collect()
    }
}
