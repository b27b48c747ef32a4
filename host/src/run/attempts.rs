//! What may be tried after a failure: the same agent again, the next one, or nothing. Pure: no clock, no
//! file, no process.

use std::time::Duration;

use od_protocol::api::{FallbackPolicy, Handover, PLUGIN_PROTOCOL, RetryPolicy};
use od_protocol::{ErrorEvent, ErrorKind};

use super::request::RunRequest;
use crate::journal::sink::Hold;

/// After these, and after `_od.plugin_protocol`, the same agent may succeed a little later, unless the policy names
/// others.
pub const RETRY_ON: &[ErrorKind] = &[
    ErrorKind::RateLimited,
    ErrorKind::NetworkUnreachable,
    ErrorKind::PluginCrashed,
    ErrorKind::PluginHung,
    ErrorKind::CliCrashed,
];
/// After these, and after `_od.plugin_protocol`, another agent may succeed, unless the policy names others.
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
    /// What it says of it.
    pub(super) error: ErrorEvent,
    /// When the limit is over that it ran into, in milliseconds since 1970.
    pub(super) resets_at: Option<u64>,
    /// The agent did not even begin.
    pub(super) refused: bool,
}

/// What is done about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remedy {
    /// The same agent tries again after a pause.
    Retry(Duration),
    /// The same agent tries again at once, without the session that it has lost.
    Afresh,
    /// The next agent takes over.
    Fallback,
    /// The failure stands.
    Nothing,
}

/// What was tried, and what may still be.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    retry: Option<RetryPolicy>,
    fallback: Option<FallbackPolicy>,
    /// All so far.
    total: u32,
    /// Those of the agent that has the run.
    of_agent: u32,
    /// How many agents of the list have had their turn.
    passed: usize,
    /// The attempt goes on with the session of the one before it.
    resumes: bool,
}

impl Attempts {
    pub(super) fn new(request: &RunRequest) -> Self {
        let (retry, fallback) = (request.retry.clone(), request.fallback.clone());
        Self { retry, fallback, ..Self::default() }
    }

    /// Counts an attempt that begins.
    pub(super) fn begin(&mut self) {
        self.total += 1;
        self.of_agent += 1;
    }

    /// All so far, the one that is going on included.
    pub(super) fn total(&self) -> u32 {
        self.total
    }

    /// How often the agent that has the run has tried it again, and how often it may.
    pub(super) fn retries(&self) -> (u32, u32) {
        (self.of_agent, self.max_attempts().saturating_sub(1))
    }

    /// Says whether the next attempt of the same agent goes on with its session.
    pub(super) fn set_resumes(&mut self, resumes: bool) {
        self.resumes = resumes;
    }

    /// An attempt whose session was lost did not get to work: it does not count, and the next one resumes nothing.
    pub(super) fn forgive(&mut self) {
        self.of_agent = self.of_agent.saturating_sub(1);
        self.resumes = false;
    }

    /// Whether anything could follow the first attempt.
    pub(super) fn may_follow(&self) -> bool {
        self.retry.is_some() || self.fallback.is_some()
    }

    /// Which events of an attempt that begins now are held back.
    pub(super) fn hold(&self) -> Hold {
        let may_retry = self.retry.is_some() && self.of_agent < self.max_attempts();
        match () {
            () if may_retry || self.resumes || self.agents_left() => Hold::Failure,
            () if self.total > 1 => Hold::End,
            () => Hold::Nothing,
        }
    }

    /// What is done about a failure; `left` is what the limit of the whole run leaves.
    pub(super) fn remedy(&self, failure: &Failure, now: u64, left: Option<Duration>) -> Remedy {
        if left.is_some_and(|left| left.is_zero()) {
            return Remedy::Nothing;
        }
        if self.resumes && failure.error.kind == ErrorKind::SessionUnknown {
            return Remedy::Afresh;
        }
        match self.pause(failure, now, left) {
            Some(pause) => Remedy::Retry(pause),
            None if self.agents_left() && self.may_fall_back(failure) => Remedy::Fallback,
            None => Remedy::Nothing,
        }
    }

    /// Whether a failure is one that something may be done about, however long it takes.
    pub(super) fn can_mend(&self, failure: &Failure) -> bool {
        let retry = self.retry.as_ref().filter(|_| self.of_agent < self.max_attempts());
        retry.is_some_and(|policy| names(policy.on.as_deref(), RETRY_ON, failure))
            || (self.agents_left() && self.may_fall_back(failure))
    }

    /// The next agent of the list.
    pub(super) fn next_agent(&mut self, current: &str) -> Option<String> {
        let agents = &self.fallback.as_ref()?.agents;
        loop {
            let agent = agents.get(self.passed)?;
            self.passed += 1;
            if agent != current {
                self.of_agent = 0;
                self.resumes = false;
                return Some(agent.clone());
            }
        }
    }

    /// What the next agent is told.
    pub(super) fn handover(&self) -> Handover {
        let stated = self.fallback.as_ref().and_then(|policy| policy.handover);
        stated.unwrap_or(Handover::Transcript)
    }

    fn pause(&self, failure: &Failure, now: u64, left: Option<Duration>) -> Option<Duration> {
        let policy = self.retry.as_ref()?;
        let named = names(policy.on.as_deref(), RETRY_ON, failure);
        if self.of_agent >= self.max_attempts() || !named {
            return None;
        }
        let doublings = self.of_agent.saturating_sub(1);
        let backoff = policy.backoff_ms.unwrap_or(BACKOFF_MS);
        let backoff = backoff.saturating_mul(2_u64.saturating_pow(doublings));
        let stated = failure.resets_at.filter(|_| is_limit(&failure.error.kind));
        let pause = stated.map_or(backoff, |at| at.saturating_sub(now));
        let pause = Duration::from_millis(pause);
        let longest = Duration::from_millis(policy.max_wait_ms.unwrap_or(MAX_WAIT_MS));
        (pause <= longest && left.is_none_or(|left| pause < left)).then_some(pause)
    }

    fn may_fall_back(&self, failure: &Failure) -> bool {
        let stated = self.fallback.as_ref().and_then(|policy| policy.on.as_deref());
        // An agent that took over and cannot do what was asked must not end the chain.
        let unfit = failure.refused && self.total > 1;
        unfit || names(stated, FALLBACK_ON, failure)
    }

    fn agents_left(&self) -> bool {
        self.fallback.as_ref().is_some_and(|policy| self.passed < policy.agents.len())
    }

    fn max_attempts(&self) -> u32 {
        self.retry.as_ref().map_or(1, |policy| policy.max_attempts.unwrap_or(MAX_ATTEMPTS).max(1))
    }
}

/// Whether a policy is about a failure: it names its kind, or names none and the kind is a usual one.
fn names(stated: Option<&[ErrorKind]>, usual: &[ErrorKind], failure: &Failure) -> bool {
    let kind = &failure.error.kind;
    match stated {
        Some(kinds) => kinds.contains(kind),
        None => usual.contains(kind) || kind.as_str() == PLUGIN_PROTOCOL,
    }
}

/// Whether an error is about an allowance that comes back by itself.
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

    fn remedy(attempts: &Attempts, failure: &Failure) -> Remedy {
        attempts.remedy(failure, 5000, None)
    }

    #[test]
    fn without_a_policy_a_failure_stands_and_nothing_is_held() {
        let attempts = attempts(None, &[], 1);
        assert_eq!(remedy(&attempts, &failure(ErrorKind::RateLimited, None)), Remedy::Nothing);
        assert_eq!((attempts.hold(), attempts.may_follow()), (Hold::Nothing, false));
    }

    #[test]
    fn a_pause_doubles_until_the_attempts_are_used_up() {
        let crash = failure(ErrorKind::PluginCrashed, Some(9_999_999));
        let wait = |tried| remedy(&attempts(retry(3), &[], tried), &crash);
        assert_eq!(wait(1), Remedy::Retry(Duration::from_millis(10)), "a crash knows no reset");
        assert_eq!(wait(2), Remedy::Retry(Duration::from_millis(20)));
        assert_eq!(wait(3), Remedy::Nothing);
        let hold = |tried| attempts(retry(3), &[], tried).hold();
        assert_eq!((hold(1), hold(2), hold(3)), (Hold::Failure, Hold::Failure, Hold::End));
    }

    #[test]
    fn a_stated_reset_is_waited_for_unless_it_is_too_late() {
        let limited = |at| failure(ErrorKind::RateLimited, Some(at));
        let chain = attempts(retry(3), &["b"], 1);
        assert_eq!(remedy(&chain, &limited(5900)), Remedy::Retry(Duration::from_millis(900)));
        assert_eq!(remedy(&chain, &limited(4000)), Remedy::Retry(Duration::ZERO));
        assert_eq!(remedy(&chain, &limited(6001)), Remedy::Fallback);
        let alone = attempts(retry(3), &[], 1);
        assert_eq!(remedy(&alone, &limited(6001)), Remedy::Nothing);
        let left = Some(Duration::from_millis(900));
        assert_eq!(alone.remedy(&limited(5900), 5000, left), Remedy::Nothing, "no time is left");
    }

    #[test]
    fn only_the_named_kinds_count() {
        let mut chain = attempts(retry(3), &["b"], 1);
        let auth = failure(ErrorKind::AuthMissing, None);
        assert_eq!(remedy(&chain, &auth), Remedy::Fallback, "waiting does not help a login");
        assert_eq!(
            remedy(&chain, &failure(ErrorKind::PromptTooLarge, None)),
            Remedy::Nothing,
            "nobody else could take it"
        );
        if let Some(policy) = &mut chain.fallback {
            policy.on = Some(vec![ErrorKind::ContextExceeded]);
        }
        assert_eq!(remedy(&chain, &auth), Remedy::Nothing);
        assert_eq!(remedy(&chain, &failure(ErrorKind::ContextExceeded, None)), Remedy::Fallback);
    }

    #[test]
    fn a_lost_session_is_done_without_once_and_does_not_count() {
        let lost = failure(ErrorKind::SessionUnknown, None);
        let mut chain = attempts(retry(2), &[], 2);
        assert_eq!(remedy(&chain, &lost), Remedy::Nothing, "the client's own session");
        chain.set_resumes(true);
        assert_eq!(chain.hold(), Hold::Failure, "the last attempt may still be followed");
        assert_eq!(remedy(&chain, &lost), Remedy::Afresh);
        assert_eq!(chain.remedy(&lost, 5000, Some(Duration::ZERO)), Remedy::Nothing);
        chain.forgive();
        assert_eq!(chain.retries(), (1, 1), "the same try once more");
        chain.begin();
        assert_eq!(remedy(&chain, &lost), Remedy::Nothing);
        assert_eq!(chain.hold(), Hold::End);
    }

    #[test]
    fn each_agent_has_its_turn_once_and_its_own_attempts() {
        let mut chain = attempts(retry(2), &["a", "b", "c"], 2);
        let crash = failure(ErrorKind::CliCrashed, None);
        assert_eq!(remedy(&chain, &crash), Remedy::Fallback);
        assert_eq!(
            chain.next_agent("a").as_deref(),
            Some("b"),
            "the one that failed is passed over"
        );
        chain.begin();
        assert_eq!(remedy(&chain, &crash), Remedy::Retry(Duration::from_millis(10)));
        let mut unfit = failure(ErrorKind::CapabilityUnsupported, None);
        assert_eq!(remedy(&chain, &unfit), Remedy::Nothing);
        unfit.refused = true;
        assert_eq!(remedy(&chain, &unfit), Remedy::Fallback);
        assert_eq!(chain.next_agent("b").as_deref(), Some("c"));
        assert_eq!(chain.next_agent("c"), None);
    }
}
