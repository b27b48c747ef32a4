//! A minimal client of the library: `run_once HOME ADAPTER_DIR AGENT PROMPT` starts a run in the current folder and
//! prints its events. The tests use it when they need a host process to kill.

use std::io::Write;

use od_host::home::OdHome;
use od_host::{Answers, ExitStatus, Host, HostError, HostOptions, RunRequest};

fn main() -> std::process::ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(run()),
        Err(error) => Err(HostError::usage(error.to_string())),
    };
    match outcome {
        Ok(status) => std::process::ExitCode::from(status as u8),
        Err(error) => {
            eprintln!("error: {error}");
            if let Some(hint) = &error.hint {
                eprintln!("hint: {hint}");
            }
            std::process::ExitCode::from(error.exit_status() as u8)
        }
    }
}

async fn run() -> Result<ExitStatus, HostError> {
    let mut arguments = std::env::args().skip(1);
    let mut argument = || arguments.next().ok_or_else(|| HostError::usage("four arguments"));
    let mut options = HostOptions::new(OdHome::at(argument()?.into())?);
    options.adapter_dirs.push(argument()?.into());
    let mut request =
        RunRequest { agent: argument()?, answers: Answers::Client, ..RunRequest::default() };
    request.params.prompt.text = argument()?;
    request.params.cwd = ".".to_owned();

    let run = Host::open(options)?.start(request).await?;
    let mut events = run.events(0)?;
    let mut stdout = std::io::stdout().lock();
    while let Some(event) = events.next().await? {
        let printed = stdout.write_all(event.bytes).and_then(|()| stdout.write_all(b"\n"));
        if printed.and_then(|()| stdout.flush()).is_err() {
            break;
        }
    }
    Ok(ExitStatus::of_done(&run.wait().await))
}
