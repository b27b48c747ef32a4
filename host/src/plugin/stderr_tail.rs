//! The last output of a process on stderr, bounded. Output on stderr is not an error by itself.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;
use tokio::sync::watch;

use crate::sync::lock;

const MAX_TAIL_BYTES: usize = 64 * 1024;

/// The tail; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct StderrTail {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    ended: watch::Receiver<bool>,
}

impl StderrTail {
    /// Collects stderr until it is closed.
    pub(crate) fn collect(mut stderr: ChildStderr) -> Self {
        let bytes = Arc::new(Mutex::new(VecDeque::new()));
        let (sender, ended) = watch::channel(false);
        let tail = Self { bytes, ended };
        let collector = tail.clone();
        tokio::spawn(async move {
            let mut chunk = vec![0; 8 * 1024];
            while let Ok(length @ 1..) = stderr.read(&mut chunk).await {
                collector.push(&chunk[..length]);
            }
            sender.send_replace(true);
        });
        tail
    }

    /// Waits until stderr is closed, at most `limit`.
    pub(crate) async fn wait_for_end(&self, limit: Duration) {
        let mut ended = self.ended.clone();
        // After a timeout or without a sender the tail stays as it is.
        drop(tokio::time::timeout(limit, ended.wait_for(|ended| *ended)).await);
    }

    /// The last lines, at most `limit` bytes.
    pub(crate) fn text(&self, limit: usize) -> String {
        let bytes = self.lock();
        let tail: Vec<u8> = bytes.iter().skip(bytes.len().saturating_sub(limit)).copied().collect();
        String::from_utf8_lossy(&tail).trim().to_owned()
    }

    /// The last lines joined to one line, for the message of an error.
    pub(crate) fn last_lines(&self) -> Option<String> {
        let text = self.text(2 * 1024);
        let lines: Vec<&str> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(3)..];
        (!last.is_empty()).then(|| last.join(" | "))
    }

    fn push(&self, chunk: &[u8]) {
        let mut bytes = self.lock();
        bytes.extend(chunk);
        let surplus = bytes.len().saturating_sub(MAX_TAIL_BYTES);
        bytes.drain(..surplus);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<u8>> {
        lock(&self.bytes)
    }
}
