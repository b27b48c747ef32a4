//! `od-host cancel`: cancels a run of any process.

use std::time::Duration;

use clap::Args;
use od_host::journal::RunRecord;
use od_host::{ExitStatus, Host, HostError};
use od_protocol::Event;

use crate::cli::arguments::RunReference;
use crate::cli::labels;
use crate::cli::print::print;
use crate::cli::suggest::find_run;

const EXAMPLES: &str = "\
Examples:
  od-host cancel last
  od-host cancel 0193a7 --now";

/// How long the agent CLI may take to stop.
const CANCEL_GRACE: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    reference: RunReference,
    /// Kill the agent CLI without a grace period
    #[arg(long)]
    now: bool,
}

pub(crate) async fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let record = find_run(host, &arguments.reference.run)?;
    if !record.status.is_alive() {
        return report_ended(&record);
    }
    let grace = if arguments.now { Duration::ZERO } else { CANCEL_GRACE };
    if !host.run_client(&record.run_id).await?.cancel(grace).await? {
        return report_ended(&host.find_run(&record.run_id)?);
    }
    let status = wait_for_end(host, &record.run_id).await?;
    print(&format!("{} {status}\n", record.run_id))?;
    Ok(ExitStatus::Completed)
}

/// Waits for `done` and returns its status; the run's record is written slightly later.
async fn wait_for_end(host: &Host, run_id: &str) -> Result<String, HostError> {
    let mut reader = host.events(run_id, 0)?;
    let mut status = "ended".to_owned();
    while let Some(event) = reader.next().await? {
        if event.type_name == "done"
            && let Ok(envelope) = event.parse()
            && let Event::Done(done) = envelope.event
        {
            status = done.status.as_str().replace('_', " ");
        }
    }
    Ok(status)
}

fn report_ended(record: &RunRecord) -> Result<ExitStatus, HostError> {
    print(&format!(
        "{} had already ended: {}\n",
        record.run_id,
        labels::run_status(record.status)
    ))?;
    Ok(ExitStatus::Completed)
}
