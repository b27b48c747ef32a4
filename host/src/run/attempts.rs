//! What may follow a failed attempt: the same agent again, the next agent, or the end. Pure: no clock, no file, no
//! process.

use std::time::Duration;

use od_protocol::Handover;
use od_protocol::api::{FallbackPolicy, PLUGIN_PROTOCOL, RetryPolicy};
use od_protocol::{ErrorEvent, ErrorKind};

use super::request::RunRequest;
use crate::journal::writer::Buffering;

/// The error kinds after which the same agent is tried again by default; `_od.plugin_protocol` is one too.
pub const RETRY_ON: &[ErrorKind] = &[
    ErrorKind::RateLimited,
    ErrorKind::NetworkUnreachable,
    ErrorKind::PluginCrashed,
    ErrorKind::PluginHung,
    ErrorKind::CliCrashed,
];
/// The error kinds after which another agent takes over by default; `_od.plugin_protocol` is one too.
pub const FALLBACK_ON: &[ErrorKind] = &[
    ErrorKind::CliNotFound,
    ErrorKind::CliVersionUnsupported,
    ErrorKind::CliSpawnFailed,
    ErrorKind::CliCrashed,
    ErrorKind::CliProtocol,
    ErrorKind::AuthMissing,
    ErrorKind::AuthExpired,
    ErrorKind::AuthWrongAccount,
    ErrorKind::RateLimited,
    ErrorKind::QuotaExhausted,
    ErrorKind::NetworkUnreachable,
    ErrorKind::PluginCrashed,
    ErrorKind::PluginHung,
];

const MAX_ATTEMPTS: u32 = 3;
const MAX_WAIT_MS: u64 = 60 * 60 * 1000;
const BACKOFF_MS: u64 = 1000;

/// How an attempt failed.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// The error that ended the attempt.
    pub(super) error: ErrorEvent,
    /// When the limit that it reached resets, in milliseconds since 1970.
    pub(super) resets_at: Option<u64>,
    /// The agent refused to start.
    pub(super) refused: bool,
}

/// What follows a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextStep {
    /// The same agent again, after this pause.
    Retry(Duration),
    /// The same agent again at once, in a new session: the old one is lost.
    NewSession,
    /// The next agent of the list.
    Fallback,
    /// The run fails.
    Fail,
}

/// The attempts so far and the policies for more.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    retry: Option<RetryPolicy>,
    fallback: Option<FallbackPolicy>,
    /// All attempts.
    total: u32,
    /// The attempts of the current agent.
    of_agent: u32,
    /// How many agents of the fallback list were used or skipped.
    next_index: usize,
    /// The attempt resumes the session of the previous one.
    resumes: bool,
}

impl Attempts {
    pub(super) fn new(request: &RunRequest) -> Self {
        let (retry, fallback) = (request.retry.clone(), request.fallback.clone());
        Self { retry, fallback, ..Self::default() }
    }

    /// Counts a new attempt.
    pub(super) fn begin(&mut self) {
        self.total += 1;
        self.of_agent += 1;
    }

    /// The number of attempts, including the current one.
    pub(super) fn total(&self) -> u32 {
        self.total
    }

    /// The number of retries of the current agent, and the maximum.
    pub(super) fn retries(&self) -> (u32, u32) {
        (self.of_agent, self.max_attempts().saturating_sub(1))
    }

    /// Sets whether the next attempt of the same agent resumes its session.
    pub(super) fn set_resumes(&mut self, resumes: bool) {
        self.resumes = resumes;
    }

    /// Does not count the current attempt: it lost its session before it did any work.
    pub(super) fn uncount_attempt(&mut self) {
        self.of_agent = self.of_agent.saturating_sub(1);
        self.resumes = false;
    }

    /// Whether the policies allow more than one attempt.
    pub(super) fn allows_more(&self) -> bool {
        self.retry.is_some() || self.fallback.is_some()
    }

    /// Which events of the current attempt are buffered.
    pub(super) fn buffering(&self) -> Buffering {
        let may_retry = self.retry.is_some() && self.of_agent < self.max_attempts();
        if may_retry || self.resumes || self.agents_left() {
            Buffering::Failure
        } else if self.total > 1 {
            Buffering::Done
        } else {
            Buffering::Off
        }
    }

    /// What follows a failure; `left` is the time until the deadline of the whole run.
    pub(super) fn next_step(
        &self,
        failure: &Failure,
        now: u64,
        left: Option<Duration>,
    ) -> NextStep {
        if left.is_some_and(|left| left.is_zero()) {
            return NextStep::Fail;
        }
        if self.resumes && failure.error.kind == ErrorKind::SessionUnknown {
            return NextStep::NewSession;
        }
        match self.pause(failure, now, left) {
            Some(pause) => NextStep::Retry(pause),
            None if self.agents_left() && self.may_fall_back(failure) => NextStep::Fallback,
            None => NextStep::Fail,
        }
    }

    /// Whether another attempt may follow this failure, however long the wait.
    pub(super) fn may_recover(&self, failure: &Failure) -> bool {
        let retry = self.retry.as_ref().filter(|_| self.of_agent < self.max_attempts());
        retry.is_some_and(|policy| covers(policy.on.as_deref(), RETRY_ON, failure))
            || (self.agents_left() && self.may_fall_back(failure))
    }

    /// The next agent of the list.
    pub(super) fn next_agent(&mut self, current: &str) -> Option<String> {
        let agents = &self.fallback.as_ref()?.agents;
        loop {
            let agent = agents.get(self.next_index)?;
            self.next_index += 1;
            if agent != current {
                self.of_agent = 0;
                self.resumes = false;
                return Some(agent.clone());
            }
        }
    }

    /// What the next agent gets.
    pub(super) fn handover(&self) -> Handover {
        let requested = self.fallback.as_ref().and_then(|policy| policy.handover);
        requested.unwrap_or(Handover::Transcript)
    }

    fn pause(&self, failure: &Failure, now: u64, left: Option<Duration>) -> Option<Duration> {
        let policy = self.retry.as_ref()?;
        let is_covered = covers(policy.on.as_deref(), RETRY_ON, failure);
        if self.of_agent >= self.max_attempts() || !is_covered {
            return None;
        }
        let doublings = self.of_agent.saturating_sub(1);
        let backoff = policy.backoff_ms.unwrap_or(BACKOFF_MS);
        let backoff = backoff.saturating_mul(2_u64.saturating_pow(doublings));
        let resets_at = failure.resets_at.filter(|_| is_limit(&failure.error.kind));
        let pause = resets_at.map_or(backoff, |at| at.saturating_sub(now));
        let pause = Duration::from_millis(pause);
        let max_wait = Duration::from_millis(policy.max_wait_ms.unwrap_or(MAX_WAIT_MS));
        (pause <= max_wait && left.is_none_or(|left| pause < left)).then_some(pause)
    }

    fn may_fall_back(&self, failure: &Failure) -> bool {
        let on = self.fallback.as_ref().and_then(|policy| policy.on.as_deref());
        // An agent that took over and cannot do the task must not end the run while others are left.
        let unfit = failure.refused && self.total > 1;
        unfit || covers(on, FALLBACK_ON, failure)
    }

    fn agents_left(&self) -> bool {
        self.fallback.as_ref().is_some_and(|policy| self.next_index < policy.agents.len())
    }

    fn max_attempts(&self) -> u32 {
        self.retry.as_ref().map_or(1, |policy| policy.max_attempts.unwrap_or(MAX_ATTEMPTS).max(1))
    }
}

/// Whether a policy covers a failure: it names the kind, or names none and the kind is a default.
fn covers(on: Option<&[ErrorKind]>, defaults: &[ErrorKind], failure: &Failure) -> bool {
    let kind = &failure.error.kind;
    match on {
        Some(kinds) => kinds.contains(kind),
        None => defaults.contains(kind) || kind.as_str() == PLUGIN_PROTOCOL,
    }
}

/// Whether the error is a limit that resets after some time.
pub(super) fn is_limit(kind: &ErrorKind) -> bool {
    matches!(kind, ErrorKind::RateLimited | ErrorKind::QuotaExhausted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(kind: ErrorKind, resets_at: Option<u64>) -> Failure {
        Failure { error: ErrorEvent::fatal(kind, "no"), resets_at, refused: false }
    }

    fn attempts(retry: Option<RetryPolicy>, agents: &[&str], tried: u32) -> Attempts {
        let agents: Vec<String> = agents.iter().map(|agent| (*agent).to_owned()).collect();
        let fallback =
            (!agents.is_empty()).then(|| FallbackPolicy { agents, ..Default::default() });
        let mut attempts = Attempts { retry, fallback, ..Attempts::default() };
        (0..tried).for_each(|_| attempts.begin());
        attempts
    }

    fn retry(max_attempts: u32) -> Option<RetryPolicy> {
        Some(RetryPolicy {
            max_attempts: Some(max_attempts),
            backoff_ms: Some(10),
            max_wait_ms: Some(1000),
            ..RetryPolicy::default()
        })
    }

    fn next_step(attempts: &Attempts, failure: &Failure) -> NextStep {
        attempts.next_step(failure, 5000, None)
    }

    #[test]
    fn no_policy_fails_run_without_buffering() {
        let attempts = attempts(None, &[], 1);
        assert_eq!(next_step(&attempts, &failure(ErrorKind::RateLimited, None)), NextStep::Fail);
        assert_eq!((attempts.buffering(), attempts.allows_more()), (Buffering::Off, false));
    }

    #[test]
    fn retry_pause_doubles_until_attempts_run_out() {
        let crash = failure(ErrorKind::PluginCrashed, Some(9_999_999));
        let wait = |tried| next_step(&attempts(retry(3), &[], tried), &crash);
        assert_eq!(wait(1), NextStep::Retry(Duration::from_millis(10)), "a crash knows no reset");
        assert_eq!(wait(2), NextStep::Retry(Duration::from_millis(20)));
        assert_eq!(wait(3), NextStep::Fail);
        let buffering = |tried| attempts(retry(3), &[], tried).buffering();
        assert_eq!(
            (buffering(1), buffering(2), buffering(3)),
            (Buffering::Failure, Buffering::Failure, Buffering::Done)
        );
    }

    #[test]
    fn retry_waits_for_reset_within_limit() {
        let limited = |at| failure(ErrorKind::RateLimited, Some(at));
        let chain = attempts(retry(3), &["b"], 1);
        assert_eq!(next_step(&chain, &limited(5900)), NextStep::Retry(Duration::from_millis(900)));
        assert_eq!(next_step(&chain, &limited(4000)), NextStep::Retry(Duration::ZERO));
        assert_eq!(next_step(&chain, &limited(6001)), NextStep::Fallback);
        let alone = attempts(retry(3), &[], 1);
        assert_eq!(next_step(&alone, &limited(6001)), NextStep::Fail);
        let left = Some(Duration::from_millis(900));
        assert_eq!(alone.next_step(&limited(5900), 5000, left), NextStep::Fail, "no time is left");
    }

    #[test]
    fn policy_covers_only_named_kinds() {
        let mut chain = attempts(retry(3), &["b"], 1);
        let auth = failure(ErrorKind::AuthMissing, None);
        assert_eq!(
            next_step(&chain, &auth),
            NextStep::Fallback,
            "a retry does not help a missing login"
        );
        assert_eq!(
            next_step(&chain, &failure(ErrorKind::PromptTooLarge, None)),
            NextStep::Fail,
            "every agent would refuse it"
        );
        if let Some(policy) = &mut chain.fallback {
            policy.on = Some(vec![ErrorKind::ContextExceeded]);
        }
        assert_eq!(next_step(&chain, &auth), NextStep::Fail);
        assert_eq!(
            next_step(&chain, &failure(ErrorKind::ContextExceeded, None)),
            NextStep::Fallback
        );
    }

    #[test]
    fn lost_session_retries_once_without_counting() {
        let lost = failure(ErrorKind::SessionUnknown, None);
        let mut chain = attempts(retry(2), &[], 2);
        assert_eq!(next_step(&chain, &lost), NextStep::Fail, "the client's own session");
        chain.set_resumes(true);
        assert_eq!(
            chain.buffering(),
            Buffering::Failure,
            "a lost session may follow the last attempt"
        );
        assert_eq!(next_step(&chain, &lost), NextStep::NewSession);
        assert_eq!(chain.next_step(&lost, 5000, Some(Duration::ZERO)), NextStep::Fail);
        chain.uncount_attempt();
        assert_eq!(chain.retries(), (1, 1), "the same attempt again");
        chain.begin();
        assert_eq!(next_step(&chain, &lost), NextStep::Fail);
        assert_eq!(chain.buffering(), Buffering::Done);
    }

    #[test]
    fn each_agent_is_used_once_with_own_attempts() {
        let mut chain = attempts(retry(2), &["a", "b", "c"], 2);
        let crash = failure(ErrorKind::CliCrashed, None);
        assert_eq!(next_step(&chain, &crash), NextStep::Fallback);
        assert_eq!(chain.next_agent("a").as_deref(), Some("b"), "the agent that failed is skipped");
        chain.begin();
        assert_eq!(next_step(&chain, &crash), NextStep::Retry(Duration::from_millis(10)));
        let mut unfit = failure(ErrorKind::CapabilityUnsupported, None);
        assert_eq!(next_step(&chain, &unfit), NextStep::Fail);
        unfit.refused = true;
        assert_eq!(next_step(&chain, &unfit), NextStep::Fallback);
        assert_eq!(chain.next_agent("b").as_deref(), Some("c"));
        assert_eq!(chain.next_agent("c"), None);
    }
}
