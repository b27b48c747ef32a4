//! What is wrong with a pack, and on which line.

use std::path::{Path, PathBuf};

/// A pack that cannot be used. It says nothing about the adapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; 0 when the whole file is meant.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl PackError {
    /// Something is wrong on a line.
    pub fn at(file: &Path, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, message: message.into() }
    }

    /// Something is wrong with the whole file.
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
