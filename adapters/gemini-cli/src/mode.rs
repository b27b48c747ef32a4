//! Which way a run is driven. Pure.
//!
//! `stream-json` tells tools, failures and tokens best, but nobody can be asked, thoughts are left
//! out, and a prompt is searched for `/commands` and `@files`. ACP has none of these faults.

use od_protocol::adapter::StartRunParams;
use od_sdk::Install;
use od_sdk::start_run::AdapterOptions;

use crate::options::{ModeOption, Options};

/// The permission mode in which nothing is asked.
pub const YOLO: &str = "yolo";

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `--output-format stream-json`, the prompt on stdin.
    OneShot,
    /// `--acp`.
    Live,
}

/// Chooses by what is asked.
pub fn of(start_run_params: &StartRunParams, install: &Install) -> Mode {
    let asks_for_more = match Options::lenient(start_run_params).mode {
        ModeOption::OneShot => false,
        ModeOption::Live => true,
        ModeOption::Auto => needs_live(start_run_params, install),
    };
    match asks_for_more {
        true => Mode::Live,
        false => Mode::OneShot,
    }
}

/// What `stream-json` cannot do.
pub fn needs_live(start_run_params: &StartRunParams, install: &Install) -> bool {
    let is_yolo = start_run_params.permission_mode.as_deref() == Some(YOLO);
    let somebody_is_asked = install.host_answers_approvals && !is_yolo;
    somebody_is_asked || is_only_live(start_run_params)
}

/// What is lost in `stream-json`, whoever asks.
pub fn is_only_live(start_run_params: &StartRunParams) -> bool {
    let prompt = &start_run_params.prompt;
    !prompt.images.is_empty()
        || !prompt.attachments.is_empty()
        || !start_run_params.mcp_servers.is_empty()
        || !is_plain(&prompt.text)
}

/// The CLI takes `/x` for a command and reads the file behind every `@x`, wherever it is.
fn is_plain(text: &str) -> bool {
    !text.contains('@') && !text.trim_start().starts_with(['/', '?'])
}
