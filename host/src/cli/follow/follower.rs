//! The loop between journal, screen, keys and signals.

use std::time::Duration;

use od_host::journal::{EventReader, JournalEvent};
use od_host::{ExitStatus, HostError, RunHandle};
use od_protocol::{Done, ErrorEvent, ErrorKind, Event, RunEventParams};

use super::answer::Reply;
use super::desk::Desk;
use super::printer::Printer;
use super::view::View;
use crate::cli::print::{print_remark, print_warning};
use crate::cli::signals::StopSignals;
use crate::cli::terminal::Spinner;

/// How long an agent CLI may take to stop politely.
const GRACE: Duration = Duration::from_secs(2);
/// How long a reader of stdout that has stopped reading is waited for after a request to stop.
const STUCK_READER: Duration = Duration::from_secs(1);
/// Events are handed to stdout in pieces of about this size.
const PIECE_BYTES: usize = 64 * 1024;
/// Types that matter whatever the output is.
const WATCHED: [&str; 6] = [
    "tool_call_started",
    "approval_requested",
    "approval_resolved",
    "input_requested",
    "error",
    "done",
];

/// What this process may do to the run.
#[derive(Debug)]
pub(crate) enum Control {
    /// It owns the run: questions are answered, being told to stop stops the run.
    Owner(RunHandle),
    /// It only looks on: being told to stop ends the looking.
    Observer,
}

/// What was seen of the end.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    /// The last event, when it was reached.
    pub(crate) done: Option<Done>,
    /// Why the run failed.
    pub(crate) fatal: Option<ErrorEvent>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Follower {
    view: View,
    desk: Desk,
    control: Control,
    printer: Printer,
    spinner: Spinner,
    stops: StopSignals,
    stop_count: u32,
    stdout_closed: bool,
    piece: Vec<u8>,
    replies: Vec<Reply>,
    ending: Ending,
}

impl Follower {
    pub(crate) fn new(view: View, desk: Desk, control: Control, stops: StopSignals) -> Self {
        Self {
            spinner: view.spinner(),
            view,
            desk,
            control,
            printer: Printer::start(),
            stops,
            stop_count: 0,
            stdout_closed: false,
            piece: Vec::new(),
            replies: Vec::new(),
            ending: Ending::default(),
        }
    }

    /// Shows the run until it is over, or until an observer is told to stop.
    ///
    /// # Errors
    /// When the journal cannot be read or stdout cannot be written.
    pub(crate) async fn follow(mut self, mut reader: EventReader) -> Result<Ending, HostError> {
        while self.goes_on() {
            tokio::select! {
                biased;
                () = self.stops.next() => self.on_stop(),
                () = self.printer.closed(), if !self.stdout_closed => self.on_closed_stdout(),
                reply = self.desk.answer() => self.reply(reply).await,
                event = reader.next() => {
                    let Some(event) = event? else { break };
                    self.on_event(&event);
                    self.on_ready_events(&mut reader)?;
                    self.catch_up().await;
                }
                () = self.spinner.due() => self.show_spinner().await,
            }
        }
        self.spinner.hide();
        self.finish().await
    }

    /// Waits for the last byte, but not for ever once it was told to stop.
    async fn finish(mut self) -> Result<Ending, HostError> {
        let told_to_stop = self.stop_count > 0;
        tokio::select! {
            written = self.printer.finish() => written?,
            () = self.stops.next() => {}
            () = tokio::time::sleep(STUCK_READER), if told_to_stop => {}
        }
        Ok(self.ending)
    }

    fn goes_on(&self) -> bool {
        match self.control {
            Control::Owner(_) => true,
            Control::Observer => self.stop_count == 0 && !self.stdout_closed,
        }
    }

    /// Takes what is already there, so that a flood is written in large pieces.
    fn on_ready_events(&mut self, reader: &mut EventReader) -> Result<(), HostError> {
        while self.piece.len() < PIECE_BYTES
            && let Some(event) = reader.next_ready()?
        {
            self.on_event(&event);
        }
        Ok(())
    }

    fn on_event(&mut self, event: &JournalEvent<'_>) {
        let wanted = self.view.reads_events() || WATCHED.contains(&event.type_name);
        let envelope = if wanted { event.parse().ok() } else { None };
        self.view.render(event, envelope.as_ref(), &mut self.piece);
        if let Some(envelope) = envelope {
            self.watch(envelope);
        }
    }

    fn watch(&mut self, envelope: RunEventParams) {
        if matches!(self.control, Control::Owner(_)) {
            let reply = self.desk.on_event(&envelope.event);
            self.replies.extend(reply);
        }
        match envelope.event {
            Event::Error(error) if error.fatal => self.ending.fatal = Some(error),
            Event::Done(done) => self.ending.done = Some(done),
            _ => {}
        }
    }

    /// Brings screen and run up to date after some events.
    async fn catch_up(&mut self) {
        if self.piece.is_empty() {
            if let Some(activity) = self.view.activity() {
                self.spinner.say(activity);
            }
        } else {
            self.spinner.hide();
            self.write().await;
        }
        for reply in std::mem::take(&mut self.replies) {
            self.reply(reply).await;
        }
        self.ask().await;
    }

    /// Hands the piece to stdout, still listening to signals while the reader is slow. Told to stop,
    /// it does not wait for a reader that has stopped reading.
    async fn write(&mut self) {
        while !self.piece.is_empty() && !self.stdout_closed {
            let told_to_stop = self.stop_count > 0;
            tokio::select! {
                biased;
                () = self.stops.next() => self.on_stop(),
                open = self.printer.write(&mut self.piece) => {
                    if !open {
                        self.on_closed_stdout();
                    }
                }
                () = tokio::time::sleep(STUCK_READER), if told_to_stop => self.on_closed_stdout(),
            }
        }
        self.piece.clear();
    }

    /// Puts the next question on the terminal, below everything said before it.
    async fn ask(&mut self) {
        if self.desk.has_unasked() {
            self.printer.flush().await;
            self.spinner.hide();
            self.desk.ask(self.view.is_pretty());
        }
    }

    async fn show_spinner(&mut self) {
        self.printer.flush().await;
        let activity = if self.desk.is_asking() { None } else { self.view.activity() };
        self.spinner.show(activity);
    }

    async fn reply(&mut self, reply: Reply) {
        let Control::Owner(handle) = &self.control else { return };
        let result = match reply {
            Reply::Respond(answer) => handle.respond(answer).await,
            Reply::Say(text) => handle.input(text, None).await.map(drop),
        };
        match result {
            Err(error) if error.kind() != ErrorKind::ApprovalUnknown => {
                print_warning(&format!("the answer did not reach the agent: {}", error.message));
            }
            _ => {}
        }
        self.ask().await;
    }

    /// The first time politely, the second time hard, the third time without waiting for anything.
    fn on_stop(&mut self) {
        self.stop_count += 1;
        let Control::Owner(handle) = &self.control else { return };
        self.spinner.hide();
        if self.view.break_line() {
            print_remark("");
        }
        match self.stop_count {
            1 => {
                handle.cancel(GRACE);
                print_remark("cancelling … (Ctrl-C again stops it at once)");
            }
            2 => {
                handle.cancel(Duration::ZERO);
                print_remark("stopping it at once …");
            }
            _ => std::process::exit(ExitStatus::Cancelled as i32),
        }
    }

    /// Nobody reads any more: the run is cancelled, its journal is kept.
    fn on_closed_stdout(&mut self) {
        self.stdout_closed = true;
        self.view.close();
        if let Control::Owner(handle) = &self.control {
            handle.cancel(GRACE);
        }
    }
}
