//! Asking the agent CLI something short: bounded in time and output, nothing left behind.

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

/// How long an answer may take.
const LIMIT: Duration = Duration::from_secs(2);
/// How much of an answer is read.
const ANSWER_BYTES: u64 = 64 * 1024;

/// The probes under way; the end of a run does not touch them.
static PROBES: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Whether a process is a probe.
pub(super) fn is_probe(pid: u32) -> bool {
    PROBES.lock().unwrap_or_else(PoisonError::into_inner).contains(&pid)
}

/// Starts the agent CLI with arguments and gives what it printed; `None` when it failed or took
/// too long.
pub(super) fn ask(behaviour: Behaviour, path: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(path);
    command.args(arguments).env_clear().envs(environment(behaviour, &Default::default()));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    tree::own_group(&mut command);
    let mut child = command.spawn().ok()?;
    let pid = child.id();
    PROBES.lock().unwrap_or_else(PoisonError::into_inner).insert(pid);
    let stdout = child.stdout.take()?;
    let (sender, answer) = channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let complete = stdout.take(ANSWER_BYTES).read_to_end(&mut text).is_ok();
        // Nobody listens any more when the limit has passed.
        let _late = sender.send(complete.then_some(text));
    });
    let limit = if behaviour.has(Fault::DetectHangs) { Duration::from_secs(3600) } else { LIMIT };
    let text = answer.recv_timeout(limit).ok().flatten();
    if text.is_none() && behaviour.has(Fault::DetectLeavesProcess) {
        return None;
    }
    tree::kill_group(pid);
    let status = child.wait();
    PROBES.lock().unwrap_or_else(PoisonError::into_inner).remove(&pid);
    // A process that floods is killed by us, so its status says nothing; its words do.
    let _status = status;
    String::from_utf8(text?).ok()
}
