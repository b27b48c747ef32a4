//! The queue of bytes for the host: many events per system call when the stream is busy, written at
//! once when it is idle.
//!
//! A thread that appends may also write, so the event path has no hop to another thread. A thread
//! that must never block (the one that answers calls) only appends and wakes the writer thread.

use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Above this many queued bytes a producer waits for the host to read.
const MAX_QUEUED_BYTES: usize = 256 * 1024;

/// Buffers above this size are freed after a burst.
const MAX_KEPT_CAPACITY: usize = 2 * MAX_QUEUED_BYTES;

struct State {
    queued: Vec<u8>,
    /// The buffer of the last batch, reused for the next one.
    spare: Vec<u8>,
    /// Taken by the thread that writes.
    writer: Option<Box<dyn Write + Send>>,
    is_writing: bool,
    is_broken: bool,
    /// The number of threads that wait for a write; without one no notification is sent.
    waiting_threads: usize,
}

/// The queue of bytes for the host, shared by all threads of an adapter.
#[derive(Clone)]
pub(crate) struct Outbox {
    shared: Arc<(Mutex<State>, Condvar)>,
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Outbox")
    }
}

impl Outbox {
    pub(crate) fn new(writer: Box<dyn Write + Send>) -> Self {
        let state = State {
            queued: Vec::new(),
            spare: Vec::new(),
            writer: Some(writer),
            is_writing: false,
            is_broken: false,
            waiting_threads: 0,
        };
        Self { shared: Arc::new((Mutex::new(state), Condvar::new())) }
    }

    /// Queues the bytes without blocking. Call [`Self::write_now`] or [`Self::write_soon`] next.
    pub(crate) fn push(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let mut state = self.lock();
        match state.queued.is_empty() {
            true => std::mem::swap(&mut state.queued, bytes),
            false => state.queued.extend_from_slice(bytes),
        }
        if state.is_broken {
            state.queued.clear();
        }
        bytes.clear();
    }

    /// Writes the queue, unless another thread is writing: that thread writes these bytes too.
    pub(crate) fn write_now(&self) {
        let state = self.lock();
        if !state.is_writing {
            self.write_all(state);
        }
    }

    /// Wakes the writer thread; for a thread that must never block.
    pub(crate) fn write_soon(&self) {
        self.shared.1.notify_all();
    }

    /// Waits until the queue is below its limit.
    pub(crate) fn wait_for_space(&self) {
        let mut state = self.lock();
        while state.queued.len() > MAX_QUEUED_BYTES && !state.is_broken {
            state.waiting_threads += 1;
            state = self.shared.1.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting_threads -= 1;
        }
    }

    /// Whether the host reads slower than this adapter writes.
    pub(crate) fn is_congested(&self) -> bool {
        let state = self.lock();
        !state.is_broken && (state.is_writing || state.queued.len() > MAX_QUEUED_BYTES)
    }

    /// Waits until everything is written, the pipe is broken, or the time is up.
    pub(crate) fn drain(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        let mut state = self.lock();
        while (state.is_writing || !state.queued.is_empty()) && !state.is_broken {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state.waiting_threads += 1;
            let waited = self.shared.1.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.waiting_threads -= 1;
        }
    }

    /// Writes what other threads append. Runs on its own thread and returns when the pipe is broken.
    pub(crate) fn run_writer(&self) {
        loop {
            let mut state = self.lock();
            while (state.is_writing || state.queued.is_empty()) && !state.is_broken {
                state = self.shared.1.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.is_broken {
                return;
            }
            self.write_all(state);
        }
    }

    /// Writes until the queue is empty. The lock is not held during the system call.
    fn write_all<'a>(&'a self, mut state: MutexGuard<'a, State>) {
        let Some(mut writer) = state.writer.take() else { return };
        state.is_writing = true;
        while !state.queued.is_empty() && !state.is_broken {
            let mut batch = std::mem::take(&mut state.spare);
            std::mem::swap(&mut batch, &mut state.queued);
            drop(state);
            let written = writer.write_all(&batch).and_then(|()| writer.flush());
            batch.clear();
            batch.shrink_to(MAX_KEPT_CAPACITY);
            state = self.lock();
            state.spare = batch;
            state.is_broken |= written.is_err();
            self.notify_waiting(&state);
        }
        state.is_writing = false;
        state.writer = Some(writer);
        self.notify_waiting(&state);
    }

    /// Notifies waiting threads. The writer thread need not know what others wrote, but must see a
    /// broken pipe.
    fn notify_waiting(&self, state: &State) {
        if state.waiting_threads > 0 || state.is_broken {
            self.shared.1.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("no writer panics").extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    struct Broken;

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_of_many_threads_stay_whole_and_ordered() {
        let written = Arc::new(Mutex::new(Vec::new()));
        let outbox = Outbox::new(Box::new(Shared(written.clone())));
        std::thread::scope(|scope| {
            for name in b'a'..=b'd' {
                let outbox = outbox.clone();
                scope.spawn(move || {
                    for number in 0..500 {
                        let mut line = format!("{}{number}\n", name as char).into_bytes();
                        outbox.push(&mut line);
                        outbox.write_now();
                    }
                });
            }
        });
        outbox.drain(Duration::from_secs(60));
        let text = String::from_utf8(written.lock().expect("all done").clone()).expect("ascii");
        for name in ["a", "b", "c", "d"] {
            let numbers: Vec<usize> =
                text.lines().filter_map(|line| line.strip_prefix(name)?.parse().ok()).collect();
            assert_eq!(numbers, (0..500).collect::<Vec<_>>());
        }
    }

    #[test]
    fn broken_pipe_ends_every_wait() {
        let outbox = Outbox::new(Box::new(Broken));
        outbox.push(&mut vec![b'x'; 2 * MAX_QUEUED_BYTES]);
        outbox.write_now();
        outbox.push(&mut b"more".to_vec());
        outbox.wait_for_space();
        outbox.drain(Duration::from_secs(60));
        outbox.run_writer();
    }
}
