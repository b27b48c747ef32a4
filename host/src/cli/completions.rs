//! `od-host completions`: a completion script for a shell.

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use od_host::{ExitStatus, HostError};

use crate::cli::arguments;
use crate::cli::print::write_bytes;

const EXAMPLES: &str = "\
Examples:
  od-host completions bash > ~/.local/share/bash-completion/completions/od-host
  od-host completions zsh > \"${fpath[1]}/_od-host\"
  od-host completions fish > ~/.config/fish/completions/od-host.fish";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<ExitStatus, HostError> {
    let mut script = Vec::new();
    let mut command = arguments::Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "od-host", &mut script);
    write_bytes(&script)?;
    Ok(ExitStatus::Completed)
}
