//! The conformance suite: judges any `od-adapter-*` executable, in any language, without an
//! account at any vendor.
//!
//! Reading order for a newcomer: [`case`] (what a check is), [`mod@bench`] (what a check holds),
//! [`cases`] (the checks), [`pack`] (what an adapter's author supplies), [`stand_in`] (the agent
//! CLI that the suite plays), [`plugin`] (the suite's own client), [`invariants`] (rules over
//! every line). It shares no code with host or sdk.

pub mod acp;
pub mod baseline;
pub mod bench;
pub mod case;
pub mod cases;
pub mod chapters;
pub mod command;
pub mod console;
pub mod derive;
pub mod evidence;
pub mod invariants;
pub mod judge;
pub mod model;
pub mod mutant;
pub mod open;
pub mod pack;
pub mod play;
pub mod plugin;
pub mod process;
pub mod real;
pub mod reference_pack;
pub mod report;
pub mod requirements;
pub mod schema;
pub mod self_test;
pub mod shrink;
pub mod stand_in;
pub mod suite;
pub mod transcript;
pub mod verdict;
