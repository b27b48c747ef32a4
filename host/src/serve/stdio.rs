//! The API on stdin and stdout, one message per line, for an app that starts the host itself. The process at the
//! other end of the pipes is the client, so no token is needed. The end of stdin ends the session and its runs.

mod pipes;

use std::time::Duration;

use super::rate::ClientRate;
use super::refusal::Refusal;
use super::session::ApiHandler;
use super::subscription::RunSubscriptions;
use crate::error::HostError;
use crate::json_rpc::Session;
use crate::service::{Client, Service};
use crate::settings::ServeSettings;
use crate::telemetry::metrics::Transport;
use pipes::Incoming;

/// How long replies may take after the client is gone.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);

/// Serves stdin and stdout until stdin ends, stdout breaks or `stop` completes; then ends the remaining runs.
///
/// # Errors
/// When no thread can be started.
pub async fn serve_stdio(
    service: Service,
    settings: &ServeSettings,
    stop: impl Future<Output = ()>,
) -> Result<(), HostError> {
    let mut lines = pipes::read_stdin(settings.max_request_bytes as usize)?;
    let (output, written) = pipes::write_stdout()?;
    let _gauge = service.host().telemetry().metrics().client(Transport::Stdio);
    let handler = ApiHandler::new(
        RunSubscriptions::new(service.clone()),
        settings,
        Client("stdio".to_owned()),
        ClientRate::unlimited(),
    );
    let mut session = Session::new(handler, output.clone());
    tokio::pin!(stop);
    let is_stopped = loop {
        let incoming = tokio::select! {
            () = &mut stop => break true,
            () = output.closed() => break false,
            incoming = lines.recv() => incoming,
        };
        match incoming {
            Some(Incoming::Line(line)) => session.receive(&line).await,
            Some(Incoming::TooLong) => {
                session.reject(*Refusal::too_large(settings.max_request_bytes).error).await;
            }
            None => break false,
        }
    };
    if !is_stopped {
        tracing::info!("the client is gone: the host ends its runs and exits");
        // Their last events are sent in case the client still reads.
        tokio::select! {
            () = &mut stop => {}
            () = service.drain(Duration::ZERO) => {}
        }
    }
    let last_messages = async {
        session.into_handler().close().await;
        drop(output);
        // The sender is dropped when the writing thread ends, which makes this an error.
        written.await.is_err()
    };
    if tokio::time::timeout(SHUTDOWN_GRACE, last_messages).await.is_err() {
        tracing::debug!("replies that took too long were dropped");
    }
    Ok(())
}
