//! One WebSocket connection: reads messages into the session, writes its queue, pings the client.

use std::sync::Mutex;
use std::time::Duration;

use futures_util::io::{BufReader, BufWriter};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use soketto::connection::Error;
use soketto::handshake::http::Server as Handshake;
use soketto::{Incoming, Receiver, Sender};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};
use tokio_util::compat::{Compat, TokioAsyncReadCompatExt};

use super::super::limits::TimeLimits;
use super::super::refusal::Refusal;
use super::super::session::ApiHandler;
use crate::json_rpc::{Output, Session};
use crate::sync::lock;

/// Messages that wait for a slow client.
const QUEUED_MESSAGES: usize = 8;
/// A request that is too large is still read up to this multiple of the limit, so that the reply can carry its id.
const READ_LIMIT_FACTOR: usize = 4;
/// How long the last messages and the close frame may take.
const CLOSE_GRACE: Duration = Duration::from_secs(2);

type Stream = BufReader<BufWriter<Compat<TokioIo<Upgraded>>>>;

/// See the module.
pub(super) struct Connection {
    pub(super) handler: ApiHandler,
    pub(super) max_request_bytes: u32,
    pub(super) limits: TimeLimits,
    pub(super) stop: watch::Receiver<()>,
}

impl Connection {
    /// Serves the connection until the client, an error or a shutdown ends it.
    pub(super) async fn run(self, handshake: Handshake, stream: Upgraded) {
        let Self { handler, max_request_bytes, limits, mut stop } = self;
        let stream = BufReader::new(BufWriter::new(TokioIo::new(stream).compat()));
        let mut builder = handshake.into_builder(stream);
        builder.set_max_message_size(max_request_bytes as usize * READ_LIMIT_FACTOR);
        let (sender, receiver) = builder.finish();
        let (output, queue) = Output::channel(QUEUED_MESSAGES);
        let mut writer = tokio::spawn(write_messages(sender, queue, limits.ping));
        let mut session = Session::new(handler, output.clone());
        let activity = Activity::default();
        let is_stopping = tokio::select! {
            () = read_messages(receiver, &mut session, &activity, max_request_bytes) => false,
            () = activity.wait_for_silence(limits.silence) => false,
            () = output.closed() => false,
            _ = stop.changed() => true,
        };
        drop(output);
        let handler = session.into_handler();
        if is_stopping {
            handler.close().await;
        } else {
            drop(handler);
        }
        // The writer sends what is queued, then the close frame.
        if timeout(CLOSE_GRACE, &mut writer).await.is_err() {
            writer.abort();
        }
    }
}

/// When the client was last known to be alive.
struct Activity(Mutex<Instant>);

impl Default for Activity {
    fn default() -> Self {
        Self(Mutex::new(Instant::now()))
    }
}

impl Activity {
    fn mark(&self) {
        *lock(&self.0) = Instant::now();
    }

    /// Waits until the client has sent nothing for this long.
    async fn wait_for_silence(&self, limit: Duration) {
        loop {
            let last = *lock(&self.0);
            if last.elapsed() >= limit {
                return tracing::debug!("a WebSocket client answers no pings");
            }
            sleep_until(last + limit).await;
        }
    }
}

async fn read_messages(
    mut receiver: Receiver<Stream>,
    session: &mut Session<ApiHandler>,
    activity: &Activity,
    max_request_bytes: u32,
) {
    loop {
        let mut message = Vec::new();
        match receiver.receive(&mut message).await {
            Ok(Incoming::Data(_)) => {
                activity.mark();
                session.receive(&message).await;
            }
            Ok(Incoming::Pong(_)) => activity.mark(),
            Err(Error::MessageTooLarge { .. }) => {
                activity.mark();
                session.reject(*Refusal::too_large(max_request_bytes).error).await;
            }
            Ok(Incoming::Closed(_)) | Err(Error::Closed) => return,
            Err(error) => return tracing::debug!(%error, "a WebSocket connection failed"),
        }
    }
}

/// Ends when the queue is closed and empty, or when the client cannot be written to.
async fn write_messages(
    mut sender: Sender<Stream>,
    mut queue: mpsc::Receiver<Vec<u8>>,
    ping: Duration,
) {
    let mut pings = interval(ping);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let message = tokio::select! {
            message = queue.recv() => message,
            _ = pings.tick() => {
                if let Err(error) = send_ping(&mut sender).await {
                    return tracing::debug!(%error, "cannot ping a WebSocket client");
                }
                continue;
            }
        };
        let Some(message) = message else { break };
        let sent = async {
            sender.send_text_owned(into_text(message)).await?;
            if queue.is_empty() { sender.flush().await } else { Ok(()) }
        };
        if let Err(error) = sent.await {
            return tracing::debug!(%error, "cannot write to a WebSocket client");
        }
    }
    if let Err(error) = sender.close().await {
        tracing::debug!(%error, "cannot close a WebSocket");
    }
}

async fn send_ping(sender: &mut Sender<Stream>) -> Result<(), Error> {
    let empty = soketto::data::ByteSlice125::try_from(&[][..]).expect("no byte fits");
    sender.send_ping(empty).await?;
    sender.flush().await
}

fn into_text(message: Vec<u8>) -> String {
    String::from_utf8(message).expect("JSON is UTF-8")
}
