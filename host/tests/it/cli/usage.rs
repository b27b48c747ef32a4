//! `od-host usage`.

use serde_json::{Value, json};

use super::scratch::Scratch;

/// A machine with an adapter that reports usage, and one run of it.
fn machine_with_usage() -> Scratch {
    let events = json!([{
        "type": "usage", "scope": "run", "cumulative": true, "source": "cli", "model": "gpt-5.2",
        "provider": "openai",
        "inputTokens": 1500, "outputTokens": 500, "totalTokens": 2000, "costUsd": 0.0125,
    }]);
    let scratch = Scratch::with_adapter("x", &format!("emits {events}"));
    scratch.od_host(&["run", "-a", "x", "--output", "quiet", "go"]).exits_with(0);
    scratch
}

#[test]
fn usage_prints_table() {
    let scratch = machine_with_usage();
    let finished = scratch.od_host(&["usage", "--by", "provider", "--since", "1d"]).exits_with(0);
    let lines: Vec<&str> = finished.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{}", finished.stdout);
    assert!(lines[0].starts_with("PROVIDER"), "{}", lines[0]);
    let bar = "█".repeat(12);
    assert!(lines[1].starts_with("openai") && lines[1].contains(&bar), "{}", lines[1]);
    assert!(lines[1].contains("2.0k") && lines[1].contains("$0.0125"), "{}", lines[1]);
    assert!(lines[2].starts_with("total"), "{}", lines[2]);
    assert_eq!(finished.stderr, "");
    assert!(lines.iter().all(|line| line.chars().count() <= 80 && !line.contains('\u{1b}')));
}

#[test]
fn usage_prints_json_and_csv() {
    let scratch = machine_with_usage();
    let finished = scratch.od_host(&["usage", "--by", "model", "--json"]).exits_with(0);
    let summary: Value = serde_json::from_str(&finished.stdout).expect("JSON");
    assert_eq!(summary["rows"][0]["group"], "gpt-5.2");
    assert_eq!(summary["total"]["costUsd"], 0.0125);
    let finished = scratch.od_host(&["usage", "--by", "model", "--csv"]).exits_with(0);
    let (header, row) = finished.stdout.split_once('\n').expect("two lines");
    assert!(header.starts_with("group,runs,inputTokens,"), "{header}");
    assert_eq!(row, "gpt-5.2,1,1500,500,0,0,2000,0.0125,0\n");
    let finished = scratch.od_host(&["usage", "--csv", "--until", "7d"]).exits_with(0);
    assert_eq!(finished.stdout, format!("{header}\n"));
}

#[test]
fn missing_cost_is_reported() {
    let scratch = Scratch::with_adapter("x", "good");
    let finished = scratch.od_host(&["usage"]).exits_with(0);
    assert_eq!(finished.stdout, "");
    assert!(finished.stderr.contains("od-host run"), "{}", finished.stderr);
    scratch.od_host(&["run", "-a", "x", "--output", "quiet", "go"]).exits_with(0);
    let finished = scratch.od_host(&["usage"]).exits_with(0);
    assert!(finished.stdout.contains('–'), "{}", finished.stdout);
    assert!(
        finished.stderr.contains("1 run reported no cost; totals exclude it"),
        "{}",
        finished.stderr
    );
    let finished = scratch.od_host(&["usage", "--until", "yesterday"]).exits_with(0);
    assert!(finished.stderr.contains("no run ended in that period"), "{}", finished.stderr);
}

#[test]
fn invalid_usage_arguments_are_refused() {
    let scratch = Scratch::new();
    for (arguments, reason) in [
        (vec!["usage", "--since", "soon"], "7d, 24h, 2w, 2026-11-01"),
        (vec!["usage", "--by", "colour"], "possible values: agent, model, provider"),
        (vec!["usage", "--json", "--csv"], "cannot be used with"),
        (vec!["usage", "--since", "today", "--until", "7d"], "ends before it begins"),
    ] {
        let finished = scratch.od_host(&arguments).exits_with(2);
        assert!(finished.stderr.contains(reason), "{arguments:?}:\n{}", finished.stderr);
    }
}
