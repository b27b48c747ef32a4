//! The transcript of one plugin process: every line in both directions, with times. A failure
//! points at one of its lines.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The longest part of a line that is written down; the rest is counted.
const LINE_LIMIT: usize = 4096;

/// The most bytes that are written down, so that a flood cannot fill the disk.
const BYTES_LIMIT: usize = 32 * 1024 * 1024;

/// A line of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.file.display(), self.line)
    }
}

/// Where a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The suite sent it.
    Suite,
    /// The plugin's stdout.
    Plugin,
    /// The plugin's stderr.
    Stderr,
    /// A remark of the suite.
    Remark,
}

impl Source {
    const fn mark(self) -> &'static str {
        match self {
            Self::Suite => "->",
            Self::Plugin => "<-",
            Self::Stderr => "2>",
            Self::Remark => "##",
        }
    }
}

/// The transcript; clones write to the same file.
#[derive(Debug, Clone)]
pub struct Transcript {
    path: PathBuf,
    started: Instant,
    written: Arc<Mutex<Written>>,
}

#[derive(Debug)]
struct Written {
    file: File,
    lines: usize,
    bytes: usize,
}

impl Transcript {
    /// Starts a transcript.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path) -> std::io::Result<Self> {
        let written = Written { file: File::create(path)?, lines: 0, bytes: 0 };
        Ok(Self {
            path: path.to_owned(),
            started: Instant::now(),
            written: Arc::new(Mutex::new(written)),
        })
    }

    /// Writes a line down and says where it stands. A full disk costs the transcript, not the
    /// verdict.
    pub fn note(&self, source: Source, bytes: &[u8]) -> Place {
        let mut written = self.written.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if written.bytes < BYTES_LIMIT {
            let seconds = self.started.elapsed().as_secs_f64();
            let line = format!("{seconds:9.3} {} {}\n", source.mark(), shown(bytes));
            written.lines += 1;
            written.bytes += line.len();
            if written.file.write_all(line.as_bytes()).is_err() {
                written.bytes = BYTES_LIMIT;
            }
        }
        Place { file: self.path.clone(), line: written.lines }
    }

    /// The last line written so far.
    pub fn place(&self) -> Place {
        let written = self.written.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Place { file: self.path.clone(), line: written.lines.max(1) }
    }
}

/// What the suite last sent before a line.
pub fn sent_before(place: &Place) -> Option<String> {
    let bytes = std::fs::read(&place.file).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mark = format!(" {} ", Source::Suite.mark());
    let sent = text.lines().take(place.line).filter_map(|line| {
        let (time, sent) = line.split_once(mark.as_str())?;
        time.trim().parse::<f64>().is_ok().then_some(sent)
    });
    sent.last().map(str::to_owned)
}

fn shown(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(LINE_LIMIT)];
    let text = String::from_utf8_lossy(head);
    let one_line: String = text
        .chars()
        .flat_map(|c| if c.is_control() { c.escape_debug().collect::<Vec<_>>() } else { vec![c] })
        .collect();
    if bytes.len() > LINE_LIMIT {
        format!("{one_line}… ({} bytes)", bytes.len())
    } else {
        one_line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_before_a_line_is_found_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let transcript = Transcript::create(&folder.path().join("log")).expect("a transcript");
        let first = transcript.note(Source::Remark, b"nothing yet");
        transcript.note(Source::Suite, b"one");
        transcript.note(Source::Plugin, b"an answer with -> in it");
        let second = transcript.note(Source::Plugin, b"another");
        transcript.note(Source::Suite, b"two");
        assert_eq!(sent_before(&first), None);
        assert_eq!(sent_before(&second).as_deref(), Some("one"));
        assert_eq!(sent_before(&transcript.place()).as_deref(), Some("two"));
    }
}
