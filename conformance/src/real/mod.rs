//! Driving the real agent CLI: `run --real`, `drift`, `record`, `real-all`. The adapter runs the CLI
//! that is installed, the CLI talks to the fake model, and what comes out as events is judged
//! scenario by scenario.
//!
//! `settings` is the pack's `[real]` table, `confine` keeps everything on loopback, `stage` starts
//! plugins and runs, `scenarios` says what is played and what must be seen, `leftover` looks for
//! processes that outlive their run, `judge` plays and concludes, `drift` compares with what the
//! pack knows, `relay` listens in between adapter and agent CLI, `record` makes recordings and
//! templates of what it heard, `install` fetches pinned packages.

mod checks;
mod confine;
mod drift;
mod facts;
mod install;
mod judge;
pub(crate) mod leftover;
mod parallel;
mod record;
mod relay;
mod scenarios;
mod settings;
mod stage;
mod stops;
mod version;

pub use confine::{Confinement, can_confine, confine};
pub use drift::{
    Change, Drift, FLAGS_FILE, FlagFacts, Recordings, Shapes, VersionFacts, flags_in, recordings,
};
pub use facts::{Performance, RealFacts, heard, unmapped};
pub use install::{InstallError, Installed, Package, install};
pub use judge::{Played, RealOptions, conclude_rest, conclude_scenario, play, real_checks};
pub use record::{RECORDED, Recorded, RecordedScenario, record};
pub use relay::become_relay;
pub use scenarios::{REAL_SCENARIOS, RealScenario};
pub use settings::{RealExpectation, RealSettings};
pub use stage::REAL_PLACEHOLDERS;
pub(crate) use stage::placeholders;
pub(crate) use version::search_path;
pub use version::{find_cli, help_text, version_text};
