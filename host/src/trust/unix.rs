//! Trust on Unix: owner and mode of the executable and of the folder it lies in.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::Problem;
use crate::discover::Rule;

const ROOT: u32 = 0;
const WRITABLE_BY_OTHERS: u32 = 0o022;
const EXECUTABLE: u32 = 0o111;

/// Whether a file may be executed. Follows symbolic links: what they point at is what runs.
pub(crate) fn check_file(path: &Path) -> Result<(), Problem> {
    let metadata = look_at(path)?;
    if !metadata.is_file() {
        return Err(Problem {
            rule: Rule::NotExecutable,
            reason: "it is no regular file".to_owned(),
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

/// Whether only the user or root can have written a file.
pub(crate) fn check_private(path: &Path) -> Result<(), Problem> {
    let owner = Owner::of(&look_at(path)?);
    check_owner(path, owner, Rule::ForeignFile)?;
    check_mode(path, owner.mode, Rule::WritableFile)
}

/// Whether a folder is one that only the user or root can put files into. The sticky bit does not
/// help: it keeps strangers from removing a file, not from adding one.
pub(crate) fn check_folder(path: &Path) -> Result<(), Problem> {
    let owner = Owner::of(&look_at(path)?);
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

fn look_at(path: &Path) -> Result<Metadata, Problem> {
    std::fs::metadata(path).map_err(|error| Problem {
        rule: Rule::Unreadable,
        reason: format!("it cannot be looked at: {error}"),
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
    let who = if mode & 0o002 != 0 { "anybody" } else { "its group" };
    Err(Problem {
        rule,
        reason: format!(
            "{what} {} can be written by {who} (mode {:04o})",
            path.display(),
            mode & 0o7777
        ),
        fix: format!("chmod go-w {}", quote(path)),
    })
}

/// A path as one word of a shell.
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
    fn the_user_and_root_are_trusted_and_nobody_else() {
        let verdict = |user| {
            check_owner(Path::new("/x"), owner(user), Rule::ForeignFile)
                .map_err(|problem| problem.rule)
        };
        assert_eq!(verdict(1000), Ok(()));
        assert_eq!(verdict(0), Ok(()));
        assert_eq!(verdict(1001), Err(Rule::ForeignFile));
    }

    #[test]
    fn a_fix_can_be_pasted_into_a_shell() {
        let problem = check_mode(Path::new("/a b/it's"), 0o777, Rule::WritableFile);
        assert_eq!(
            problem.map_err(|problem| problem.fix),
            Err(r"chmod go-w '/a b/it'\''s'".to_owned())
        );
    }
}
