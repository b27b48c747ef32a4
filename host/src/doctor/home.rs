//! The home folder, its caches, the disk space, and PATH.

use std::path::Path;

use super::{Check, os};
use crate::agents;
use crate::discover::manifest_cache;
use crate::home::{OdHome, mode_for_others};
use crate::host::Host;

const MEBIBYTE: u64 = 1024 * 1024;
/// Below this, a long run may not fit.
const LOW_SPACE_BYTES: u64 = 500 * MEBIBYTE;
/// Below this, hardly any run fits.
const MIN_SPACE_BYTES: u64 = 20 * MEBIBYTE;

pub(super) fn check(host: &Host) -> Vec<Check> {
    let home = host.home();
    let mut checks = vec![writable(home), private(home)];
    checks.extend(space(home));
    checks.push(cache("cache.manifests", &home.manifest_cache(), manifest_cache::check));
    checks.push(cache("cache.agents", &home.agents_file(), agents::cache::check));
    checks.extend(path_entries(&host.context().search_path()));
    checks
}

fn writable(home: &OdHome) -> Check {
    let root = home.root().display();
    match tempfile::tempfile_in(home.root()) {
        Ok(_) => Check::ok("home.writable", format!("{root} is writable")),
        Err(error) => Check::fail(
            "home.writable",
            format!("cannot write to {root}: {error}"),
            "change its owner or mode, or set OD_HOME to another folder",
        ),
    }
}

fn private(home: &OdHome) -> Check {
    let root = home.root().display();
    match mode_for_others(home.root()) {
        None => Check::ok("home.private", format!("no other user can read {root}")),
        Some(mode) => Check::warn(
            "home.private",
            format!("other users can read {root} (mode {mode:04o})"),
            format!("chmod 700 '{root}'"),
        ),
    }
}

fn space(home: &OdHome) -> Option<Check> {
    let free = os::free_bytes(home.root())?;
    let found = format!("{} MiB free in {}", free / MEBIBYTE, home.root().display());
    let fix = "free some space, or set OD_HOME to a folder on another disk";
    Some(match free {
        ..MIN_SPACE_BYTES => Check::fail("home.space", found, fix),
        MIN_SPACE_BYTES..LOW_SPACE_BYTES => Check::warn("home.space", found, fix),
        _ => Check::ok("home.space", found),
    })
}

fn cache(name: &str, path: &Path, check: fn(&Path) -> Result<usize, String>) -> Check {
    match check(path) {
        Ok(count) => Check::ok(name, format!("{} has {count} entries", path.display())),
        Err(reason) => Check::warn(
            name,
            format!("cannot read {}: {reason}", path.display()),
            "nothing to do: `od-host agents` replaces it",
        ),
    }
}

/// Entries of PATH that are missing, or relative to the current folder.
fn path_entries(path: &std::ffi::OsStr) -> Vec<Check> {
    let mut checks = Vec::new();
    for entry in std::env::split_paths(path) {
        if !entry.is_absolute() {
            let shown = if entry.as_os_str().is_empty() {
                "an empty entry (the current folder)".to_owned()
            } else {
                format!("the relative entry {}", entry.display())
            };
            let fix = "remove it or write it as an absolute path";
            checks.push(Check::warn("path.relative", format!("PATH has {shown}"), fix));
        } else if !entry.is_dir() {
            let found = format!("PATH has {}, which is not a folder", entry.display());
            checks.push(Check::warn("path.missing", found, "remove it from PATH"));
        }
    }
    if checks.is_empty() {
        checks.push(Check::ok("path", "every entry of PATH is an existing absolute folder"));
    }
    checks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_and_missing_path_entries_are_reported() {
        let path = std::env::join_paths(["", "bin", "/surely/not/here", "/"]).expect("a path");
        let names: Vec<String> = path_entries(&path).into_iter().map(|check| check.name).collect();
        assert_eq!(names, ["path.relative", "path.relative", "path.missing"]);
        assert_eq!(path_entries("/".as_ref())[0].name, "path");
    }
}
