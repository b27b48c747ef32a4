//! `--manifest` in unusual circumstances, and other arguments.

use std::collections::BTreeMap;
use std::path::Path;

use super::{MANIFEST_TIMEOUT, USAGE_TIMEOUT, capture, fresh_home, manifest};
use crate::adapter_client::{AdapterPath, base_env, run_to_end};
use crate::context::CheckContext;
use crate::outcome::{CheckOutcome, Failure, Finding, shorten};
use crate::process;

/// Every argument list that an adapter does not know.
const OTHER_ARGUMENTS: &[&[&str]] = &[
    &[],
    &["--help"],
    &["--version"],
    &["--stdio", "--verbose"],
    &["--manifest", "extra"],
    &["manifest"],
    &["--Manifest"],
    &[""],
];

pub(super) fn same_bytes(context: &mut CheckContext) -> CheckOutcome {
    let usual = manifest(context, process::SYSTEM_PATH)?.stdout;
    let home = fresh_home(&context.folder("home")?)?;
    let mut without_home = base_env(&home, process::SYSTEM_PATH);
    for name in ["HOME", "USERPROFILE", "TMPDIR", "LANG"] {
        without_home.remove(name);
    }
    let base = base_env(&home, process::SYSTEM_PATH);
    let unreadable = unreadable_folder(context)?;
    let root = Path::new(if cfg!(windows) { "C:\\" } else { "/" });
    let circumstances = [
        ("in the root folder", root, &base),
        ("in a folder that cannot be read", unreadable.as_path(), &base),
        ("without HOME", home.as_path(), &without_home),
    ];
    for (name, cwd, env) in circumstances {
        let limit = context.limit(MANIFEST_TIMEOUT * 2);
        let captured = run_to_end(&context.suite.adapter, &["--manifest"], env, cwd, limit)?;
        same(&usual, &captured.stdout, &captured.stderr_text(), name)?;
    }
    stdin_closed(context, &usual, &base, &home)
}

fn same(usual: &[u8], got: &[u8], stderr: &str, name: &str) -> CheckOutcome {
    if usual == got {
        return Ok(());
    }
    let expected = format!("the {} bytes of the usual manifest", usual.len());
    let got = format!("{} other bytes; stderr: {:?}", got.len(), shorten(stderr, 300));
    Err(Failure::new(expected, got).sent(format!("--manifest {name}")).into())
}

/// A folder that can be entered but not read. Root can read it; the folder is then empty.
fn unreadable_folder(context: &mut CheckContext) -> Result<std::path::PathBuf, Finding> {
    let folder = context.folder("unreadable")?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o311))?;
    }
    Ok(folder)
}

/// A stdin that is closed, not only empty; a shell closes it.
fn stdin_closed(
    context: &CheckContext,
    usual: &[u8],
    env: &BTreeMap<String, String>,
    home: &Path,
) -> CheckOutcome {
    let shell = Path::new("/bin/sh");
    if !shell.exists() {
        return Ok(());
    }
    let adapter = &context.suite.adapter;
    let program = adapter.executable.to_string_lossy().into_owned();
    let head = ["-c", "exec \"$@\" 0<&-", "sh", &program].map(str::to_owned);
    let arguments = head.into_iter().chain(adapter.arguments.clone()).collect();
    let through_shell = AdapterPath { executable: shell.to_owned(), arguments };
    let limit = context.limit(MANIFEST_TIMEOUT * 2);
    let captured = run_to_end(&through_shell, &["--manifest"], env, home, limit)?;
    same(usual, &captured.stdout, &captured.stderr_text(), "with stdin closed")
}

pub(super) fn other_arguments(context: &mut CheckContext) -> CheckOutcome {
    for arguments in OTHER_ARGUMENTS {
        let home = fresh_home(&context.folder("usage")?)?;
        let env = base_env(&home, process::SYSTEM_PATH);
        let captured = capture(context, arguments, &env, &home, USAGE_TIMEOUT)?;
        let is_two = captured.status.and_then(|status| status.code()) == Some(2);
        if is_two && !captured.stderr.is_empty() && captured.stdout.is_empty() {
            continue;
        }
        let got = format!(
            "{}, {} bytes on stdout, stderr: {:?}",
            captured.ending(),
            captured.stdout.len(),
            shorten(&captured.stderr_text(), 200)
        );
        let expected = "exit code 2, a message on stderr, nothing on stdout";
        return Err(Failure::new(expected, got).sent(format!("{arguments:?}")).into());
    }
    Ok(())
}
