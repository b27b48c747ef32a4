//! The transcript of one adapter process: every line in both directions, with times. A failure
//! points at one of its lines.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// How many bytes of a line are written; the rest is counted.
const MAX_LINE_BYTES: usize = 4096;

/// How many bytes are written at most, so that a flood cannot fill the disk.
const MAX_TRANSCRIPT_BYTES: usize = 32 * 1024 * 1024;

/// A line of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
}

impl std::fmt::Display for Location {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.file.display(), self.line)
    }
}

/// The origin of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Sent by the suite.
    Suite,
    /// The adapter's stdout.
    Stdout,
    /// The adapter's stderr.
    Stderr,
    /// A remark of the suite.
    Remark,
}

impl Source {
    const fn mark(self) -> &'static str {
        match self {
            Self::Suite => "->",
            Self::Stdout => "<-",
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
    /// Creates a transcript file.
    pub fn create(path: &Path) -> std::io::Result<Self> {
        let written = Written { file: File::create(path)?, lines: 0, bytes: 0 };
        Ok(Self {
            path: path.to_owned(),
            started: Instant::now(),
            written: Arc::new(Mutex::new(written)),
        })
    }

    /// Appends a line and returns its location. If the disk is full, only the transcript is
    /// incomplete.
    pub fn note(&self, source: Source, bytes: &[u8]) -> Location {
        let mut written = self.written.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if written.bytes < MAX_TRANSCRIPT_BYTES {
            let seconds = self.started.elapsed().as_secs_f64();
            let line = format!("{seconds:9.3} {} {}\n", source.mark(), escape_line(bytes));
            written.lines += 1;
            written.bytes += line.len();
            if written.file.write_all(line.as_bytes()).is_err() {
                written.bytes = MAX_TRANSCRIPT_BYTES;
            }
        }
        Location { file: self.path.clone(), line: written.lines }
    }

    /// Returns the location of the last line.
    pub fn location(&self) -> Location {
        let written = self.written.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Location { file: self.path.clone(), line: written.lines.max(1) }
    }
}

/// Returns the last line that the suite sent before a location.
pub fn sent_before(location: &Location) -> Option<String> {
    let bytes = std::fs::read(&location.file).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mark = format!(" {} ", Source::Suite.mark());
    let sent = text.lines().take(location.line).filter_map(|line| {
        let (time, sent) = line.split_once(mark.as_str())?;
        time.trim().parse::<f64>().is_ok().then_some(sent)
    });
    sent.last().map(str::to_owned)
}

fn escape_line(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(MAX_LINE_BYTES)];
    let text = String::from_utf8_lossy(head);
    let one_line: String = text
        .chars()
        .flat_map(|c| if c.is_control() { c.escape_debug().collect::<Vec<_>>() } else { vec![c] })
        .collect();
    if bytes.len() > MAX_LINE_BYTES {
        format!("{one_line}… ({} bytes)", bytes.len())
    } else {
        one_line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_sent_line_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let transcript = Transcript::create(&folder.path().join("log")).expect("a transcript");
        let first = transcript.note(Source::Remark, b"nothing yet");
        transcript.note(Source::Suite, b"one");
        transcript.note(Source::Stdout, b"an answer with -> in it");
        let second = transcript.note(Source::Stdout, b"another");
        transcript.note(Source::Suite, b"two");
        assert_eq!(sent_before(&first), None);
        assert_eq!(sent_before(&second).as_deref(), Some("one"));
        assert_eq!(sent_before(&transcript.location()).as_deref(), Some("two"));
    }
}
