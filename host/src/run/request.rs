//! What to run, and the checks that need no adapter.

use std::path::{Path, PathBuf};

use od_protocol::adapter::StartRunParams;
use od_protocol::api::{FallbackPolicy, RetryPolicy};
use od_protocol::{ErrorKind, MAX_LINE_BYTES};

use crate::error::HostError;
use crate::journal::store;

/// The space in a line around the parameters of `run/start`.
const ENVELOPE_BYTES: u64 = 4 * 1024;
/// A prompt of this size fits into a line even when every byte is escaped.
const ALWAYS_FITS_BYTES: usize = 2 * 1024 * 1024;
const MAX_PREVIEW_CHARS: usize = 120;

/// How approval requests are answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Answers {
    /// The adapter denies them without asking.
    #[default]
    Deny,
    /// By the holder of the [`RunHandle`](crate::RunHandle), or by another process through the control socket.
    Client,
}

/// Where a request comes from, for the record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The client.
    pub client: Option<String>,
    /// The client's idempotency key.
    pub key: Option<String>,
    /// The hash of the task that belongs to `key`.
    pub task_hash: Option<String>,
}

/// What to run.
///
/// ```
/// use od_host::{Answers, RunRequest};
///
/// let mut request = RunRequest { agent: "demo".to_owned(), ..RunRequest::default() };
/// request.params.prompt.text = "fix the failing test".to_owned();
/// request.params.cwd = "/projects/app".to_owned();
/// assert_eq!(request.answers, Answers::Deny);
/// ```
#[derive(Debug, Clone, Default)]
pub struct RunRequest {
    /// The agent's id.
    pub agent: String,
    /// The parameters of `run/start`. An empty `run_id` gets a new id.
    pub params: StartRunParams,
    /// How approval requests are answered.
    pub answers: Answers,
    /// When the same agent is tried again; `None` means never.
    pub retry: Option<RetryPolicy>,
    /// Which agents may take over; `None` means none.
    pub fallback: Option<FallbackPolicy>,
    /// Where the request comes from.
    pub origin: Origin,
}

/// Checks a request and fills in defaults.
pub(super) fn check(mut request: RunRequest) -> Result<RunRequest, HostError> {
    let params = &mut request.params;
    if params.prompt.text.trim().is_empty() {
        return Err(HostError::usage("the prompt is empty")
            .with_hint("describe the task, for example \"fix the test\""));
    }
    if params.run_id.is_empty() {
        params.run_id = store::new_run_id();
    } else if !store::is_valid_id(&params.run_id) {
        return Err(HostError::usage(format!("invalid run id {:?}", params.run_id))
            .with_hint("use at most 100 letters, digits, `-` and `_`"));
    }
    params.cwd = check_folder(&params.cwd)?;
    check_size(params)?;
    Ok(request)
}

/// The first line of a prompt, shortened.
pub(super) fn preview(prompt: &str) -> String {
    let line = prompt.trim().lines().next().unwrap_or_default().trim_end();
    let short: String = line.chars().take(MAX_PREVIEW_CHARS).collect();
    if short.len() < prompt.trim().len() { format!("{short}…") } else { short }
}

fn check_folder(cwd: &str) -> Result<String, HostError> {
    let refuse = |what: String| {
        Err(HostError::usage(what).with_hint("use an existing folder: -C DIR, or task.cwd"))
    };
    let absolute: PathBuf = match std::path::absolute(Path::new(cwd)) {
        Ok(absolute) => absolute,
        Err(error) => return refuse(format!("the working folder {cwd:?} cannot be used: {error}")),
    };
    match std::fs::metadata(&absolute) {
        Err(error) => {
            refuse(format!("the working folder {} cannot be used: {error}", absolute.display()))
        }
        Ok(metadata) if !metadata.is_dir() => {
            refuse(format!("the working folder {} is not a folder", absolute.display()))
        }
        Ok(_) => match absolute.into_os_string().into_string() {
            Ok(text) => Ok(text),
            Err(name) => refuse(format!("the working folder {} is not UTF-8", name.display())),
        },
    }
}

fn check_size(params: &StartRunParams) -> Result<(), HostError> {
    if params.prompt.text.len() < ALWAYS_FITS_BYTES && params.prompt.images.is_empty() {
        return Ok(());
    }
    let mut counter = Counter(0);
    if let Err(error) = serde_json::to_writer(&mut counter, params) {
        return Err(HostError::usage(format!("cannot write the request as JSON: {error}")));
    }
    if counter.0 + ENVELOPE_BYTES <= MAX_LINE_BYTES {
        return Ok(());
    }
    Err(HostError::protocol(
        ErrorKind::PromptTooLarge,
        format!(
            "the request has {} bytes; the protocol allows {MAX_LINE_BYTES} per line",
            counter.0
        ),
    )
    .with_hint("put the text into a file in the working folder and refer to it in the prompt"))
}

struct Counter(u64);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(prompt: &str, cwd: &Path) -> RunRequest {
        let mut request = RunRequest { agent: "x".to_owned(), ..RunRequest::default() };
        request.params.prompt.text = prompt.to_owned();
        request.params.cwd = cwd.display().to_string();
        request
    }

    #[test]
    fn prompt_size_is_limited_by_line_size() {
        let here = std::env::temp_dir();
        assert!(check(request(&"x".repeat(10_000_000), &here)).is_ok());
        let error =
            check(request(&"\u{1}".repeat(4_000_000), &here)).expect_err("escapes to 24 MB");
        assert_eq!(error.failure.as_str(), "prompt_too_large");
    }

    #[test]
    fn invalid_request_is_refused_with_hint() {
        let here = std::env::temp_dir();
        let gone = here.join("surely/not/here");
        for bad in [request(" \n", &here), request("x", &gone)] {
            let error = check(bad).expect_err("refused");
            assert!(error.failure.as_str() == "usage" && error.hint.is_some(), "{error:?}");
        }
        let mut named = request("x", &here);
        named.params.run_id = "../up".to_owned();
        assert!(check(named).is_err());
    }

    #[test]
    fn preview_is_one_short_line() {
        assert_eq!(preview("  fix it  "), "fix it");
        assert_eq!(preview("one\ntwo"), "one…");
        assert_eq!(preview(&"ü".repeat(200)).chars().count(), MAX_PREVIEW_CHARS + 1);
    }
}
