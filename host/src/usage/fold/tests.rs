//! What adapters really tell, and what they might.

use std::path::{Path, PathBuf};

use od_protocol::JsonObject;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::usage::share::sum;
use crate::usage::spent::tests::spent;

/// Folds a list of events, one a second.
fn fold(events: Vec<serde_json::Value>) -> Fold {
    let mut fold = Fold::default();
    for (ts, event) in (0..).step_by(1000).zip(events) {
        let event: JsonObject = serde_json::from_value(event).expect("an object");
        fold.take(ts, &Event::from_object(event).expect("an event"));
    }
    fold
}

fn tick(scope: &str, cumulative: bool, model: Option<&str>, figures: Spent) -> serde_json::Value {
    let mut tick = json!({
        "type": "usage", "scope": scope, "cumulative": cumulative, "source": "cli",
        "inputTokens": figures.input_tokens, "outputTokens": figures.output_tokens,
        "totalTokens": figures.total_tokens, "costUsd": figures.cost_usd,
    });
    if let Some(model) = model {
        tick["model"] = json!(model);
    }
    tick
}

fn session(id: &str, mode: &str) -> serde_json::Value {
    json!({"type": "session_started", "sessionId": id, "mode": mode})
}

fn started() -> serde_json::Value {
    json!({"type": "run_started", "argv": []})
}

/// A new session, or one that nothing is known of.
fn nothing(_: Option<&str>, _: &str) -> Option<Spent> {
    None
}

/// The shares of a fold with one attempt.
#[track_caller]
fn only(fold: &Fold, past: &Past<'_>) -> Vec<Share> {
    let mut shares = fold.shares(past);
    assert_eq!(shares.len(), 1, "one attempt");
    shares.remove(0)
}

/// The shares of the only attempt, by model.
fn shares(events: Vec<serde_json::Value>) -> Vec<(Option<String>, Spent)> {
    let shares = only(&fold([vec![started()], events].concat()), &nothing);
    shares.into_iter().map(|share| (share.model, share.spent)).collect()
}

#[test]
fn the_runs_own_figures_are_believed_first() {
    let events = vec![
        tick("turn", false, Some("a"), spent(1, 1, None)),
        tick("session", true, Some("a"), spent(900, 900, None)),
        tick("run", true, Some("a"), spent(5, 6, Some(0.5))),
    ];
    assert_eq!(shares(events), [(Some("a".to_owned()), spent(5, 6, Some(0.5)))]);
}

#[test]
fn turns_are_added_or_taken_apart() {
    let plain = vec![
        tick("turn", false, Some("a"), spent(1, 2, Some(0.25))),
        tick("turn", false, Some("a"), spent(3, 4, Some(0.5))),
    ];
    let counter = vec![
        tick("turn", true, Some("a"), spent(1, 2, Some(0.25))),
        tick("turn", true, Some("a"), spent(4, 6, Some(0.75))),
    ];
    let expected = [(Some("a".to_owned()), spent(4, 6, Some(0.75)))];
    assert_eq!(shares(plain), expected);
    assert_eq!(shares(counter), expected);
}

#[test]
fn a_tick_without_a_model_is_of_the_model_in_use() {
    let events = vec![
        tick("turn", false, None, spent(1, 0, None)),
        json!({"type": "session_started", "sessionId": "s", "mode": "new", "model": "a"}),
        tick("turn", false, None, spent(2, 0, None)),
        json!({"type": "mode_changed", "model": "b"}),
        tick("turn", false, None, spent(4, 0, None)),
    ];
    // The first came before anything was known, and the model last known is the best guess.
    let expected =
        [(Some("b".to_owned()), spent(5, 0, None)), (Some("a".to_owned()), spent(2, 0, None))];
    assert_eq!(shares(events), expected);
}

#[test]
fn a_run_of_two_models_is_split_when_its_turns_account_for_it() {
    let turns = |cost| {
        vec![
            tick("turn", false, Some("a"), spent(10, 0, cost)),
            tick("turn", false, Some("b"), spent(20, 0, cost)),
        ]
    };
    let run = |cost| tick("run", true, None, spent(35, 1, cost));
    let stated = [turns(Some(0.25)), vec![run(Some(1.0))]].concat();
    let expected = [
        (Some("a".to_owned()), spent(10, 0, Some(0.25))),
        (Some("b".to_owned()), spent(25, 1, Some(0.75))),
    ];
    assert_eq!(shares(stated), expected);
    let free = [turns(None), vec![run(None)]].concat();
    assert_eq!(shares(free).len(), 2);
    let whole_only = [turns(None), vec![run(Some(1.0))]].concat();
    assert_eq!(shares(whole_only), [(None, spent(35, 1, Some(1.0)))]);
    let too_much = [turns(None), vec![tick("run", true, Some("a"), spent(5, 0, None))]].concat();
    assert_eq!(shares(too_much), [(Some("a".to_owned()), spent(5, 0, None))]);
}

#[test]
fn attempts_are_kept_apart() {
    let fold = fold(vec![
        started(),
        tick("turn", false, Some("a"), spent(1, 0, None)),
        // The agent CLI's own retry is no attempt.
        json!({"type": "retry", "attempt": 1, "reason": "overloaded"}),
        tick("turn", false, Some("a"), spent(2, 0, None)),
        json!({"type": "retry", "attempt": 2, "reason": "rate_limited"}),
        started(),
        tick("run", true, Some("a"), spent(4, 0, None)),
        switched(),
        json!({"type": "run_started", "argv": [], "credential": {"kind": "api_key", "name": "KEY"}}),
        tick("run", true, Some("b"), spent(8, 0, None)),
        done(&json!({})),
    ]);
    let attempts = fold.attempts();
    let agents: Vec<_> = attempts.iter().map(|attempt| attempt.agent.as_deref()).collect();
    assert_eq!(agents, [Some("one"), Some("one"), Some("two")]);
    let inputs: Vec<u64> =
        fold.shares(&nothing).iter().map(|shares| sum(shares).input_tokens).collect();
    assert_eq!(inputs, [3, 4, 8]);
    let times: Vec<_> =
        attempts.iter().map(|attempt| (attempt.started_at, attempt.ended_at)).collect();
    assert_eq!(times, [(0, 5000), (5000, 8000), (8000, 10_000)]);
    let statuses: Vec<_> = attempts.iter().map(|attempt| attempt.status).collect();
    assert_eq!(statuses, [DoneStatus::Failed, DoneStatus::Failed, DoneStatus::Completed]);
    assert_eq!(attempts[2].credential.as_ref().map(|credential| &*credential.name), Some("KEY"));
}

#[test]
fn a_sessions_counter_is_counted_from_where_it_stood() {
    let attempt = |mode: &str| {
        let mut start = session("s", mode);
        if mode == "fork" {
            start["parentSessionId"] = json!("parent");
        }
        fold(vec![started(), start, tick("session", true, None, spent(100, 50, None))])
    };
    let used = |mode: &str, id: &'static str| {
        let stood =
            move |_: Option<&str>, session: &str| (session == id).then(|| spent(60, 20, None));
        sum(&only(&attempt(mode), &stood))
    };
    assert_eq!(used("resume", "s"), spent(40, 30, None));
    assert_eq!(used("fork", "parent"), spent(40, 30, None));
    assert_eq!(used("new", "s"), spent(100, 50, None));
    // Begun outside: how much of it is this run's is not known, and nothing is made up.
    let unknown = attempt("resume");
    assert!(only(&unknown, &nothing).is_empty());
    assert_eq!(unknown.attempts()[0].session_reached(), Some(spent(100, 50, None)));
    let nameless = fold(vec![started(), tick("session", true, None, spent(9, 9, None))]);
    assert!(only(&nameless, &nothing).is_empty(), "no session, no beginning");
}

#[test]
fn a_run_that_tells_nothing_has_no_shares() {
    assert!(shares(vec![]).is_empty());
    assert!(fold(vec![]).attempts().is_empty());
}

fn switched() -> serde_json::Value {
    json!({
        "type": "agent_switched", "fromAgent": "one", "toAgent": "two", "attempt": 2,
        "errorKind": "rate_limited", "reason": "limit", "handover": "prompt",
    })
}

fn done(totals: &serde_json::Value) -> serde_json::Value {
    json!({
        "type": "done", "status": "completed", "stopReason": "end_turn",
        "evidence": "native_result", "durationMs": 1, "totals": totals,
    })
}

#[test]
fn a_session_that_the_next_attempt_takes_up_is_not_counted_twice() {
    let counter = |tokens| tick("session", true, None, spent(tokens, 0, None));
    let events = |between: Option<serde_json::Value>| {
        let first = vec![started(), session("s", "new"), counter(40)];
        let second = vec![started(), session("s", "resume"), counter(100)];
        [first, between.into_iter().collect(), second].concat()
    };
    let used = |events, past: &Past<'_>| -> Vec<u64> {
        fold(events).shares(past).iter().map(|shares| sum(shares).input_tokens).collect()
    };
    assert_eq!(used(events(None), &nothing), [40, 60]);
    // A session of the same name that another agent knows is another one.
    let of_two = |agent: Option<&str>, _: &str| (agent == Some("two")).then(|| spent(70, 0, None));
    assert_eq!(used(events(Some(switched())), &of_two), [40, 30]);
}

#[test]
fn the_sum_states_a_cost_when_every_attempt_that_used_tokens_does() {
    let cost = |attempts: &[Spent]| {
        let events = attempts.iter().flat_map(|spent| [started(), tick("run", true, None, *spent)]);
        fold(events.collect()).total(&nothing).map(|usage| (usage.total_tokens, usage.cost_usd))
    };
    assert_eq!(cost(&[spent(1, 0, Some(1.0)), spent(2, 0, Some(2.0))]), Some((3, Some(3.0))));
    assert_eq!(cost(&[spent(1, 0, Some(1.0)), spent(2, 0, None)]), Some((3, None)));
    assert_eq!(cost(&[spent(0, 0, None), spent(2, 0, Some(2.0))]), Some((2, Some(2.0))));
    assert_eq!(cost(&[spent(2, 0, Some(2.0)), spent(0, 0, None)]), Some((2, Some(2.0))));
    assert_eq!(cost(&[]), None);
}

#[test]
fn what_only_the_end_states_counts_once() {
    let usage = tick("run", true, Some("a"), spent(5, 0, None));
    let end = done(&json!({"usage": usage, "costUsd": 0.5}));
    assert_eq!(shares(vec![end.clone()]), [(Some("a".to_owned()), spent(5, 0, Some(0.5)))]);
    let told = vec![tick("turn", false, Some("b"), spent(3, 0, None)), end.clone()];
    assert_eq!(shares(told), [(Some("b".to_owned()), spent(3, 0, Some(0.5)))]);
    let two_models = vec![
        tick("turn", false, Some("a"), spent(1, 0, None)),
        tick("turn", false, Some("b"), spent(2, 0, None)),
        end.clone(),
    ];
    assert_eq!(shares(two_models), [(None, spent(3, 0, Some(0.5)))]);
    // The end of a run with several attempts has their sum.
    let several = fold(vec![started(), usage, started(), end]);
    assert_eq!(several.total(&nothing).map(|usage| usage.total_tokens), Some(5));
}

/// Events of a recording; the durations that a real run has are not recorded, so `done` is left out.
fn recording(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).expect("a recording");
    let events = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    events
        .filter(|event: &serde_json::Value| {
            let name = event["type"].as_str().unwrap_or_default();
            name != "done" && Fold::wants(name)
        })
        .collect()
}

fn adapters() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters")
}

#[test]
fn what_adapters_tell_is_counted_once() {
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").path();
    let folders = |path: &Path| std::fs::read_dir(path).into_iter().flatten().map(name);
    let mut counted = 0;
    for adapter in folders(&adapters()) {
        for version in folders(&adapter.join("recordings")) {
            let is_events = |path: &PathBuf| path.to_string_lossy().ends_with(".events.jsonl");
            for path in folders(&version).filter(is_events) {
                let events = recording(&path);
                let run = events.iter().rev().find(|event| event["scope"] == "run");
                let Some(run) = run else { continue };
                let run = serde_json::from_value(run.clone()).expect("usage");
                let sum = sum(&only(&fold(events), &nothing));
                let expected = Spent::of(&run);
                assert_eq!(sum.total_tokens, expected.total_tokens, "{}", path.display());
                assert_eq!(sum.input_tokens, expected.input_tokens, "{}", path.display());
                let cost = sum.cost_usd.zip(expected.cost_usd);
                let same = cost.is_some_and(|(sum, stated)| (sum - stated).abs() < 1e-9);
                assert!(
                    same || (sum.cost_usd, expected.cost_usd) == (None, None),
                    "{}",
                    path.display()
                );
                counted += 1;
            }
        }
    }
    assert!(counted > 200, "only {counted} recordings were found");
}

#[test]
fn two_models_of_one_recorded_run_are_told_apart() {
    let path = adapters().join("opencode-http/recordings/1.18.33/think_then_tool.events.jsonl");
    let shares = only(&fold(recording(&path)), &nothing);
    let figures: Vec<_> =
        shares.iter().map(|share| (share.model.as_deref(), share.spent.total_tokens)).collect();
    assert_eq!(figures, [(Some("fake/fake-thinker"), 1025), (Some("fake/fake-model"), 2050)]);
}

#[test]
fn a_recorded_session_that_is_resumed_and_forked_is_counted_once() {
    let folder = adapters().join("codex/recordings/0.166.0-exec");
    let mut reached =
        Spent { input_tokens: 89, output_tokens: 23, total_tokens: 123, ..Spent::default() };
    reached.cache_read_tokens = 11;
    for (name, input_tokens) in [("resume_turn2", 89), ("resume_last", 89), ("fork", 89)] {
        let fold = fold(recording(&folder.join(format!("{name}.events.jsonl"))));
        let shares = only(&fold, &|_, _| Some(reached));
        assert_eq!(sum(&shares).input_tokens, input_tokens, "{name}");
        reached = fold.attempts()[0].session_reached().expect("a counter");
    }
}

proptest! {
    #[test]
    fn a_counter_says_the_same_as_its_steps(
        steps in proptest::collection::vec((0_u64..5000, 0_u64..5000, 0_usize..3), 1..40),
        scope in prop_oneof!["turn", "run", "session"],
    ) {
        let models = ["a", "b", "c"];
        let mut reached = Spent::default();
        let (mut plain, mut counter) = (vec![session("s", "new")], vec![session("s", "new")]);
        for (input, output, model) in steps {
            let step = spent(input, output, None);
            reached.add(&step);
            plain.push(tick(&scope, false, Some(models[model]), step));
            counter.push(tick(&scope, true, Some(models[model]), reached));
        }
        prop_assert_eq!(shares(plain), shares(counter));
    }

    #[test]
    fn runs_of_one_session_add_up_to_its_counter(
        runs in proptest::collection::vec(proptest::collection::vec((1_u64..5000, 0_u64..5000), 1..4), 1..12),
    ) {
        let (mut counter, mut counted) = (Spent::default(), Spent::default());
        let mut before = None;
        for (index, steps) in runs.into_iter().enumerate() {
            let mut events = vec![started(), session("s", if index == 0 { "new" } else { "resume" })];
            for (input, output) in steps {
                counter.add(&spent(input, output, None));
                events.push(tick("session", true, None, counter));
            }
            let fold = fold(events);
            counted.add(&sum(&only(&fold, &|_, _| before)));
            before = fold.attempts()[0].session_reached();
        }
        prop_assert_eq!(counted, counter);
    }
}
