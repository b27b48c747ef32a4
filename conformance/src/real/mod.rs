//! Runs with the real agent CLI: `run --real`, `drift`, `record`, `real-all`. The adapter starts the
//! installed CLI, the CLI uses the fake model, and each scenario checks the events.
//!
//! `confine` isolates the network, `scenario_context` starts adapters and runs, `scenarios` and
//! `interrupted` are the scenarios, `scenario_runner` runs and evaluates them, `drift` compares with
//! the recordings, `relay` records between adapter and CLI, `record` turns that into recordings and
//! step files, `install` installs pinned packages.

mod checks;
mod confine;
mod drift;
mod facts;
mod install;
mod interrupted;
mod record;
mod relay;
mod scenario_context;
mod scenario_runner;
mod scenarios;
mod version;

pub use confine::{Confinement, can_confine, confine};
pub use drift::{
    Change, Drift, FLAGS_FILE, FlagFacts, Recordings, Shapes, VersionFacts, flags_in, recordings,
};
pub use facts::{RealFacts, ScenarioRecord, outputs_by_scenario, unmapped};
pub use install::{InstallError, Installed, Package, install};
pub use record::{RECORDED, Recorded, RecordedScenario, record};
pub use relay::become_relay;
pub use scenario_runner::{
    RealOptions, ScenarioResult, other_check_results, real_checks, run_scenarios,
    scenario_check_result,
};
pub use scenarios::{REAL_SCENARIOS, RealScenario};
pub use version::{find_cli, help_text, version_text};
