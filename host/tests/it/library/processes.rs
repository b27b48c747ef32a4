//! No process survives a killed adapter or a killed host.

use std::time::Duration;

use od_protocol::{DoneStatus, ErrorKind, Event};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::control::{attach, other_host};
use super::stage::{Stage, assert_whole, block_on, collect, text};

fn pid(raw: u32) -> Pid {
    Pid::from_raw(i32::try_from(raw).expect("a pid")).expect("a pid")
}

fn is_alive(raw: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{raw}/stat")).unwrap_or_default();
    let zombie = state.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'));
    test_kill_process(pid(raw)).is_ok() && !zombie
}

/// Waits until a process has exited: a killed process may need some time on a busy machine.
async fn wait_for_exit(raw: u32) {
    while is_alive(raw) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The adapter and the orphaned process of a running run.
async fn adapter_and_orphan(run: &od_host::RunHandle) -> (u32, u32) {
    let mut reader = run.events(0).expect("a reader");
    let mut adapter = None;
    while let Some(event) = reader.next().await.expect("an event") {
        match event.parse().expect("an event").event {
            Event::RunStarted(started) => adapter = started.pid,
            Event::TextDelta(delta) => {
                return (adapter.expect("an adapter"), delta.text.parse().expect("a pid"));
            }
            _ => {}
        }
    }
    panic!("the run ended without an orphan");
}

#[test]
fn killed_adapter_leaves_no_process() {
    let stage = Stage::with("x", "orphan");
    block_on(async {
        let host = stage.host();
        let (one, two) =
            (stage.start(&host).await.expect("a run"), stage.start(&host).await.expect("a run"));
        let (adapter, orphan) = adapter_and_orphan(&one).await;
        let (other_adapter, other_orphan) = adapter_and_orphan(&two).await;
        assert!([adapter, orphan, other_adapter, other_orphan].into_iter().all(is_alive));

        kill_process(pid(adapter), Signal::KILL).expect("a kill");
        let (events, done) = collect(&one).await;
        assert_whole(&events);
        assert_eq!(done.error_kind, Some(ErrorKind::PluginCrashed));
        tokio::join!(wait_for_exit(adapter), wait_for_exit(orphan));
        assert!(
            is_alive(other_adapter) && is_alive(other_orphan),
            "the second run is not affected"
        );

        assert!(two.cancel(Duration::ZERO));
        assert_eq!(two.wait().await.status, DoneStatus::Cancelled);
        tokio::join!(wait_for_exit(other_adapter), wait_for_exit(other_orphan));
    });
}

#[test]
fn killed_host_leaves_readable_journal() {
    let stage = Stage::with("x", "waits");
    let (mut owner, run_id) = other_host(&stage, &[]);
    block_on(async {
        let host = stage.host();
        let mut reader = host.events(&run_id, 0).expect("a reader");
        let started =
            reader.next().await.expect("an event").expect("run_started").parse().expect("an event");
        let Event::RunStarted(started) = started.event else { panic!("{started:?}") };
        let adapter = started.pid.expect("an adapter");
        let second = reader.next().await.expect("an event").expect("a second event");
        assert_eq!(second.type_name, "text_delta");

        owner.kill().expect("a kill");
        owner.wait().expect("an end");
        let events = attach(&host, &run_id).await;
        assert_whole(&events);
        assert_eq!(text(&events), "waiting");
        // A reader that was opened earlier reads the same end.
        let mut last = String::new();
        while let Some(event) = reader.next().await.expect("an event") {
            event.type_name.clone_into(&mut last);
        }
        assert_eq!(last, "done");
        // This adapter exits when its stdin is closed.
        wait_for_exit(adapter).await;
    });
}
