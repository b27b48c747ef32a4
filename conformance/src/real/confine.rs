//! Network isolation: the whole command runs again in a network namespace that has only `lo`, so no
//! request of a real agent CLI leaves the machine.

use std::path::Path;
use std::process::Command;

use crate::process;

/// Marks the second process, which must be isolated.
const CONFINED_VARIABLE: &str = "OD_CONFORMANCE_CONFINED";

/// Brings loopback up, then executes the command.
const ENTER_COMMAND: &str = "ip link set lo up && exec \"$0\" \"$@\"";

/// What this process can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confinement {
    /// Loopback only.
    Loopback,
    /// The network, because the user allowed it.
    Open,
}

impl Confinement {
    /// For reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Loopback => "loopback only",
            Self::Open => "open network",
        }
    }
}

/// Isolates this process. If that takes a new process, this one is replaced and the function does
/// not return.
///
/// # Errors
/// The reason why isolation is not possible, unless network access is allowed.
pub fn confine(allow_network: bool) -> Result<Confinement, String> {
    if interfaces().is_some_and(|names| names == ["lo"]) {
        return Ok(Confinement::Loopback);
    }
    let reason = match std::env::var_os(CONFINED_VARIABLE) {
        Some(_) => "the new network namespace has more than loopback".to_owned(),
        None => enter(),
    };
    if allow_network { Ok(Confinement::Open) } else { Err(reason) }
}

/// Checks whether a namespace with only loopback can be created, by listing the interfaces in one.
///
/// # Errors
/// The reason why not.
pub fn can_confine() -> Result<(), String> {
    if interfaces().is_some_and(|names| names == ["lo"]) {
        return Ok(());
    }
    if !cfg!(target_os = "linux") {
        return Err("this system has no network namespaces".to_owned());
    }
    let probe = inside(Path::new("/bin/cat"), &["/proc/net/dev".into()])
        .output()
        .map_err(|error| format!("could not start unshare (util-linux): {error}"))?;
    let names = interface_names(&String::from_utf8_lossy(&probe.stdout));
    if probe.status.success() && names == ["lo"] {
        return Ok(());
    }
    let output = String::from_utf8_lossy(&probe.stderr).trim().to_owned();
    Err(format!("unshare and ip could not create a network namespace: {output}"))
}

/// Executes the same command in a new namespace; returns only the reason of a failure.
fn enter() -> String {
    if let Err(reason) = can_confine() {
        return reason;
    }
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    match std::env::current_exe() {
        Ok(executable) => {
            let error = process::become_program(
                inside(&executable, &arguments).env(CONFINED_VARIABLE, "1"),
            );
            format!("could not start unshare: {error}")
        }
        Err(error) => format!("could not find the executable of the suite: {error}"),
    }
}

fn inside(program: &Path, arguments: &[std::ffi::OsString]) -> Command {
    let mut command = Command::new("unshare");
    command.arg("--net");
    if !process::is_root() {
        command.arg("--map-root-user");
    }
    command.args(["--", "/bin/sh", "-c", ENTER_COMMAND]).arg(program).args(arguments);
    command
}

/// The network interfaces of this process; `None` where they cannot be listed.
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
    fn every_interface_is_listed() {
        let head = "Inter-|   Receive  |  Transmit\n face |bytes packets|bytes packets\n";
        assert_eq!(interface_names(&format!("{head}    lo: 1 2\n")), ["lo"]);
        assert_eq!(interface_names(&format!("{head}    lo: 1 2\n  eth0:7 1\n")), ["lo", "eth0"]);
        assert!(interface_names("").is_empty());
    }
}
