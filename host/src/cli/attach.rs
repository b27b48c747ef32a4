//! `od-host attach`: follows a run of another process, or shows an ended one.

use clap::Args;
use od_host::{ExitStatus, Host, HostError};
use od_protocol::DoneStatus;

use crate::cli::arguments::{OutputArgument, RunReference};
use crate::cli::follow::{AnswerRules, ApprovalPrompt, Control, Follower, View};
use crate::cli::print::{print_error, print_remark};
use crate::cli::run::failure_of;
use crate::cli::signals::Signals;
use crate::cli::suggest::find_run;

const EXAMPLES: &str = "\
Examples:
  od-host attach last
  od-host attach 0193a7 --from 120 --output jsonl

Ctrl-C detaches; the run continues. `od-host cancel RUN` cancels it.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    reference: RunReference,
    /// Start with this event
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    from: u64,
    #[command(flatten)]
    output: OutputArgument,
}

pub(crate) async fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let record = find_run(host, &arguments.reference.run)?;
    let view = View::new(arguments.output.output, &record);
    let prompt = ApprovalPrompt::new(AnswerRules::default());
    let follower = Follower::new(view, prompt, Control::Observer, Signals::listen()?);
    let ending = follower.follow(host.events(&record.run_id, arguments.from)?).await?;
    let Some(done) = ending.done else {
        print_remark(format!(
            "detached; the run continues (cancel it: od-host cancel {})",
            record.run_id
        ));
        return Ok(ExitStatus::Cancelled);
    };
    if !matches!(done.status, DoneStatus::Completed | DoneStatus::Cancelled) {
        print_error(&failure_of(ending.fatal.as_ref(), &done, &record.run_id));
    }
    Ok(ExitStatus::of_done(&done))
}
