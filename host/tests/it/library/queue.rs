//! Limits and the queue, with real adapter processes.

use std::time::Duration;

use od_host::Service;
use od_host::service::Client;
use od_protocol::api::{
    CancelRunParams, GetHostInfoParams, GetRunParams, QUEUE_FULL, RunInfo, RunState,
};
use od_protocol::{ErrorKind, Event, RunEventParams};

use super::service_runs::{events, input, service, start, state, task, wait_for, wait_for_end};
use super::stage::{Stage, assert_numbered, block_on, types};

/// A stage with limits: one adapter `x` that waits for the input `finish`.
pub(crate) fn limited(settings: &str) -> Stage {
    let stage = Stage::with("x", "waits");
    stage.write_settings(settings);
    stage
}

/// Sends `finish` to a run as soon as its agent takes input, and waits for its end.
pub(crate) async fn finish(service: &Service, run_id: &str) {
    wait_for(service, run_id, "text_delta").await;
    service.input_run(input(run_id, "finish")).await.expect("accepted");
    wait_for_end(service, run_id).await;
}

pub(super) async fn info(service: &Service, run_id: &str) -> RunInfo {
    service.get_run(GetRunParams { run_id: run_id.to_owned() }).await.expect("a run")
}

/// The phase and detail of each `status` event.
pub(super) fn statuses(events: &[RunEventParams]) -> Vec<(&str, &str)> {
    let statuses = events.iter().filter_map(|params| match &params.event {
        Event::Status(status) => {
            Some((status.phase.as_str(), status.detail.as_deref().unwrap_or_default()))
        }
        _ => None,
    });
    statuses.collect()
}

#[test]
fn run_over_limit_waits_with_status() {
    let stage = limited("[limits]\nmaxRunsPerAgent = 1\n");
    block_on(async {
        let service = service(&stage);
        let first = start(&service, task(&stage, "x", "go")).await.expect("a run");
        let second = start(&service, task(&stage, "x", "go")).await.expect("a run");
        assert_eq!((first.state, first.queue_position), (RunState::Running, None));
        assert_eq!((second.state, second.queue_position), (RunState::Queued, Some(1)));
        wait_for(&service, &first.run_id, "text_delta").await;
        wait_for(&service, &second.run_id, "status").await;
        let waiting = info(&service, &second.run_id).await;
        assert_eq!((waiting.state, waiting.queue_position), (RunState::Queued, Some(1)));
        let status = service.host_info(GetHostInfoParams {}).await.expect("numbers");
        assert_eq!((status.running, status.queued), (1, 1));
        assert_eq!((status.limits.max_runs_per_agent, status.limits.max_queued), (1, 1000));

        finish(&service, &first.run_id).await;
        finish(&service, &second.run_id).await;
        let of_first = events(&service, &first.run_id).await;
        assert_eq!(types(&of_first), ["run_started", "text_delta", "user_message", "done"]);
        let of_second = events(&service, &second.run_id).await;
        assert_numbered(&of_second);
        assert_eq!(
            statuses(&of_second),
            [("queued", "1st in the queue; 1 run of x is running"), ("starting", "")]
        );
        assert_eq!(types(&of_second)[2..], types(&of_first)[..]);
        assert_eq!(state(&service, &second.run_id).await, RunState::Completed);
    });
}

#[test]
fn agent_limit_does_not_block_other_agents() {
    let stage = limited("[limits]\nmaxRunsPerAgent = 2\n[agents.x]\nmaxRuns = 1\n");
    stage.add("y", "good");
    block_on(async {
        let service = service(&stage);
        let first = start(&service, task(&stage, "x", "go")).await.expect("a run");
        let second = start(&service, task(&stage, "x", "go")).await.expect("a run");
        let other = start(&service, task(&stage, "y", "go")).await.expect("a run");
        assert_eq!((second.state, other.state), (RunState::Queued, RunState::Running));
        wait_for_end(&service, &other.run_id).await;
        for run in [first, second] {
            finish(&service, &run.run_id).await;
        }
    });
}

#[test]
fn clients_take_turns() {
    let stage = limited("[limits]\nmaxRuns = 1\n");
    block_on(async {
        let service = service(&stage);
        let mut runs = Vec::new();
        for client in ["ann", "ann", "ann", "bob"] {
            let from = Client(client.to_owned());
            let run = service.start_run(&from, task(&stage, "x", "go")).await.expect("a run");
            runs.push(run);
        }
        let positions: Vec<Option<u32>> = runs.iter().map(|run| run.queue_position).collect();
        assert_eq!(positions, [None, Some(1), Some(2), Some(2)], "bob passes ann's third");
        for index in [0, 1, 3, 2] {
            finish(&service, &runs[index].run_id).await;
        }
    });
}

#[test]
fn cancelled_queued_run_frees_position() {
    let stage = limited("[limits]\nmaxRuns = 1\n");
    block_on(async {
        let service = service(&stage);
        let mut ids = Vec::new();
        for _ in 0..3 {
            ids.push(start(&service, task(&stage, "x", "go")).await.expect("a run").run_id);
        }
        let cancel = CancelRunParams { run_id: ids[1].clone(), grace_ms: None };
        assert!(service.cancel_run(cancel).await.expect("an answer").accepted);
        let of_cancelled = events(&service, &ids[1]).await;
        assert_numbered(&of_cancelled);
        assert_eq!(types(&of_cancelled)[1..], ["run_started", "done"]);
        wait_for_end(&service, &ids[1]).await;
        assert_eq!(state(&service, &ids[1]).await, RunState::Cancelled);

        let mut reader = service.events(&ids[2], 1).expect("a reader");
        let moved = reader.next().await.expect("an event").expect("an event").parse();
        let Event::Status(status) = moved.expect("a whole event").event else {
            panic!("no status")
        };
        let detail = status.detail.unwrap_or_default();
        assert!(detail.starts_with("1st in the queue"), "{detail}");
        finish(&service, &ids[0]).await;
        finish(&service, &ids[2]).await;
    });
}

#[test]
fn queued_run_times_out_at_limit() {
    let stage = limited("[limits]\nmaxRuns = 1\n");
    block_on(async {
        let service = service(&stage);
        let first = start(&service, task(&stage, "x", "go")).await.expect("a run");
        let mut params = task(&stage, "x", "go");
        params.queue_ms = Some(1);
        let late = start(&service, params).await.expect("a run");
        let of_late = events(&service, &late.run_id).await;
        assert_eq!(types(&of_late), ["status", "run_started", "error", "done"]);
        let Event::Error(error) = &of_late[2].event else { panic!("no error") };
        let which = error.data.as_ref().and_then(|data| data.get("which"));
        assert_eq!((&error.kind, which), (&ErrorKind::Timeout, Some(&"queue".into())));
        wait_for_end(&service, &late.run_id).await;
        assert_eq!(state(&service, &late.run_id).await, RunState::TimedOut);
        finish(&service, &first.run_id).await;
    });
}

#[test]
fn full_queue_refuses_run_without_trace() {
    let stage = limited("[limits]\nmaxRuns = 1\nmaxQueued = 0\n");
    block_on(async {
        let service = service(&stage);
        let first = start(&service, task(&stage, "x", "go")).await.expect("a run");
        let refused =
            start(&service, task(&stage, "x", "go")).await.expect_err("the queue is full");
        assert_eq!(refused.failure.as_str(), QUEUE_FULL);
        assert!(refused.hint.is_some_and(|hint| hint.contains("[limits]")));
        assert_eq!(std::fs::read_dir(stage.home().runs()).expect("a folder").count(), 1);
        finish(&service, &first.run_id).await;
        let second = start(&service, task(&stage, "x", "go")).await.expect("a free slot");
        finish(&service, &second.run_id).await;
    });
}

#[test]
fn failed_start_frees_slot() {
    let stage = limited("[limits]\nmaxRuns = 1\nmaxQueued = 0\n");
    block_on(async {
        let service = service(&stage);
        let unknown = start(&service, task(&stage, "unknown", "go")).await.expect_err("no agent");
        assert_eq!(unknown.failure.as_str(), "agent_unknown");
        let empty = start(&service, task(&stage, "x", " ")).await.expect_err("no prompt");
        assert_eq!(empty.failure.as_str(), "usage");
        let run = start(&service, task(&stage, "x", "go")).await.expect("a run");
        finish(&service, &run.run_id).await;
    });
}

#[test]
fn long_queue_drains() {
    let stage = limited("[limits]\nmaxRuns = 3\n");
    stage.add("y", "good");
    block_on(async {
        let service = service(&stage);
        let mut ids = Vec::new();
        for number in 0..40 {
            let from = Client(format!("client {}", number % 4));
            let run = service.start_run(&from, task(&stage, "y", "go")).await.expect("a run");
            ids.push(run.run_id);
        }
        for run_id in ids {
            wait_for_end(&service, &run_id).await;
            assert_numbered(&events(&service, &run_id).await);
            assert_eq!(state(&service, &run_id).await, RunState::Completed);
        }
        let status = service.host_info(GetHostInfoParams {}).await.expect("numbers");
        assert_eq!((status.running, status.queued), (0, 0));
    });
}

/// The number of threads and open files of this process.
#[cfg(target_os = "linux")]
fn threads_and_files() -> (usize, usize) {
    let count = |folder: &str| std::fs::read_dir(folder).expect("a folder of /proc").count();
    (count("/proc/self/task"), count("/proc/self/fd"))
}

#[cfg(target_os = "linux")]
#[test]
fn two_hundred_concurrent_runs_leave_nothing_behind() {
    const RUNS: usize = 200;
    let stage = limited("[limits]\nmaxRuns = 200\nmaxRunsPerAgent = 200\n");
    block_on(async {
        let service = service(&stage);
        let warm = start(&service, task(&stage, "x", "go")).await.expect("a run");
        finish(&service, &warm.run_id).await;
        let before = threads_and_files();
        let mut ids = Vec::new();
        for _ in 0..RUNS {
            let run = start(&service, task(&stage, "x", "go")).await.expect("a run");
            assert_eq!(run.state, RunState::Running);
            ids.push(run.run_id);
        }
        for run_id in &ids {
            wait_for(&service, run_id, "text_delta").await;
        }
        let status = service.host_info(GetHostInfoParams {}).await.expect("numbers");
        assert_eq!((status.running, status.queued), (200, 0));
        let during = threads_and_files();
        let (threads, files) = (during.0 - before.0, during.1 - before.1);
        println!("200 runs: {threads} threads and {files} files more");
        assert!(threads <= 3 * RUNS && files <= 10 * RUNS, "{threads} threads, {files} files");

        for run_id in &ids {
            finish(&service, run_id).await;
        }
        for run_id in &ids {
            let events = events(&service, run_id).await;
            assert_numbered(&events);
            assert_eq!(types(&events), ["run_started", "text_delta", "user_message", "done"]);
            assert_eq!(state(&service, run_id).await, RunState::Completed);
        }
        service.drain(Duration::ZERO).await;
        let after = threads_and_files();
        assert!(after.1 <= before.1 + 10, "files are left: {before:?} → {after:?}");
    });
}
