//! The end of a run: kills its processes, closes what is open, sends `done`.

use std::path::Path;
use std::time::{Duration, Instant};

use od_protocol::{
    ApprovalOutcome, ApprovalResolved, ApprovalResolver, Done, DoneEvidence, DoneStatus,
    ErrorEvent, ErrorKind, Event, JsonObject, StopReason, ToolStatus, Usage,
};

use super::events::FinalMessage;
use super::fault::Fault;
use super::redact::redact;
use super::run::{Command, Run};
use super::{leaks, ownership, probe, run_faults, tree};

/// How long the CLI may take to exit after its final message.
const EXIT_GRACE: Duration = Duration::from_millis(500);
/// How long a killed process may take to be reaped.
const REAP_LIMIT: Duration = Duration::from_secs(2);

/// The content of `done`.
struct Ending {
    status: DoneStatus,
    stop_reason: StopReason,
    evidence: DoneEvidence,
    error: Option<ErrorEvent>,
}

impl Run<'_> {
    /// Ends the run; `done` is its last event.
    pub(super) fn finish(mut self) {
        let behaviour = self.adapter.behaviour;
        self.input = None;
        if self.events.final_message.is_some() || self.output_ended {
            let waits = behaviour.has(Fault::WaitsForExit);
            self.wait_for_exit(if waits { Duration::from_secs(3600) } else { EXIT_GRACE });
        }
        if behaviour.has(Fault::EpipeFailsRun) {
            self.wait_for_stdin_error();
        }
        if behaviour.has(Fault::CancelLosesDone) && self.cancelled_late() {
            self.adapter.ending(&self.params.run_id);
            return;
        }
        self.end_processes();
        self.wait_for_exit(REAP_LIMIT);
        let ending = self.ending();
        if behaviour.has(Fault::TraceOfCompleted) && ending.status != DoneStatus::Completed {
            let trace = self.params.trace_path.iter();
            trace.for_each(|file| drop(std::fs::remove_file(file)));
        }
        self.close(&ending);
        let is_dropped = self.cancelled && behaviour.has(Fault::CancelDropsUsage);
        let usage = self.events.usage().filter(|_| !is_dropped);
        let usage = run_faults::usage(behaviour, ending.status, usage);
        if !behaviour.has(Fault::UsageAfterDone) {
            self.emit_usage(usage.clone());
        }
        if let Some(error) = ending.error.clone().filter(|_| !behaviour.has(Fault::SilentFailure)) {
            self.emit(Event::Error(error));
        }
        leaks::before_done(behaviour, Path::new(&self.params.cwd), self.cancelled);
        self.adapter.ending(&self.params.run_id);
        let done = self.done(ending);
        if !behaviour.has(Fault::NoDone) {
            self.emit(Event::Done(done.clone()));
        }
        if behaviour.has(Fault::TwoDone) {
            self.emit(Event::Done(done));
        }
        if behaviour.has(Fault::UsageAfterDone) {
            self.emit_usage(usage);
        }
    }

    fn emit_usage(&mut self, usage: Option<Usage>) {
        let copies = if self.adapter.behaviour.has(Fault::UsageTwice) { 2 } else { 1 };
        for usage in std::iter::repeat_n(usage, copies).flatten() {
            self.emit(Event::Usage(usage));
        }
    }

    /// Waits for the CLI to exit; its output counts until the final message.
    fn wait_for_exit(&mut self, limit: Duration) {
        let deadline = Instant::now() + limit;
        while self.exited.is_none() {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else { return };
            match self.commands.recv_timeout(left) {
                Ok(Command::Exited(status)) => self.exited = Some(status),
                Ok(Command::Line(line)) => self.on_line(&line),
                Ok(Command::InputRefused) => self.on_input_refused(),
                Ok(Command::Cancel { .. }) if self.events.final_message.is_none() => {
                    self.cancelled = true;
                    return;
                }
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    /// The fault: waits for an error when the prompt is larger than the pipe.
    fn wait_for_stdin_error(&mut self) {
        let deadline = Instant::now() + Duration::from_millis(500);
        let is_long = self.params.prompt.text.len() > 64 * 1024;
        while let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|_| is_long) {
            if let Ok(Command::InputRefused) = self.commands.recv_timeout(left) {
                return self.on_input_refused();
            }
        }
    }

    /// The fault: a cancel between the final message and `done` drops `done`.
    fn cancelled_late(&mut self) -> bool {
        let deadline = Instant::now() + Duration::from_millis(20);
        while let Some(left) = deadline.checked_duration_since(Instant::now()) {
            if let Ok(Command::Cancel { .. }) = self.commands.recv_timeout(left) {
                return true;
            }
        }
        false
    }

    fn end_processes(&self) {
        tree::kill_group(self.leader);
        if !self.adapter.behaviour.has(Fault::OrphanChild) {
            let ends_all = self.adapter.behaviour.has(Fault::Crosstalk);
            tree::sweep(self.leader, |pid| {
                probe::is_probe(pid) || !ends_all && ownership::is_spared(self.leader, pid)
            });
        }
        ownership::unregister(self.leader);
    }

    /// Closes what is still open.
    fn close(&mut self, ending: &Ending) {
        let by = ApprovalResolver::Cancel;
        for approval_id in std::mem::take(&mut self.open_approvals).into_keys() {
            let outcome = ApprovalOutcome::RejectOnce;
            self.emit(Event::ApprovalResolved(ApprovalResolved { approval_id, outcome, by }));
        }
        let is_known = !self.adapter.behaviour.has(Fault::CancelledToolUnknown);
        let status = match ending.status {
            DoneStatus::Cancelled if is_known => ToolStatus::Cancelled,
            _ => ToolStatus::Unknown,
        };
        for event in self.events.close(status) {
            self.emit(event);
        }
    }

    fn ending(&self) -> Ending {
        if let Some(which) = self.timed_out {
            let text = format!("time limit {which} reached");
            let named = if self.adapter.behaviour.has(Fault::WrongWhich) { "run" } else { which };
            let mut error = ErrorEvent::fatal(ErrorKind::Timeout, text);
            if !self.adapter.behaviour.has(Fault::NoWhich) {
                error.data = Some(JsonObject::from_iter([("which".to_owned(), named.into())]));
            }
            return Ending {
                status: DoneStatus::TimedOut,
                stop_reason: StopReason::Cancelled,
                evidence: DoneEvidence::Watchdog,
                error: Some(error),
            };
        }
        if self.cancelled {
            return Ending {
                status: DoneStatus::Cancelled,
                stop_reason: StopReason::Cancelled,
                evidence: DoneEvidence::Watchdog,
                error: None,
            };
        }
        match self.events.final_message.clone() {
            Some(FinalMessage::Completed(stop_reason)) => Ending {
                status: DoneStatus::Completed,
                stop_reason,
                evidence: DoneEvidence::NativeResult,
                error: None,
            },
            Some(FinalMessage::Failed(error)) => self.failed(error, DoneEvidence::NativeResult),
            None => self.crash(),
        }
    }

    fn failed(&self, error: ErrorEvent, evidence: DoneEvidence) -> Ending {
        let behaviour = self.adapter.behaviour;
        let untyped = match error.kind {
            ErrorKind::AuthExpired | ErrorKind::AuthMissing => behaviour.has(Fault::AuthIsCrash),
            ErrorKind::ContextExceeded => behaviour.has(Fault::ContextIsCrash),
            ErrorKind::SessionUnknown => behaviour.has(Fault::SessionIsCrash),
            ErrorKind::ModelUnknown => behaviour.has(Fault::ModelIsCrash),
            _ => false,
        };
        let kind = match error.kind {
            ErrorKind::RateLimited if behaviour.has(Fault::RateIsQuota) => {
                ErrorKind::QuotaExhausted
            }
            _ if untyped => ErrorKind::CliCrashed,
            kind => kind,
        };
        let retryable = kind.is_retryable() && !behaviour.has(Fault::NothingRetryable)
            || behaviour.has(Fault::EverythingRetryable);
        let hint = error.hint.clone().filter(|_| !behaviour.has(Fault::NoHints));
        let message = self.clean(&error.message);
        Ending {
            status: DoneStatus::Failed,
            stop_reason: StopReason::Error,
            evidence,
            error: Some(ErrorEvent { kind, message, retryable, hint, ..error }),
        }
    }

    /// The CLI exited without a final message: a crash, whatever its exit code.
    fn crash(&self) -> Ending {
        let status = self.exited.flatten();
        let signal = status.as_ref().and_then(tree::signal_of);
        let how = match (signal, status.and_then(|status| status.code())) {
            (Some(signal), _) => format!("was killed by signal {signal}"),
            (_, Some(code)) => format!("exited with code {code}"),
            _ => "closed its output".to_owned(),
        };
        let ok = status.is_some_and(|status| status.success());
        let behaviour = self.adapter.behaviour;
        if behaviour.has(Fault::CrashIsOk) && !ok || behaviour.has(Fault::ExitZeroIsOk) && ok {
            return Ending {
                status: DoneStatus::Completed,
                stop_reason: StopReason::EndTurn,
                evidence: DoneEvidence::ExitCode,
                error: None,
            };
        }
        let text = format!("the agent CLI {how} before its final message; {}", self.tail.text());
        let error = ErrorEvent::fatal(ErrorKind::CliCrashed, text)
            .with_hint("run `parrot run` by hand and check its output");
        let evidence = if signal.is_some() { DoneEvidence::Signal } else { DoneEvidence::ExitCode };
        self.failed(error, evidence)
    }

    fn done(&self, ending: Ending) -> Done {
        let status = self.exited.flatten();
        let duration = self.stream.started.elapsed().as_millis();
        Done {
            status: ending.status,
            stop_reason: ending.stop_reason,
            error_kind: ending.error.map(|error| error.kind),
            evidence: ending.evidence,
            session_id: match self.adapter.behaviour.has(Fault::LatestSession) {
                true => leaks::latest_session(),
                false => self.events.session_id.clone(),
            },
            exit_code: status.and_then(|status| status.code()),
            signal: status.as_ref().and_then(tree::signal_of),
            duration_ms: u64::try_from(duration).unwrap_or(u64::MAX),
            totals: self.stream.totals(),
        }
    }

    /// Redacts the secrets of the run, and texts that look like keys.
    fn clean(&self, text: &str) -> String {
        if self.adapter.behaviour.has(Fault::LeaksSecrets) {
            return text.to_owned();
        }
        redact(text, &self.secrets)
    }
}
