//! The times in the events of one run against the suite's own clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::violation::Violation;

/// The rule of `ts`.
const TIMESTAMPS: &str = "TIM-01";
/// The rule of durations.
const DURATIONS: &str = "TIM-02";

/// How far `ts` may be outside the run: the clock of the machine may be adjusted meanwhile.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(2);

/// How much longer than measured a duration may be: it may be rounded.
const ROUNDING: Duration = Duration::from_millis(20);

/// When a run was requested.
#[derive(Debug)]
pub(super) struct RunClock {
    requested: SystemTime,
    started: Instant,
}

impl Default for RunClock {
    fn default() -> Self {
        Self { requested: SystemTime::now(), started: Instant::now() }
    }
}

impl RunClock {
    /// Processes an event that has just arrived.
    pub(super) fn event(&self, name: &str, params: &Value) -> Vec<Violation> {
        let mut found: Vec<Violation> = self.timestamp(name, &params["ts"]).into_iter().collect();
        let event = &params["event"];
        found.extend(match name {
            "done" => self.duration("durationMs", &event["durationMs"]),
            "heartbeat" => self.duration("silentMs", &event["silentMs"]),
            _ => None,
        });
        found
    }

    fn timestamp(&self, name: &str, ts: &Value) -> Option<Violation> {
        let now = SystemTime::now();
        let stated = UNIX_EPOCH + Duration::from_millis(ts.as_u64()?);
        let is_early = stated + CLOCK_TOLERANCE < self.requested;
        let is_late = stated > now + CLOCK_TOLERANCE;
        (is_early || is_late).then(|| {
            let expected = format!(
                "ts of `{name}` in milliseconds since 1970 (UTC), between run/start at {} and its \
                 receipt at {}",
                milliseconds(self.requested),
                milliseconds(now)
            );
            Violation::new(TIMESTAMPS, expected, format!("ts {ts}"))
        })
    }

    fn duration(&self, member: &str, stated: &Value) -> Option<Violation> {
        let measured = self.started.elapsed();
        let stated_duration = Duration::from_millis(stated.as_u64()?);
        (stated_duration > measured + ROUNDING).then(|| {
            let expected = format!(
                "{member} at most {} milliseconds, the time since run/start",
                measured.as_millis()
            );
            Violation::new(DURATIONS, expected, format!("{member} {stated}"))
        })
    }
}

fn milliseconds(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(name: &str, ts: u64, event: Value, expected: &[&str]) {
        let found = RunClock::default().event(name, &json!({"ts": ts, "event": event}));
        let rules: Vec<&str> = found.iter().map(|violation| violation.rule).collect();
        assert_eq!(rules, expected);
    }

    #[test]
    fn times_outside_the_run_are_violations() {
        let now = u64::try_from(milliseconds(SystemTime::now())).expect("a date of this century");
        check("text_delta", now, json!({}), &[]);
        check("text_delta", now / 1000, json!({}), &[TIMESTAMPS]);
        check("text_delta", now + 3_600_000, json!({}), &[TIMESTAMPS]);
        check("done", now, json!({"durationMs": 0}), &[]);
        check("done", now, json!({"durationMs": 60_000}), &[DURATIONS]);
        check("heartbeat", now, json!({"silentMs": 60_000}), &[DURATIONS]);
    }
}
