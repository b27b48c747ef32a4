//! The owner's end: a JSON-RPC session per connection while the run is active.

use std::time::Duration;

use od_protocol::adapter::{
    CancelRunParams, CancelRunResult, InputRunParams, InputRunResult, RespondRunParams,
    RespondRunResult,
};
use od_protocol::{Call, ErrorKind, ErrorObject, MAX_LINE_BYTES};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::task::JoinSet;

use super::os;
use crate::json_rpc::{CallResult, Handler, Output, Request, Session, to_json};
use crate::run::RunHandle;

const DEFAULT_GRACE_MS: u64 = 2000;
/// The pause after a failed accept, such as with no free file descriptors.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Listens until the result is dropped. Where listening fails, the run continues without it.
pub(crate) fn serve(run: &RunHandle) -> Option<JoinSet<()>> {
    match os::listen(run.folder()) {
        Ok(listener) => {
            let mut tasks = JoinSet::new();
            tasks.spawn(accept(listener, run.clone()));
            Some(tasks)
        }
        Err(error) => {
            tracing::warn!(run = run.id(), %error, "other processes cannot control this run");
            None
        }
    }
}

async fn accept(mut listener: os::Listener, run: RunHandle) {
    let mut connections = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok(stream) => drop(connections.spawn(serve_connection(stream, run.clone()))),
            Err(error) => {
                tracing::debug!(run = run.id(), %error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
}

/// Answers one request at a time until the client disconnects.
async fn serve_connection(stream: os::Stream, run: RunHandle) {
    let mut stream = BufReader::new(stream);
    let (output, mut replies) = Output::channel(1);
    let mut session = Session::new(RunControl(run), output);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut stream).take(MAX_LINE_BYTES).read_until(b'\n', &mut line).await {
            Ok(1..) => session.receive(line.trim_ascii_end()).await,
            Ok(0) | Err(_) => return,
        }
        let Ok(mut reply) = replies.try_recv() else { continue };
        reply.push(b'\n');
        if stream.write_all(&reply).await.is_err() || stream.flush().await.is_err() {
            return;
        }
    }
}

/// The methods that control one run.
struct RunControl(RunHandle);

impl Handler for RunControl {
    async fn handle(&mut self, request: Request<'_>, output: &Output) {
        let result = self.call(&request.method, request.params).await;
        output.reply(request.id, &result).await;
    }
}

impl RunControl {
    async fn call(&self, method: &str, params: Option<&RawValue>) -> CallResult {
        let Self(run) = self;
        match method {
            name if name == CancelRunParams::METHOD.name => {
                let params: CancelRunParams = parse(params)?;
                let grace = Duration::from_millis(params.grace_ms.unwrap_or(DEFAULT_GRACE_MS));
                to_json(&CancelRunResult { accepted: run.cancel(grace) })
            }
            name if name == InputRunParams::METHOD.name => {
                let params: InputRunParams = parse(params)?;
                let outcome = run.input(params.text, params.expected_turn).await?;
                to_json(&InputRunResult { outcome })
            }
            name if name == RespondRunParams::METHOD.name => {
                run.respond(parse::<RespondRunParams>(params)?).await?;
                to_json(&RespondRunResult {})
            }
            _ => {
                let text = format!("unknown method {method:?}");
                Err(ErrorObject::new(ErrorKind::MethodNotFound, text))
            }
        }
    }
}

fn parse<P: DeserializeOwned>(params: Option<&RawValue>) -> Result<P, ErrorObject> {
    serde_json::from_str(params.map_or("null", RawValue::get))
        .map_err(|error| ErrorObject::new(ErrorKind::InvalidParams, error.to_string()))
}
