//! The token that every client shows: made once, kept in a file that only the user can read.

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

/// A shorter one could be guessed.
const SHORTEST: usize = 32;
const LONGEST: usize = 512;

/// The token and where it lies. `Debug` does not show it.
#[derive(Clone)]
pub struct Token {
    text: String,
    file: PathBuf,
    fresh: bool,
}

impl Token {
    /// Reads the token, or makes one where there is none.
    ///
    /// # Errors
    /// When others could read or replace it, with the command that mends that; when it is no token;
    /// when the file cannot be read or written.
    pub fn read_or_make(file: PathBuf) -> Result<Self, HostError> {
        if let Some(text) = read(&file)? {
            return Ok(Self { text, file, fresh: false });
        }
        let text = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        if make(&file, &text)? {
            return Ok(Self { text, file, fresh: true });
        }
        // Another host was quicker; its token is the one that counts.
        match read(&file)? {
            Some(text) => Ok(Self { text, file, fresh: false }),
            None => Err(HostError::usage(format!("{} came and went", file.display()))
                .with_hint("start od-host serve again")),
        }
    }

    /// The token itself, for the person who starts the host the first time.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it lies.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// It was made just now.
    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Compares in a time that does not tell how much of it fits.
    pub(super) fn fits(&self, offered: &str) -> bool {
        bool::from(self.text.as_bytes().ct_eq(offered.as_bytes()))
    }

    #[cfg(test)]
    pub(super) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), file: PathBuf::new(), fresh: false }
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Token").field("file", &self.file).finish_non_exhaustive()
    }
}

fn read(file: &Path) -> Result<Option<String>, HostError> {
    let failed =
        |error| HostError::storage(format!("cannot read the token {}", file.display()), &error);
    let metadata = match std::fs::symlink_metadata(file) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if !metadata.is_file() {
        return Err(HostError::usage(format!("the token {} is no regular file", file.display()))
            .with_hint(format!("remove {}; the next start makes a new one", file.display())));
    }
    os::check_private(file, &metadata)?;
    let text = std::fs::read_to_string(file).map_err(failed)?;
    check(text.trim()).map_err(|reason| {
        HostError::usage(format!("the token in {} {reason}", file.display()))
            .with_hint(format!("remove {}; the next start makes a new one", file.display()))
    })?;
    Ok(Some(text.trim().to_owned()))
}

/// A token must fit into a header and into a WebSocket's protocol name.
fn check(text: &str) -> Result<(), &'static str> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    match text.len() {
        0 => Err("is empty"),
        length if length < SHORTEST => Err("is shorter than 32 characters"),
        length if length > LONGEST => Err("is longer than 512 characters"),
        _ if text.bytes().all(fits) => Ok(()),
        _ => Err("has characters other than letters, digits and -._~"),
    }
}

/// All at once or not at all; false when a token is there already.
fn make(file: &Path, text: &str) -> Result<bool, HostError> {
    let failed =
        |error| HostError::storage(format!("cannot make the token {}", file.display()), &error);
    let folder = file.parent().unwrap_or(Path::new("."));
    // Made with mode 0600.
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
    fn a_token_is_made_once_and_read_ever_after() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("token");
        let first = Token::read_or_make(file.clone()).expect("a token");
        let second = Token::read_or_make(file).expect("the same token");
        assert_eq!((first.is_fresh(), second.is_fresh()), (true, false));
        assert_eq!(first.text(), second.text());
        assert_eq!(first.text().len(), 64);
        assert!(!format!("{first:?}").contains(first.text()), "Debug keeps the secret");
    }

    #[test]
    fn only_the_whole_token_fits() {
        let token = Token::of("0123456789abcdef0123456789abcdef");
        assert!(token.fits("0123456789abcdef0123456789abcdef"));
        for other in ["", "0123456789abcdef", "0123456789abcdef0123456789abcdeF"] {
            assert!(!token.fits(other), "{other:?}");
        }
    }

    #[test]
    fn what_is_no_token_is_refused_without_showing_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("token");
        for (text, reason) in
            [("", "is empty"), ("hunter2", "shorter"), (&"a b".repeat(20), "letters")]
        {
            std::fs::write(&file, text).expect("a file");
            os::make_private(&file);
            let error = Token::read_or_make(file.clone()).expect_err("no token");
            assert!(error.message.contains(reason), "{error}");
            assert!(text.is_empty() || !error.message.contains(text), "{error}");
        }
    }
}
