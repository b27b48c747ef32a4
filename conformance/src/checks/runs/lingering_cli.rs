//! An agent CLI that stays alive after its final message.

use std::time::Duration;

use crate::checks::expectations::{exact_answer, plain_answer};
use crate::context::{CheckContext, CompletedRun};
use crate::fake_cli::Step;
use crate::outcome::CheckOutcome;
use crate::process;

/// Five seconds until the adapter kills the agent CLI, the time of the stop, and a reserve.
const END_TIMEOUT: Duration = Duration::from_secs(12);

pub(super) fn killed_soon(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    for ignores_signals in [false, true] {
        let mut prepared = context.prepare("text")?;
        while matches!(prepared.script.steps.last(), Some(Step::Exit { .. } | Step::Hang)) {
            prepared.script.steps.pop();
        }
        prepared.script.steps.push(Step::Hang);
        if ignores_signals {
            prepared.script.ignore_polite_stops();
        }
        let sent = match ignores_signals {
            true => {
                "run/start; the agent CLI ignores SIGINT, SIGTERM and SIGHUP and does not exit \
                     after its final message"
            }
            false => "run/start; the agent CLI does not exit after its final message",
        };
        let mut adapter = context.launch()?;
        let record = adapter
            .complete_run(&prepared, END_TIMEOUT)
            .map_err(|finding| finding.map_failure(|failure| failure.sent(sent).into()))?;
        let alive = adapter.fake_cli.processes();
        let is_gone = alive.is_empty() || !process::CAN_INSPECT;
        let got = format!("processes {alive:?} are alive");
        adapter.ensure(is_gone, "no process of the run is alive at `done`", got, sent)?;
        exact_answer(&CompletedRun { prepared, record, invocation: None }, sent)?;
    }
    Ok(())
}
