//! Selects the interface of the CLI for a run. Pure.
//!
//! `stream-json` reports tools, failures and tokens best, but supports no approvals, omits thoughts,
//! and expands `/commands` and `@files` in a prompt. ACP has none of these limits.

use od_protocol::adapter::StartRunParams;
use od_sdk::Install;
use od_sdk::start_run::AdapterOptions;

use crate::options::{ModeOption, Options};

/// The permission mode without approvals.
pub const YOLO: &str = "yolo";

/// The interface of the CLI that a run uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `--output-format stream-json`, the prompt on stdin.
    StreamJson,
    /// `--acp`.
    Acp,
}

/// Returns the requested interface, or selects it by the run's options.
pub fn of(start_run_params: &StartRunParams, install: &Install) -> Mode {
    let uses_acp = match Options::lenient(start_run_params).mode {
        ModeOption::OneShot => false,
        ModeOption::Live => true,
        ModeOption::Auto => prefers_acp(start_run_params, install),
    };
    match uses_acp {
        true => Mode::Acp,
        false => Mode::StreamJson,
    }
}

/// Whether the run has approvals or needs another feature that `stream-json` lacks.
pub fn prefers_acp(start_run_params: &StartRunParams, install: &Install) -> bool {
    let is_yolo = start_run_params.permission_mode.as_deref() == Some(YOLO);
    let has_approvals = install.host_answers_approvals && !is_yolo;
    has_approvals || requires_acp(start_run_params)
}

/// Whether `stream-json` would lose a part of the prompt.
pub fn requires_acp(start_run_params: &StartRunParams) -> bool {
    let prompt = &start_run_params.prompt;
    !prompt.images.is_empty()
        || !prompt.attachments.is_empty()
        || !start_run_params.mcp_servers.is_empty()
        || !is_plain(&prompt.text)
}

/// The CLI treats `/x` as a command and reads the file of every `@x` in the text.
fn is_plain(text: &str) -> bool {
    !text.contains('@') && !text.trim_start().starts_with(['/', '?'])
}
