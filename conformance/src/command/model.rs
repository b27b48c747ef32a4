//! `conformance model`: the fake model alone, to try a real agent CLI by hand.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{CommandError, EXIT_CONFORMANT};
use crate::model::{ModelOptions, ModelServer, SCENARIOS};

/// The arguments.
#[derive(Debug, Args)]
pub(super) struct ModelArguments {
    #[command(subcommand)]
    command: ModelCommand,
}

#[derive(Debug, Subcommand)]
enum ModelCommand {
    /// Serve the fake model on loopback and print its address.
    Serve(ServeArguments),
    /// List the scenarios that a prompt can select.
    Scenarios,
}

#[derive(Debug, Args)]
struct ServeArguments {
    /// The loopback address to listen on.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// The port; 0 chooses a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Write each request to a file in this folder, without secrets.
    #[arg(long, value_name = "DIR")]
    log: Option<PathBuf>,
}

/// Runs the subcommand.
pub(super) fn model(arguments: ModelArguments) -> Result<u8, CommandError> {
    match arguments.command {
        ModelCommand::Serve(arguments) => serve(arguments),
        ModelCommand::Scenarios => {
            for entry in SCENARIOS {
                anstream::println!("SCN:{:12} {}", entry.name, entry.about);
            }
            Ok(EXIT_CONFORMANT)
        }
    }
}

fn serve(arguments: ServeArguments) -> Result<u8, CommandError> {
    let options =
        ModelOptions { address: arguments.host, port: arguments.port, log: arguments.log };
    let server = ModelServer::start(options)
        .map_err(|error| CommandError::usage(error.to_string(), error.hint()))?;
    anstream::println!("{}", server.url());
    server.wait();
    Ok(EXIT_CONFORMANT)
}
