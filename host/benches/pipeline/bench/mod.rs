//! The bench. Reading order: [`entry`] (the role of this process), [`fake_cli`] (an agent CLI of negligible cost),
//! [`raw_pipe`] (the reference), [`stage`] and [`pipeline`] (adapter, host and journal), [`served`] and [`subscriber`]
//! (`od-host serve`), [`chapters`] (the measurements), [`report`].

mod entry;
mod options;

mod fake_cli;

mod pipeline;
mod raw_pipe;
mod stage;

#[path = "../../../tests/it/serve/raw_websocket.rs"]
mod raw_websocket;
mod served;
mod subscriber;

mod chapters;
mod helper;
mod statistics;
mod system;

mod report;

pub(crate) use entry::main;
