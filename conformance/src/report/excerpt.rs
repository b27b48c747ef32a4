//! Excerpts of transcripts, with a bounded size.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader};

use crate::outcome::shorten;
use crate::transcript::Location;

/// How many lines of a whole transcript are shown: from its start and, if it is long, from its end.
const HEAD_LINES: usize = 60;
const TAIL_LINES: usize = 60;

const LINES_BEFORE: usize = 40;
const LINES_AFTER: usize = 12;
const MAX_LINE_BYTES: usize = 600;

/// One line of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExcerptLine {
    pub(super) number: usize,
    /// Its text, truncated if it is long.
    pub(super) text: String,
    /// Whether the failure points at it.
    pub(super) is_location: bool,
}

impl ExcerptLine {
    /// Returns its origin, as the transcript marks it; empty if it is unknown.
    pub(super) fn mark(&self) -> &str {
        self.text.split_whitespace().nth(1).unwrap_or_default()
    }
}

/// Returns the lines around a location; empty if the transcript does not exist.
pub(super) fn excerpt(location: &Location) -> Vec<ExcerptLine> {
    let Ok(file) = File::open(&location.file) else { return Vec::new() };
    let first = location.line.saturating_sub(LINES_BEFORE).max(1);
    let lines = BufReader::new(file).lines().map_while(Result::ok);
    lines
        .enumerate()
        .skip(first - 1)
        .take(location.line + LINES_AFTER + 1 - first)
        .map(|(index, text)| ExcerptLine {
            number: index + 1,
            text: shorten(&text, MAX_LINE_BYTES),
            is_location: index + 1 == location.line,
        })
        .collect()
}

/// Returns the start and the end of a transcript, and the number of omitted lines between them.
pub(super) fn whole(file: &std::path::Path) -> Vec<ExcerptLine> {
    let Ok(file) = File::open(file) else { return Vec::new() };
    let mut head: Vec<ExcerptLine> = Vec::new();
    let mut tail: VecDeque<ExcerptLine> = VecDeque::new();
    let mut omitted = 0;
    for (index, text) in BufReader::new(file).lines().map_while(Result::ok).enumerate() {
        let text = shorten(&text, MAX_LINE_BYTES);
        let line = ExcerptLine { number: index + 1, text, is_location: false };
        if head.len() < HEAD_LINES {
            head.push(line);
            continue;
        }
        tail.push_back(line);
        if tail.len() > TAIL_LINES {
            tail.pop_front();
            omitted += 1;
        }
    }
    if omitted > 0 {
        let text = format!("          ## {omitted} lines omitted");
        head.push(ExcerptLine { number: HEAD_LINES + 1, text, is_location: false });
    }
    head.extend(tail);
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_is_bounded_around_the_location() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("transcript.log");
        let long = "x".repeat(9_000);
        let text: String = (1..=500).map(|n| format!("    0.001 <- {n} {long}\n")).collect();
        std::fs::write(&file, text).expect("a transcript");
        let lines = excerpt(&Location { file, line: 100 });
        assert_eq!(lines.first().map(|line| line.number), Some(60));
        assert_eq!(lines.last().map(|line| line.number), Some(112));
        assert!(lines.iter().all(|line| line.text.len() < 700 && line.mark() == "<-"));
        assert!(lines.iter().all(|line| line.is_location == (line.number == 100)));
        assert!(excerpt(&Location { file: "no/such/file".into(), line: 3 }).is_empty());
    }

    #[test]
    fn long_transcript_shows_start_and_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("transcript.log");
        let text: String = (1..=500).map(|n| format!("    0.001 <- {n}\n")).collect();
        std::fs::write(&file, text).expect("a transcript");
        let lines = whole(&file);
        assert_eq!(lines.len(), HEAD_LINES + 1 + TAIL_LINES);
        assert_eq!(lines[HEAD_LINES].text.trim(), "## 380 lines omitted");
        assert_eq!(lines.last().map(|line| line.number), Some(500));
    }
}
