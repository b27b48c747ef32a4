//! Trust on Unix: owner and mode of the executable and of its folder.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{Problem, Rule};

const ROOT: u32 = 0;
const WRITABLE_BY_OTHERS: u32 = 0o022;
const EXECUTABLE: u32 = 0o111;

/// Checks whether a file may be executed. Follows symbolic links, because their target is what runs.
pub(crate) fn check_file(path: &Path) -> Result<(), Problem> {
    let metadata = read_metadata(path)?;
    if !metadata.is_file() {
        return Err(Problem {
            rule: Rule::NotExecutable,
            reason: "it is not a regular file".to_owned(),
            fix: format!("remove {}", path.display()),
        });
    }
    check_private(path)?;
    if metadata.mode() & EXECUTABLE == 0 {
        return Err(Problem {
            rule: Rule::NotExecutable,
            reason: "the file is not executable".to_owned(),
            fix: format!("chmod u+x {}", quote(path)),
        });
    }
    Ok(())
}

/// Checks that only the user or root could have written a file.
pub(crate) fn check_private(path: &Path) -> Result<(), Problem> {
    let owner = Owner::of(&read_metadata(path)?);
    check_owner(path, owner, Rule::ForeignFile)?;
    check_mode(path, owner.mode, Rule::WritableFile)
}

/// Checks that only the user or root can add files to a folder. The sticky bit does not help: it prevents other users
/// from removing a file, not from adding one.
pub(crate) fn check_folder(path: &Path) -> Result<(), Problem> {
    let owner = Owner::of(&read_metadata(path)?);
    check_owner(path, owner, Rule::ForeignFolder)?;
    check_mode(path, owner.mode, Rule::WritableFolder)
}

#[derive(Clone, Copy)]
struct Owner {
    user: u32,
    own_user: u32,
    mode: u32,
}

impl Owner {
    fn of(metadata: &Metadata) -> Self {
        Self {
            user: metadata.uid(),
            own_user: rustix::process::geteuid().as_raw(),
            mode: metadata.mode(),
        }
    }
}

fn read_metadata(path: &Path) -> Result<Metadata, Problem> {
    std::fs::metadata(path).map_err(|error| Problem {
        rule: Rule::Unreadable,
        reason: format!("cannot read its metadata: {error}"),
        fix: format!("remove {} or make it readable", path.display()),
    })
}

fn check_owner(path: &Path, owner: Owner, rule: Rule) -> Result<(), Problem> {
    if owner.user == owner.own_user || owner.user == ROOT {
        return Ok(());
    }
    let what = if rule == Rule::ForeignFile { "the file" } else { "the folder" };
    Err(Problem {
        rule,
        reason: format!("{what} belongs to user {}, not to you or root", owner.user),
        fix: format!("if you trust it: sudo chown {} {}", owner.own_user, quote(path)),
    })
}

fn check_mode(path: &Path, mode: u32, rule: Rule) -> Result<(), Problem> {
    if mode & WRITABLE_BY_OTHERS == 0 {
        return Ok(());
    }
    let what = if rule == Rule::WritableFile { "the file" } else { "the folder" };
    let who = if mode & 0o002 != 0 { "all users" } else { "its group" };
    Err(Problem {
        rule,
        reason: format!(
            "{what} {} is writable by {who} (mode {:04o})",
            path.display(),
            mode & 0o7777
        ),
        fix: format!("chmod go-w {}", quote(path)),
    })
}

/// Quotes a path for a shell.
fn quote(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+@,".contains(&byte);
    if text.bytes().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(user: u32) -> Owner {
        Owner { user, own_user: 1000, mode: 0o755 }
    }

    #[test]
    fn only_user_and_root_are_trusted() {
        let check = |user| {
            check_owner(Path::new("/x"), owner(user), Rule::ForeignFile)
                .map_err(|problem| problem.rule)
        };
        assert_eq!(check(1000), Ok(()));
        assert_eq!(check(0), Ok(()));
        assert_eq!(check(1001), Err(Rule::ForeignFile));
    }

    #[test]
    fn fix_is_quoted_for_the_shell() {
        let problem = check_mode(Path::new("/a b/it's"), 0o777, Rule::WritableFile);
        assert_eq!(
            problem.map_err(|problem| problem.fix),
            Err(r"chmod go-w '/a b/it'\''s'".to_owned())
        );
    }
}
