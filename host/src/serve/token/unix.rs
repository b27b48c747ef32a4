//! Checks who can read the token on Unix: its owner and its mode.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::error::HostError;

/// Refuses a token that another user owns or could read.
pub(super) fn check_private(file: &Path, metadata: &Metadata) -> Result<(), HostError> {
    let own_user = rustix::process::geteuid().as_raw();
    if metadata.uid() != own_user {
        let text = format!("the token {} belongs to user {}", file.display(), metadata.uid());
        return Err(HostError::usage(text).with_hint(super::remove_hint(file)));
    }
    let mode = metadata.mode() & 0o7777;
    if mode & 0o077 != 0 {
        let text = format!("other users can read the token {} (mode {mode:04o})", file.display());
        return Err(HostError::usage(text).with_hint(format!(
            "chmod 600 '{0}', or remove it if others have read it: the next start creates a new token",
            file.display()
        )));
    }
    Ok(())
}

#[cfg(test)]
pub(super) fn make_private(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, PermissionsExt::from_mode(0o600)).expect("a mode");
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use crate::serve::Token;

    #[test]
    fn readable_token_is_refused_with_fix() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("token");
        Token::load_or_create(file.clone()).expect("a token");
        let mode = std::fs::metadata(&file).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);

        for mode in [0o640, 0o604, 0o620] {
            std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).expect("a mode");
            let error = Token::load_or_create(file.clone()).expect_err("others can read it");
            assert!(error.message.contains(&format!("{mode:04o}")), "{error}");
            assert!(error.hint.as_deref().is_some_and(|hint| hint.starts_with("chmod 600 ")));
        }
    }

    #[test]
    fn symbolic_link_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("token");
        std::os::unix::fs::symlink("/etc/hostname", &file).expect("a link");
        let error = Token::load_or_create(file).expect_err("a link");
        assert!(error.message.contains("not a regular file"), "{error}");
    }
}
