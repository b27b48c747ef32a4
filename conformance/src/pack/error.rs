//! Errors in a pack, with file and line.

use std::path::{Path, PathBuf};

/// An error in a pack. It does not concern the adapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; 0 for the whole file.
    pub line: usize,
    /// The error and its correction.
    pub message: String,
}

impl PackError {
    /// Creates an error on a line.
    pub fn at(file: &Path, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, message: message.into() }
    }

    /// Creates an error on the line of the text on which a word first occurs outside a comment.
    pub(super) fn at_word(file: &Path, text: &str, word: &str, message: impl Into<String>) -> Self {
        let has = |line: &str| !line.trim_start().starts_with('#') && line.contains(word);
        Self::at(file, text.lines().position(has).map_or(0, |index| index + 1), message)
    }

    /// Creates an error about the whole file.
    pub fn file(file: &Path, message: impl Into<String>) -> Self {
        Self::at(file, 0, message)
    }
}

impl std::fmt::Display for PackError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(formatter, "{}: {}", self.file.display(), self.message),
            line => write!(formatter, "{}:{line}: {}", self.file.display(), self.message),
        }
    }
}

impl std::error::Error for PackError {}
