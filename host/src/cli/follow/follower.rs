//! The loop over events, the user's answers and signals.

use std::time::Duration;

use od_host::journal::{EventReader, JournalEvent};
use od_host::{ExitStatus, HostError, RunHandle};
use od_protocol::{Done, ErrorEvent, ErrorKind, Event, RunEventParams};

use super::answer::Reply;
use super::approval_prompt::ApprovalPrompt;
use super::printer::Printer;
use super::view::View;
use crate::cli::print::{print_remark, print_warning};
use crate::cli::signals::Signals;
use crate::cli::terminal::Spinner;

/// How long an agent CLI may take to stop.
const CANCEL_GRACE: Duration = Duration::from_secs(2);
/// After a signal, how long to wait for a reader of stdout that does not read.
const STALLED_READER_GRACE: Duration = Duration::from_secs(1);
/// Events are written to stdout in chunks of about this size.
const CHUNK_BYTES: usize = 64 * 1024;
/// Event types that matter for every output format.
const HANDLED_TYPES: [&str; 6] = [
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
    /// It owns the run: it answers questions, and a signal cancels the run.
    Owner(RunHandle),
    /// It only follows: a signal detaches.
    Observer,
}

/// How the run ended, as far as it was followed.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    /// The last event, if it was reached.
    pub(crate) done: Option<Done>,
    /// Why the run failed.
    pub(crate) fatal: Option<ErrorEvent>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Follower {
    view: View,
    prompt: ApprovalPrompt,
    control: Control,
    printer: Printer,
    spinner: Spinner,
    stops: Signals,
    stop_count: u32,
    stdout_closed: bool,
    chunk: Vec<u8>,
    replies: Vec<Reply>,
    ending: Ending,
}

impl Follower {
    pub(crate) fn new(
        view: View,
        prompt: ApprovalPrompt,
        control: Control,
        stops: Signals,
    ) -> Self {
        Self {
            spinner: view.spinner(),
            view,
            prompt,
            control,
            printer: Printer::start(),
            stops,
            stop_count: 0,
            stdout_closed: false,
            chunk: Vec::new(),
            replies: Vec::new(),
            ending: Ending::default(),
        }
    }

    /// Shows the run until it ends, or until a signal detaches an observer.
    pub(crate) async fn follow(mut self, mut reader: EventReader) -> Result<Ending, HostError> {
        while self.is_following() {
            tokio::select! {
                biased;
                _ = self.stops.next() => self.on_stop(),
                () = self.printer.closed(), if !self.stdout_closed => self.on_closed_stdout(),
                reply = self.prompt.answer() => self.reply(reply).await,
                event = reader.next() => {
                    let Some(event) = event? else { break };
                    self.on_event(&event);
                    self.on_ready_events(&mut reader)?;
                    self.update().await;
                }
                () = self.spinner.due() => self.show_spinner().await,
            }
        }
        self.spinner.hide();
        self.finish().await
    }

    /// Waits until everything is written; after a signal for a limited time.
    async fn finish(mut self) -> Result<Ending, HostError> {
        let is_stopping = self.stop_count > 0;
        tokio::select! {
            written = self.printer.finish() => written?,
            _ = self.stops.next() => {}
            () = tokio::time::sleep(STALLED_READER_GRACE), if is_stopping => {}
        }
        Ok(self.ending)
    }

    fn is_following(&self) -> bool {
        match self.control {
            Control::Owner(_) => true,
            Control::Observer => self.stop_count == 0 && !self.stdout_closed,
        }
    }

    /// Handles the events that are available, so that many events are written in large chunks.
    fn on_ready_events(&mut self, reader: &mut EventReader) -> Result<(), HostError> {
        while self.chunk.len() < CHUNK_BYTES
            && let Some(event) = reader.next_ready()?
        {
            self.on_event(&event);
        }
        Ok(())
    }

    fn on_event(&mut self, event: &JournalEvent<'_>) {
        let wanted = self.view.reads_events() || HANDLED_TYPES.contains(&event.type_name);
        let envelope = if wanted { event.parse().ok() } else { None };
        self.view.render(event, envelope.as_ref(), &mut self.chunk);
        if let Some(envelope) = envelope {
            self.handle(envelope);
        }
    }

    fn handle(&mut self, envelope: RunEventParams) {
        if matches!(self.control, Control::Owner(_)) {
            let reply = self.prompt.on_event(&envelope.event);
            self.replies.extend(reply);
        }
        match envelope.event {
            Event::Error(error) if error.fatal => self.ending.fatal = Some(error),
            Event::Done(done) => self.ending.done = Some(done),
            _ => {}
        }
    }

    /// Updates the screen and sends replies after some events.
    async fn update(&mut self) {
        if self.chunk.is_empty() {
            if let Some(activity) = self.view.activity() {
                self.spinner.set_activity(activity);
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

    /// Writes the chunk and handles signals while the reader is slow. After a signal it does not wait for a reader that
    /// does not read.
    async fn write(&mut self) {
        while !self.chunk.is_empty() && !self.stdout_closed {
            let is_stopping = self.stop_count > 0;
            tokio::select! {
                biased;
                _ = self.stops.next() => self.on_stop(),
                open = self.printer.write(&mut self.chunk) => {
                    if !open {
                        self.on_closed_stdout();
                    }
                }
                () = tokio::time::sleep(STALLED_READER_GRACE), if is_stopping => self.on_closed_stdout(),
            }
        }
        self.chunk.clear();
    }

    /// Prints the next question, below everything before it.
    async fn ask(&mut self) {
        if self.prompt.has_unasked() {
            self.printer.flush().await;
            self.spinner.hide();
            self.prompt.ask(self.view.is_pretty());
        }
    }

    async fn show_spinner(&mut self) {
        self.printer.flush().await;
        let activity = if self.prompt.is_asking() { None } else { self.view.activity() };
        self.spinner.show(activity);
    }

    async fn reply(&mut self, reply: Reply) {
        let Control::Owner(handle) = &self.control else { return };
        let result = match reply {
            Reply::Respond(answer) => handle.respond(answer).await,
            Reply::Input(text) => handle.input(text, None).await.map(drop),
        };
        match result {
            Err(error) if error.kind() != ErrorKind::ApprovalUnknown => {
                print_warning(&format!(
                    "cannot deliver the answer to the agent: {}",
                    error.message
                ));
            }
            _ => {}
        }
        self.ask().await;
    }

    /// The first signal cancels with a grace period, the second without, the third exits.
    fn on_stop(&mut self) {
        self.stop_count += 1;
        let Control::Owner(handle) = &self.control else { return };
        self.spinner.hide();
        if self.view.break_line() {
            print_remark("");
        }
        match self.stop_count {
            1 => {
                handle.cancel(CANCEL_GRACE);
                print_remark("cancelling … (press Ctrl-C again to stop at once)");
            }
            2 => {
                handle.cancel(Duration::ZERO);
                print_remark("stopping at once …");
            }
            _ => std::process::exit(ExitStatus::Cancelled as i32),
        }
    }

    /// The reader of stdout is gone: cancels the run; its journal stays.
    fn on_closed_stdout(&mut self) {
        self.stdout_closed = true;
        self.view.close();
        if let Control::Owner(handle) = &self.control {
            handle.cancel(CANCEL_GRACE);
        }
    }
}
