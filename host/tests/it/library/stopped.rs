//! Cancelling a run while the host looks up an agent: a hung adapter does not delay it.

use std::time::Duration;

use od_host::RunRequest;
use od_protocol::DoneStatus;
use od_protocol::api::{CancelRunParams, RunState};

use super::attempts::{errors, fall_back_to};
use super::queue::{finish, limited};
use super::service_runs::{service, start, state, task, wait_for_end};
use super::stage::{Stage, assert_whole, block_on, collect, set_mode, types};

/// How often a test polls a condition.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

#[test]
fn cancel_during_fallback_lookup_ends_run() {
    let stage = Stage::with("x", "fails rate_limited");
    let gated = stage.add("y", "gated");
    block_on(async {
        let request = RunRequest { fallback: fall_back_to(&["y"]), ..stage.request("x", "go") };
        let run = stage.host().start(request).await.expect("a run");
        while !gated.with_extension("count").exists() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        // The gate never opens: `y` would appear in the events only if the cancel had no effect.
        assert!(run.cancel(Duration::ZERO));
        let (events, done) = collect(&run).await;
        assert_whole(&events);
        assert_eq!(types(&events), ["run_started", "usage", "error", "done"]);
        assert!(!errors(&events)[0].fatal);
        assert_eq!((done.status, done.error_kind), (DoneStatus::Cancelled, None));
    });
}

#[test]
fn cancel_during_adapter_lookup_ends_run() {
    let stage = limited("[limits]\nmaxRuns = 1\n");
    let slow = stage.add("y", "good");
    block_on(async {
        let service = service(&stage);
        let first = start(&service, task(&stage, "x", "go")).await.expect("a run").run_id;
        let second = start(&service, task(&stage, "y", "go")).await.expect("a run").run_id;
        // The executable has changed, so the host asks for its manifest again, which hangs.
        set_mode(&slow, "slow_manifest");
        std::fs::write(&slow, [std::fs::read(&slow).expect("an adapter"), vec![0]].concat())
            .expect("a new adapter");
        finish(&service, &first).await;
        while state(&service, &second).await == RunState::Queued {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        let cancel = CancelRunParams { run_id: second.clone(), grace_ms: Some(0) };
        assert!(service.cancel_run(cancel).await.expect("an answer").accepted);
        wait_for_end(&service, &second).await;
        assert_eq!(state(&service, &second).await, RunState::Cancelled);
    });
}
