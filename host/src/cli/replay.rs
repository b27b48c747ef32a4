//! `od-host replay`: a run again, from its journal, as far as it has come.

use clap::Args;
use od_host::{ExitStatus, Host, HostError};
use od_protocol::{DoneStatus, Event};

use crate::cli::arguments::{OutputArgument, RunReference};
use crate::cli::follow::{Ending, View};
use crate::cli::print::{print_error, print_warning, write_bytes};
use crate::cli::run::failure_of;
use crate::cli::suggest::find_run;

const EXAMPLES: &str = "\
Examples:
  od-host replay last
  od-host replay last --output text > answer.txt
  od-host replay 0193a7 --output jsonl | jq -r .event.type | sort | uniq -c";

/// Bytes gathered before they are written.
const PIECE_BYTES: usize = 64 * 1024;

/// The arguments of `replay`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    reference: RunReference,
    #[command(flatten)]
    output: OutputArgument,
}

/// # Errors
/// When the run is unknown or its journal cannot be read.
pub(crate) fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let record = find_run(host, &arguments.reference.run)?;
    let mut view = View::new(arguments.output.output, &record);
    let mut reader = host.events(&record.run_id, 0)?;
    let mut ending = Ending::default();
    let mut piece = Vec::new();
    while let Some(event) = reader.next_ready()? {
        let envelope = event.parse().ok();
        view.render(&event, envelope.as_ref(), &mut piece);
        match envelope.map(|envelope| envelope.event) {
            Some(Event::Error(error)) if error.fatal => ending.fatal = Some(error),
            Some(Event::Done(done)) => ending.done = Some(done),
            _ => {}
        }
        if piece.len() >= PIECE_BYTES && !write_bytes(&std::mem::take(&mut piece))? {
            return Ok(ExitStatus::Completed);
        }
    }
    write_bytes(&piece)?;
    if reader.damaged_lines() > 0 {
        print_warning(&format!("{} damaged lines were passed over", reader.damaged_lines()));
    }
    if let Some(done) = &ending.done
        && !matches!(done.status, DoneStatus::Completed | DoneStatus::Cancelled)
    {
        print_error(&failure_of(ending.fatal.as_ref(), done, &record.run_id));
    }
    Ok(ExitStatus::Completed)
}
