//! The bench. Reading order: [`entry`] (who this process is), [`stand_in`] (the agent CLI of
//! negligible cost), [`bare`] (a pipe from it and nothing else), [`stage`] and [`walk`] (the same
//! through adapter, host and journal), [`served`] and [`subscriber`] (the same through `od-host
//! serve`), [`chapters`] (what is measured), [`report`].

mod entry;
mod options;

mod stand_in;

mod bare;
mod stage;
mod walk;

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
