//! `od-host replay`: shows a run from its journal.

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

/// Bytes that are collected before they are written.
const CHUNK_BYTES: usize = 64 * 1024;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    reference: RunReference,
    #[command(flatten)]
    output: OutputArgument,
}

pub(crate) fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let record = find_run(host, &arguments.reference.run)?;
    let mut view = View::new(arguments.output.output, &record);
    let mut reader = host.events(&record.run_id, 0)?;
    let mut ending = Ending::default();
    let mut chunk = Vec::new();
    while let Some(event) = reader.next_ready()? {
        let envelope = event.parse().ok();
        view.render(&event, envelope.as_ref(), &mut chunk);
        match envelope.map(|envelope| envelope.event) {
            Some(Event::Error(error)) if error.fatal => ending.fatal = Some(error),
            Some(Event::Done(done)) => ending.done = Some(done),
            _ => {}
        }
        if chunk.len() >= CHUNK_BYTES && !write_bytes(&std::mem::take(&mut chunk))? {
            return Ok(ExitStatus::Completed);
        }
    }
    write_bytes(&chunk)?;
    if reader.damaged_lines() > 0 {
        print_warning(&format!("skipped {} damaged lines of the journal", reader.damaged_lines()));
    }
    if let Some(done) = &ending.done
        && !matches!(done.status, DoneStatus::Completed | DoneStatus::Cancelled)
    {
        print_error(&failure_of(ending.fatal.as_ref(), done, &record.run_id));
    }
    Ok(ExitStatus::Completed)
}
