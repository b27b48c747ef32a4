//! Parses the command line, opens the host, runs the command and prints its error.

use std::process::ExitCode;

use clap::Parser;
use od_host::home::OdHome;
use od_host::login_path::{self, LaunchEnvironment, LoginPath};
use od_host::telemetry::logs;
use od_host::{ExitStatus, Host, HostError, HostOptions};
use tracing::level_filters::LevelFilter;

use crate::cli::arguments::{Arguments, Command, SharedArguments};
use crate::cli::print::print_error;
use crate::cli::signals::Signals;
use crate::cli::{
    agents, attach, cancel, capabilities, completions, doctor, input, models, replay, run, runs,
    serve, usage, use_agent,
};

/// Runs the command line.
pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let log_format = arguments.shared.log_format.unwrap_or_default();
    logs::start(level(&arguments), log_format);
    let is_service = matches!(arguments.command, Command::Serve(_));
    let status = execute(arguments).unwrap_or_else(|error| {
        match is_service {
            true => serve::ServiceOutput(log_format).error(&error),
            false => print_error(&error),
        }
        error.exit_status()
    });
    ExitCode::from(status as u8)
}

fn execute(arguments: Arguments) -> Result<ExitStatus, HostError> {
    if let Command::Completions(arguments) = &arguments.command {
        return completions::execute(arguments);
    }
    let runtime = runtime_builder(&arguments.command)
        .enable_all()
        .build()
        .map_err(|error| HostError::storage("cannot start the runtime", &error))?;
    let result = runtime.block_on(async {
        let login_path = match &arguments.command {
            Command::Serve(arguments) => arguments.login_path(),
            _ => LoginPath::Never,
        };
        let output = serve::ServiceOutput(arguments.shared.log_format.unwrap_or_default());
        let host = open_host(arguments.shared, login_path)?;
        let result = execute_stoppable(arguments.command, &host, output).await;
        host.end_processes().await;
        host.telemetry().flush();
        result
    });
    // Does not wait for the thread that may still read the terminal.
    runtime.shutdown_background();
    result
}

/// One thread is enough for one run; a service must respond while a call reads the disk.
fn runtime_builder(command: &Command) -> tokio::runtime::Builder {
    match command {
        Command::Serve(_) => {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            let processors = std::thread::available_parallelism().map_or(1, usize::from);
            builder.worker_threads(processors.clamp(2, 4));
            builder
        }
        _ => tokio::runtime::Builder::new_current_thread(),
    }
}

/// Commands that only inspect agents stop at the first signal, together with the adapters they started. The other
/// commands handle signals themselves or start no adapter.
async fn execute_stoppable(
    command: Command,
    host: &Host,
    output: serve::ServiceOutput,
) -> Result<ExitStatus, HostError> {
    let only_inspects = matches!(
        command,
        Command::Agents(_)
            | Command::Use(_)
            | Command::Models(_)
            | Command::Capabilities(_)
            | Command::Doctor(_)
    );
    if !only_inspects {
        return execute_command(command, host, output).await;
    }
    let mut stops = Signals::listen()?;
    tokio::select! {
        result = execute_command(command, host, output) => result,
        _ = stops.next() => Ok(ExitStatus::Cancelled),
    }
}

async fn execute_command(
    command: Command,
    host: &Host,
    output: serve::ServiceOutput,
) -> Result<ExitStatus, HostError> {
    match command {
        Command::Agents(arguments) => agents::execute(&arguments, host).await,
        Command::Use(arguments) => use_agent::execute(&arguments, host).await,
        Command::Run(arguments) => run::execute(*arguments, host).await,
        Command::Models(arguments) => models::execute(&arguments, host).await,
        Command::Capabilities(arguments) => capabilities::execute(&arguments, host).await,
        Command::Doctor(arguments) => doctor::execute(&arguments, host).await,
        Command::Runs(arguments) => runs::execute(&arguments, host),
        Command::Usage(arguments) => usage::execute(&arguments, host),
        Command::Attach(arguments) => attach::execute(&arguments, host).await,
        Command::Replay(arguments) => replay::execute(&arguments, host),
        Command::Cancel(arguments) => cancel::execute(&arguments, host).await,
        Command::Input(arguments) => input::execute(&arguments, host).await,
        Command::Serve(arguments) => serve::execute(*arguments, host, output).await,
        Command::Completions(arguments) => completions::execute(&arguments),
    }
}

fn open_host(shared: SharedArguments, login_path: LoginPath) -> Result<Host, HostError> {
    let home = match shared.home {
        Some(folder) => OdHome::at(absolute(folder)?)?,
        None => OdHome::resolve()?,
    };
    let search_path = login_path::search_path(login_path, &LaunchEnvironment::current(), &home);
    let mut options = HostOptions { search_path, ..HostOptions::new(home) };
    for folder in shared.adapter_dirs {
        if !folder.is_dir() {
            return Err(HostError::usage(format!(
                "--adapter-dir: {} is not a folder",
                folder.display()
            ))
            .with_hint("pass a folder that contains od-adapter-* executables"));
        }
        options.adapter_dirs.push(absolute(folder)?);
    }
    Host::open(options)
}

fn absolute(path: std::path::PathBuf) -> Result<std::path::PathBuf, HostError> {
    std::path::absolute(&path).map_err(|error| {
        HostError::usage(format!("{} is not a valid path: {error}", path.display()))
    })
}

/// The log level.
fn level(arguments: &Arguments) -> LevelFilter {
    match arguments.shared.verbose {
        // The log of a service shows its runs by default.
        0 if matches!(arguments.command, Command::Serve(_)) => LevelFilter::INFO,
        0 => LevelFilter::ERROR,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    }
}
