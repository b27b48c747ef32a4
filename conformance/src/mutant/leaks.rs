//! Faults that accumulate over runs, or differ between runs.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use od_protocol::{Event, Unmapped};

use super::fault::{Behaviour, Fault};

/// The memory that a run leaks.
const LEAK_BYTES: usize = 4 * 1024 * 1024;

static RUNS: AtomicUsize = AtomicUsize::new(0);
static LATEST_SESSION: Mutex<Option<String>> = Mutex::new(None);

/// Faults of an idle process.
pub(super) fn while_idle(behaviour: Behaviour) {
    if !behaviour.has(Fault::BusyWaits) {
        return;
    }
    std::thread::spawn(|| {
        loop {
            let started_at = Instant::now();
            while started_at.elapsed() < Duration::from_millis(5) {
                std::hint::spin_loop();
            }
            std::thread::sleep(Duration::from_millis(45));
        }
    });
}

/// The additional event of every second run.
pub(super) fn extra_event(behaviour: Behaviour) -> Option<Event> {
    let is_odd = RUNS.fetch_add(1, Ordering::Relaxed) % 2 == 1;
    (is_odd && behaviour.has(Fault::Unsteady)).then(|| {
        let native_type = "cache_warm".to_owned();
        Event::Unmapped(Unmapped { native_type, sample: "{}".to_owned(), count: 1 })
    })
}

/// Leaves a file that is named after the run.
pub(super) fn file_by_run_id(behaviour: Behaviour, run_id: &str) {
    if behaviour.has(Fault::FileByRunId) {
        // Not every id is a valid file name.
        let _refused = std::fs::write(std::env::temp_dir().join(run_id), "running");
    }
}

/// Faults at the end of a run.
pub(super) fn before_done(behaviour: Behaviour, cwd: &Path, is_cancelled: bool) {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let files = [
        (Fault::LeavesPromptFile, true, cwd.join(".parrot-prompt")),
        (Fault::WritesHistory, true, home.join(".parrot_history")),
        (Fault::CancelLeavesFile, is_cancelled, std::env::temp_dir().join("parrot-prompt")),
    ];
    for (fault, applies, file) in files {
        if behaviour.has(fault) && applies {
            // A full disk makes no difference to the fault.
            let _full = std::fs::write(file, b"prompt");
        }
    }
    if behaviour.has(Fault::CancelLeaksFd) && is_cancelled {
        std::mem::forget(std::env::current_exe().and_then(std::fs::File::open));
    }
}

/// The fault: a further model in every second list.
pub(super) fn extra_model(behaviour: Behaviour) -> Option<String> {
    static LISTS: AtomicUsize = AtomicUsize::new(0);
    let is_odd = LISTS.fetch_add(1, Ordering::Relaxed) % 2 == 1;
    (is_odd && behaviour.has(Fault::ListGrows)).then(|| "macaw-next".to_owned())
}

/// Records the session of a run.
pub(super) fn note_session(session_id: &str) {
    *LATEST_SESSION.lock().unwrap_or_else(PoisonError::into_inner) = Some(session_id.to_owned());
}

/// The fault: the session of whichever run started last.
pub(super) fn latest_session() -> Option<String> {
    LATEST_SESSION.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Faults after each run.
pub(super) fn after_run(behaviour: Behaviour) {
    if behaviour.has(Fault::LeaksFd) {
        std::mem::forget(std::env::current_exe().and_then(std::fs::File::open));
    }
    if behaviour.has(Fault::LeaksMemory) {
        // Every byte is written, so that the memory is used; the compiler must not remove it.
        std::mem::forget(std::hint::black_box(vec![1_u8; LEAK_BYTES]));
    }
    if behaviour.has(Fault::LeavesTempFiles) {
        let name = format!("parrot-{}-{}", std::process::id(), RUNS.load(Ordering::Relaxed));
        // A full disk makes no difference to the fault.
        let _full = std::fs::write(std::env::temp_dir().join(name), b"prompt");
    }
    if behaviour.has(Fault::LeavesZombies) {
        let helper = std::env::current_exe().and_then(|this| {
            std::process::Command::new(this)
                .arg("--manifest")
                .stdout(std::process::Stdio::null())
                .spawn()
        });
        // It is never reaped.
        std::mem::forget(helper);
    }
}
