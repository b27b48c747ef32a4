//! The one way out: bytes for the host, many events per system call when the stream is busy, at
//! once when it is idle.
//!
//! Whoever appends may become the writer: there is no hop to another thread on the event path. A
//! thread that must never wait (the one that answers calls) only appends and wakes the writer
//! thread.

use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Above this many waiting bytes a producer waits for the host to read.
const HIGH_WATER: usize = 256 * 1024;

/// Buffers above this size are given back after a burst.
const KEEP_CAPACITY: usize = 2 * HIGH_WATER;

struct State {
    waiting: Vec<u8>,
    spare: Vec<u8>,
    sink: Option<Box<dyn Write + Send>>,
    writing: bool,
    broken: bool,
    /// Threads that wait until something is written; without one nobody needs to be told.
    watchers: usize,
}

/// The way out, shared by all threads of an adapter.
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
    pub(crate) fn new(sink: Box<dyn Write + Send>) -> Self {
        let state = State {
            waiting: Vec::new(),
            spare: Vec::new(),
            sink: Some(sink),
            writing: false,
            broken: false,
            watchers: 0,
        };
        Self { shared: Arc::new((Mutex::new(state), Condvar::new())) }
    }

    /// Takes the bytes over without waiting; somebody must write them next.
    pub(crate) fn push(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let mut state = self.lock();
        match state.waiting.is_empty() {
            true => std::mem::swap(&mut state.waiting, bytes),
            false => state.waiting.extend_from_slice(bytes),
        }
        if state.broken {
            state.waiting.clear();
        }
        bytes.clear();
    }

    /// Writes what waits, unless another thread is writing already: that one takes it along.
    pub(crate) fn write_now(&self) {
        let state = self.lock();
        if !state.writing {
            self.write_all(state);
        }
    }

    /// Lets the writer thread write what waits; for a thread that must never wait.
    pub(crate) fn write_soon(&self) {
        self.shared.1.notify_all();
    }

    /// Waits until the host has read enough for more to make sense.
    pub(crate) fn wait_for_room(&self) {
        let mut state = self.lock();
        while state.waiting.len() > HIGH_WATER && !state.broken {
            state.watchers += 1;
            state = self.shared.1.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.watchers -= 1;
        }
    }

    /// The host does not read as fast as we would write.
    pub(crate) fn is_congested(&self) -> bool {
        let state = self.lock();
        !state.broken && (state.writing || state.waiting.len() > HIGH_WATER)
    }

    /// Waits until everything is written, the host is gone, or the limit is over.
    pub(crate) fn drain(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        let mut state = self.lock();
        while (state.writing || !state.waiting.is_empty()) && !state.broken {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state.watchers += 1;
            let waited = self.shared.1.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.watchers -= 1;
        }
    }

    /// Writes whatever others append, until the host is gone. Runs on a thread of its own; returns
    /// when the pipe is broken.
    pub(crate) fn write_for_others(&self) {
        loop {
            let mut state = self.lock();
            while (state.writing || state.waiting.is_empty()) && !state.broken {
                state = self.shared.1.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.broken {
                return;
            }
            self.write_all(state);
        }
    }

    /// Writes until nothing waits. The lock is not held while the system call runs.
    fn write_all<'a>(&'a self, mut state: MutexGuard<'a, State>) {
        let Some(mut sink) = state.sink.take() else { return };
        state.writing = true;
        while !state.waiting.is_empty() && !state.broken {
            let mut batch = std::mem::take(&mut state.spare);
            std::mem::swap(&mut batch, &mut state.waiting);
            drop(state);
            let written = sink.write_all(&batch).and_then(|()| sink.flush());
            batch.clear();
            batch.shrink_to(KEEP_CAPACITY);
            state = self.lock();
            state.spare = batch;
            state.broken |= written.is_err();
            self.tell_watchers(&state);
        }
        state.writing = false;
        state.sink = Some(sink);
        self.tell_watchers(&state);
    }

    /// What others have written does not concern the writer thread; that the host is gone does.
    fn tell_watchers(&self, state: &State) {
        if state.watchers > 0 || state.broken {
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
    fn what_many_threads_append_arrives_whole_and_in_each_ones_order() {
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
    fn a_host_that_is_gone_ends_every_wait() {
        let outbox = Outbox::new(Box::new(Broken));
        outbox.push(&mut vec![b'x'; 2 * HIGH_WATER]);
        outbox.write_now();
        outbox.push(&mut b"more".to_vec());
        outbox.wait_for_room();
        outbox.drain(Duration::from_secs(60));
        outbox.write_for_others();
    }
}
