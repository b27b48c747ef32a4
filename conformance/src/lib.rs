//! The conformance suite: checks any `od-adapter-*` executable, in any language, without an
//! account at any vendor. It shares no code with host or sdk.
//!
//! # Layers
//!
//! Bottom first; a module imports only modules of lower-numbered lines.
//!
//! 1. `embedded`: files of this crate in its executable
//! 2. `console`, `parallel`, `transcript`, `shrink`, `process`, `model`, `reference_pack`: output, worker threads, the record of one process, delta debugging, processes of this machine, the fake model server, the built-in fixture pack
//! 3. `outcome`, `fake_cli`: findings of checks, the scripted process that plays the agent CLI
//! 4. `check`, `schema`, `script_variants`: what a check is, the frozen JSON Schema, hostile variants of a script
//! 5. `pack`, `invariants`, `generated_faults`: fixture packs, the rules that hold for every received line, faults derived from the schema
//! 6. `prepared_run`: a scenario with random values, ready to start
//! 7. `adapter_client`: the suite's own client of one adapter process
//! 8. `suite`: the adapter under test with its manifest, pack and options
//! 9. `context`: what a check works with
//! 10. `checks`: the checks, one file per chapter
//! 11. `requirements`, `baseline`, `mutant`: frozen requirement sets, known failures, the reference adapter with switchable faults
//! 12. `runner`: selects, runs and scores the checks
//! 13. `real`, `self_test`: runs with the real agent CLI, the proof that the checks find every mutant
//! 14. `acp`: the same suite for any agent that implements the Agent Client Protocol
//! 15. `report`: terminal, JSON, JUnit, TAP and HTML reports, and a badge
//! 16. `command`: the commands of the `conformance` executable
//!
//! Reading order for a newcomer: [`check`], [`mod@context`], [`checks`], [`pack`], [`fake_cli`],
//! [`adapter_client`], [`invariants`].

pub mod acp;
pub mod adapter_client;
pub mod baseline;
pub mod check;
pub mod checks;
pub mod command;
pub mod console;
pub mod context;
pub mod embedded;
pub mod fake_cli;
pub mod generated_faults;
pub mod invariants;
pub mod model;
pub mod mutant;
pub mod outcome;
pub mod pack;
mod parallel;
pub mod prepared_run;
pub mod process;
pub mod real;
pub mod reference_pack;
pub mod report;
pub mod requirements;
pub mod runner;
pub mod schema;
pub mod script_variants;
pub mod self_test;
pub mod shrink;
pub mod suite;
pub mod transcript;
