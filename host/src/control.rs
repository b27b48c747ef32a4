//! The control socket of a run: another process sends input, answers approvals or cancels the run. The owner
//! listens in the run's folder and accepts the same methods as an adapter, as JSON-RPC lines.

mod server;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as os;
#[cfg(windows)]
use windows as os;

pub(crate) use server::serve;

use std::time::Duration;

use od_protocol::adapter::{CancelRunParams, InputRunParams, RespondRunParams};
use od_protocol::{Call, ErrorKind, ErrorObject, InputOutcome, MAX_LINE_BYTES, Message, RequestId};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

use crate::error::HostError;
use crate::journal::folder::RunFolder;

/// How much longer the owner may take than its adapter.
const OWNER_OVERHEAD: Duration = Duration::from_secs(1);

const RUNS_HINT: &str = "see whether the run is still active: od-host runs";

/// A connection to the process that owns a run.
#[derive(Debug)]
pub struct RunClient {
    run_id: String,
    stream: BufReader<os::Stream>,
}

impl RunClient {
    pub(crate) async fn connect(folder: &RunFolder, run_id: &str) -> Result<Self, HostError> {
        let stream = os::connect(folder).await.map_err(|error| {
            HostError::protocol(
                ErrorKind::RunUnknown,
                format!("the process that owns run {run_id} cannot be reached: {error}"),
            )
            .with_hint(RUNS_HINT)
        })?;
        Ok(Self { run_id: run_id.to_owned(), stream: BufReader::new(stream) })
    }

    /// Cancels the run. `false` means that it had already ended.
    ///
    /// # Errors
    /// When the owner cannot be reached or refuses.
    pub async fn cancel(&mut self, grace: Duration) -> Result<bool, HostError> {
        let params = CancelRunParams {
            run_id: self.run_id.clone(),
            grace_ms: u64::try_from(grace.as_millis()).ok(),
            reason: None,
        };
        self.call(params).await.map(|result| result.accepted)
    }

    /// Sends input to the run; with `expected_turn` it is refused when that turn has ended.
    ///
    /// # Errors
    /// When the owner cannot be reached, or the adapter's error.
    pub async fn input(
        &mut self,
        text: String,
        expected_turn: Option<String>,
    ) -> Result<InputOutcome, HostError> {
        let params = InputRunParams { run_id: self.run_id.clone(), text, expected_turn };
        self.call(params).await.map(|result| result.outcome)
    }

    /// Answers an approval; sets `run_id`.
    ///
    /// # Errors
    /// When the owner cannot be reached, or the adapter's error.
    pub async fn respond(&mut self, mut answer: RespondRunParams) -> Result<(), HostError> {
        answer.run_id.clone_from(&self.run_id);
        self.call(answer).await.map(|_| ())
    }

    async fn call<P: Call>(&mut self, params: P) -> Result<P::Result, HostError> {
        let limit = P::METHOD.limit() + OWNER_OVERHEAD;
        let failed = |reason: &str| {
            let text = format!("the process that owns run {} {reason}", self.run_id);
            HostError::protocol(ErrorKind::Timeout, text).with_hint(RUNS_HINT).with_which("call")
        };
        let (gone, late) = (failed("is gone"), failed("does not respond"));
        let mut request = Vec::new();
        Message::write_request(&mut request, &RequestId::from(1), P::METHOD.name, &params)
            .expect("parameters are JSON");
        match tokio::time::timeout(limit, self.exchange(&request)).await {
            Err(_) => Err(late),
            Ok(Err(_)) => Err(gone),
            Ok(Ok(reply)) => parse_reply::<P>(&reply),
        }
    }

    async fn exchange(&mut self, request: &[u8]) -> std::io::Result<String> {
        self.stream.write_all(request).await?;
        self.stream.flush().await?;
        let mut reply = String::new();
        match (&mut self.stream).take(MAX_LINE_BYTES).read_line(&mut reply).await? {
            0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(reply),
        }
    }
}

fn parse_reply<P: Call>(reply: &str) -> Result<P::Result, HostError> {
    let unreadable = |error: serde_json::Error| {
        HostError::protocol(ErrorKind::Internal, format!("cannot parse the owner's reply: {error}"))
    };
    match Message::read(reply.trim_end().as_bytes())? {
        Message::Response { outcome: Ok(result), .. } => {
            serde_json::from_str(result.get()).map_err(unreadable)
        }
        Message::Response { outcome: Err(error), .. } => {
            let error: ErrorObject = serde_json::from_str(error.get()).map_err(unreadable)?;
            Err(error.into())
        }
        _ => Err(HostError::protocol(
            ErrorKind::Internal,
            "the owner sent something other than a reply",
        )),
    }
}
