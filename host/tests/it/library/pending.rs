//! A run that waits: it can be watched and cancelled before it has an agent, and always comes to an end.

use std::time::Duration;

use od_host::journal::RunStatus;
use od_host::run::{HOST_DIED, PendingRun, Verdict};
use od_host::{Failure, Host};
use od_protocol::{DoneStatus, ErrorKind, Event, InputOutcome, RunEventParams, Status};

use super::stage::{Stage, assert_whole, block_on, collect, text, types};

/// What a queue tells of a run that waits.
fn queued(detail: &str) -> Event {
    Event::Status(Status {
        phase: "queued".to_owned(),
        detail: Some(detail.to_owned()),
        ttft_ms: None,
    })
}

async fn pending(stage: &Stage, host: &Host) -> PendingRun {
    let pending = PendingRun::create(host, stage.request("x", "go")).await.expect("a run");
    pending.tell(queued("2nd in the queue"));
    pending.tell(queued("1st in the queue"));
    pending
}

/// The rules of a stream that hold when the host's own events may come first.
fn assert_waited(events: &[RunEventParams]) {
    assert_eq!(types(events)[..2], ["status", "status"]);
    let mut rest = events[2..].to_vec();
    rest.iter_mut().for_each(|params| params.seq -= 2);
    assert_whole(&rest);
}

#[test]
fn what_an_adapter_says_follows_what_the_host_has_said() {
    for mode in ["good", "other_order", "flood 5000"] {
        let stage = Stage::with("x", mode);
        block_on(async {
            let host = stage.host();
            let pending = pending(&stage, &host).await;
            let record = host.find_run("last").expect("a record");
            assert_eq!((record.status, record.attempts), (RunStatus::Queued, 0));
            let run = pending.launch();
            let (events, done) = collect(&run).await;
            assert_waited(&events);
            assert_eq!(done.status, DoneStatus::Completed);
            let record = host.find_run(run.id()).expect("a record");
            assert_eq!((record.status, record.attempts), (RunStatus::Completed, 1));
            assert!(events.windows(2).all(|pair| pair[0].seq + 1 == pair[1].seq));
        });
    }
}

#[test]
fn it_can_be_cancelled_from_here_and_from_elsewhere_while_it_waits() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let (host, other) = (stage.host(), stage.host());
        let first = pending(&stage, &host).await;
        assert!(first.handle().cancel(Duration::ZERO));
        let second = pending(&stage, &host).await;
        let mut client = other.run_client(second.handle().id()).await.expect("a line");
        assert!(client.cancel(Duration::ZERO).await.expect("taken"));
        for pending in [first, second] {
            let (events, done) = collect(pending.handle()).await;
            assert_waited(&events);
            assert_eq!(types(&events)[2..], ["run_started", "done"]);
            assert_eq!((done.status, done.duration_ms), (DoneStatus::Cancelled, 0));
            // Its turn may come at the very moment it is cancelled: nothing is started then.
            let run = pending.launch();
            assert!(!run.cancel(Duration::ZERO), "it is over");
            let record = host.find_run(run.id()).expect("a record");
            assert_eq!((record.status, record.attempts), (RunStatus::Cancelled, 0));
            assert!(record.ended_at >= Some(record.started_at));
        }
    });
}

#[test]
fn what_is_said_to_it_while_it_waits_is_refused_and_later_taken() {
    let stage = Stage::with("x", "waits");
    block_on(async {
        let host = stage.host();
        let pending = pending(&stage, &host).await;
        let early = pending.handle().input("finish".to_owned(), None).await.expect_err("too early");
        assert_eq!(early.kind().as_str(), "_od.run_waiting");
        assert!(early.code == 2023 && early.hint().is_some(), "{early:?}");
        let run = pending.launch();
        let mut reader = run.events(3).expect("a reader");
        let said = reader.next().await.expect("an event").expect("one").parse().expect("whole");
        assert_eq!(text(&[said]), "waiting");
        let outcome = run.input("finish".to_owned(), None).await.expect("it is taken");
        assert_eq!(outcome, InputOutcome::Steered);
        assert_waited(&collect(&run).await.0);
    });
}

#[test]
fn one_whose_turn_never_comes_says_why() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let host = stage.host();
        let verdict = Verdict::timed_out("queue", "it waited for 5 ms", "try again later");
        let run = pending(&stage, &host).await.abandon(verdict);
        let (events, done) = collect(&run).await;
        assert_waited(&events);
        assert_eq!(types(&events)[2..], ["run_started", "error", "done"]);
        assert_eq!(
            (done.status, done.error_kind),
            (DoneStatus::TimedOut, Some(ErrorKind::Timeout))
        );

        let dropped = pending(&stage, &host).await;
        let run = dropped.handle().clone();
        drop(dropped);
        assert_eq!(run.wait().await.status, DoneStatus::Cancelled);
    });
}

#[test]
fn an_agent_that_cannot_be_started_any_more_is_told_by_the_journal() {
    for mode in ["dies_at_start", "refuses_run"] {
        let stage = Stage::with("x", mode);
        block_on(async {
            let run = pending(&stage, &stage.host()).await.launch();
            let (events, done) = collect(&run).await;
            assert_waited(&events);
            assert_eq!(types(&events)[2..], ["run_started", "error", "done"]);
            assert_eq!(done.status, DoneStatus::Failed);
        });
    }
    let stage = Stage::with("x", "good");
    block_on(async {
        let pending = pending(&stage, &stage.host()).await;
        std::fs::remove_file(stage.adapters().join("od-adapter-x")).expect("it was there");
        let (events, done) = collect(&pending.launch()).await;
        assert_waited(&events);
        assert_eq!(done.error_kind.as_ref().map(ErrorKind::as_str), Some("_od.agent_unknown"));
    });
}

#[test]
fn what_cannot_work_is_refused_before_it_waits() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let host = stage.host();
        let unknown = PendingRun::create(&host, stage.request("nobody", "go")).await;
        assert_eq!(unknown.expect_err("refused").failure, Failure::AgentUnknown);
        let empty = PendingRun::create(&host, stage.request("x", " ")).await;
        assert_eq!(empty.expect_err("refused").failure, Failure::Usage);
        assert!(host.runs().expect("runs").is_empty());
    });
}

#[test]
fn one_whose_host_died_while_it_waited_is_closed_when_looked_at() {
    let stage = Stage::with("x", "good");
    // The runtime goes away with everything on it, as in a host that is killed.
    let pending = block_on(async { pending(&stage, &stage.host()).await });
    let run_id = pending.handle().id().to_owned();
    drop(pending);
    let host = stage.host();
    let record = host.find_run(&run_id).expect("a record");
    assert_eq!(record.status, RunStatus::Failed);
    assert_eq!(record.error_kind.as_ref().map(ErrorKind::as_str), Some(HOST_DIED));
    let events = block_on(super::control::attach(&host, &run_id));
    assert_waited(&events);
    assert_eq!(types(&events)[2..], ["run_started", "error", "done"]);
}
