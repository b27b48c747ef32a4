//! A socket whose writes fail when the peer reads nothing for too long. Without it a client that is stopped but
//! alive would hold its connection forever.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// See the module. Only blocked writes count: a client may send nothing for as long as it likes.
#[derive(Debug)]
pub(super) struct StallLimit<S> {
    stream: S,
    limit: Duration,
    /// When a blocked write fails.
    timer: Pin<Box<Sleep>>,
    is_blocked: bool,
}

impl<S> StallLimit<S> {
    pub(super) fn new(stream: S, limit: Duration) -> Self {
        Self { stream, limit, timer: Box::pin(sleep(limit)), is_blocked: false }
    }

    /// Starts the timer when a write blocks, and stops it when the write makes progress.
    fn check<T>(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.is_blocked = false;
            return outcome;
        }
        if !self.is_blocked {
            self.is_blocked = true;
            self.timer.as_mut().reset(Instant::now() + self.limit);
        }
        ready!(self.timer.as_mut().poll(context));
        let text = format!("the client read nothing for {} s", self.limit.as_secs());
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, text)))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StallLimit<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StallLimit<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.check(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(context);
        self.check(context, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_shutdown(context);
        self.check(context, outcome)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;
    use crate::sync::block_on;

    #[test]
    fn write_fails_when_peer_stops_reading() {
        block_on(async {
            let (local, remote) = duplex(4);
            let mut local = StallLimit::new(local, Duration::from_millis(20));
            let error =
                local.write_all(b"more than fits").await.expect_err("the peer does not read");
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            drop(remote);
        });
    }

    #[test]
    fn reading_peer_gets_everything() {
        block_on(async {
            let (local, mut remote) = duplex(4);
            let mut local = StallLimit::new(local, Duration::from_secs(3600));
            let reader = tokio::spawn(async move {
                let mut all = String::new();
                remote.read_to_string(&mut all).await.map(|_| all)
            });
            local.write_all(b"more than fits").await.expect("it is read");
            local.shutdown().await.expect("the end");
            drop(local);
            let all = reader.await.expect("a reader").expect("a text");
            assert_eq!(all, "more than fits");
        });
    }
}
