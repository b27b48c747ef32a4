//! Records which faults an adapter reaches: code that queries a fault has reached it. The self-test
//! records this for the reference adapter, to know which checks cannot distinguish a mutant from it
//! (`self_test/fault_coverage.rs`).

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use super::fault::Fault;

/// The folder beside the executable that enables the record. Each process writes one file: the
/// folder it was started in, then the name of each fault it reached.
pub const REACHED_FOLDER: &str = "reached";

static RECORD: OnceLock<Option<Record>> = OnceLock::new();

struct Record {
    file: PathBuf,
    recorded: Vec<AtomicBool>,
}

/// Starts the record if it is enabled.
pub(super) fn begin(executable: &Path) {
    RECORD.get_or_init(|| Record::open(&executable.with_file_name(REACHED_FOLDER)));
}

/// Records that this process reached a fault.
pub(super) fn note(fault: Fault) {
    if let Some(Some(record)) = RECORD.get() {
        record.note(fault);
    }
}

impl Record {
    fn open(folder: &Path) -> Option<Self> {
        if !folder.is_dir() {
            return None;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let record = Self {
            file: folder.join(format!("{}-{now}", std::process::id())),
            recorded: Fault::ALL.iter().map(|_| AtomicBool::new(false)).collect(),
        };
        record.append(&std::env::current_dir().unwrap_or_default().to_string_lossy());
        Some(record)
    }

    fn note(&self, fault: Fault) {
        let recorded = self.recorded.get(fault as usize);
        if recorded.is_some_and(|recorded| !recorded.swap(true, Ordering::Relaxed)) {
            self.append(fault.name());
        }
    }

    /// The file is not kept open, because a check counts the open files of an adapter.
    fn append(&self, line: &str) {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&self.file);
        if let Err(error) = file.and_then(|mut file| writeln!(file, "{line}")) {
            eprintln!("{} cannot be written: {error}", self.file.display());
        }
    }
}
