//! A JSON file with credentials, which answers questions about its content without revealing it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::expiry;
use crate::files;

/// A larger file is not read; files that also hold settings stay below this.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// A JSON file with credentials. Neither `Debug` nor any error shows its content.
///
/// Values are addressed by JSON pointers: `/tokens/expiresAt`.
pub struct CredentialFile {
    path: PathBuf,
    content: Value,
}

impl CredentialFile {
    /// Reads a file; `None` when it does not exist.
    ///
    /// # Errors
    /// The file cannot be read, is too large, or is not JSON. The text names the file, never its content.
    pub fn read(path: &Path) -> io::Result<Option<Self>> {
        let fail = |kind, reason: &dyn fmt::Display| {
            Err(io::Error::new(kind, format!("{}: {reason}", path.display())))
        };
        match files::read_bounded(path, MAX_FILE_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => fail(error.kind(), &error),
            // The parser's own message may quote the content, so it is dropped.
            Ok(bytes) => match serde_json::from_slice(&bytes) {
                Ok(content) => Ok(Some(Self { path: path.to_owned(), content })),
                Err(_) => fail(io::ErrorKind::InvalidData, &"not JSON"),
            },
        }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the value exists and is not null or empty.
    pub fn has(&self, pointer: &str) -> bool {
        match self.content.pointer(pointer) {
            None | Some(Value::Null) => false,
            Some(Value::String(text)) => !text.is_empty(),
            Some(Value::Array(list)) => !list.is_empty(),
            Some(Value::Object(object)) => !object.is_empty(),
            Some(Value::Bool(_) | Value::Number(_)) => true,
        }
    }

    /// Returns a text that is not a secret, such as the name of a mode or a plan. Do not use it for a
    /// token.
    pub fn plain_text(&self, pointer: &str) -> Option<&str> {
        self.content.pointer(pointer)?.as_str()
    }

    /// Returns the keys of an object, such as the names of accounts or providers.
    pub fn names(&self, pointer: &str) -> Vec<&str> {
        let object = self.content.pointer(pointer).and_then(Value::as_object);
        object.into_iter().flat_map(|object| object.keys().map(String::as_str)).collect()
    }

    /// Returns the length of a list; 0 for other values.
    pub fn count(&self, pointer: &str) -> usize {
        self.content.pointer(pointer).and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// Returns a time in milliseconds since 1970. The value is a number of seconds or milliseconds, such
    /// a number as text, or RFC 3339.
    pub fn time(&self, pointer: &str) -> Option<u64> {
        match self.content.pointer(pointer)? {
            Value::Number(number) => number
                .as_u64()
                .or_else(|| number.as_f64().filter(|time| *time >= 0.0).map(|time| time as u64))
                .map(expiry::millis),
            Value::String(text) => match text.parse() {
                Ok(number) => Some(expiry::millis(number)),
                Err(_) => expiry::rfc3339_millis(text),
            },
            _ => None,
        }
    }

    /// Returns when a JSON Web Token expires, in milliseconds since 1970.
    pub fn token_expiry(&self, pointer: &str) -> Option<u64> {
        expiry::jwt_expiry(self.content.pointer(pointer)?.as_str()?)
    }
}

impl fmt::Debug for CredentialFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CredentialFile").field("path", &self.path).finish_non_exhaustive()
    }
}
