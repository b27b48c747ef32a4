//! Which runs may go on: limits for the host and for each agent, and a fair queue for the rest.
//!
//! Reading order for a newcomer: `fair` (who is next, as a value), `room` (the places as tasks see them),
//! `drive` (one run from its place in the queue to its end), `words` (what its events say meanwhile).

mod drive;
mod fair;
mod room;
mod words;

pub(crate) use drive::drive;
pub(crate) use fair::{Limits, Ticket};
pub(crate) use room::Room;
