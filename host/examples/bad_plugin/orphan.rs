//! A process that leaves the adapter's group and session, as the tools of real agent CLIs do.

use std::process::{Command, Stdio};

/// Starts one, which outlives its parent unless the host kills it. Returns its pid.
#[expect(clippy::zombie_processes, reason = "the process must outlive its parent")]
pub(crate) fn start() -> u32 {
    let exe = std::env::current_exe().expect("the path of this program");
    let mut command = Command::new(exe);
    command.arg("--orphan").env_clear().stdin(Stdio::null()).stdout(Stdio::null());
    let child = command.stderr(Stdio::null()).spawn().expect("an orphan can be started");
    child.id()
}

/// Sleeps for an hour.
pub(crate) fn live() {
    #[cfg(unix)]
    rustix::process::setsid().expect("its own session");
    std::thread::sleep(crate::SLEEP_TIME);
}
