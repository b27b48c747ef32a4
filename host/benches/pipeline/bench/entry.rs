//! Selects the role of this process by its file name: the bench, the fake CLI or a helper. Runs the chapters.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use super::options::{Options, Sizes};
use super::report::Report;
use super::stage::Stage;
use super::{chapters, fake_cli, helper};

/// The file name of a helper.
pub(super) const HELPER: &str = "pipeline-helper";

/// Runs the role that the file name selects.
pub(crate) fn main() -> ExitCode {
    let program = std::env::current_exe().unwrap_or_default();
    let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let outcome = match name {
        "claude" => play_fake_cli(),
        HELPER => helper::main(),
        _ => return bench(&Options::parse()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn play_fake_cli() -> anyhow::Result<()> {
    if !fake_cli::detached_child()? {
        fake_cli::perform()?;
    }
    Ok(())
}

fn bench(options: &Options) -> ExitCode {
    match measure(options) {
        Ok(report) => {
            println!("{}", report.table());
            ExitCode::from(u8::from(report.has_failed()))
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn measure(options: &Options) -> anyhow::Result<Report> {
    let built = Path::new(env!("CARGO_BIN_EXE_od-host"));
    let od_host = options.od_host.as_deref().unwrap_or(built);
    let beside = built.parent().map(Path::to_owned);
    let adapter_dir: PathBuf = options.adapter_dir.clone().or(beside).unwrap_or_default();
    let stage = Stage::new(adapter_dir)?;
    let sizes = if options.quick { Sizes::QUICK } else { Sizes::FULL };
    let mut report = Report::default();
    let wanted = options.only.as_deref().unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let host = stage.open_host()?;
        let bench = chapters::Bench { stage: &stage, host: &host, od_host, sizes };
        for chapter in chapters::NAMES.iter().filter(|name| name.contains(wanted)) {
            eprintln!("pipeline: {chapter} …");
            report.begin(chapter);
            chapters::measure(chapter, &bench, &mut report).await?;
        }
        anyhow::Ok(())
    })?;
    if let Some(file) = &options.json {
        report.write_json(file)?;
    }
    Ok(report)
}
