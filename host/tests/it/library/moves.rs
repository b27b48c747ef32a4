//! Runs that fall back to another agent while slots are scarce.

use std::time::Duration;

use od_host::Service;
use od_protocol::api::{CancelRunParams, RunState, StartRunParams};
use od_protocol::{ErrorKind, Event};

use super::attempts::fall_back_to;
use super::queue::{finish, info, limited, statuses};
use super::service_runs::{events, over, service, start, state, task, wait_for};
use super::stage::{Stage, assert_numbered, block_on, set_mode, types};

const ONE_EACH: &str = "[agents.x]\nmaxRuns = 1\n[agents.y]\nmaxRuns = 1\n";

/// Two agents with one slot each: `x` fails at once, `y` waits for the input `finish`.
fn two_agents() -> Stage {
    let stage = limited(ONE_EACH);
    set_mode(&stage.adapters().join("od-adapter-x"), "fails rate_limited");
    stage.add("y", "waits");
    stage
}

/// A run of `x` that may fall back to `y`.
fn mover(stage: &Stage) -> StartRunParams {
    StartRunParams { fallback: fall_back_to(&["y"]), ..task(stage, "x", "go") }
}

/// A run that holds the only slot of `y`, and one that waits for it after `x` failed.
async fn crowd(stage: &Stage, service: &Service, params: StartRunParams) -> (String, String) {
    let holder = start(service, task(stage, "y", "go")).await.expect("a run").run_id;
    wait_for(service, &holder, "text_delta").await;
    let mover = start(service, params).await.expect("a run");
    assert_eq!(mover.state, RunState::Running);
    wait_for(service, &mover.run_id, "agent_switched").await;
    (holder, mover.run_id)
}

#[test]
fn fallback_frees_slot_and_waits_for_agent() {
    let stage = two_agents();
    block_on(async {
        let service = service(&stage);
        let (holder, mover) = crowd(&stage, &service, mover(&stage)).await;
        wait_for(&service, &mover, "status").await;
        let waiting = info(&service, &mover).await;
        assert_eq!((waiting.state, waiting.queue_position), (RunState::Running, Some(1)));
        assert_eq!((waiting.agent.as_str(), waiting.attempts), ("y", 1));

        // Its slot with `x` is free, and later runs of `y` wait behind it.
        set_mode(&stage.adapters().join("od-adapter-x"), "waits");
        let other = start(&service, task(&stage, "x", "go")).await.expect("a run");
        assert_eq!(other.state, RunState::Running);
        let later = start(&service, task(&stage, "y", "go")).await.expect("a run");
        assert_eq!((later.state, later.queue_position), (RunState::Queued, Some(2)));

        finish(&service, &holder).await;
        finish(&service, &mover).await;
        finish(&service, &later.run_id).await;
        finish(&service, &other.run_id).await;
        let of_mover = events(&service, &mover).await;
        assert_numbered(&of_mover);
        assert_eq!(
            types(&of_mover)[2..],
            [
                "error",
                "agent_switched",
                "status",
                "status",
                "run_started",
                "text_delta",
                "user_message",
                "done"
            ]
        );
        assert_eq!(
            statuses(&of_mover),
            [("queued", "1st in the queue; 1 run of y is running"), ("starting", "")]
        );
        assert_eq!(info(&service, &mover).await.attempts, 2);
    });
}

#[test]
fn cancel_during_fallback_wait_ends_run() {
    let stage = two_agents();
    block_on(async {
        let service = service(&stage);
        let (holder, mover) = crowd(&stage, &service, mover(&stage)).await;
        wait_for(&service, &mover, "status").await;
        let cancel = CancelRunParams { run_id: mover.clone(), grace_ms: None };
        assert!(service.cancel_run(cancel).await.expect("an answer").accepted);
        over(&service, &mover).await;
        let of_mover = events(&service, &mover).await;
        assert_numbered(&of_mover);
        assert_eq!(types(&of_mover)[4..], ["status", "done"]);
        assert_eq!(state(&service, &mover).await, RunState::Cancelled);

        // It holds no slot any more.
        let next = start(&service, task(&stage, "y", "go")).await.expect("a run");
        assert_eq!(next.queue_position, Some(1));
        finish(&service, &holder).await;
        finish(&service, &next.run_id).await;
    });
}

#[test]
fn fallback_wait_respects_queue_limit() {
    let stage = two_agents();
    block_on(async {
        let service = service(&stage);
        let params = StartRunParams { queue_ms: Some(1), ..mover(&stage) };
        let (holder, mover) = crowd(&stage, &service, params).await;
        over(&service, &mover).await;
        let of_mover = events(&service, &mover).await;
        let Some(Event::Error(error)) = of_mover.iter().rev().map(|params| &params.event).nth(1)
        else {
            panic!("{:?}", types(&of_mover));
        };
        let which = error.data.as_ref().and_then(|data| data.get("which"));
        assert_eq!((&error.kind, which), (&ErrorKind::Timeout, Some(&"queue".into())));
        assert_eq!(state(&service, &mover).await, RunState::TimedOut);
        finish(&service, &holder).await;
    });
}

#[test]
fn drain_cancels_run_waiting_for_fallback() {
    let stage = two_agents();
    block_on(async {
        let service = service(&stage);
        let (holder, mover) = crowd(&stage, &service, mover(&stage)).await;
        wait_for(&service, &mover, "status").await;
        let draining = tokio::spawn({
            let service = service.clone();
            async move { service.drain(Duration::from_secs(40)).await }
        });
        over(&service, &mover).await;
        assert_eq!(state(&service, &mover).await, RunState::Cancelled);
        assert_eq!(state(&service, &holder).await, RunState::Running);
        finish(&service, &holder).await;
        draining.await.expect("it ends");
    });
}

#[test]
fn swapping_agents_does_not_deadlock() {
    let stage = limited(&format!("[limits]\nmaxRuns = 2\n{ONE_EACH}"));
    for agent in ["x", "y"] {
        stage.add(agent, "limited 3600000");
    }
    block_on(async {
        let service = service(&stage);
        let mut runs = Vec::new();
        for (from, to) in [("x", "y"), ("y", "x")] {
            let fallback = fall_back_to(&[to]);
            let params = StartRunParams { fallback, ..task(&stage, from, "go") };
            runs.push(start(&service, params).await.expect("a run").run_id);
        }
        for run_id in runs {
            over(&service, &run_id).await;
            assert_numbered(&events(&service, &run_id).await);
            assert_eq!(state(&service, &run_id).await, RunState::Completed);
        }
    });
}

#[test]
fn fallback_to_free_agent_keeps_host_slot() {
    let stage = two_agents();
    std::fs::write(stage.home().settings_file(), "[limits]\nmaxRuns = 1\n").expect("settings");
    stage.add("z", "good");
    block_on(async {
        let service = service(&stage);
        let mover = start(&service, mover(&stage)).await.expect("a run").run_id;
        let other = start(&service, task(&stage, "z", "go")).await.expect("a run");
        assert_eq!(other.state, RunState::Queued);
        wait_for(&service, &mover, "text_delta").await;
        assert_eq!(state(&service, &other.run_id).await, RunState::Queued);
        finish(&service, &mover).await;
        assert!(statuses(&events(&service, &mover).await).is_empty(), "it did not wait");
        over(&service, &other.run_id).await;
        assert_eq!(state(&service, &other.run_id).await, RunState::Completed);
    });
}
