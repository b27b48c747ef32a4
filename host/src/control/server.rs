//! The owner's end: listens while the run is going on.

use std::time::Duration;

use od_protocol::{
    CancelRunParams, CancelRunResult, ErrorKind, ErrorObject, InputRunParams, InputRunResult,
    MAX_LINE_BYTES, Message, RespondRunParams, RespondRunResult,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::task::JoinSet;

use super::os;
use crate::run::RunHandle;

const DEFAULT_GRACE_MS: u64 = 2000;

/// Listens until this is dropped. Where listening is not possible the run goes on without.
pub(crate) fn serve(run: &RunHandle) -> Option<JoinSet<()>> {
    match os::listen(run.folder()) {
        Ok(listener) => {
            let mut tasks = JoinSet::new();
            tasks.spawn(accept(listener, run.clone()));
            Some(tasks)
        }
        Err(error) => {
            tracing::warn!(run = run.id(), %error, "other processes cannot reach this run");
            None
        }
    }
}

async fn accept(mut listener: os::Listener, run: RunHandle) {
    let mut connections = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok(stream) => drop(connections.spawn(converse(stream, run.clone()))),
            Err(error) => {
                tracing::debug!(run = run.id(), %error, "a connection failed");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

async fn converse(stream: os::Stream, run: RunHandle) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut stream).take(MAX_LINE_BYTES).read_until(b'\n', &mut line).await {
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
        let answer = answer(line.trim_ascii_end(), &run).await;
        if stream.write_all(answer.as_bytes()).await.is_err() || stream.flush().await.is_err() {
            return;
        }
    }
}

async fn answer(line: &[u8], run: &RunHandle) -> String {
    let (id, outcome) = match Message::read(line) {
        Ok(Message::Request { id, method, params }) => {
            (id.get().to_owned(), dispatch(&method, params, run).await)
        }
        Ok(_) => {
            let error = ErrorObject::new(ErrorKind::InvalidRequest, "only requests are taken here");
            ("null".to_owned(), Err(error))
        }
        Err(error) => ("null".to_owned(), Err(error)),
    };
    let outcome = outcome.and_then(|result| to_json(&result).map(|result| ("result", result)));
    let (member, value) = match outcome {
        Ok(outcome) => outcome,
        Err(error) => ("error", to_json(&error).unwrap_or_else(|_| "null".to_owned())),
    };
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"{member}\":{value}}}\n")
}

async fn dispatch(
    method: &str,
    params: Option<&RawValue>,
    run: &RunHandle,
) -> Result<serde_json::Value, ErrorObject> {
    match method {
        "run/cancel" => {
            let params: CancelRunParams = read(params)?;
            let grace = Duration::from_millis(params.grace_ms.unwrap_or(DEFAULT_GRACE_MS));
            to_value(&CancelRunResult { accepted: run.cancel(grace) })
        }
        "run/input" => {
            let params: InputRunParams = read(params)?;
            let outcome = run.input(params.text, params.expected_turn).await?;
            to_value(&InputRunResult { outcome })
        }
        "run/respond" => {
            run.respond(read::<RespondRunParams>(params)?).await?;
            to_value(&RespondRunResult {})
        }
        _ => {
            Err(ErrorObject::new(ErrorKind::MethodNotFound, format!("there is no method {method}")))
        }
    }
}

fn read<P: DeserializeOwned>(params: Option<&RawValue>) -> Result<P, ErrorObject> {
    serde_json::from_str(params.map_or("null", RawValue::get))
        .map_err(|error| ErrorObject::new(ErrorKind::InvalidParams, error.to_string()))
}

fn to_value(result: &impl Serialize) -> Result<serde_json::Value, ErrorObject> {
    serde_json::to_value(result)
        .map_err(|error| ErrorObject::new(ErrorKind::Internal, error.to_string()))
}

fn to_json(value: &impl Serialize) -> Result<String, ErrorObject> {
    serde_json::to_string(value)
        .map_err(|error| ErrorObject::new(ErrorKind::Internal, error.to_string()))
}
