//! The one state of a run that several threads touch: its mapper and its output, behind one lock
//! that is never held over a system call.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use od_protocol::{
    ApprovalOutcome, ApprovalResolved, ApprovalResolver, ErrorEvent, ErrorKind, Event,
    RespondRunParams,
};

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
    /// The host is gone.
    HostGone,
}

struct Parts {
    mapper: Box<dyn Mapper>,
    output: RunOutput,
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

    /// Maps a chunk of lines: one lock, one write.
    pub(crate) fn map_lines(&self, feed: impl FnOnce(&mut dyn FnMut(&[u8]))) {
        let (finished, changed) = self.change_parts(|Parts { mapper, output }| {
            let before = output.ending.is_some();
            let limit_before = output.silence_limit;
            feed(&mut |line| {
                if output.ending.is_none() {
                    guarded(output, |output| mapper.on_line(line, output));
                }
            });
            (!before && output.ending.is_some(), output.silence_limit != limit_before)
        });
        self.outbox.write_now();
        if finished {
            self.wake(Wake::Finished);
        } else if changed {
            self.wake(Wake::Changed);
        }
    }

    /// Maps lines of stderr.
    pub(crate) fn map_stderr_line(&self, line: &[u8]) {
        let finished = self.with_parts(|Parts { mapper, output }| {
            let before = output.ending.is_some();
            if !before {
                guarded(output, |output| mapper.on_stderr_line(line, output));
            }
            !before && output.ending.is_some()
        });
        if finished {
            self.wake(Wake::Finished);
        }
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
