//! A host in a separate process, so that its memory can be measured. It gets one task as an argument, prints one line
//! of JSON and exits.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use od_host::journal::EventReader;
use od_host::{Host, RunHandle};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::entry::HELPER;
use super::pipeline::{self, Tally};
use super::stage::{self, Stage};
use super::system::{self, Memory};

/// The task of a helper, with the script beside the fake CLI.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Task {
    /// Keep this many concurrent runs, and report the memory.
    Memory { parallel: Vec<usize> },
    /// Let a client fall behind, and report the memory.
    SlowClient { behind: u64 },
}

/// The result of [`Task::Memory`].
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct MemoryFigures {
    pub(super) idle: Memory,
    pub(super) levels: Vec<MemoryLevel>,
}

/// Memory with a number of runs.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct MemoryLevel {
    pub(super) runs: usize,
    pub(super) host: Memory,
    /// All of them together.
    pub(super) adapters: Memory,
}

/// The result of [`Task::SlowClient`].
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SlowFigures {
    /// Megabytes above what the host took when the client was not behind.
    pub(super) added: f64,
    pub(super) loss: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Order {
    task: Task,
    home: PathBuf,
    adapter_dir: PathBuf,
    workspace: PathBuf,
}

/// Runs a task in a helper. `None` where memory cannot be measured.
pub(super) fn ask<T: DeserializeOwned>(stage: &Stage, task: &Task) -> anyhow::Result<Option<T>> {
    let order = Order {
        task: task.clone(),
        home: stage.home(),
        adapter_dir: stage.adapter_dir.clone(),
        workspace: stage.workspace(),
    };
    let output = Command::new(stage.helper_program(HELPER)?)
        .arg(serde_json::to_string(&order)?)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start a helper")?;
    anyhow::ensure!(output.status.success(), "a helper exited with {}", output.status);
    serde_json::from_slice(&output.stdout).context("a helper printed invalid JSON")
}

/// The main function of a helper.
pub(super) fn main() -> anyhow::Result<()> {
    let order = std::env::args().nth(1).context("a helper needs an order")?;
    let order: Order = serde_json::from_str(&order)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answer = runtime.block_on(async {
        let host = stage::open_host(&order.home, &order.adapter_dir)?;
        match &order.task {
            Task::Memory { parallel } => {
                let figures = hold_runs(&host, parallel, &order.workspace).await?;
                anyhow::Ok(serde_json::to_string(&figures)?)
            }
            Task::SlowClient { behind } => {
                let figures = fall_behind(&host, *behind, &order.workspace).await?;
                Ok(serde_json::to_string(&figures)?)
            }
        }
    })?;
    println!("{answer}");
    Ok(())
}

async fn hold_runs(
    host: &Host,
    parallel: &[usize],
    workspace: &Path,
) -> anyhow::Result<Option<MemoryFigures>> {
    host.discover().await;
    let Some(idle) = system::memory(std::process::id()) else { return Ok(None) };
    let mut figures = MemoryFigures { idle, levels: Vec::new() };
    let mut held: Vec<(RunHandle, EventReader)> = Vec::new();
    for &runs in parallel {
        while held.len() < runs {
            let run = stage::start(host, workspace).await?;
            let mut reader = run.events(0)?;
            pipeline::until(&mut reader, |event| event.type_name == "text_delta").await?;
            held.push((run, reader));
        }
        let of_children = system::children(std::process::id()).into_iter().map(system::memory);
        figures.levels.push(MemoryLevel {
            runs,
            host: system::memory(std::process::id()).unwrap_or_default(),
            adapters: of_children.flatten().fold(Memory::default(), |sum, next| sum + next),
        });
    }
    for (run, _) in &held {
        run.cancel(std::time::Duration::from_secs(2));
    }
    for (run, _) in &held {
        run.wait().await;
    }
    Ok(Some(figures))
}

async fn fall_behind(
    host: &Host,
    behind: u64,
    workspace: &Path,
) -> anyhow::Result<Option<SlowFigures>> {
    let run = stage::start(host, workspace).await?;
    let mut reader = run.events(0)?;
    let mut tally = Tally::default();
    pipeline::until(&mut reader, |event| {
        tally.count(event);
        event.type_name == "session_started"
    })
    .await?;
    let memory = || system::memory(std::process::id()).map(|memory| memory.proportional);
    let Some(before) = memory() else { return Ok(None) };
    run.wait().await;
    let stalled = memory().unwrap_or_default();
    tally.drain(&mut reader).await?;
    let drained = memory().unwrap_or_default();
    let added = stalled.max(drained) - before;
    Ok(Some(SlowFigures { added, loss: tally.loss(behind) }))
}
