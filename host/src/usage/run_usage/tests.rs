//! Usage of synthetic and recorded runs.

use std::path::{Path, PathBuf};

use od_protocol::JsonObject;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::usage::model_usage::sum;
use crate::usage::token_usage::tests::tokens;

/// The usage of these events, one per second.
fn collect(events: Vec<serde_json::Value>) -> RunUsage {
    let mut usage = RunUsage::default();
    for (ts, event) in (0..).step_by(1000).zip(events) {
        let event: JsonObject = serde_json::from_value(event).expect("an object");
        usage.push(ts, &Event::from_object(event).expect("an event"));
    }
    usage
}

fn usage_event(
    scope: &str,
    cumulative: bool,
    model: Option<&str>,
    figures: TokenUsage,
) -> serde_json::Value {
    let mut event = json!({
        "type": "usage", "scope": scope, "cumulative": cumulative, "source": "cli",
        "inputTokens": figures.input_tokens, "outputTokens": figures.output_tokens,
        "totalTokens": figures.total_tokens, "costUsd": figures.cost_usd,
    });
    if let Some(model) = model {
        event["model"] = json!(model);
    }
    event
}

fn session(id: &str, mode: &str) -> serde_json::Value {
    json!({"type": "session_started", "sessionId": id, "mode": mode})
}

fn started() -> serde_json::Value {
    json!({"type": "run_started", "argv": []})
}

/// No session has earlier usage.
fn no_prior(_: Option<&str>, _: &str) -> Option<TokenUsage> {
    None
}

/// The usage by model of a run with one attempt.
#[track_caller]
fn single_attempt(usage: &RunUsage, prior: &PriorUsage<'_>) -> Vec<ModelUsage> {
    let mut attempts = usage.by_model(prior);
    assert_eq!(attempts.len(), 1, "one attempt");
    attempts.remove(0)
}

/// The usage by model of one attempt with these events.
fn by_model(events: Vec<serde_json::Value>) -> Vec<(Option<String>, TokenUsage)> {
    let models = single_attempt(&collect([vec![started()], events].concat()), &no_prior);
    models.into_iter().map(|usage| (usage.model, usage.tokens)).collect()
}

#[test]
fn run_figures_take_precedence() {
    let events = vec![
        usage_event("turn", false, Some("a"), tokens(1, 1, None)),
        usage_event("session", true, Some("a"), tokens(900, 900, None)),
        usage_event("run", true, Some("a"), tokens(5, 6, Some(0.5))),
    ];
    assert_eq!(by_model(events), [(Some("a".to_owned()), tokens(5, 6, Some(0.5)))]);
}

#[test]
fn turn_figures_are_summed() {
    let plain = vec![
        usage_event("turn", false, Some("a"), tokens(1, 2, Some(0.25))),
        usage_event("turn", false, Some("a"), tokens(3, 4, Some(0.5))),
    ];
    let counter = vec![
        usage_event("turn", true, Some("a"), tokens(1, 2, Some(0.25))),
        usage_event("turn", true, Some("a"), tokens(4, 6, Some(0.75))),
    ];
    let expected = [(Some("a".to_owned()), tokens(4, 6, Some(0.75)))];
    assert_eq!(by_model(plain), expected);
    assert_eq!(by_model(counter), expected);
}

#[test]
fn usage_without_model_belongs_to_current_model() {
    let events = vec![
        usage_event("turn", false, None, tokens(1, 0, None)),
        json!({"type": "session_started", "sessionId": "s", "mode": "new", "model": "a"}),
        usage_event("turn", false, None, tokens(2, 0, None)),
        json!({"type": "mode_changed", "model": "b"}),
        usage_event("turn", false, None, tokens(4, 0, None)),
    ];
    // The first event has no model, so it counts for the last known one.
    let expected =
        [(Some("b".to_owned()), tokens(5, 0, None)), (Some("a".to_owned()), tokens(2, 0, None))];
    assert_eq!(by_model(events), expected);
}

#[test]
fn run_is_split_by_models_of_turns() {
    let turns = |cost| {
        vec![
            usage_event("turn", false, Some("a"), tokens(10, 0, cost)),
            usage_event("turn", false, Some("b"), tokens(20, 0, cost)),
        ]
    };
    let run = |cost| usage_event("run", true, None, tokens(35, 1, cost));
    let priced = [turns(Some(0.25)), vec![run(Some(1.0))]].concat();
    let expected = [
        (Some("a".to_owned()), tokens(10, 0, Some(0.25))),
        (Some("b".to_owned()), tokens(25, 1, Some(0.75))),
    ];
    assert_eq!(by_model(priced), expected);
    let free = [turns(None), vec![run(None)]].concat();
    assert_eq!(by_model(free).len(), 2);
    let whole_only = [turns(None), vec![run(Some(1.0))]].concat();
    assert_eq!(by_model(whole_only), [(None, tokens(35, 1, Some(1.0)))]);
    let too_much =
        [turns(None), vec![usage_event("run", true, Some("a"), tokens(5, 0, None))]].concat();
    assert_eq!(by_model(too_much), [(Some("a".to_owned()), tokens(5, 0, None))]);
}

#[test]
fn attempts_have_separate_usage() {
    let usage = collect(vec![
        started(),
        usage_event("turn", false, Some("a"), tokens(1, 0, None)),
        // The agent CLI's own retry is not an attempt.
        json!({"type": "retry", "attempt": 1, "reason": "overloaded"}),
        usage_event("turn", false, Some("a"), tokens(2, 0, None)),
        json!({"type": "retry", "attempt": 2, "reason": "rate_limited"}),
        started(),
        usage_event("run", true, Some("a"), tokens(4, 0, None)),
        switched(),
        json!({"type": "run_started", "argv": [], "credential": {"kind": "api_key", "name": "KEY"}}),
        usage_event("run", true, Some("b"), tokens(8, 0, None)),
        done(&json!({})),
    ]);
    let attempts = usage.attempts();
    let agents: Vec<_> = attempts.iter().map(|attempt| attempt.agent.as_deref()).collect();
    assert_eq!(agents, [Some("one"), Some("one"), Some("two")]);
    let inputs: Vec<u64> =
        usage.by_model(&no_prior).iter().map(|models| sum(models).input_tokens).collect();
    assert_eq!(inputs, [3, 4, 8]);
    let times: Vec<_> =
        attempts.iter().map(|attempt| (attempt.started_at, attempt.ended_at)).collect();
    assert_eq!(times, [(0, 5000), (5000, 8000), (8000, 10_000)]);
    let statuses: Vec<_> = attempts.iter().map(|attempt| attempt.status).collect();
    assert_eq!(statuses, [DoneStatus::Failed, DoneStatus::Failed, DoneStatus::Completed]);
    assert_eq!(attempts[2].credential.as_ref().map(|credential| &*credential.name), Some("KEY"));
}

#[test]
fn session_counter_excludes_earlier_runs() {
    let attempt = |mode: &str| {
        let mut start = session("s", mode);
        if mode == "fork" {
            start["parentSessionId"] = json!("parent");
        }
        collect(vec![started(), start, usage_event("session", true, None, tokens(100, 50, None))])
    };
    let used = |mode: &str, id: &'static str| {
        let prior =
            move |_: Option<&str>, session: &str| (session == id).then(|| tokens(60, 20, None));
        sum(&single_attempt(&attempt(mode), &prior))
    };
    assert_eq!(used("resume", "s"), tokens(40, 30, None));
    assert_eq!(used("fork", "parent"), tokens(40, 30, None));
    assert_eq!(used("new", "s"), tokens(100, 50, None));
    // The session started outside the host, so the share of this run is unknown and nothing is counted.
    let unknown = attempt("resume");
    assert!(single_attempt(&unknown, &no_prior).is_empty());
    assert_eq!(unknown.attempts()[0].session_reached(), Some(tokens(100, 50, None)));
    let nameless = collect(vec![started(), usage_event("session", true, None, tokens(9, 9, None))]);
    assert!(single_attempt(&nameless, &no_prior).is_empty(), "no session, no start value");
}

#[test]
fn run_without_usage_events_has_none() {
    assert!(by_model(vec![]).is_empty());
    assert!(collect(vec![]).attempts().is_empty());
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
fn session_resumed_by_next_attempt_counts_once() {
    let counter = |input| usage_event("session", true, None, tokens(input, 0, None));
    let events = |between: Option<serde_json::Value>| {
        let first = vec![started(), session("s", "new"), counter(40)];
        let second = vec![started(), session("s", "resume"), counter(100)];
        [first, between.into_iter().collect(), second].concat()
    };
    let used = |events, prior: &PriorUsage<'_>| -> Vec<u64> {
        collect(events).by_model(prior).iter().map(|models| sum(models).input_tokens).collect()
    };
    assert_eq!(used(events(None), &no_prior), [40, 60]);
    // The same session id of another agent is another session.
    let of_two = |agent: Option<&str>, _: &str| (agent == Some("two")).then(|| tokens(70, 0, None));
    assert_eq!(used(events(Some(switched())), &of_two), [40, 30]);
}

#[test]
fn total_has_cost_when_every_attempt_has() {
    let cost = |attempts: &[TokenUsage]| {
        let events =
            attempts.iter().flat_map(|used| [started(), usage_event("run", true, None, *used)]);
        collect(events.collect()).total(&no_prior).map(|usage| (usage.total_tokens, usage.cost_usd))
    };
    assert_eq!(cost(&[tokens(1, 0, Some(1.0)), tokens(2, 0, Some(2.0))]), Some((3, Some(3.0))));
    assert_eq!(cost(&[tokens(1, 0, Some(1.0)), tokens(2, 0, None)]), Some((3, None)));
    assert_eq!(cost(&[tokens(0, 0, None), tokens(2, 0, Some(2.0))]), Some((2, Some(2.0))));
    assert_eq!(cost(&[tokens(2, 0, Some(2.0)), tokens(0, 0, None)]), Some((2, Some(2.0))));
    assert_eq!(cost(&[]), None);
}

#[test]
fn totals_of_done_count_once() {
    let usage = usage_event("run", true, Some("a"), tokens(5, 0, None));
    let end = done(&json!({"usage": usage, "costUsd": 0.5}));
    assert_eq!(by_model(vec![end.clone()]), [(Some("a".to_owned()), tokens(5, 0, Some(0.5)))]);
    let with_turn = vec![usage_event("turn", false, Some("b"), tokens(3, 0, None)), end.clone()];
    assert_eq!(by_model(with_turn), [(Some("b".to_owned()), tokens(3, 0, Some(0.5)))]);
    let two_models = vec![
        usage_event("turn", false, Some("a"), tokens(1, 0, None)),
        usage_event("turn", false, Some("b"), tokens(2, 0, None)),
        end.clone(),
    ];
    assert_eq!(by_model(two_models), [(None, tokens(3, 0, Some(0.5)))]);
    // The end of a run with several attempts has their sum.
    let several = collect(vec![started(), usage, started(), end]);
    assert_eq!(several.total(&no_prior).map(|usage| usage.total_tokens), Some(5));
}

/// Events of a recording; the durations that a real run has are not recorded, so `done` is left out.
fn recording(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).expect("a recording");
    let events = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    events
        .filter(|event: &serde_json::Value| {
            let name = event["type"].as_str().unwrap_or_default();
            name != "done" && RunUsage::wants(name)
        })
        .collect()
}

fn adapters() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters")
}

/// All `*.events.jsonl` below a folder.
fn event_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => event_files(&path),
            false => vec![path],
        })
        .filter(|path| path.to_string_lossy().ends_with(".events.jsonl"))
        .collect()
}

#[test]
fn recorded_usage_counts_once() {
    let mut counted = 0;
    for path in event_files(&adapters()) {
        let events = recording(&path);
        let run = events.iter().rev().find(|event| event["scope"] == "run");
        let Some(run) = run else { continue };
        let run = serde_json::from_value(run.clone()).expect("usage");
        let sum = sum(&single_attempt(&collect(events), &no_prior));
        let expected = TokenUsage::of(&run);
        assert_eq!(sum.total_tokens, expected.total_tokens, "{}", path.display());
        assert_eq!(sum.input_tokens, expected.input_tokens, "{}", path.display());
        let same = match (sum.cost_usd, expected.cost_usd) {
            (Some(sum), Some(reported)) => (sum - reported).abs() < 1e-9,
            (sum, reported) => sum == reported,
        };
        assert!(same, "{}", path.display());
        counted += 1;
    }
    assert!(counted > 200, "only {counted} recordings were found");
}

#[test]
fn recorded_run_has_two_models() {
    let path =
        adapters().join("opencode/opencode-http/recordings/1.18.33/think_then_tool.events.jsonl");
    let models = single_attempt(&collect(recording(&path)), &no_prior);
    let figures: Vec<_> =
        models.iter().map(|usage| (usage.model.as_deref(), usage.tokens.total_tokens)).collect();
    assert_eq!(figures, [(Some("fake/fake-thinker"), 1025), (Some("fake/fake-model"), 2050)]);
}

#[test]
fn recorded_resume_and_fork_count_once() {
    let folder = adapters().join("codex/recordings/0.166.0-exec");
    let mut reached = TokenUsage {
        input_tokens: 89,
        output_tokens: 23,
        total_tokens: 123,
        ..TokenUsage::default()
    };
    reached.cache_read_tokens = 11;
    for (name, input_tokens) in [("resume_turn2", 89), ("resume_last", 89), ("fork", 89)] {
        let usage = collect(recording(&folder.join(format!("{name}.events.jsonl"))));
        let models = single_attempt(&usage, &|_, _| Some(reached));
        assert_eq!(sum(&models).input_tokens, input_tokens, "{name}");
        reached = usage.attempts()[0].session_reached().expect("a counter");
    }
}

proptest! {
    #[test]
    fn cumulative_and_plain_events_agree(
        steps in proptest::collection::vec((0_u64..5000, 0_u64..5000, 0_usize..3), 1..40),
        scope in prop_oneof!["turn", "run", "session"],
    ) {
        let models = ["a", "b", "c"];
        let mut reached = TokenUsage::default();
        let (mut plain, mut counter) = (vec![session("s", "new")], vec![session("s", "new")]);
        for (input, output, model) in steps {
            let step = tokens(input, output, None);
            reached.add(&step);
            plain.push(usage_event(&scope, false, Some(models[model]), step));
            counter.push(usage_event(&scope, true, Some(models[model]), reached));
        }
        prop_assert_eq!(by_model(plain), by_model(counter));
    }

    #[test]
    fn runs_of_session_add_up_to_counter(
        runs in proptest::collection::vec(proptest::collection::vec((1_u64..5000, 0_u64..5000), 1..4), 1..12),
    ) {
        let (mut counter, mut counted) = (TokenUsage::default(), TokenUsage::default());
        let mut before = None;
        for (index, steps) in runs.into_iter().enumerate() {
            let mut events = vec![started(), session("s", if index == 0 { "new" } else { "resume" })];
            for (input, output) in steps {
                counter.add(&tokens(input, output, None));
                events.push(usage_event("session", true, None, counter));
            }
            let usage = collect(events);
            counted.add(&sum(&single_attempt(&usage, &|_, _| before)));
            before = usage.attempts()[0].session_reached();
        }
        prop_assert_eq!(counted, counter);
    }
}
