//! Driving the real agent CLI: `run --real`. The adapter runs the CLI that is installed, the CLI
//! talks to the fake model, and what comes out as events is judged scenario by scenario.
//!
//! `settings` is the pack's `[real]` table, `confine` keeps everything on loopback, `stage` starts
//! plugins and runs, `scenarios` says what is played and what must be seen, `leftover` looks for
//! processes that outlive their run, `drift` compares with recordings,
//! `report` is what people and programs read.

mod confine;
mod drift;
mod judge;
mod leftover;
mod report;
mod scenarios;
mod settings;
mod stage;
mod stops;
mod version;

pub use confine::{Confinement, confine};
pub use drift::{Drift, Recordings, recordings};
pub use judge::{RealOptions, RealResult, judge};
pub use report::{RealReport, print_report, print_result, to_json};
pub use scenarios::{REAL_SCENARIOS, RealScenario};
pub use settings::{RealExpectation, RealSettings};
pub use stage::REAL_PLACEHOLDERS;
pub use version::{find_cli, version_text};
