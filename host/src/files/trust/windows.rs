//! Trust on Windows: the file must exist. Access lists are not checked; use the policy `pinned` where other users can
//! write to a folder on PATH.

use std::path::Path;

use super::{Problem, Rule};

/// Checks whether a file may be executed.
pub(crate) fn check_file(path: &Path) -> Result<(), Problem> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => Err(Problem {
            rule: Rule::NotExecutable,
            reason: "it is not a regular file".to_owned(),
            fix: format!("remove {}", path.display()),
        }),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// Checks whether a folder exists.
pub(crate) fn check_folder(path: &Path) -> Result<(), Problem> {
    std::fs::metadata(path).map(|_| ()).map_err(|error| unreadable(path, &error))
}

/// Access lists are not checked.
pub(crate) fn check_private(_path: &Path) -> Result<(), Problem> {
    Ok(())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    Problem {
        rule: Rule::Unreadable,
        reason: format!("cannot read its metadata: {error}"),
        fix: format!("remove {} or make it readable", path.display()),
    }
}
