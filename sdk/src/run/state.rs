//! The state of a run that several threads share: its mapper and its output, behind one lock that
//! is never held during a system call.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use od_protocol::adapter::RespondRunParams;
use od_protocol::{
    ApprovalOutcome, ApprovalResolved, ApprovalResolver, ErrorEvent, ErrorKind, Event,
    InputOutcome, MAX_LINE_BYTES, NoticeLevel,
};

use crate::outbox::Outbox;
use crate::{Exit, Invocation, Mapper, PoliteStop, RunOutcome, RunOutput, UserInput, event, http};

/// What wakes the supervisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wake {
    /// The run may begin: its acceptance is queued for the host.
    Begin,
    /// The host cancels the run.
    Cancel {
        /// How long the polite stop may take.
        grace: Duration,
    },
    /// The mapper has set the outcome.
    Finished,
    /// Deadlines may have changed.
    Changed,
    /// The agent CLI's stdout has ended.
    StdoutEnded,
    /// The agent CLI's process has ended.
    Exited,
    /// The connection to the agent CLI's server is lost.
    ConnectionLost,
    /// The host has exited.
    HostGone,
}

/// What the lock protects.
struct Mapping {
    mapper: Box<dyn Mapper>,
    output: RunOutput,
}

/// What a call of the mapper changed besides the events.
struct Changes {
    is_finished: bool,
    has_new_limit: bool,
    has_new_events: bool,
}

impl Mapping {
    fn map(&mut self, work: impl FnOnce(&mut dyn Mapper, &mut RunOutput)) -> Changes {
        let Self { mapper, output } = self;
        let was_finished = output.outcome.is_some();
        let (limit, next_seq) = (output.silence_limit, output.emitter.next_seq());
        work(mapper.as_mut(), output);
        Changes {
            is_finished: !was_finished && output.outcome.is_some(),
            has_new_limit: limit != output.silence_limit,
            has_new_events: next_seq != output.emitter.next_seq(),
        }
    }

    /// Calls the mapper unless the run has its outcome.
    fn map_unfinished(&mut self, work: impl FnOnce(&mut dyn Mapper, &mut RunOutput)) -> Changes {
        self.map(|mapper, output| {
            if output.outcome.is_none() {
                guarded(output, |output| work(mapper, output));
            }
        })
    }
}

/// What all threads of a run share.
pub(super) struct RunState {
    pub(super) run_id: String,
    mapping: Mutex<Mapping>,
    outbox: Outbox,
    wakes: Sender<Wake>,
    began: Instant,
    /// Milliseconds from `began` to the last output; 0 means no output yet.
    last_output: AtomicU64,
    /// The same for the last decision on an approval.
    last_decision: AtomicU64,
    has_stdout: AtomicBool,
    is_streaming: AtomicBool,
}

impl RunState {
    pub(super) fn new(
        run_id: String,
        mapper: Box<dyn Mapper>,
        output: RunOutput,
        outbox: Outbox,
        wakes: Sender<Wake>,
    ) -> Self {
        Self {
            run_id,
            mapping: Mutex::new(Mapping { mapper, output }),
            outbox,
            wakes,
            began: Instant::now(),
            last_output: AtomicU64::new(0),
            last_decision: AtomicU64::new(0),
            has_stdout: AtomicBool::new(false),
            is_streaming: AtomicBool::new(false),
        }
    }

    pub(super) fn wake(&self, wake: Wake) {
        // Without a supervisor the run has ended.
        self.wakes.send(wake).ok();
    }

    /// Records output on stdout.
    pub(super) fn mark_stdout(&self) {
        self.has_stdout.store(true, Ordering::Relaxed);
        self.mark_activity();
    }

    /// Whether stdout has had any output.
    pub(super) fn has_stdout(&self) -> bool {
        self.has_stdout.load(Ordering::Relaxed)
    }

    /// Records output on stdout, stderr or the event stream.
    pub(super) fn mark_activity(&self) {
        let before = self.last_output.swap(self.elapsed(), Ordering::Relaxed);
        if before == 0 {
            // The idle limit starts now and may be earlier than the deadline the supervisor waits for.
            self.wake(Wake::Changed);
        }
    }

    /// When the agent CLI last had output.
    pub(super) fn last_output(&self) -> Option<Instant> {
        self.time_of(self.last_output.load(Ordering::Relaxed))
    }

    /// When the time without output began: at the last output or decision on an approval.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let decision = self.last_decision.load(Ordering::Relaxed);
        self.time_of(self.last_output.load(Ordering::Relaxed).max(decision))
    }

    fn time_of(&self, millis: u64) -> Option<Instant> {
        (millis > 0).then(|| self.began + Duration::from_millis(millis))
    }

    fn elapsed(&self) -> u64 {
        (self.began.elapsed().as_millis() as u64).max(1)
    }

    /// Whether an event stream is being read.
    pub(super) fn is_streaming(&self) -> bool {
        self.is_streaming.load(Ordering::Acquire)
    }

    /// Works on the output, then queues what was emitted. The lock is released before anything is
    /// written.
    pub(super) fn with_output<T>(&self, work: impl FnOnce(&mut RunOutput) -> T) -> T {
        self.with_mapping(|mapping| work(&mut mapping.output))
    }

    /// Emits the first events and calls `on_started`.
    pub(super) fn start(&self, first_events: Vec<Event>, invocation: &Invocation) {
        self.with_mapping(|Mapping { mapper, output }| {
            first_events.into_iter().for_each(|event| output.event(event));
            guarded(output, |output| mapper.on_started(invocation, output));
        });
    }

    /// Calls `on_begin`.
    pub(super) fn begin(&self) {
        let changes = self.with_mapping(|mapping| {
            mapping.map(|mapper, output| guarded(output, |output| mapper.on_begin(output)))
        });
        self.wake_for(&changes);
    }

    /// Maps a chunk of lines with one lock and one write.
    pub(super) fn map_lines(&self, feed: impl FnOnce(&mut dyn FnMut(&[u8]))) {
        let changes = self.change_mapping(|mapping| {
            mapping.map(|mapper, output| {
                feed(&mut |line| {
                    if output.outcome.is_none() {
                        guarded(output, |output| mapper.on_line(line, output));
                    }
                });
            })
        });
        self.outbox.write_now();
        self.wake_for(&changes);
    }

    /// Maps one line of stderr.
    pub(super) fn map_stderr_line(&self, line: &[u8]) {
        let changes = self.with_mapping(|mapping| {
            mapping.map_unfinished(|mapper, output| mapper.on_stderr_line(line, output))
        });
        self.wake_for(&changes);
    }

    /// Maps the report of the agent CLI.
    pub(super) fn map_report(&self, report: &[u8]) {
        self.with_mapping(|Mapping { mapper, output }| {
            guarded(output, |output| mapper.on_report(report, output));
        });
    }

    /// Emits a notice about lines that were too long to read.
    pub(super) fn report_oversized(&self, count: u64) {
        if count == 0 {
            return;
        }
        self.with_output(|output| {
            let text = format!("{count} lines of the agent CLI were over {MAX_LINE_BYTES} bytes");
            output.event(Event::Notice(event::notice(NoticeLevel::Warn, "line_too_long", text)));
        });
    }

    /// Calls `on_silence`. The limit has expired; only the mapper sets another one.
    pub(super) fn report_silence(&self) {
        let is_finished = self.with_mapping(|Mapping { mapper, output }| {
            output.silence_limit = None;
            guarded(output, |output| mapper.on_silence(output));
            output.outcome.is_some()
        });
        if is_finished {
            self.wake(Wake::Finished);
        }
    }

    /// `run/input`.
    pub(super) fn input(&self, input: UserInput<'_>) -> InputOutcome {
        self.with_mapping(|Mapping { mapper, output }| match output.outcome {
            Some(_) => InputOutcome::Refused,
            None => mapper.on_input(input, output),
        })
    }

    /// Resolves an open approval; returns `false` when it is not open.
    pub(super) fn decide(&self, decision: &RespondRunParams) -> bool {
        let is_resolved = self.with_mapping(|Mapping { mapper, output }| {
            let outcome = output.emitter.offered_form(&decision.approval_id, decision.outcome);
            if let Some(outcome) = outcome {
                output.event(Event::ApprovalResolved(ApprovalResolved {
                    approval_id: decision.approval_id.clone(),
                    outcome,
                    by: decision.by.unwrap_or(ApprovalResolver::User),
                }));
                let decision = RespondRunParams { outcome, ..decision.clone() };
                guarded(output, |output| mapper.on_decision(&decision, output));
            }
            outcome.is_some()
        });
        if is_resolved {
            self.last_decision.store(self.elapsed(), Ordering::Relaxed);
        }
        self.wake(Wake::Changed);
        is_resolved
    }

    /// Denies open approvals: all of them, or only those whose deadline has passed.
    pub(super) fn deny(&self, by: ApprovalResolver, only_overdue: bool) {
        let now = Instant::now();
        let is_overdue =
            |deadline: Option<Instant>| deadline.is_some_and(|deadline| deadline <= now);
        let denied: Vec<String> = self.with_output(|output| {
            let approvals = output.emitter.open_approvals();
            let denied = approvals.filter(|open| !only_overdue || is_overdue(open.deadline));
            denied.map(|open| open.id.clone()).collect()
        });
        for approval_id in denied {
            self.decide(&RespondRunParams {
                run_id: self.run_id.clone(),
                approval_id,
                outcome: ApprovalOutcome::RejectOnce,
                updated_input: None,
                message: Some(format!("denied by {by}")),
                by: Some(by),
            });
        }
    }

    /// Requests a cancel; returns `false` when the run has its outcome already.
    pub(super) fn request_cancel(&self, grace: Duration) -> bool {
        let is_accepted = self.with_output(|output| {
            let is_accepted = output.outcome.is_none() && !output.emitter.is_done();
            output.is_cancelling |= is_accepted;
            is_accepted
        });
        if is_accepted {
            self.wake(Wake::Cancel { grace });
        }
        is_accepted
    }

    /// Calls `on_cancel`.
    pub(super) fn polite_stop(&self) -> PoliteStop {
        self.with_mapping(|Mapping { mapper, output }| {
            output.is_cancelling = true;
            mapper.on_cancel(output)
        })
    }

    /// Calls `on_exit` unless the run has its outcome; returns the outcome.
    pub(super) fn map_exit(&self, exit: &Exit) -> Option<RunOutcome> {
        self.with_mapping(|Mapping { mapper, output }| {
            if output.outcome.is_none() {
                let explained = mapper.on_exit(exit, output);
                output.outcome = output.outcome.take().or(explained);
            }
            output.outcome.clone()
        })
    }

    fn wake_for(&self, changes: &Changes) {
        if changes.is_finished {
            self.wake(Wake::Finished);
        } else if changes.has_new_limit {
            self.wake(Wake::Changed);
        }
    }

    fn with_mapping<T>(&self, work: impl FnOnce(&mut Mapping) -> T) -> T {
        let result = self.change_mapping(work);
        self.outbox.write_soon();
        result
    }

    /// As [`Self::with_mapping`], for a thread that writes the outbox itself next: waking the writer
    /// thread for every chunk would cost more than the write.
    fn change_mapping<T>(&self, work: impl FnOnce(&mut Mapping) -> T) -> T {
        let mut mapping = self.mapping.lock().unwrap_or_else(PoisonError::into_inner);
        let result = work(&mut mapping);
        self.outbox.push(mapping.output.emitter.lines());
        result
    }
}

impl http::RunEvents for RunState {
    fn on_reply(&self, reply: &http::Reply) {
        let changes = self.with_mapping(|mapping| {
            mapping.map_unfinished(|mapper, output| mapper.on_reply(reply, output))
        });
        self.mark_activity();
        self.wake_for(&changes);
        if reply.outcome.is_err() {
            self.wake(Wake::ConnectionLost);
        }
    }

    fn on_stream_opened(&self) {
        self.is_streaming.store(true, Ordering::Release);
    }

    /// Stream events that lead to no event (a keep-alive) do not count as activity.
    fn on_stream_events(&self, feed: &mut http::FeedEvents<'_>) {
        let changes = self.change_mapping(|mapping| {
            mapping.map(|mapper, output| {
                feed(&mut |data| {
                    if output.outcome.is_none() {
                        guarded(output, |output| mapper.on_stream_event(data, output));
                    }
                });
            })
        });
        self.outbox.write_now();
        if changes.has_new_events {
            self.mark_activity();
        }
        self.wake_for(&changes);
    }

    fn on_stream_ended(&self, oversized: u64) {
        self.report_oversized(oversized);
        self.is_streaming.store(false, Ordering::Release);
        self.wake(Wake::ConnectionLost);
    }

    fn is_done(&self) -> bool {
        self.with_output(|output| output.emitter.is_done())
    }
}

/// A mapper that panics ends its run, not the adapter.
fn guarded(output: &mut RunOutput, work: impl FnOnce(&mut RunOutput)) {
    if catch_unwind(AssertUnwindSafe(|| work(output))).is_err() {
        output.fail(
            ErrorEvent::fatal(ErrorKind::Internal, "the adapter's mapper panicked on a line")
                .with_hint("report it with the run's trace (`tracePath`)"),
        );
    }
}
