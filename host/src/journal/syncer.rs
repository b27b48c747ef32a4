//! One thread that brings every open journal to the disk at least each second.

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock, Weak};
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_secs(1);

static SYNCER: LazyLock<Option<Sender<Weak<SyncedFile>>>> = LazyLock::new(|| {
    let (sender, receiver) = channel();
    let thread = std::thread::Builder::new().name("od-sync".to_owned());
    match thread.spawn(move || run(&receiver)) {
        Ok(_) => Some(sender),
        Err(error) => {
            tracing::warn!(%error, "no thread for syncing; journals are synced at their end only");
            None
        }
    }
});

/// A file that is synced each second while it is written.
#[derive(Debug)]
pub(crate) struct SyncedFile {
    pub(crate) file: File,
    dirty: AtomicBool,
}

impl SyncedFile {
    /// Hands a file to the thread; dropping the last reference takes it back.
    pub(crate) fn watch(file: File) -> Arc<Self> {
        let file = Arc::new(Self { file, dirty: AtomicBool::new(false) });
        if let Some(syncer) = &*SYNCER
            && syncer.send(Arc::downgrade(&file)).is_err()
        {
            tracing::warn!("the syncing thread is gone");
        }
        file
    }

    /// Says that there is something to bring to the disk.
    pub(crate) fn written(&self) {
        self.dirty.store(true, Ordering::Release);
    }

    /// Brings it to the disk now.
    pub(crate) fn sync(&self) {
        if self.dirty.swap(false, Ordering::AcqRel)
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
        // With nothing to do it sleeps until a file comes.
        let next = match files.is_empty() {
            true => incoming.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => incoming.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        match next {
            Ok(file) => {
                if files.is_empty() {
                    due = Instant::now() + INTERVAL;
                }
                files.push(file);
            }
            Err(RecvTimeoutError::Timeout) => {
                files.retain(|file| file.upgrade().inspect(|file| file.sync()).is_some());
                due = Instant::now() + INTERVAL;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
