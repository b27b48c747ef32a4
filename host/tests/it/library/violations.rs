//! Adapters that violate the rules of the stream: the run ends with a typed error, and earlier events are kept.

use od_protocol::api::{FallbackPolicy, PLUGIN_PROTOCOL};
use od_protocol::{DoneEvidence, DoneStatus, ErrorKind, Event};

use super::stage::{Stage, assert_whole, block_on, collect, set_mode, text, types};

/// A violation, and a part of the error message about it.
const RULES: [(&str, &str); 9] = [
    ("repeat", "its event \"heartbeat\" has the number 0 instead of 2"),
    ("gap", "its event \"text_delta\" has the number 9 instead of 2"),
    ("stale_done", "its event \"done\" has the number 1 instead of 2"),
    ("huge_number", "its event cannot be parsed: its number is too large"),
    ("no_event", "its event cannot be parsed: missing field `runId`"),
    ("cut", "its event cannot be parsed"),
    (
        "bare_done",
        "its `done` with the number 2 cannot be parsed: malformed event done: missing field `status`",
    ),
    ("bad_done", "its `done` with the number 2 cannot be parsed: malformed event done: "),
    ("long_line", "bytes, the limit is 16777216"),
];

#[test]
fn protocol_violation_ends_run() {
    let stage = Stage::new();
    let adapter = stage.add("x", "");
    block_on(async {
        let host = stage.host();
        for (rule, said) in RULES {
            set_mode(&adapter, &format!("violates {rule}"));
            let run = stage.start(&host).await.expect("a run");
            let (events, done) = collect(&run).await;
            assert_whole(&events);
            assert_eq!(types(&events), ["run_started", "text_delta", "error", "done"], "{rule}");
            assert_eq!(text(&events), "before", "{rule}");
            let Event::Error(error) = &events[2].event else { panic!("{:?}", events[2]) };
            assert!(
                error.message.starts_with("the adapter x violated the protocol: ")
                    && error.message.contains(said),
                "{rule}: {}",
                error.message
            );
            assert!(error.fatal && error.hint.is_some());
            let kind = done.error_kind.as_ref().map(ErrorKind::as_str);
            assert_eq!((kind, error.kind.as_str()), (Some(PLUGIN_PROTOCOL), PLUGIN_PROTOCOL));
            assert_eq!((done.status, done.evidence), (DoneStatus::Failed, DoneEvidence::Watchdog));
        }
        let failures = r#"od_adapter_failures_total{agent="x",kind="_od.plugin_protocol"} 9"#;
        let metrics = host.metrics_text();
        assert!(metrics.contains(failures), "{metrics}");
    });
}

#[test]
fn fallback_follows_protocol_violation() {
    let stage = Stage::with("x", "violates bad_done");
    stage.add("y", "good");
    block_on(async {
        let mut request = stage.request("x", "go");
        let agents = vec!["y".to_owned()];
        request.fallback = Some(FallbackPolicy { agents, ..FallbackPolicy::default() });
        let run = stage.host().start(request).await.expect("a run");
        let (events, done) = collect(&run).await;
        assert_whole(&events);
        assert_eq!(done.status, DoneStatus::Completed);
        let switched = events.iter().find_map(|params| match &params.event {
            Event::AgentSwitched(switched) => Some(switched.error_kind.as_str()),
            _ => None,
        });
        assert_eq!(switched, Some(PLUGIN_PROTOCOL));
    });
}
