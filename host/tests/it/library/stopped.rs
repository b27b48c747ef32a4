//! Runs that are stopped while the host looks for an agent: nobody waits for an adapter that hangs.

use std::time::Duration;

use od_host::RunRequest;
use od_protocol::DoneStatus;
use od_protocol::api::{CancelRunParams, RunState};

use super::attempts::{errors, fall_back_to};
use super::queue::{finish, limited};
use super::service_runs::{over, service, start, state, task};
use super::stage::{Stage, assert_whole, block_on, collect, set_mode, types};

/// How often a test looks whether something has happened.
const LOOK: Duration = Duration::from_millis(5);

#[test]
fn a_run_that_looks_for_another_agent_can_be_cancelled() {
    let stage = Stage::with("x", "fails rate_limited");
    let gated = stage.add("y", "gated");
    block_on(async {
        let request = RunRequest { fallback: fall_back_to(&["y"]), ..stage.request("x", "go") };
        let run = stage.host().start(request).await.expect("a run");
        while !gated.with_extension("count").exists() {
            tokio::time::sleep(LOOK).await;
        }
        // The gate never opens: only the end of a run that was not stopped would tell of `y`.
        assert!(run.cancel(Duration::ZERO));
        let (events, done) = collect(&run).await;
        assert_whole(&events);
        assert_eq!(types(&events), ["run_started", "usage", "error", "done"]);
        assert!(!errors(&events)[0].fatal);
        assert_eq!((done.status, done.error_kind), (DoneStatus::Cancelled, None));
    });
}

#[test]
fn a_run_whose_turn_has_come_can_be_cancelled_while_its_adapter_is_looked_up() {
    let stage = limited("[limits]\nmaxRuns = 1\n");
    let slow = stage.add("y", "good");
    block_on(async {
        let service = service(&stage);
        let first = start(&service, task(&stage, "x", "go")).await.expect("a run").run_id;
        let second = start(&service, task(&stage, "y", "go")).await.expect("a run").run_id;
        // Another executable by now: it is asked for its manifest again, and hangs.
        set_mode(&slow, "slow_manifest");
        std::fs::write(&slow, [std::fs::read(&slow).expect("an adapter"), vec![0]].concat())
            .expect("a new adapter");
        finish(&service, &first).await;
        while state(&service, &second).await == RunState::Queued {
            tokio::time::sleep(LOOK).await;
        }
        let cancel = CancelRunParams { run_id: second.clone(), grace_ms: Some(0) };
        assert!(service.cancel_run(cancel).await.expect("an answer").accepted);
        over(&service, &second).await;
        assert_eq!(state(&service, &second).await, RunState::Cancelled);
    });
}
