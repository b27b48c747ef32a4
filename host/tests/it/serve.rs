//! Tests of `od-host serve`: the real binary on a free port or on stdin and stdout, in a scratch home.

mod client_packages;
mod http;
mod keys;
mod limits;
#[cfg(unix)]
mod logs;
mod raw_websocket;
mod security;
pub(crate) mod server_process;
mod sse;
#[cfg(unix)]
mod start;
mod stdio;
mod tls;
mod traces;
mod websocket;

mod bad_input;
mod client;
mod transports;

#[cfg(target_os = "linux")]
mod kill;
#[cfg(target_os = "linux")]
mod orphaned_adapters;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod run_result;
#[cfg(target_os = "linux")]
mod soak;
#[cfg(target_os = "linux")]
mod stop;
#[cfg(target_os = "linux")]
mod supervision;
