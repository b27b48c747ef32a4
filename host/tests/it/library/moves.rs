//! Runs that fall back to another agent while slots are scarce.

use std::time::Duration;

use od_host::Service;
use od_protocol::api::{CancelRunParams, RunState, StartRunParams};
use od_protocol::{ErrorKind, Event};

use super::attempts::fall_back_to;
use super::queue::{finish, info, limited, statuses};
use super::service_runs::{events, service, start, state, task, wait_for, wait_for_end};
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
fn fallback_task(stage: &Stage) -> StartRunParams {
    StartRunParams { fallback: fall_back_to(&["y"]), ..task(stage, "x", "go") }
}

/// A run that holds the only slot of `y`, and one that waits for it after `x` failed.
async fn start_waiting_for_agent(
    stage: &Stage,
    service: &Service,
    params: StartRunParams,
) -> (String, String) {
    let holder = start(service, task(stage, "y", "go")).await.expect("a run").run_id;
    wait_for(service, &holder, "text_delta").await;
    let switched = start(service, params).await.expect("a run");
    assert_eq!(switched.state, RunState::Running);
    wait_for(service, &switched.run_id, "agent_switched").await;
    (holder, switched.run_id)
}

#[test]
fn fallback_frees_slot_and_waits_for_agent() {
    let stage = two_agents();
    block_on(async {
        let service = service(&stage);
        let (holder, switched) =
            start_waiting_for_agent(&stage, &service, fallback_task(&stage)).await;
        wait_for(&service, &switched, "status").await;
        let waiting = info(&service, &switched).await;
        assert_eq!((waiting.state, waiting.queue_position), (RunState::Running, Some(1)));
        assert_eq!((waiting.agent.as_str(), waiting.attempts), ("y", 1));

        // Its slot with `x` is free, and later runs of `y` wait behind it.
        set_mode(&stage.adapters().join("od-adapter-x"), "waits");
        let other = start(&service, task(&stage, "x", "go")).await.expect("a run");
        assert_eq!(other.state, RunState::Running);
        let later = start(&service, task(&stage, "y", "go")).await.expect("a run");
        assert_eq!((later.state, later.queue_position), (RunState::Queued, Some(2)));

        finish(&service, &holder).await;
        finish(&service, &switched).await;
        finish(&service, &later.run_id).await;
        finish(&service, &other.run_id).await;
        let of_switched = events(&service, &switched).await;
        assert_numbered(&of_switched);
        assert_eq!(
            types(&of_switched)[2..],
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
            statuses(&of_switched),
            [("queued", "1st in the queue; 1 run of y is running"), ("starting", "")]
        );
        assert_eq!(info(&service, &switched).await.attempts, 2);
    });
}

#[test]
fn cancel_during_fallback_wait_ends_run() {
    let stage = two_agents();
    block_on(async {
        let service = service(&stage);
        let (holder, switched) =
            start_waiting_for_agent(&stage, &service, fallback_task(&stage)).await;
        wait_for(&service, &switched, "status").await;
        let cancel = CancelRunParams { run_id: switched.clone(), grace_ms: None };
        assert!(service.cancel_run(cancel).await.expect("an answer").accepted);
        wait_for_end(&service, &switched).await;
        let of_switched = events(&service, &switched).await;
        assert_numbered(&of_switched);
        assert_eq!(types(&of_switched)[4..], ["status", "done"]);
        assert_eq!(state(&service, &switched).await, RunState::Cancelled);

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
        let params = StartRunParams { queue_ms: Some(1), ..fallback_task(&stage) };
        let (holder, switched) = start_waiting_for_agent(&stage, &service, params).await;
        wait_for_end(&service, &switched).await;
        let of_switched = events(&service, &switched).await;
        let Some(Event::Error(error)) = of_switched.iter().rev().map(|params| &params.event).nth(1)
        else {
            panic!("{:?}", types(&of_switched));
        };
        let which = error.data.as_ref().and_then(|data| data.get("which"));
        assert_eq!((&error.kind, which), (&ErrorKind::Timeout, Some(&"queue".into())));
        assert_eq!(state(&service, &switched).await, RunState::TimedOut);
        finish(&service, &holder).await;
    });
}

#[test]
fn drain_cancels_run_waiting_for_fallback() {
    let stage = two_agents();
    block_on(async {
        let service = service(&stage);
        let (holder, switched) =
            start_waiting_for_agent(&stage, &service, fallback_task(&stage)).await;
        wait_for(&service, &switched, "status").await;
        let draining = tokio::spawn({
            let service = service.clone();
            async move { service.drain(Duration::from_secs(40)).await }
        });
        wait_for_end(&service, &switched).await;
        assert_eq!(state(&service, &switched).await, RunState::Cancelled);
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
            wait_for_end(&service, &run_id).await;
            assert_numbered(&events(&service, &run_id).await);
            assert_eq!(state(&service, &run_id).await, RunState::Completed);
        }
    });
}

#[test]
fn fallback_to_free_agent_keeps_host_slot() {
    let stage = two_agents();
    stage.write_settings("[limits]\nmaxRuns = 1\n");
    stage.add("z", "good");
    block_on(async {
        let service = service(&stage);
        let switched = start(&service, fallback_task(&stage)).await.expect("a run").run_id;
        let other = start(&service, task(&stage, "z", "go")).await.expect("a run");
        assert_eq!(other.state, RunState::Queued);
        wait_for(&service, &switched, "text_delta").await;
        assert_eq!(state(&service, &other.run_id).await, RunState::Queued);
        finish(&service, &switched).await;
        assert!(statuses(&events(&service, &switched).await).is_empty(), "it did not wait");
        wait_for_end(&service, &other.run_id).await;
        assert_eq!(state(&service, &other.run_id).await, RunState::Completed);
    });
}
