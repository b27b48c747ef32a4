//! The fake CLI: the suite's own executable under the agent CLI's name.
//!
//! [`FakeCli`] is the suite's handle on it. `script` is its input, `startup` the process,
//! `script_runner` executes the steps, `http_state` and `http` serve requests, `call_recorder` and
//! `invocation` report what the adapter did. It reads only files beside itself, because a correct
//! adapter strips the environment.

mod call_recorder;
mod handle;
mod http;
mod http_state;
mod input_channel;
pub mod invocation;
pub mod pattern;
pub mod route;
pub mod script;
mod script_runner;
mod startup;

pub use handle::FakeCli;
pub use invocation::Invocation;
pub use route::{Access, Pairs, Route};
pub use script::{Delivery, Handler, Outlet, Probe, ProbeMode, Script, StdinMode, Step, When};
pub use startup::{DETACHED, become_fake_cli};
