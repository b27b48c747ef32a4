//! The sign of life while an agent is silent. On stderr, on a terminal, and gone before any text.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::narrow::NarrowStderr;

/// Silence this long is worth a sign; shorter, the spinner would only flicker.
const PATIENCE: Duration = Duration::from_millis(300);
const FRAME: Duration = Duration::from_millis(100);
const TEMPLATE: &str = "{spinner:.cyan} {elapsed:.dim} {wide_msg:.dim}";

/// Waits for something that may take a moment, with a spinner while it does.
pub(crate) async fn while_waiting<T>(activity: &str, work: impl Future<Output = T>) -> T {
    let mut spinner = Spinner::on_terminal();
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            outcome = &mut work => return outcome,
            () = spinner.due() => spinner.show(Some(activity.to_owned())),
        }
    }
}

/// A spinner that is shown after a moment of silence.
#[derive(Debug)]
pub(crate) struct Spinner {
    enabled: bool,
    silent_since: Instant,
    /// There is no place for it until something is written again.
    skipped: bool,
    bar: Option<ProgressBar>,
}

impl Spinner {
    /// A spinner for a person at a terminal.
    pub(crate) fn on_terminal() -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self::new(std::io::stderr().is_terminal() && !dumb)
    }

    /// A spinner that is never shown.
    pub(crate) fn disabled() -> Self {
        Self::new(false)
    }

    fn new(enabled: bool) -> Self {
        Self { enabled, silent_since: Instant::now(), skipped: false, bar: None }
    }

    /// Returns when the spinner is due; never while it is shown or not wanted.
    pub(crate) async fn due(&self) {
        if !self.enabled || self.skipped || self.bar.is_some() {
            return std::future::pending().await;
        }
        tokio::time::sleep_until((self.silent_since + PATIENCE).into()).await;
    }

    /// Shows the spinner; its clock counts from the beginning of the silence. Without an activity
    /// there is no place for it, and it waits for the next silence.
    pub(crate) fn show(&mut self, activity: Option<String>) {
        let Some(activity) = activity else {
            self.skipped = true;
            return;
        };
        let bar = ProgressBar::with_draw_target(
            None,
            ProgressDrawTarget::term_like(Box::new(NarrowStderr)),
        )
        .with_elapsed(self.silent_since.elapsed())
        .with_message(activity);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(FRAME);
        self.bar = Some(bar);
    }

    /// Changes the words beside it, when it is shown.
    pub(crate) fn say(&self, activity: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(activity);
        }
    }

    /// Takes the spinner away: something is about to be written, and the silence begins anew.
    pub(crate) fn hide(&mut self) {
        self.silent_since = Instant::now();
        self.skipped = false;
        self.clear();
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.clear();
    }
}
