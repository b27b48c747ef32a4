//! The measurements, one file per chapter, with their targets.

mod cancel;
mod first_event;
mod growth;
mod latency;
mod memory;
mod processor;
mod serve_calls;
mod serve_latency;
mod serve_memory;
mod serve_speed;
mod slow_client;
mod speed;

use std::path::Path;

use od_host::Host;

use super::options::Sizes;
use super::report::Report;
use super::stage::Stage;

/// The context of every chapter.
#[derive(Debug)]
pub(super) struct Bench<'a> {
    pub(super) stage: &'a Stage,
    /// A started host.
    pub(super) host: &'a Host,
    /// The executable of the host.
    pub(super) od_host: &'a Path,
    pub(super) sizes: Sizes,
}

/// The chapters in order: those that are sensitive to disk caches first.
pub(super) const NAMES: &[&str] = &[
    "first event",
    "latency",
    "memory",
    "slow client",
    "cancel",
    "speed",
    "processor",
    "growth",
    "serve latency",
    "serve calls",
    "serve memory",
    "serve speed",
];

/// Measures one chapter.
///
/// # Errors
/// When something cannot be measured.
pub(super) async fn measure(
    name: &str,
    bench: &Bench<'_>,
    report: &mut Report,
) -> anyhow::Result<()> {
    match name {
        "first event" => first_event::measure(bench, report).await,
        "latency" => latency::measure(bench, report).await,
        "memory" => memory::measure(bench, report),
        "slow client" => slow_client::measure(bench, report),
        "cancel" => cancel::measure(bench, report).await,
        "speed" => speed::measure(bench, report).await,
        "processor" => processor::measure(bench, report).await,
        "growth" => growth::measure(bench, report).await,
        "serve latency" => serve_latency::measure(bench, report).await,
        "serve calls" => serve_calls::measure(bench, report),
        "serve memory" => serve_memory::measure(bench, report),
        _ => serve_speed::measure(bench, report).await,
    }
}
