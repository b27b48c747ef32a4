//! The conformance suite: judges any `od-adapter-*` executable, in any language, without an
//! account at any vendor.
//!
//! Reading order for a newcomer: [`case`] (what a check is), [`bench`] (what a check holds),
//! [`cases`] (the checks), [`pack`] (what an adapter's author supplies), [`stand_in`] (the agent
//! CLI that the suite plays), [`plugin`] (the suite's own client), [`invariants`] (rules over
//! every line). It shares no code with host or sdk.

pub mod case;
pub mod verdict;
pub mod bench;
pub mod play;
pub mod cases;
pub mod derive;
pub mod pack;
pub mod stand_in;
pub mod plugin;
pub mod invariants;
pub mod schema;
pub mod transcript;
pub mod suite;
pub mod judge;
pub mod open;
pub mod report;
pub mod command;
pub mod mutant;
pub mod process;
pub mod reference_pack;
pub mod model;
