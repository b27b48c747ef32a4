//! The stand-in agent CLI: the suite's own executable under the agent CLI's name.
//!
//! `script` is what it is told, `act` is the process, `actor` plays, `answer` and `http` serve,
//! `seen` is what it writes down, and
//! [`StandIn`] is the suite's handle on it. It obeys only files beside itself, since a correct
//! adapter strips the environment.

mod act;
mod actor;
mod answer;
mod control;
mod ears;
mod http;
mod notebook;
pub mod pattern;
pub mod route;
pub mod script;
pub mod seen;

pub use act::{DETACHED, become_stand_in};
pub use control::StandIn;
pub use route::{Access, Pairs, Route};
pub use script::{Delivery, Handler, Outlet, Probe, ProbeMode, Script, StdinMode, Step, When};
pub use seen::{Invocation, WindowSize};
