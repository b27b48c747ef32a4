//! Probes of the agent CLI: limited in time and output, no process left.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::fault::{Behaviour, Fault};
use super::launch::environment;
use super::tree;

/// The time limit of a probe.
const PROBE_LIMIT: Duration = Duration::from_secs(2);
/// The maximum number of read bytes.
const MAX_ANSWER_BYTES: u64 = 64 * 1024;

/// The running probes; the end of a run does not kill them.
static PROBES: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Whether a process is a probe.
pub(super) fn is_probe(pid: u32) -> bool {
    PROBES.lock().unwrap_or_else(PoisonError::into_inner).contains(&pid)
}

/// Starts the agent CLI with arguments and returns its output; `None` when it failed or took too
/// long.
pub(super) fn run_probe(behaviour: Behaviour, path: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(path);
    command.args(arguments);
    if !behaviour.has(Fault::ProbeLeaksEnv) {
        command.env_clear();
    }
    if !behaviour.has(Fault::ProbeEmptyEnv) {
        command.envs(environment(behaviour, &Default::default()));
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    tree::own_group(&mut command);
    let mut child = {
        // Locked, so that the end of a run does not see the process before it is registered.
        let mut probes = PROBES.lock().unwrap_or_else(PoisonError::into_inner);
        let child = command.spawn().ok()?;
        probes.insert(child.id());
        child
    };
    let pid = child.id();
    let stdout = child.stdout.take()?;
    let (sender, answer) = channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let complete = stdout.take(MAX_ANSWER_BYTES).read_to_end(&mut text).is_ok();
        // The receiver is dropped after the limit.
        let _late = sender.send(complete.then_some(text));
    });
    let limit =
        if behaviour.has(Fault::DetectHangs) { Duration::from_secs(3600) } else { PROBE_LIMIT };
    let text = answer.recv_timeout(limit).ok().flatten();
    if text.is_none() && behaviour.has(Fault::DetectLeavesProcess) {
        return None;
    }
    tree::kill_group(pid);
    if text.is_none() && behaviour.has(Fault::LeavesZombieProbe) {
        return None;
    }
    let status = child.wait();
    PROBES.lock().unwrap_or_else(PoisonError::into_inner).remove(&pid);
    // A process that prints without end is killed, so its output decides, not its status.
    let _status = status;
    String::from_utf8(text?).ok()
}
