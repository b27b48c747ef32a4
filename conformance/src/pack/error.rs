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
