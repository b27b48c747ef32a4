//! The adapter process: `--manifest` prints the manifest, `--stdio` serves a host, anything else
//! prints how to use it.

mod dispatch;
mod stdio;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use tracing_subscriber::filter::LevelFilter;

use crate::Adapter;

/// Runs an adapter: the whole `main` of an adapter.
///
/// ```no_run
/// # use od_protocol::adapter::StartRunParams;
/// # use od_protocol::{AuthStatus, ErrorObject, Manifest};
/// # use od_sdk::{Adapter, Install, Invocation, Machine, Mapper};
/// # struct Parrot;
/// # impl Adapter for Parrot {
/// #     fn manifest(&self) -> Manifest { Manifest::new("parrot", "Parrot") }
/// #     fn auth(&self, _: &Machine) -> AuthStatus { od_sdk::auth::not_needed() }
/// #     fn invocation(&self, _: &StartRunParams, _: &Install) -> Result<Invocation, ErrorObject> {
/// #         Ok(Invocation::default())
/// #     }
/// #     fn mapper(&self, _: &StartRunParams, _: &Install) -> Box<dyn Mapper> { Box::new(Lines) }
/// # }
/// # struct Lines;
/// # impl Mapper for Lines {
/// #     fn on_line(&mut self, _: &[u8], _: &mut od_sdk::RunOutput) {}
/// # }
/// fn main() -> std::process::ExitCode {
///     od_sdk::serve(Parrot)
/// }
/// ```
pub fn serve(adapter: impl Adapter) -> ExitCode {
    let adapter: Arc<dyn Adapter> = Arc::new(adapter);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--manifest"] => print_manifest(adapter.as_ref()),
        ["--stdio"] => {
            log_to_stderr();
            dispatch::serve_stdio(adapter)
        }
        _ => print_usage(adapter.as_ref()),
    }
}

fn print_manifest(adapter: &dyn Adapter) -> ExitCode {
    let mut text = match serde_json::to_string_pretty(&adapter.manifest()) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("error: cannot write the manifest as JSON: {error}");
            return ExitCode::FAILURE;
        }
    };
    text.push('\n');
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn print_usage(adapter: &dyn Adapter) -> ExitCode {
    let manifest = adapter.manifest();
    eprintln!(
        "od-adapter-{id} connects {name} to a host, which starts it.\n\
         hint: `od-host run -a {id} \"…\"` runs the agent; `od-adapter-{id} --manifest` prints its capabilities.",
        id = manifest.adapter_id,
        name = manifest.display_name,
    );
    ExitCode::from(2)
}

/// Logs to stderr at the level of `OD_LOG` (`error`, `warn`, `info`, `debug`, `trace`; default `warn`).
/// The host keeps the last lines.
fn log_to_stderr() {
    let level = std::env::var("OD_LOG").ok().and_then(|level| level.parse().ok());
    tracing_subscriber::fmt()
        .with_max_level(level.unwrap_or(LevelFilter::WARN))
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .init();
}
