//! Trust on Windows: the file must be there and be a file. Access lists are not read; use the policy
//! `pinned` where other users can write to a folder on PATH.

use std::path::Path;

use super::Problem;
use crate::discover::Rule;

/// Whether a file may be executed.
pub(crate) fn check_file(path: &Path) -> Result<(), Problem> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => Err(Problem {
            rule: Rule::NotExecutable,
            reason: "it is no regular file".to_owned(),
            fix: format!("remove {}", path.display()),
        }),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// Whether a folder can be looked at.
pub(crate) fn check_folder(path: &Path) -> Result<(), Problem> {
    std::fs::metadata(path).map(|_| ()).map_err(|error| unreadable(path, &error))
}

/// Access lists are not read.
pub(crate) fn check_private(_path: &Path) -> Result<(), Problem> {
    Ok(())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    Problem {
        rule: Rule::Unreadable,
        reason: format!("it cannot be looked at: {error}"),
        fix: format!("remove {} or make it readable", path.display()),
    }
}
