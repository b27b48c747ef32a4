//! A JSON file that holds credentials: answers questions about its content without giving it out.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::expiry;
use crate::files;

/// Credential files are a few kilobytes; the ones that also hold settings stay below this.
const FILE_LIMIT: u64 = 4 << 20;

/// A JSON file with credentials. Neither `Debug` nor any error shows its content.
///
/// Places inside are JSON pointers: `/claudeAiOauth/expiresAt`.
pub struct CredentialFile {
    path: PathBuf,
    content: Value,
}

impl CredentialFile {
    /// Reads a file; `None` when it is not there.
    ///
    /// # Errors
    /// It is there but cannot be read, is too long, or is no JSON: lowercase, naming the file and
    /// never its content.
    pub fn read(path: &Path) -> io::Result<Option<Self>> {
        let fail = |kind, reason: &dyn fmt::Display| {
            Err(io::Error::new(kind, format!("{}: {reason}", path.display())))
        };
        match files::read_bounded(path, FILE_LIMIT) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => fail(error.kind(), &error),
            // The parser's own words may quote what it stumbled over, so they stay here.
            Ok(bytes) => match serde_json::from_slice(&bytes) {
                Ok(content) => Ok(Some(Self { path: path.to_owned(), content })),
                Err(_) => fail(io::ErrorKind::InvalidData, &"not JSON"),
            },
        }
    }

    /// Where it was read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// There is a text, number, list or object that is not empty.
    pub fn has(&self, pointer: &str) -> bool {
        match self.content.pointer(pointer) {
            None | Some(Value::Null) => false,
            Some(Value::String(text)) => !text.is_empty(),
            Some(Value::Array(list)) => !list.is_empty(),
            Some(Value::Object(object)) => !object.is_empty(),
            Some(Value::Bool(_) | Value::Number(_)) => true,
        }
    }

    /// A text that is no secret: the name of a mode or a plan. Never ask for a token with it.
    pub fn plain_text(&self, pointer: &str) -> Option<&str> {
        self.content.pointer(pointer)?.as_str()
    }

    /// The names inside an object: which accounts or providers there are.
    pub fn names(&self, pointer: &str) -> Vec<&str> {
        let object = self.content.pointer(pointer).and_then(Value::as_object);
        object.into_iter().flat_map(|object| object.keys().map(String::as_str)).collect()
    }

    /// How many items a list has; what is no list has none.
    pub fn count(&self, pointer: &str) -> usize {
        self.content.pointer(pointer).and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// A time, in milliseconds since 1970: written as a number of seconds or milliseconds, such a
    /// number as text, or RFC 3339.
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

    /// When the JSON Web Token at this place runs out, in milliseconds since 1970.
    pub fn token_expiry(&self, pointer: &str) -> Option<u64> {
        expiry::jwt_expiry(self.content.pointer(pointer)?.as_str()?)
    }
}

impl fmt::Debug for CredentialFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CredentialFile").field("path", &self.path).finish_non_exhaustive()
    }
}
