//! Keeping everything on loopback: the whole command runs again in a network namespace that has
//! nothing but `lo`. What a real agent CLI asks the world for then reaches nobody.

use std::path::Path;
use std::process::Command;

use crate::process;

/// Says that this process is the second one; it must find itself confined.
const MARK: &str = "OD_CONFORMANCE_CONFINED";

/// Brings loopback up and becomes the command that follows.
const ENTER: &str = "ip link set lo up && exec \"$0\" \"$@\"";

/// Where this process stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confinement {
    /// Only loopback can be reached.
    Loopback,
    /// The network can be reached, and whoever typed the command wants it so.
    Open,
}

impl Confinement {
    /// In a few words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Loopback => "loopback only",
            Self::Open => "open network",
        }
    }
}

/// Makes sure that only loopback can be reached: where that takes a new process, this one becomes
/// it and never returns.
///
/// # Errors
/// With the reason why it is not possible here, unless an open network is allowed.
pub fn confine(allow_network: bool) -> Result<Confinement, String> {
    if interfaces().is_some_and(|names| names == ["lo"]) {
        return Ok(Confinement::Loopback);
    }
    let reason = match std::env::var_os(MARK) {
        Some(_) => "the new network namespace has more than loopback".to_owned(),
        None => enter(),
    };
    if allow_network { Ok(Confinement::Open) } else { Err(reason) }
}

/// Whether a namespace with nothing but loopback can be made here. A harmless command is run in
/// it: only what shows nothing but loopback is trusted.
///
/// # Errors
/// With the reason why not.
pub fn can_confine() -> Result<(), String> {
    if interfaces().is_some_and(|names| names == ["lo"]) {
        return Ok(());
    }
    if !cfg!(target_os = "linux") {
        return Err("this system has no network namespaces".to_owned());
    }
    let probe = inside(Path::new("/bin/cat"), &["/proc/net/dev".into()])
        .output()
        .map_err(|error| format!("unshare (util-linux) cannot be started: {error}"))?;
    let names = interface_names(&String::from_utf8_lossy(&probe.stdout));
    if probe.status.success() && names == ["lo"] {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&probe.stderr).trim().to_owned();
    Err(format!("no network namespace can be made with unshare and ip: {said}"))
}

/// Becomes the same command in a namespace of its own; returns only with the reason why not.
fn enter() -> String {
    if let Err(reason) = can_confine() {
        return reason;
    }
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    match std::env::current_exe() {
        Ok(executable) => {
            let error = process::become_program(inside(&executable, &arguments).env(MARK, "1"));
            format!("unshare cannot be started: {error}")
        }
        Err(error) => format!("the suite does not find its own executable: {error}"),
    }
}

fn inside(program: &Path, arguments: &[std::ffi::OsString]) -> Command {
    let mut command = Command::new("unshare");
    command.arg("--net");
    if !process::is_root() {
        command.arg("--map-root-user");
    }
    command.args(["--", "/bin/sh", "-c", ENTER]).arg(program).args(arguments);
    command
}

/// The network interfaces this process can reach; `None` where they cannot be looked at.
fn interfaces() -> Option<Vec<String>> {
    let text = std::fs::read_to_string("/proc/self/net/dev").ok()?;
    Some(interface_names(&text))
}

fn interface_names(text: &str) -> Vec<String> {
    let name = |line: &str| Some(line.split_once(':')?.0.trim().to_owned());
    text.lines().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_interface_is_seen() {
        let head = "Inter-|   Receive  |  Transmit\n face |bytes packets|bytes packets\n";
        assert_eq!(interface_names(&format!("{head}    lo: 1 2\n")), ["lo"]);
        assert_eq!(interface_names(&format!("{head}    lo: 1 2\n  eth0:7 1\n")), ["lo", "eth0"]);
        assert!(interface_names("").is_empty());
    }
}
