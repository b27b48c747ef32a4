//! The face for an app that starts the host itself: the same API as JSON-RPC lines on stdin and stdout. Whoever
//! holds the pipe is the client, so there is no token. The end of stdin is the end of the client.

mod pipes;
mod session;

use std::time::Duration;

use crate::error::HostError;
use crate::service::Service;
use pipes::Incoming;
use session::Session;

use super::settings::ServeSettings;

/// How long answers that are on their way may take once nobody asks any more.
const CLOSING_LIMIT: Duration = Duration::from_secs(5);

/// Serves stdin and stdout until stdin ends, stdout breaks or `stop` is over; then ends the runs that are left.
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
    let mut session = Session::new(service.clone(), settings, output.clone());
    tokio::pin!(stop);
    let stopped = loop {
        let incoming = tokio::select! {
            () = &mut stop => break true,
            () = output.closed() => break false,
            incoming = lines.recv() => incoming,
        };
        match incoming {
            Some(Incoming::Line(line)) => session.take(&line).await,
            Some(Incoming::TooLong) => session.refuse_long_line().await,
            None => break false,
        }
    };
    if !stopped {
        tracing::info!("the client is gone: the host ends, and its runs with it");
        // What they still say is sent in case somebody reads on.
        tokio::select! {
            () = &mut stop => {}
            () = service.drain(Duration::ZERO) => {}
        }
    }
    let last_words = async {
        session.close().await;
        drop(output);
        // It is dropped when the thread ends, so the error is the news.
        written.await.is_err()
    };
    if tokio::time::timeout(CLOSING_LIMIT, last_words).await.is_err() {
        tracing::debug!("answers that took too long were left out");
    }
    Ok(())
}
