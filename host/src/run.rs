//! One run, from prompt to `done`: one task per run starts the adapter, supervises each attempt, and ends the run.
//!
//! Reading order: `request` (what to run), `start` (folder, journal, record), `task` (the life of a run), `attempt` and
//! `supervise` (one attempt), `attempts`, `retry`, `fallback` and `handover` (what follows a failure), `finish` (the
//! end), `stream`, `repair` and `recover` (how a stream without an end gets one), `result` (the result of a run).

mod request;
pub(crate) mod start;

mod handle;
mod registry;
mod task;

mod attempt;
mod supervise;

mod attempts;
mod fallback;
mod handover;
mod retry;

mod finish;
mod outcome;
pub(crate) mod recover;
pub(crate) mod repair;
mod stream;

mod final_text;
pub(crate) mod result;

pub use attempts::{FALLBACK_ON, RETRY_ON};
pub use final_text::FinalText;
pub use handle::RunHandle;
pub use outcome::{HOST_DIED, JOURNAL_FAILED};
pub(crate) use registry::RunRegistry;
pub use request::{Answers, Origin, RunRequest};
