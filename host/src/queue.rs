//! Which runs may work now: limits for the host and for each agent, and a fair queue for the rest. Knows tickets and
//! slots only; what a run does with its slot is in `run`.
//!
//! Reading order: `fair` (who is next, as a value), `slot` (the queue as tasks use it), `status` (the events of a
//! waiting run).

mod fair;
mod slot;
mod status;

pub use fair::QueueLimits;
pub(crate) use fair::Ticket;
pub use slot::RunQueue;
pub(crate) use slot::{Admission, QueueError, QueueSlot};
