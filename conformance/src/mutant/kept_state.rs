//! The faults that keep something of one run for the next.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use od_protocol::RunStarted;
use od_protocol::adapter::StartRunParams;

use super::fault::{Behaviour, Fault};

/// What earlier runs left.
static KEPT: Mutex<Kept> = Mutex::new(Kept::new());

struct Kept {
    variables: BTreeMap<String, String>,
    system: Option<String>,
    session: Option<String>,
    run_started: Option<RunStarted>,
}

impl Kept {
    const fn new() -> Self {
        Self { variables: BTreeMap::new(), system: None, session: None, run_started: None }
    }
}

fn with_kept<T>(action: impl FnOnce(&mut Kept) -> T) -> T {
    action(&mut KEPT.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Adds what earlier runs requested.
pub(super) fn add_kept(behaviour: Behaviour, params: &mut StartRunParams) {
    if behaviour.has(Fault::KeepsRunEnv) {
        with_kept(|kept| {
            kept.variables.extend(params.env.clone());
            params.env = kept.variables.clone();
        });
    }
    if behaviour.has(Fault::KeepsSystemPrompt) {
        with_kept(|kept| {
            kept.system = params.prompt.system.take().or(kept.system.take());
            params.prompt.system.clone_from(&kept.system);
        });
    }
}

/// The session that the fault resumes.
pub(super) fn previous_session(behaviour: Behaviour) -> Option<String> {
    behaviour.has(Fault::ResumesPreviousRun).then(|| with_kept(|kept| kept.session.clone()))?
}

/// Remembers the session of a run.
pub(super) fn keep_session(session_id: &str) {
    with_kept(|kept| kept.session = Some(session_id.to_owned()));
}

/// The values of `run_started`, or those of the fault.
pub(super) fn run_started(
    behaviour: Behaviour,
    params: &StartRunParams,
    real: RunStarted,
) -> RunStarted {
    let mut shown = real;
    if behaviour.has(Fault::StaleRunStarted) {
        shown = with_kept(|kept| kept.run_started.get_or_insert(shown).clone());
    }
    if behaviour.has(Fault::WrongPid) {
        shown.pid = Some(std::process::id());
    }
    if behaviour.has(Fault::ArgvWithPrompt) {
        shown.argv.push(params.prompt.text.clone());
    }
    if behaviour.has(Fault::WrongMode) {
        shown.permission_mode = Some("bypass".to_owned());
    }
    shown
}
