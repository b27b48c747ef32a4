//! A queued run: clients can read and cancel it before it has an agent, and it always ends with `done`.

use std::time::Duration;

use od_host::journal::RunStatus;
use od_host::queue::{QueueLimits, RunQueue};
use od_host::run::HOST_DIED;
use od_host::{Failure, Host, RunHandle};
use od_protocol::{DoneStatus, ErrorKind, InputOutcome, RunEventParams};

use super::stage::{Stage, assert_whole, block_on, collect, text, types};

/// The agent of the run that holds the only slot.
const HOLDER: &str = "holder";

/// A queued run, and the run that holds the only slot.
struct Pending {
    run: RunHandle,
    holder: RunHandle,
    queue: RunQueue,
}

impl Pending {
    async fn start(stage: &Stage, host: &Host) -> Self {
        Self::start_with_limit(stage, host, None).await
    }

    async fn start_with_limit(stage: &Stage, host: &Host, limit: Option<Duration>) -> Self {
        let queue = one_slot();
        if !stage.adapters().join(format!("od-adapter-{HOLDER}")).exists() {
            stage.add(HOLDER, "waits");
        }
        let holder = stage.request(HOLDER, "hold the slot");
        let holder = host.start_queued(holder, &queue, None).await.expect("a run");
        let run = host.start_queued(stage.request("x", "go"), &queue, limit).await.expect("a run");
        assert_eq!(queue.position(run.id()), Some(1));
        // The first event is written by the task of the run.
        let mut reader = run.events(0).expect("a reader");
        assert_eq!(reader.next().await.expect("an event").expect("one").type_name, "status");
        Self { run, holder, queue }
    }

    /// Frees the slot, so that the queued run starts.
    async fn launch(&self) {
        self.holder.cancel(Duration::ZERO);
        self.holder.wait().await;
    }
}

fn one_slot() -> RunQueue {
    RunQueue::new(QueueLimits { runs: 1, runs_per_agent: 1, agents: Default::default(), queued: 9 })
}

/// Checks the stream after the `status` events of the queue; returns its types.
fn assert_queued(events: &[RunEventParams]) -> Vec<&str> {
    let count = events.iter().take_while(|params| params.event.type_name() == "status").count();
    assert!((1..=2).contains(&count), "`queued`, and `starting` when it was admitted");
    let mut rest = events[count..].to_vec();
    rest.iter_mut().for_each(|params| params.seq -= count as u64);
    assert_whole(&rest);
    types(&events[count..])
}

#[test]
fn adapter_events_follow_queue_events() {
    for mode in ["good", "other_order", "flood 5000"] {
        let stage = Stage::with("x", mode);
        block_on(async {
            let host = stage.host();
            let pending = Pending::start(&stage, &host).await;
            let record = host.find_run(pending.run.id()).expect("a record");
            assert_eq!((record.status, record.attempts), (RunStatus::Queued, 0));
            pending.launch().await;
            let (events, done) = collect(&pending.run).await;
            assert_queued(&events);
            assert_eq!(types(&events)[..2], ["status", "status"]);
            assert_eq!(done.status, DoneStatus::Completed);
            let record = host.find_run(pending.run.id()).expect("a record");
            assert_eq!((record.status, record.attempts), (RunStatus::Completed, 1));
            assert!(events.windows(2).all(|pair| pair[0].seq + 1 == pair[1].seq));
        });
    }
}

#[test]
fn queued_run_can_be_cancelled_by_any_process() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let (host, other) = (stage.host(), stage.host());
        let first = Pending::start(&stage, &host).await;
        assert!(first.run.cancel(Duration::ZERO));
        let second = Pending::start(&stage, &host).await;
        let mut client = other.run_client(second.run.id()).await.expect("a connection");
        assert!(client.cancel(Duration::ZERO).await.expect("accepted"));
        for pending in [first, second] {
            let (events, done) = collect(&pending.run).await;
            assert_eq!(assert_queued(&events), ["run_started", "done"]);
            assert_eq!((done.status, done.duration_ms), (DoneStatus::Cancelled, 0));
            // A slot that becomes free now must not start it.
            pending.launch().await;
            assert!(!pending.run.cancel(Duration::ZERO), "it has ended");
            let record = host.find_run(pending.run.id()).expect("a record");
            assert_eq!((record.status, record.attempts), (RunStatus::Cancelled, 0));
            assert!(record.ended_at >= Some(record.started_at));
        }
    });
}

#[test]
fn input_to_queued_run_is_refused_until_start() {
    let stage = Stage::with("x", "waits");
    block_on(async {
        let host = stage.host();
        let pending = Pending::start(&stage, &host).await;
        let early = pending.run.input("finish".to_owned(), None).await.expect_err("too early");
        assert_eq!(early.kind().as_str(), "_od.run_waiting");
        assert!(early.code == 2023 && early.hint().is_some(), "{early:?}");
        pending.launch().await;
        let mut reader = pending.run.events(3).expect("a reader");
        let event = reader.next().await.expect("an event").expect("one").parse().expect("whole");
        assert_eq!(text(&[event]), "waiting");
        let outcome = pending.run.input("finish".to_owned(), None).await.expect("accepted");
        assert_eq!(outcome, InputOutcome::Steered);
        assert_queued(&collect(&pending.run).await.0);
    });
}

#[test]
fn run_that_is_never_admitted_ends_with_reason() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let host = stage.host();
        let limit = Some(Duration::from_millis(5));
        let pending = Pending::start_with_limit(&stage, &host, limit).await;
        let (events, done) = collect(&pending.run).await;
        assert_eq!(assert_queued(&events), ["run_started", "error", "done"]);
        assert_eq!(
            (done.status, done.error_kind),
            (DoneStatus::TimedOut, Some(ErrorKind::Timeout))
        );

        let closed = Pending::start(&stage, &host).await;
        closed.queue.close();
        assert_eq!(closed.run.wait().await.status, DoneStatus::Cancelled);
    });
}

#[test]
fn queued_run_whose_agent_cannot_start_fails() {
    for mode in ["dies_at_start", "refuses_run"] {
        let stage = Stage::with("x", mode);
        block_on(async {
            let pending = Pending::start(&stage, &stage.host()).await;
            pending.launch().await;
            let (events, done) = collect(&pending.run).await;
            assert_eq!(assert_queued(&events), ["run_started", "error", "done"]);
            assert_eq!(done.status, DoneStatus::Failed);
        });
    }
    let stage = Stage::with("x", "good");
    block_on(async {
        let pending = Pending::start(&stage, &stage.host()).await;
        std::fs::remove_file(stage.adapters().join("od-adapter-x")).expect("an adapter");
        pending.launch().await;
        let (events, done) = collect(&pending.run).await;
        assert_queued(&events);
        assert_eq!(done.error_kind.as_ref().map(ErrorKind::as_str), Some("_od.agent_unknown"));
    });
}

#[test]
fn invalid_request_is_refused_before_it_waits() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let (host, queue) = (stage.host(), one_slot());
        let unknown = host.start_queued(stage.request("unknown", "go"), &queue, None).await;
        assert_eq!(unknown.expect_err("refused").failure, Failure::AgentUnknown);
        let empty = host.start_queued(stage.request("x", " "), &queue, None).await;
        assert_eq!(empty.expect_err("refused").failure, Failure::Usage);
        assert!(host.runs().expect("runs").is_empty());
        // A refused run holds no slot.
        let run = host.start_queued(stage.request("x", "go"), &queue, None).await.expect("a run");
        assert_eq!(queue.position(run.id()), None);
        assert_eq!(run.wait().await.status, DoneStatus::Completed);
    });
}

#[test]
fn queued_run_of_dead_host_is_closed() {
    let stage = Stage::with("x", "good");
    // Dropping the runtime drops every task, as in a host that is killed.
    let pending = block_on(async { Pending::start(&stage, &stage.host()).await });
    let run_id = pending.run.id().to_owned();
    drop(pending);
    let host = stage.host();
    let record = host.find_run(&run_id).expect("a record");
    assert_eq!(record.status, RunStatus::Failed);
    assert_eq!(record.error_kind.as_ref().map(ErrorKind::as_str), Some(HOST_DIED));
    let events = block_on(super::control::attach(&host, &run_id));
    assert_eq!(assert_queued(&events), ["run_started", "error", "done"]);
}
