//! Fixture packs: what an adapter's author gives the suite so that it can play the agent CLI.
//!
//! `settings` is `conformance.toml`, `steps` the step files, `values` the random values that the
//! suite fills in and therefore knows, `scenarios` the abstract scenarios. The format is described
//! in the crate's README.

mod error;
mod http_steps;
mod lint;
mod load;
mod render;
mod scenarios;
mod settings;
mod steps;
mod values;

pub use error::PackError;
pub use lint::{Lint, lint};
pub use load::{Pack, find};
pub use scenarios::{SCENARIOS, is_known_scenario};
pub use settings::{PromptWay, Settings};
pub use values::{Values, nonce};
