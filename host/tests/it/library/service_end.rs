//! Shutdown of a service, and what the next one cleans up.

use std::time::Duration;

use od_host::service::Lifecycle;
use od_host::{Service, ServiceOptions};
use od_protocol::ErrorKind;
use od_protocol::api::{GetHostInfoParams, RunState, ShutdownHostParams};
use tokio::time::timeout;

#[cfg(unix)]
use super::control::{other_host, read_line};
use super::queue::{finish, limited};
#[cfg(unix)]
use super::service_runs::wait_for_end;
use super::service_runs::{events, options, service, start, state, task, wait_for};
use super::stage::{Stage, assert_numbered, assert_whole, block_on, types};

/// One running run and one queued run.
async fn two_runs(stage: &Stage, service: &Service) -> (String, String) {
    let first = start(service, task(stage, "x", "go")).await.expect("a run");
    let second = start(service, task(stage, "x", "go")).await.expect("a run");
    wait_for(service, &first.run_id, "text_delta").await;
    assert_eq!(second.state, RunState::Queued);
    (first.run_id, second.run_id)
}

#[test]
fn drain_without_timeout_cancels_all_runs() {
    let stage = limited("[limits]\nmaxRuns = 1\n");
    block_on(async {
        let service = service(&stage);
        let (first, second) = two_runs(&stage, &service).await;
        let mut lifecycle = service.lifecycle();
        assert_eq!(*lifecycle.borrow_and_update(), Lifecycle::Serving);
        service.drain(Duration::ZERO).await;
        assert_eq!(*lifecycle.borrow(), Lifecycle::Stopped);
        assert!(service.host().live_runs().is_empty());
        for run_id in [&first, &second] {
            assert_numbered(&events(&service, run_id).await);
            assert_eq!(state(&service, run_id).await, RunState::Cancelled);
        }
        let refused = start(&service, task(&stage, "x", "go")).await.expect_err("it has ended");
        assert_eq!(refused.failure.as_str(), ErrorKind::ShuttingDown.as_str());
        let status = service.host_info(GetHostInfoParams {}).await.expect("numbers");
        assert!(status.draining && status.running == 0 && status.queued == 0, "{status:?}");
    });
}

#[test]
fn drain_waits_for_running_run() {
    let stage = limited("[limits]\nmaxRuns = 1\n");
    block_on(async {
        let service = service(&stage);
        let (first, second) = two_runs(&stage, &service).await;
        let answer = service.shutdown_host(ShutdownHostParams { drain_ms: Some(u64::MAX) }).await;
        assert_eq!(answer.expect("an answer").runs, 2);
        // The queued run is cancelled at once; the other is still running.
        let of_second = events(&service, &second).await;
        assert_eq!(types(&of_second)[1..], ["run_started", "done"]);
        assert_eq!(*service.lifecycle().borrow(), Lifecycle::Draining);
        finish(&service, &first).await;
        service.drain(Duration::MAX).await;
        assert_eq!(state(&service, &first).await, RunState::Completed);
        assert_eq!(state(&service, &second).await, RunState::Cancelled);
    });
}

/// Calls `host/shutdown` without a time.
async fn shut_down(service: &Service) {
    service.shutdown_host(ShutdownHostParams::default()).await.expect("an answer");
}

#[test]
fn shutdown_without_time_uses_default() {
    let stage = limited("[limits]\nmaxRuns = 1\n");
    block_on(async {
        let patient = ServiceOptions { drain: Duration::from_secs(3600), ..options(&stage) };
        let service = Service::new(stage.host(), patient);
        let (first, second) = two_runs(&stage, &service).await;
        shut_down(&service).await;
        events(&service, &second).await;
        finish(&service, &first).await;
        service.drain(Duration::MAX).await;
        assert_eq!(state(&service, &first).await, RunState::Completed);
    });
}

#[test]
fn repeated_shutdown_without_time_keeps_deadline() {
    let stage = limited("[limits]\nmaxRuns = 1\n");
    block_on(async {
        let service = service(&stage);
        let (first, second) = two_runs(&stage, &service).await;
        let patient = ShutdownHostParams { drain_ms: Some(3_600_000) };
        service.shutdown_host(patient).await.expect("an answer");
        shut_down(&service).await;
        events(&service, &second).await;
        finish(&service, &first).await;
        service.drain(Duration::MAX).await;
        assert_eq!(state(&service, &first).await, RunState::Completed);
    });
}

#[test]
fn second_shutdown_can_shorten_drain() {
    let stage = Stage::with("x", "ignores_cancel");
    block_on(async {
        let service = service(&stage);
        let run = start(&service, task(&stage, "x", "go")).await.expect("a run");
        wait_for(&service, &run.run_id, "text_delta").await;
        // No run is cancelled yet.
        let patient = service.drain(Duration::from_secs(3600));
        assert!(timeout(Duration::from_millis(1), patient).await.is_err());
        service.stop().await;
        assert_eq!(state(&service, &run.run_id).await, RunState::Cancelled);
    });
}

/// Kills a host during a run; returns the id of the run.
#[cfg(unix)]
fn killed_host(stage: &Stage) -> String {
    let (mut owner, run_id) = other_host(stage, &[]);
    let second = read_line(&mut owner);
    assert!(second.contains("text_delta"), "{second}");
    owner.kill().expect("a kill");
    owner.wait().expect("an end");
    run_id
}

#[cfg(unix)]
#[test]
fn service_start_closes_orphaned_runs() {
    let stage = Stage::with("x", "waits");
    let run_id = killed_host(&stage);
    let folder = stage.home().run(&run_id);
    assert!(folder.join("control.sock").exists() && folder.join("reserve").exists());
    block_on(async {
        let service = service(&stage);
        // Reads the files only: every call would close the run itself.
        while folder.join("control.sock").exists() || folder.join("reserve").exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let record = std::fs::read_to_string(folder.join("run.json")).expect("a record");
        assert!(record.contains("_od.host_died") && record.contains("failed"), "{record}");
        let events = events(&service, &run_id).await;
        assert_whole(&events);
        assert_eq!(types(&events), ["run_started", "text_delta", "error", "done"]);
    });
}

/// Makes an ended run look as if its host had died before it wrote the record.
#[cfg(unix)]
fn leave_open(stage: &Stage, run_id: &str) -> std::path::PathBuf {
    let folder = stage.home().run(run_id);
    let record = std::fs::read_to_string(folder.join("run.json")).expect("a record");
    let open = record.replace("\"status\":\"completed\"", "\"status\":\"running\"");
    assert_ne!(open, record);
    std::fs::write(folder.join("run.json"), open).expect("a record");
    folder
}

#[cfg(unix)]
#[test]
fn slow_settle_blocks_no_other_call() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let service = service(&stage);
        let mut ids = Vec::new();
        for _ in 0..2 {
            let run_id = start(&service, task(&stage, "x", "go")).await.expect("a run").run_id;
            wait_for_end(&service, &run_id).await;
            ids.push(run_id);
        }
        let folder = leave_open(&stage, &ids[0]);
        let closing = std::fs::File::open(&folder).expect("a folder");
        rustix::fs::flock(&closing, rustix::fs::FlockOperation::NonBlockingLockExclusive)
            .expect("no process closes it");
        let last_params = tokio::spawn({
            let (service, run_id) = (service.clone(), ids[0].clone());
            async move { state(&service, &run_id).await }
        });
        // There is only one thread: a blocking call would block every other call.
        tokio::task::yield_now().await;
        assert_eq!(state(&service, &ids[1]).await, RunState::Completed);
        assert_whole(&events(&service, &ids[0]).await);
        assert!(!last_params.is_finished());
        drop(closing);
        assert_eq!(
            last_params.await.expect("no panic"),
            RunState::Completed,
            "according to its journal"
        );
    });
}
