//! `od-host input`: sends input to an active run.

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

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    reference: RunReference,
    /// The input
    #[arg(value_name = "TEXT")]
    text: String,
}

pub(crate) async fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let record = find_run(host, &arguments.reference.run)?;
    let mut client = host.run_client(&record.run_id).await?;
    match client.input(arguments.text.clone(), None).await? {
        InputOutcome::Steered => print("the agent reads it now\n")?,
        InputOutcome::Queued => print("the agent reads it after this turn\n")?,
        _ => {
            return Err(HostError::usage(format!(
                "the agent {} did not accept the input for run {}",
                record.agent, record.run_id
            ))
            .with_hint("wait until the run ends, then continue: od-host run --resume last \"…\""));
        }
    }
    Ok(ExitStatus::Completed)
}
