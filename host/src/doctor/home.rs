//! The host's folder, its caches, the disk, and PATH.

use std::path::Path;

use super::{Check, os};
use crate::agents;
use crate::discover::manifest_cache;
use crate::home::{OdHome, mode_for_others};
use crate::host::Host;

const MEBIBYTE: u64 = 1024 * 1024;
/// Below this a long run may not fit.
const LITTLE: u64 = 500 * MEBIBYTE;
/// Below this hardly any run fits.
const TOO_LITTLE: u64 = 20 * MEBIBYTE;

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
        Ok(_) => Check::ok("home.writable", format!("{root} can be written")),
        Err(error) => Check::fail(
            "home.writable",
            format!("{root} cannot be written: {error}"),
            "change its owner or mode, or set OD_HOME to another folder",
        ),
    }
}

fn private(home: &OdHome) -> Check {
    let root = home.root().display();
    match mode_for_others(home.root()) {
        None => Check::ok("home.private", format!("nobody else can look into {root}")),
        Some(mode) => Check::warn(
            "home.private",
            format!("others can look into {root} (mode {mode:04o})"),
            format!("chmod 700 '{root}'"),
        ),
    }
}

fn space(home: &OdHome) -> Option<Check> {
    let free = os::free_bytes(home.root())?;
    let found = format!("{} MiB are free below {}", free / MEBIBYTE, home.root().display());
    let fix = "free some space, or set OD_HOME to a folder on another disk";
    Some(match free {
        ..TOO_LITTLE => Check::fail("home.space", found, fix),
        TOO_LITTLE..LITTLE => Check::warn("home.space", found, fix),
        _ => Check::ok("home.space", found),
    })
}

fn cache(name: &str, path: &Path, check: fn(&Path) -> Result<usize, String>) -> Check {
    match check(path) {
        Ok(count) => Check::ok(name, format!("{} holds {count} entries", path.display())),
        Err(reason) => Check::warn(
            name,
            format!("{} cannot be read: {reason}", path.display()),
            "nothing: it is written anew by `od-host agents`",
        ),
    }
}

/// Entries of PATH that find nothing or find something else each time.
fn path_entries(path: &std::ffi::OsStr) -> Vec<Check> {
    let mut checks = Vec::new();
    for entry in std::env::split_paths(path) {
        if !entry.is_absolute() {
            let shown = if entry.as_os_str().is_empty() {
                "an empty entry, which means the current folder".to_owned()
            } else {
                format!("the relative entry {}", entry.display())
            };
            let fix = "remove it or write it as an absolute path";
            checks.push(Check::warn("path.relative", format!("PATH has {shown}"), fix));
        } else if !entry.is_dir() {
            let found = format!("PATH has {}, which is no folder", entry.display());
            checks.push(Check::warn("path.missing", found, "remove it from PATH"));
        }
    }
    if checks.is_empty() {
        checks.push(Check::ok("path", "every entry of PATH is an absolute folder"));
    }
    checks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_entries_of_path_are_named() {
        let path = std::env::join_paths(["", "bin", "/surely/not/here", "/"]).expect("a path");
        let names: Vec<String> = path_entries(&path).into_iter().map(|check| check.name).collect();
        assert_eq!(names, ["path.relative", "path.relative", "path.missing"]);
        assert_eq!(path_entries("/".as_ref())[0].name, "path");
    }
}
