//! The one state of a run that several threads touch: its mapper and its output, behind one lock
//! that is never held over a system call.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use od_protocol::{
    ApprovalOutcome, ApprovalResolved, ApprovalResolver, ErrorEvent, ErrorKind, Event,
    MAX_LINE_BYTES, Notice, NoticeLevel, RespondRunParams,
};

use crate::Invocation;
use crate::adapter::{Ending, Exit, Mapper, PoliteStop};
use crate::outbox::Outbox;
use crate::output::RunOutput;

/// What the supervisor is woken by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wake {
    /// The run may begin: its acceptance is on the way to the host.
    Begin,
    /// The host wants it stopped.
    Cancel {
        /// How long the polite way may take.
        grace: Duration,
    },
    /// The mapper has heard the last word.
    Finished,
    /// Deadlines may have changed.
    Changed,
    /// The agent CLI's stdout is at its end.
    StdoutEnded,
    /// The agent CLI's process has ended.
    Exited,
    /// The agent CLI's server can be heard no more.
    ConnectionLost,
    /// The host is gone.
    HostGone,
}

struct Parts {
    mapper: Box<dyn Mapper>,
    output: RunOutput,
}

/// What mapping has changed besides the events.
struct Mapped {
    /// The last word was among it.
    is_finished: bool,
    has_new_limit: bool,
    said_something: bool,
}

impl Parts {
    fn map(&mut self, work: impl FnOnce(&mut dyn Mapper, &mut RunOutput)) -> Mapped {
        let Self { mapper, output } = self;
        let before = (output.ending.is_some(), output.silence_limit, output.emitter.next_seq());
        work(mapper.as_mut(), output);
        Mapped {
            is_finished: !before.0 && output.ending.is_some(),
            has_new_limit: before.1 != output.silence_limit,
            said_something: before.2 != output.emitter.next_seq(),
        }
    }
}

/// What all threads of a run share.
pub(crate) struct RunCore {
    pub(crate) run_id: String,
    parts: Mutex<Parts>,
    outbox: Outbox,
    wakes: Sender<Wake>,
    began: Instant,
    /// Milliseconds after `began` of the last output; 0 means none yet.
    last_output: AtomicU64,
    /// Something came on stdout, where an agent CLI speaks.
    has_spoken: AtomicBool,
    /// A stream of events is being read.
    is_streaming: AtomicBool,
}

impl RunCore {
    pub(crate) fn new(
        run_id: String,
        mapper: Box<dyn Mapper>,
        output: RunOutput,
        outbox: Outbox,
        wakes: Sender<Wake>,
    ) -> Self {
        let parts = Mutex::new(Parts { mapper, output });
        Self {
            run_id,
            parts,
            outbox,
            wakes,
            began: Instant::now(),
            last_output: AtomicU64::new(0),
            has_spoken: AtomicBool::new(false),
            is_streaming: AtomicBool::new(false),
        }
    }

    pub(crate) fn wake(&self, wake: Wake) {
        // A supervisor that is gone has ended the run already.
        self.wakes.send(wake).ok();
    }

    /// The agent CLI has said something on stdout.
    pub(crate) fn note_speech(&self) {
        self.has_spoken.store(true, Ordering::Relaxed);
        self.note_output();
    }

    /// Whether it ever said something on stdout.
    pub(crate) fn has_spoken(&self) -> bool {
        self.has_spoken.load(Ordering::Relaxed)
    }

    /// The agent CLI has said something, there or on stderr.
    pub(crate) fn note_output(&self) {
        let now = (self.began.elapsed().as_millis() as u64).max(1);
        let before = self.last_output.swap(now, Ordering::Relaxed);
        if before == 0 {
            // The limit on silence begins to run, and may end before whatever is waited for.
            self.wake(Wake::Changed);
        }
    }

    /// When the agent CLI last said something.
    pub(crate) fn last_output(&self) -> Option<Instant> {
        match self.last_output.load(Ordering::Relaxed) {
            0 => None,
            millis => Some(self.began + Duration::from_millis(millis)),
        }
    }

    /// Works on the run's state, then hands what was emitted to the way out. The lock is free
    /// before anything is written.
    pub(crate) fn with_output<T>(&self, work: impl FnOnce(&mut RunOutput) -> T) -> T {
        self.with_parts(|parts| work(&mut parts.output))
    }

    /// The run has begun.
    pub(crate) fn begin(&self) {
        let mapped = self.with_parts(|parts| {
            parts.map(|mapper, output| guarded(output, |output| mapper.on_begin(output)))
        });
        self.tell(mapped);
    }

    /// Maps a chunk of lines: one lock, one write.
    pub(crate) fn map_lines(&self, feed: impl FnOnce(&mut dyn FnMut(&[u8]))) {
        let mapped = self.change_parts(|parts| {
            parts.map(|mapper, output| {
                feed(&mut |line| {
                    if output.ending.is_none() {
                        guarded(output, |output| mapper.on_line(line, output));
                    }
                });
            })
        });
        self.outbox.write_now();
        self.tell(mapped);
    }

    /// Maps events of an HTTP stream, in the same way. Those that mean nothing (a sign that the
    /// connection is alive) are no output.
    pub(crate) fn map_stream(&self, feed: impl FnOnce(&mut dyn FnMut(&[u8]))) {
        let mapped = self.change_parts(|parts| {
            parts.map(|mapper, output| {
                feed(&mut |data| {
                    if output.ending.is_none() {
                        guarded(output, |output| mapper.on_stream_event(data, output));
                    }
                });
            })
        });
        self.outbox.write_now();
        if mapped.said_something {
            self.note_output();
        }
        self.tell(mapped);
    }

    /// Maps lines of stderr.
    pub(crate) fn map_stderr_line(&self, line: &[u8]) {
        let mapped = self.with_parts(|parts| {
            parts.map(|mapper, output| {
                if output.ending.is_none() {
                    guarded(output, |output| mapper.on_stderr_line(line, output));
                }
            })
        });
        self.tell(mapped);
    }

    /// Maps the reply to a request of the mapper.
    pub(crate) fn map_reply(&self, reply: &crate::http::Reply) {
        let mapped = self.with_parts(|parts| {
            parts.map(|mapper, output| {
                if output.ending.is_none() {
                    guarded(output, |output| mapper.on_reply(reply, output));
                }
            })
        });
        self.note_output();
        self.tell(mapped);
        if reply.outcome.is_err() {
            self.lose_connection();
        }
    }

    /// A stream of events is being read from now on.
    pub(crate) fn begin_stream(&self) {
        self.is_streaming.store(true, Ordering::Release);
    }

    /// All of the stream was read.
    pub(crate) fn end_stream(&self) {
        self.is_streaming.store(false, Ordering::Release);
        self.lose_connection();
    }

    /// Whether a stream of events is being read.
    pub(crate) fn is_streaming(&self) -> bool {
        self.is_streaming.load(Ordering::Acquire)
    }

    /// The server can be heard no more: either its process is ending, or it is to be ended.
    pub(crate) fn lose_connection(&self) {
        self.wake(Wake::ConnectionLost);
    }

    /// Whether the last event is written.
    pub(crate) fn is_over(&self) -> bool {
        self.with_output(|output| output.emitter.is_done())
    }

    /// Says that some of what the agent CLI said was too long to be read.
    pub(crate) fn tell_oversized(&self, count: u64) {
        if count == 0 {
            return;
        }
        self.with_output(|output| {
            output.event(Event::Notice(Notice {
                level: NoticeLevel::Warn,
                code: "line_too_long".to_owned(),
                text: format!("{count} lines of the agent CLI were over {MAX_LINE_BYTES} bytes"),
                hint: None,
            }));
        });
    }

    /// The agent CLI was silent for too long: its mapper says what that means. The limit has done
    /// its work and is set anew by the mapper, if at all.
    pub(crate) fn tell_silence(&self) {
        let finished = self.with_parts(|Parts { mapper, output }| {
            output.silence_limit = None;
            guarded(output, |output| mapper.on_silence(output));
            output.ending.is_some()
        });
        if finished {
            self.wake(Wake::Finished);
        }
    }

    /// The agent CLI was started so.
    pub(crate) fn tell_start(&self, first_events: Vec<Event>, invocation: &Invocation) {
        self.with_parts(|Parts { mapper, output }| {
            first_events.into_iter().for_each(|event| output.event(event));
            guarded(output, |output| mapper.on_started(invocation, output));
        });
    }

    /// What the agent CLI wrote into its report.
    pub(crate) fn map_report(&self, report: &[u8]) {
        self.with_parts(|Parts { mapper, output }| {
            guarded(output, |output| mapper.on_report(report, output));
        });
    }

    /// `run/input`.
    pub(crate) fn input(&self, text: &str, turn: Option<&str>) -> od_protocol::InputOutcome {
        self.with_parts(|Parts { mapper, output }| match output.ending {
            Some(_) => od_protocol::InputOutcome::Refused,
            None => mapper.on_input(text, turn, output),
        })
    }

    /// A decision on an open approval; `false` when it is not open.
    pub(crate) fn decide(&self, decision: &RespondRunParams) -> bool {
        let decided = self.with_parts(|Parts { mapper, output }| {
            let is_open =
                output.emitter.open_approvals().any(|open| open.id == decision.approval_id);
            if is_open {
                output.event(Event::ApprovalResolved(ApprovalResolved {
                    approval_id: decision.approval_id.clone(),
                    outcome: decision.outcome,
                    by: decision.by.unwrap_or(ApprovalResolver::User),
                }));
                guarded(output, |output| mapper.on_decision(decision, output));
            }
            is_open
        });
        self.wake(Wake::Changed);
        decided
    }

    /// Denies every open approval that fits.
    pub(crate) fn deny(&self, by: ApprovalResolver, only_overdue: bool) {
        let now = Instant::now();
        let overdue = |deadline: Option<Instant>| deadline.is_some_and(|deadline| deadline <= now);
        let open: Vec<String> = self.with_output(|output| {
            let fits = output
                .emitter
                .open_approvals()
                .filter(|open| !only_overdue || overdue(open.deadline));
            fits.map(|open| open.id.clone()).collect()
        });
        for approval_id in open {
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

    /// The host wants the run stopped; `false` when it is over anyway.
    pub(crate) fn request_cancel(&self, grace: Duration) -> bool {
        let accepted = self.with_output(|output| {
            let accepted = output.ending.is_none() && !output.emitter.is_done();
            output.cancelling |= accepted;
            accepted
        });
        if accepted {
            self.wake(Wake::Cancel { grace });
        }
        accepted
    }

    /// Asks the mapper for the polite way to stop.
    pub(crate) fn polite_stop(&self) -> PoliteStop {
        self.with_parts(|Parts { mapper, output }| {
            output.cancelling = true;
            mapper.on_cancel(output)
        })
    }

    /// Asks the mapper what an exit without a last word means.
    pub(crate) fn explain_exit(&self, exit: &Exit) -> Option<Ending> {
        self.with_parts(|Parts { mapper, output }| {
            if output.ending.is_none() {
                let explained = mapper.on_exit(exit, output);
                output.ending = output.ending.take().or(explained);
            }
            output.ending.clone()
        })
    }

    /// Wakes the supervisor where that is needed.
    fn tell(&self, mapped: Mapped) {
        if mapped.is_finished {
            self.wake(Wake::Finished);
        } else if mapped.has_new_limit {
            self.wake(Wake::Changed);
        }
    }

    fn with_parts<T>(&self, work: impl FnOnce(&mut Parts) -> T) -> T {
        let result = self.change_parts(work);
        self.outbox.write_soon();
        result
    }

    /// As [`Self::with_parts`], for a thread that writes by itself next: to wake the writer thread
    /// for every chunk would cost more than the write.
    fn change_parts<T>(&self, work: impl FnOnce(&mut Parts) -> T) -> T {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let result = work(&mut parts);
        self.outbox.push(parts.output.emitter.lines());
        result
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
