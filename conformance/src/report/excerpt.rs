//! The part of a transcript around a failure, bounded: plugins may say as much as they like, a
//! report may not.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader};

use crate::transcript::Place;
use crate::verdict::shorten;

/// How much of a whole transcript is shown: its head, and where it is long, its tail.
const HEAD_LINES: usize = 60;
const TAIL_LINES: usize = 60;

const LINES_BEFORE: usize = 40;
const LINES_AFTER: usize = 12;
const LINE_LIMIT: usize = 600;

/// One line of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExcerptLine {
    /// Its number, from 1.
    pub(super) number: usize,
    /// Its text, cut when it is long.
    pub(super) text: String,
    /// Whether the failure points at it.
    pub(super) is_place: bool,
}

impl ExcerptLine {
    /// Who said it, as the transcript marks it; empty when that cannot be told.
    pub(super) fn mark(&self) -> &str {
        self.text.split_whitespace().nth(1).unwrap_or_default()
    }
}

/// The lines around a place; none when the transcript is gone.
pub(super) fn excerpt(place: &Place) -> Vec<ExcerptLine> {
    let Ok(file) = File::open(&place.file) else { return Vec::new() };
    let first = place.line.saturating_sub(LINES_BEFORE).max(1);
    let lines = BufReader::new(file).lines().map_while(Result::ok);
    lines
        .enumerate()
        .skip(first - 1)
        .take(place.line + LINES_AFTER + 1 - first)
        .map(|(index, text)| ExcerptLine {
            number: index + 1,
            text: shorten(&text, LINE_LIMIT),
            is_place: index + 1 == place.line,
        })
        .collect()
}

/// The head and the tail of a transcript; what lies between is counted in a line of its own.
pub(super) fn whole(file: &std::path::Path) -> Vec<ExcerptLine> {
    let Ok(file) = File::open(file) else { return Vec::new() };
    let mut head: Vec<ExcerptLine> = Vec::new();
    let mut tail: VecDeque<ExcerptLine> = VecDeque::new();
    let mut left_out = 0;
    for (index, text) in BufReader::new(file).lines().map_while(Result::ok).enumerate() {
        let text = shorten(&text, LINE_LIMIT);
        let line = ExcerptLine { number: index + 1, text, is_place: false };
        if head.len() < HEAD_LINES {
            head.push(line);
            continue;
        }
        tail.push_back(line);
        if tail.len() > TAIL_LINES {
            tail.pop_front();
            left_out += 1;
        }
    }
    if left_out > 0 {
        let text = format!("          ## {left_out} lines are left out");
        head.push(ExcerptLine { number: HEAD_LINES + 1, text, is_place: false });
    }
    head.extend(tail);
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_bounded_around_the_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("transcript.log");
        let long = "x".repeat(9_000);
        let text: String = (1..=500).map(|n| format!("    0.001 <- {n} {long}\n")).collect();
        std::fs::write(&file, text).expect("a transcript");
        let lines = excerpt(&Place { file, line: 100 });
        assert_eq!(lines.first().map(|line| line.number), Some(60));
        assert_eq!(lines.last().map(|line| line.number), Some(112));
        assert!(lines.iter().all(|line| line.text.len() < 700 && line.mark() == "<-"));
        assert!(lines.iter().all(|line| line.is_place == (line.number == 100)));
        assert!(excerpt(&Place { file: "no/such/file".into(), line: 3 }).is_empty());
    }

    #[test]
    fn the_whole_of_a_long_transcript_is_its_head_and_its_tail() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("transcript.log");
        let text: String = (1..=500).map(|n| format!("    0.001 <- {n}\n")).collect();
        std::fs::write(&file, text).expect("a transcript");
        let lines = whole(&file);
        assert_eq!(lines.len(), HEAD_LINES + 1 + TAIL_LINES);
        assert_eq!(lines[HEAD_LINES].text.trim(), "## 380 lines are left out");
        assert_eq!(lines.last().map(|line| line.number), Some(500));
    }
}
