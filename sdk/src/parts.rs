//! The wire of "parts": a session is messages, a message is parts (text, reasoning, tool, the frame
//! of a step), and the same part objects come as lines of a headless run, as events of a server and
//! in an exported session. Pure, but for the look at the login: words in, events out.
//!
//! Not here: how the objects travel (lines, server-sent events), and when a run is over.
//!
//! Reading order: [`native`] (the words), [`PartMapper`] (what becomes of a part) with the rooms it
//! uses, [`judge`] and [`LogLine`] (what went wrong), [`auth`], [`rules`], models and sessions (what
//! every way to drive such an agent shares).

mod failure;
mod files;
mod log;
mod login;
mod manifest;
mod mapper;
mod meter;
mod models;
pub mod native;
mod patience;
mod rules;
mod sessions;
mod speech;
mod tools;
mod wishes;
mod words;

pub use failure::{is_abort, judge, judge_text, rate_limited, stop_reason};
pub use files::file_changes;
pub use log::LogLine;
pub use login::{auth, config_dir};
pub use manifest::{capabilities, manifest};
pub use mapper::{Finish, PartMapper};
pub use models::{ask_models, provided_models};
pub use patience::{Attempt, Patience, options_schema};
pub use rules::{Rule, mode_agent, rules, rules_object};
pub use sessions::{ask_session, ask_sessions, is_session_id, listed_sessions, told_session};
pub use wishes::check_wishes;
