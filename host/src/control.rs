//! How another process feeds, answers or cancels a run it does not own: the owner listens in the run's
//! folder and takes the same calls an adapter does, as JSON-RPC lines.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as os;
#[cfg(windows)]
use windows as os;
mod server;

pub(crate) use server::serve;

use std::time::Duration;

use od_protocol::{
    Call, CancelRunParams, ErrorKind, ErrorObject, InputOutcome, InputRunParams, MAX_LINE_BYTES,
    Message, RespondRunParams,
};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

use crate::error::HostError;
use crate::journal::folder::RunFolder;

/// What the owner may take longer than the adapter.
const SLACK: Duration = Duration::from_secs(1);

/// A line to the process that owns a run.
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
                format!("the process that owns run {run_id} does not listen: {error}"),
            )
            .with_hint("`od-host runs` shows whether the run is still going on")
        })?;
        Ok(Self { run_id: run_id.to_owned(), stream: BufReader::new(stream) })
    }

    /// Asks the owner to stop the run. `false` means that it was over already.
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

    /// Says something to the live run; `expected_turn` refuses it when that turn is over.
    ///
    /// # Errors
    /// When the owner cannot be reached, or what the adapter answered.
    pub async fn input(
        &mut self,
        text: String,
        expected_turn: Option<String>,
    ) -> Result<InputOutcome, HostError> {
        let params = InputRunParams { run_id: self.run_id.clone(), text, expected_turn };
        self.call(params).await.map(|result| result.outcome)
    }

    /// Answers an approval; `run_id` is filled in.
    ///
    /// # Errors
    /// When the owner cannot be reached, or what the adapter answered.
    pub async fn respond(&mut self, mut answer: RespondRunParams) -> Result<(), HostError> {
        answer.run_id.clone_from(&self.run_id);
        self.call(answer).await.map(|_| ())
    }

    async fn call<P: Call>(&mut self, params: P) -> Result<P::Result, HostError> {
        let limit = P::METHOD.limit() + SLACK;
        let silent = |reason: &str| {
            let text = format!("the process that owns run {} {reason}", self.run_id);
            HostError::protocol(ErrorKind::Timeout, text)
                .with_hint("`od-host runs` shows whether the run is still going on")
                .with_which("call")
        };
        let (gone, late) = (silent("is gone"), silent("does not answer"));
        let request = serde_json::json!({
            "jsonrpc": "2.0", "id": 1, "method": P::METHOD.name, "params": params,
        });
        match tokio::time::timeout(limit, self.exchange(request.to_string())).await {
            Err(_) => Err(late),
            Ok(Err(_)) => Err(gone),
            Ok(Ok(answer)) => read_answer::<P>(&answer),
        }
    }

    async fn exchange(&mut self, mut request: String) -> std::io::Result<String> {
        request.push('\n');
        self.stream.write_all(request.as_bytes()).await?;
        self.stream.flush().await?;
        let mut answer = String::new();
        match (&mut self.stream).take(MAX_LINE_BYTES).read_line(&mut answer).await? {
            0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(answer),
        }
    }
}

fn read_answer<P: Call>(answer: &str) -> Result<P::Result, HostError> {
    let other_shape = |error: serde_json::Error| {
        HostError::protocol(
            ErrorKind::Internal,
            format!("the owner's answer cannot be read: {error}"),
        )
    };
    match Message::read(answer.trim_end().as_bytes())? {
        Message::Response { outcome: Ok(result), .. } => {
            serde_json::from_str(result.get()).map_err(other_shape)
        }
        Message::Response { outcome: Err(error), .. } => {
            let error: ErrorObject = serde_json::from_str(error.get()).map_err(other_shape)?;
            Err(error.into())
        }
        _ => Err(HostError::protocol(ErrorKind::Internal, "the owner's answer is no answer")),
    }
}
