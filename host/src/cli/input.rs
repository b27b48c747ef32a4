//! `od-host input`: say something to a run that is going on.

use clap::Args;
use od_host::{ExitStatus, Host, HostError};
use od_protocol::InputOutcome;

use crate::cli::arguments::RunReference;
use crate::cli::print::print;
use crate::cli::suggest::find_run;

const EXAMPLES: &str = "\
Examples:
  od-host input last \"use tabs, not spaces\"
  od-host input 0193a7 \"stop after the first file\"";

/// The arguments of `input`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    reference: RunReference,
    /// What to say
    #[arg(value_name = "TEXT")]
    text: String,
}

/// # Errors
/// When the run is unknown, over, or does not take input.
pub(crate) async fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let record = find_run(host, &arguments.reference.run)?;
    let mut client = host.run_client(&record.run_id).await?;
    match client.input(arguments.text.clone(), None).await? {
        InputOutcome::Steered => print("the agent reads it now\n")?,
        InputOutcome::Queued => print("the agent reads it after this turn\n")?,
        _ => {
            return Err(HostError::usage(format!(
                "the agent {} did not take the input to run {}",
                record.agent, record.run_id
            ))
            .with_hint("wait for the end and go on with: od-host run --resume last \"…\""));
        }
    }
    Ok(ExitStatus::Completed)
}
