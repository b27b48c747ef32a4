//! Writes to stdout on a separate thread, so that a slow reader does not block the handling of Ctrl-C.

use std::io::Write;

use od_host::HostError;
use tokio::sync::{mpsc, oneshot};

use crate::cli::print::stdout_failed;

/// Chunks that may wait for a slow reader; the journal holds the rest.
const QUEUED_CHUNKS: usize = 4;

enum Job {
    Write(Vec<u8>),
    Flush(oneshot::Sender<()>),
}

/// Stdout.
#[derive(Debug)]
pub(super) struct Printer {
    jobs: mpsc::Sender<Job>,
    result: oneshot::Receiver<std::io::Result<()>>,
}

impl Printer {
    pub(super) fn start() -> Self {
        let (jobs, mut queue) = mpsc::channel(QUEUED_CHUNKS);
        let (report, result) = oneshot::channel();
        std::thread::spawn(move || {
            let outcome = write_all(&mut queue);
            // The follower may have ended already.
            drop(report.send(outcome));
        });
        Self { jobs, result }
    }

    /// Queues a chunk; waits while the reader is slow. False when stdout is closed.
    /// Cancel-safe: a chunk that is not queued stays with the caller.
    pub(super) async fn write(&self, chunk: &mut Vec<u8>) -> bool {
        match self.jobs.reserve().await {
            Ok(permit) => {
                permit.send(Job::Write(std::mem::take(chunk)));
                true
            }
            Err(_) => false,
        }
    }

    /// Waits until everything queued has been written, or cannot be.
    pub(super) async fn flush(&self) {
        let (done, wait) = oneshot::channel();
        if self.jobs.send(Job::Flush(done)).await.is_ok() {
            // An error means that stdout is closed, which `closed` reports.
            drop(wait.await);
        }
    }

    /// Waits until stdout is closed.
    pub(super) async fn closed(&self) {
        self.jobs.closed().await;
    }

    /// Waits until everything is written. A closed pipe is not an error here.
    pub(super) async fn finish(self) -> Result<(), HostError> {
        drop(self.jobs);
        match self.result.await {
            Ok(Err(error)) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(stdout_failed(&error))
            }
            _ => Ok(()),
        }
    }
}

fn write_all(queue: &mut mpsc::Receiver<Job>) -> std::io::Result<()> {
    let mut stdout = std::io::stdout();
    while let Some(job) = queue.blocking_recv() {
        match job {
            Job::Write(bytes) => stdout.write_all(&bytes).and_then(|()| stdout.flush())?,
            Job::Flush(done) => drop(done.send(())),
        }
    }
    Ok(())
}
