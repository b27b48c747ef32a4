//! The token that every client must send: created once, kept in a file that only the user can read.

use std::io::Write;
use std::path::{Path, PathBuf};

use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::error::HostError;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as os;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as os;

/// A shorter token could be guessed.
const MIN_TOKEN_CHARS: usize = 32;
const MAX_TOKEN_CHARS: usize = 512;

/// The token and its file. `Debug` does not show it.
#[derive(Clone)]
pub struct Token {
    text: String,
    file: PathBuf,
    is_new: bool,
}

impl Token {
    /// Reads the token, or creates it if it does not exist.
    ///
    /// # Errors
    /// When others could read or replace the file (the hint has the fix), when its content is not a token, or when
    /// the file cannot be read or written.
    pub fn load_or_create(file: PathBuf) -> Result<Self, HostError> {
        if let Some(text) = read(&file)? {
            return Ok(Self { text, file, is_new: false });
        }
        let text = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        if create(&file, &text)? {
            return Ok(Self { text, file, is_new: true });
        }
        // Another host has just created it.
        match read(&file)? {
            Some(text) => Ok(Self { text, file, is_new: false }),
            None => {
                Err(HostError::usage(format!("{} disappeared while it was read", file.display()))
                    .with_hint("start od-host serve again"))
            }
        }
    }

    /// The token itself.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The file of the token.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Whether it was created just now.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Compares in constant time.
    pub(super) fn matches(&self, offered: &str) -> bool {
        bool::from(self.text.as_bytes().ct_eq(offered.as_bytes()))
    }

    #[cfg(test)]
    pub(super) fn for_test(text: &str) -> Self {
        Self { text: text.to_owned(), file: PathBuf::new(), is_new: false }
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Token").field("file", &self.file).finish_non_exhaustive()
    }
}

fn read(file: &Path) -> Result<Option<String>, HostError> {
    let failed = |error| HostError::file("read the token", file, &error);
    let metadata = match std::fs::symlink_metadata(file) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if !metadata.is_file() {
        return Err(HostError::usage(format!(
            "the token file {} is not a regular file",
            file.display()
        ))
        .with_hint(remove_hint(file)));
    }
    os::check_private(file, &metadata)?;
    let text = std::fs::read_to_string(file).map_err(failed)?;
    check(text.trim()).map_err(|reason| {
        HostError::usage(format!("the token in {} {reason}", file.display()))
            .with_hint(remove_hint(file))
    })?;
    Ok(Some(text.trim().to_owned()))
}

fn remove_hint(file: &Path) -> String {
    format!("remove {}; the next start creates a new token", file.display())
}

/// A token must be valid in a header and in a WebSocket subprotocol.
fn check(text: &str) -> Result<(), &'static str> {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    match text.len() {
        0 => Err("is empty"),
        length if length < MIN_TOKEN_CHARS => Err("is shorter than 32 characters"),
        length if length > MAX_TOKEN_CHARS => Err("is longer than 512 characters"),
        _ if text.bytes().all(is_valid) => Ok(()),
        _ => Err("contains characters other than letters, digits and -._~"),
    }
}

/// Creates the file atomically; false when it exists already.
fn create(file: &Path, text: &str) -> Result<bool, HostError> {
    let failed = |error| HostError::file("create the token", file, &error);
    let folder = file.parent().unwrap_or(Path::new("."));
    // Created with mode 0600.
    let mut temporary = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    writeln!(temporary, "{text}").map_err(failed)?;
    temporary.as_file().sync_all().map_err(failed)?;
    match temporary.persist_noclobber(file) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(failed(error.error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_created_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("token");
        let first = Token::load_or_create(file.clone()).expect("a token");
        let second = Token::load_or_create(file).expect("the same token");
        assert_eq!((first.is_new(), second.is_new()), (true, false));
        assert_eq!(first.text(), second.text());
        assert_eq!(first.text().len(), 64);
        assert!(!format!("{first:?}").contains(first.text()), "Debug must not show the token");
    }

    #[test]
    fn only_whole_token_matches() {
        let token = Token::for_test("0123456789abcdef0123456789abcdef");
        assert!(token.matches("0123456789abcdef0123456789abcdef"));
        for other in ["", "0123456789abcdef", "0123456789abcdef0123456789abcdeF"] {
            assert!(!token.matches(other), "{other:?}");
        }
    }

    #[test]
    fn invalid_token_is_refused_without_showing_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("token");
        for (text, reason) in
            [("", "is empty"), ("hunter2", "shorter"), (&"a b".repeat(20), "letters")]
        {
            std::fs::write(&file, text).expect("a file");
            os::make_private(&file);
            let error = Token::load_or_create(file.clone()).expect_err("not a token");
            assert!(error.message.contains(reason), "{error}");
            assert!(text.is_empty() || !error.message.contains(text), "{error}");
        }
    }
}
