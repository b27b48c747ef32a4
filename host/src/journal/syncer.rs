//! One thread that syncs every open journal to disk once per second.

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock, Weak};
use std::time::{Duration, Instant};

const SYNC_INTERVAL: Duration = Duration::from_secs(1);

static SYNCER: LazyLock<Option<Sender<Weak<SyncedFile>>>> = LazyLock::new(|| {
    let (sender, receiver) = channel();
    let thread = std::thread::Builder::new().name("od-sync".to_owned());
    match thread.spawn(move || run(&receiver)) {
        Ok(_) => Some(sender),
        Err(error) => {
            tracing::warn!(%error, "cannot start the sync thread; journals are synced only when they end");
            None
        }
    }
});

/// A file that is synced once per second while it is written.
#[derive(Debug)]
pub(crate) struct SyncedFile {
    pub(crate) file: File,
    is_dirty: AtomicBool,
}

impl SyncedFile {
    /// Registers a file with the thread, until the last reference is dropped.
    pub(crate) fn register(file: File) -> Arc<Self> {
        let file = Arc::new(Self { file, is_dirty: AtomicBool::new(false) });
        if let Some(syncer) = &*SYNCER
            && syncer.send(Arc::downgrade(&file)).is_err()
        {
            tracing::warn!("the sync thread has ended");
        }
        file
    }

    pub(crate) fn mark_dirty(&self) {
        self.is_dirty.store(true, Ordering::Release);
    }

    /// Syncs the file now if it has changed.
    pub(crate) fn sync(&self) {
        if self.is_dirty.swap(false, Ordering::AcqRel)
            && let Err(error) = self.file.sync_data()
        {
            tracing::warn!(%error, "cannot sync a journal");
        }
    }
}

fn run(incoming: &Receiver<Weak<SyncedFile>>) {
    let mut files: Vec<Weak<SyncedFile>> = Vec::new();
    let mut due = Instant::now();
    loop {
        // Without files the thread sleeps until one is registered.
        let next = match files.is_empty() {
            true => incoming.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => incoming.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        match next {
            Ok(file) => {
                if files.is_empty() {
                    due = Instant::now() + SYNC_INTERVAL;
                }
                files.push(file);
            }
            Err(RecvTimeoutError::Timeout) => {
                files.retain(|file| file.upgrade().inspect(|file| file.sync()).is_some());
                due = Instant::now() + SYNC_INTERVAL;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
