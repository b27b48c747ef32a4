//! The adapter process: `--manifest` prints, `--stdio` serves, anything else explains itself.

mod answer;
mod dispatch;
mod stdio;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use tracing_subscriber::filter::LevelFilter;

use crate::adapter::Adapter;

/// Runs an adapter: the whole of an adapter's `main`.
pub fn serve(adapter: impl Adapter) -> ExitCode {
    let adapter: Arc<dyn Adapter> = Arc::new(adapter);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--manifest"] => print_manifest(adapter.as_ref()),
        ["--stdio"] => {
            log_to_stderr();
            dispatch::serve_stdio(adapter)
        }
        _ => explain(adapter.as_ref()),
    }
}

fn print_manifest(adapter: &dyn Adapter) -> ExitCode {
    let mut text = match serde_json::to_string_pretty(&adapter.manifest()) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("error: the manifest is no JSON: {error}");
            return ExitCode::FAILURE;
        }
    };
    text.push('\n');
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn explain(adapter: &dyn Adapter) -> ExitCode {
    let manifest = adapter.manifest();
    eprintln!(
        "od-adapter-{id} connects {name} to a host; it is not started by hand.\n\
         hint: `od-host run -a {id} \"…\"` runs it; `od-adapter-{id} --manifest` says what it can do.",
        id = manifest.adapter_id,
        name = manifest.display_name,
    );
    ExitCode::from(2)
}

/// `OD_LOG=debug` makes an adapter talk; the host keeps the tail of it.
fn log_to_stderr() {
    let level = std::env::var("OD_LOG").ok().and_then(|level| level.parse().ok());
    tracing_subscriber::fmt()
        .with_max_level(level.unwrap_or(LevelFilter::WARN))
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .init();
}
