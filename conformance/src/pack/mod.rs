//! Fixture packs: the adapter-specific data with which the suite plays the agent CLI.
//!
//! `settings` is `conformance.toml`, `steps` are the step files, `values` are the random values
//! that the suite fills in, `scenarios` lists the abstract scenarios. The crate's README describes
//! the format.

mod error;
mod http_steps;
mod launch_environment;
mod lint;
mod load;
mod real_settings;
mod render;
mod scenarios;
mod settings;
mod steps;
mod values;

pub use error::PackError;
pub use launch_environment::LaunchEnvironment;
pub use lint::{Lint, lint};
pub use load::{Pack, adapter_folders, find};
pub use real_settings::{RealAcpSettings, RealExpectation, RealSettings, real_placeholders};
pub use scenarios::{REAL_SCENARIO_NAMES, SCENARIOS, is_known_scenario};
pub use settings::{PromptDelivery, Settings};
pub use values::{Values, nonce};
