//! What adapters really tell, and what they might.

use std::path::{Path, PathBuf};

use od_protocol::JsonObject;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::usage::spent::tests::spent;

/// Folds a list of events, one a second.
fn fold(events: Vec<serde_json::Value>) -> Vec<Attempt> {
    let mut fold = Fold::default();
    for (ts, event) in (0..).step_by(1000).zip(events) {
        let event: JsonObject = serde_json::from_value(event).expect("an object");
        fold.take(ts, Event::from_object(event).expect("an event"));
    }
    fold.finish()
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
fn nothing(_: &str) -> Option<Spent> {
    None
}

/// The shares of the only attempt, by model.
fn shares(events: Vec<serde_json::Value>) -> Vec<(Option<String>, Spent)> {
    let attempts = fold([vec![started()], events].concat());
    assert_eq!(attempts.len(), 1);
    attempts[0].shares(nothing).into_iter().map(|share| (share.model, share.spent)).collect()
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
    let attempts = fold(vec![
        started(),
        tick("turn", false, Some("a"), spent(1, 0, None)),
        // The agent CLI's own retry is no attempt.
        json!({"type": "retry", "attempt": 1, "reason": "overloaded"}),
        tick("turn", false, Some("a"), spent(2, 0, None)),
        json!({"type": "retry", "attempt": 2, "reason": "rate_limited"}),
        started(),
        tick("run", true, Some("a"), spent(4, 0, None)),
        json!({
            "type": "agent_switched", "fromAgent": "one", "toAgent": "two", "attempt": 3,
            "errorKind": "rate_limited", "reason": "limit", "handover": "prompt",
        }),
        json!({"type": "run_started", "argv": [], "credential": {"kind": "api_key", "name": "KEY"}}),
        tick("run", true, Some("b"), spent(8, 0, None)),
        json!({
            "type": "done", "status": "completed", "stopReason": "end_turn",
            "evidence": "native_result", "durationMs": 10_000, "totals": {},
        }),
    ]);
    let agents: Vec<_> = attempts.iter().map(|attempt| attempt.agent.as_deref()).collect();
    assert_eq!(agents, [Some("one"), Some("one"), Some("two")]);
    let inputs: Vec<u64> =
        attempts.iter().map(|attempt| sum(&attempt.shares(nothing)).input_tokens).collect();
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
        fold(vec![started(), start, tick("session", true, None, spent(100, 50, None))]).remove(0)
    };
    let stood =
        |id: &'static str| move |session: &str| (session == id).then(|| spent(60, 20, None));
    assert_eq!(sum(&attempt("resume").shares(stood("s"))), spent(40, 30, None));
    assert_eq!(sum(&attempt("fork").shares(stood("parent"))), spent(40, 30, None));
    assert_eq!(sum(&attempt("new").shares(stood("s"))), spent(100, 50, None));
    // Begun outside: how much of it is this run's is not known, and nothing is made up.
    assert!(attempt("resume").shares(nothing).is_empty());
    assert_eq!(attempt("resume").session_reached(), Some(spent(100, 50, None)));
}

#[test]
fn a_run_that_tells_nothing_has_no_shares() {
    assert!(shares(vec![]).is_empty());
    assert!(fold(vec![]).is_empty());
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
                let attempts = fold(events);
                assert_eq!(attempts.len(), 1, "{}", path.display());
                let sum = sum(&attempts[0].shares(nothing));
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
    let shares = fold(recording(&path))[0].shares(nothing);
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
        let attempt = fold(recording(&folder.join(format!("{name}.events.jsonl")))).remove(0);
        let shares = attempt.shares(|_| Some(reached));
        assert_eq!(sum(&shares).input_tokens, input_tokens, "{name}");
        reached = attempt.session_reached().expect("a counter");
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
        let (mut plain, mut counter) = (Vec::new(), Vec::new());
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
            let attempt = fold(events).remove(0);
            counted.add(&sum(&attempt.shares(|_| before)));
            before = attempt.session_reached();
        }
        prop_assert_eq!(counted, counter);
    }
}
