//! The spinner while an agent is silent: on stderr, only on a terminal, removed before any text.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::narrow_stderr::NarrowStderr;

/// Silence before the spinner is shown; with a shorter one it would flicker.
const SHOW_DELAY: Duration = Duration::from_millis(300);
const FRAME_INTERVAL: Duration = Duration::from_millis(100);
const TEMPLATE: &str = "{spinner:.cyan} {elapsed:.dim} {wide_msg:.dim}";

/// Shows a spinner while it waits for the work.
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

/// A spinner that appears after a short silence.
#[derive(Debug)]
pub(crate) struct Spinner {
    is_enabled: bool,
    silent_since: Instant,
    /// It cannot be shown until something is written again.
    is_skipped: bool,
    bar: Option<ProgressBar>,
}

impl Spinner {
    /// A spinner when stderr is a terminal.
    pub(crate) fn on_terminal() -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self::new(std::io::stderr().is_terminal() && !dumb)
    }

    /// A spinner that is never shown.
    pub(crate) fn disabled() -> Self {
        Self::new(false)
    }

    fn new(is_enabled: bool) -> Self {
        Self { is_enabled, silent_since: Instant::now(), is_skipped: false, bar: None }
    }

    /// Waits until the spinner is due; forever while it is shown or disabled.
    pub(crate) async fn due(&self) {
        if !self.is_enabled || self.is_skipped || self.bar.is_some() {
            return std::future::pending().await;
        }
        tokio::time::sleep_until((self.silent_since + SHOW_DELAY).into()).await;
    }

    /// Shows the spinner with the time since the last output. Without an activity it waits for the next silence.
    pub(crate) fn show(&mut self, activity: Option<String>) {
        let Some(activity) = activity else {
            self.is_skipped = true;
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
        bar.enable_steady_tick(FRAME_INTERVAL);
        self.bar = Some(bar);
    }

    /// Changes the text beside the spinner if it is shown.
    pub(crate) fn set_activity(&self, activity: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(activity);
        }
    }

    /// Removes the spinner before something is written; the silence starts again.
    pub(crate) fn hide(&mut self) {
        self.silent_since = Instant::now();
        self.is_skipped = false;
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
