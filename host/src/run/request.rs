//! What is asked, and the checks that need no adapter.

use std::path::{Path, PathBuf};

use od_protocol::api::{FallbackPolicy, RetryPolicy};
use od_protocol::{ErrorKind, MAX_LINE_BYTES, StartRunParams};

use crate::error::HostError;
use crate::journal::store;

/// Room in a line for everything around the parameters of `run/start`.
const AROUND: u64 = 4 * 1024;
/// A prompt of this size fits into a line even when every byte is escaped.
const SURELY_FITS: usize = 2 * 1024 * 1024;
const PREVIEW_CHARACTERS: usize = 120;

/// Whether somebody answers `approval_requested`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Answers {
    /// Nobody: the adapter never asks and denies.
    #[default]
    Nobody,
    /// The holder of the [`RunHandle`](crate::RunHandle), or another process by way of `control`.
    Client,
}

/// Where a request comes from, for the record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// Who asks.
    pub client: Option<String>,
    /// The client's own name for the run.
    pub key: Option<String>,
    /// What `key` stands for: the hash of what was asked.
    pub task_hash: Option<String>,
}

/// What to run.
#[derive(Debug, Clone, Default)]
pub struct RunRequest {
    /// The agent's id.
    pub agent: String,
    /// What `run/start` takes. An empty `run_id` gets a fresh one.
    pub params: StartRunParams,
    /// Whether somebody answers approvals.
    pub answers: Answers,
    /// Whether the same agent may try again; `None` means no.
    pub retry: Option<RetryPolicy>,
    /// Other agents that may take over; `None` means none.
    pub fallback: Option<FallbackPolicy>,
    /// Where the request comes from.
    pub origin: Origin,
}

/// Checks a request and fills in what was left out.
pub(super) fn check(mut request: RunRequest) -> Result<RunRequest, HostError> {
    let params = &mut request.params;
    if params.prompt.text.trim().is_empty() {
        return Err(HostError::usage("the prompt is empty")
            .with_hint("say what the agent should do, such as \"fix the test\""));
    }
    if params.run_id.is_empty() {
        params.run_id = store::fresh_id();
    } else if !store::is_proper_id(&params.run_id) {
        return Err(HostError::usage(format!("{:?} cannot be the id of a run", params.run_id))
            .with_hint("use letters, digits, `-` and `_`, at most 100 of them"));
    }
    params.cwd = check_folder(&params.cwd)?;
    check_size(params)?;
    Ok(request)
}

/// The first line of a prompt, shortened.
pub(super) fn preview(prompt: &str) -> String {
    let line = prompt.trim().lines().next().unwrap_or_default().trim_end();
    let short: String = line.chars().take(PREVIEW_CHARACTERS).collect();
    if short.len() < prompt.trim().len() { format!("{short}…") } else { short }
}

fn check_folder(cwd: &str) -> Result<String, HostError> {
    let refuse = |what: String| {
        Err(HostError::usage(what).with_hint("name a folder that exists: -C DIR, or task.cwd"))
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
            refuse(format!("the working folder {} is no folder", absolute.display()))
        }
        Ok(_) => match absolute.into_os_string().into_string() {
            Ok(text) => Ok(text),
            Err(name) => refuse(format!("the working folder {} is not UTF-8", name.display())),
        },
    }
}

fn check_size(params: &StartRunParams) -> Result<(), HostError> {
    if params.prompt.text.len() < SURELY_FITS && params.prompt.images.is_empty() {
        return Ok(());
    }
    let mut counter = Counter(0);
    if let Err(error) = serde_json::to_writer(&mut counter, params) {
        return Err(HostError::usage(format!("the request has no JSON form: {error}")));
    }
    if counter.0 + AROUND <= MAX_LINE_BYTES {
        return Ok(());
    }
    Err(HostError::protocol(
        ErrorKind::PromptTooLarge,
        format!("the request takes {} bytes, a line of the protocol {MAX_LINE_BYTES}", counter.0),
    )
    .with_hint("put the text into a file in the working folder and name it in the prompt"))
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
    fn a_prompt_of_ten_megabytes_passes_and_one_over_the_line_does_not() {
        let here = std::env::temp_dir();
        assert!(check(request(&"x".repeat(10_000_000), &here)).is_ok());
        let error =
            check(request(&"\u{1}".repeat(4_000_000), &here)).expect_err("escapes to 24 MB");
        assert_eq!(error.failure.as_str(), "prompt_too_large");
    }

    #[test]
    fn what_cannot_work_is_said_with_a_hint() {
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
    fn a_preview_is_one_short_line() {
        assert_eq!(preview("  fix it  "), "fix it");
        assert_eq!(preview("one\ntwo"), "one…");
        assert_eq!(preview(&"ü".repeat(200)).chars().count(), PREVIEW_CHARACTERS + 1);
    }
}
