//! `od-host cancel`: stop a run of any process, and everything it started.

use std::time::Duration;

use clap::Args;
use od_host::journal::RunRecord;
use od_host::{ExitStatus, Host, HostError};
use od_protocol::Event;

use crate::cli::arguments::RunReference;
use crate::cli::print::print;
use crate::cli::suggest::find_run;
use crate::cli::words;

const EXAMPLES: &str = "\
Examples:
  od-host cancel last
  od-host cancel 0193a7 --now";

/// How long the agent CLI may take to stop politely.
const GRACE: Duration = Duration::from_secs(2);

/// The arguments of `cancel`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    reference: RunReference,
    /// Do not let the agent end politely
    #[arg(long)]
    now: bool,
}

/// # Errors
/// When the run is unknown or its owner cannot be reached.
pub(crate) async fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let record = find_run(host, &arguments.reference.run)?;
    if !record.status.is_alive() {
        return over_already(&record);
    }
    let grace = if arguments.now { Duration::ZERO } else { GRACE };
    if !host.run_client(&record.run_id).await?.cancel(grace).await? {
        return over_already(&host.find_run(&record.run_id)?);
    }
    let status = end_of(host, &record.run_id).await?;
    print(&format!("{} {status}\n", record.run_id))?;
    Ok(ExitStatus::Completed)
}

/// Waits for the last event. The run's record follows a moment later, so the event is what counts.
async fn end_of(host: &Host, run_id: &str) -> Result<String, HostError> {
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

fn over_already(record: &RunRecord) -> Result<ExitStatus, HostError> {
    print(&format!("{} was over already: {}\n", record.run_id, words::run_status(record.status)))?;
    Ok(ExitStatus::Completed)
}
