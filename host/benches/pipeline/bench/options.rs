//! Command-line options, and the sizes of the measurements.

use std::path::PathBuf;

use clap::Parser;

/// Measures the event pipeline from agent CLI to client, and compares it with a raw pipe.
#[derive(Debug, Parser)]
#[command(name = "pipeline")]
pub(super) struct Options {
    /// Measure less: under half a minute, and less precise.
    #[arg(long)]
    pub(super) quick: bool,
    /// Also write the figures to this file.
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Only chapters whose name contains this text.
    #[arg(long, value_name = "WORD")]
    pub(super) only: Option<String>,
    /// The folder of `od-adapter-claude-code` [default: beside `od-host`].
    #[arg(long, value_name = "DIR")]
    pub(super) adapter_dir: Option<PathBuf>,
    /// Serve with this executable, such as an older build to compare with [default: the one of this build].
    #[arg(long, value_name = "FILE")]
    pub(super) od_host: Option<PathBuf>,
    /// `cargo bench` passes this to every bench.
    #[arg(long, hide = true)]
    pub(super) bench: bool,
}

/// The sizes of the measurements.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Starts; the median counts.
    pub(super) starts: usize,
    /// Consecutive starts in one host.
    pub(super) many_starts: usize,
    /// Events of a burst.
    pub(super) burst: u64,
    /// Events of a long run.
    pub(super) long: u64,
    /// Events of 64 KiB.
    pub(super) wide: u64,
    /// Repetitions of each burst; the best one counts.
    pub(super) rounds: usize,
    /// Events of a slow run.
    pub(super) leisurely: u64,
    /// Numbers of concurrent runs.
    pub(super) parallel: &'static [usize],
    /// Events that a slow client is behind.
    pub(super) behind: u64,
    /// Cancellations; the median counts.
    pub(super) cancels: usize,
    /// Numbers of clients that read one run.
    pub(super) subscribers: &'static [usize],
    /// Calls for the percentiles.
    pub(super) calls: usize,
}

impl Sizes {
    pub(super) const FULL: Self = Self {
        starts: 40,
        many_starts: 200,
        burst: 100_000,
        long: 1_000_000,
        wide: 5_000,
        rounds: 3,
        leisurely: 1_000,
        parallel: &[1, 10, 50],
        behind: 300_000,
        cancels: 5,
        subscribers: &[1, 10, 100],
        calls: 2_000,
    };

    pub(super) const QUICK: Self = Self {
        starts: 10,
        many_starts: 20,
        burst: 100_000,
        long: 300_000,
        wide: 1_000,
        rounds: 1,
        leisurely: 200,
        parallel: &[1, 10],
        behind: 300_000,
        cancels: 1,
        subscribers: &[1, 10],
        calls: 300,
    };
}
