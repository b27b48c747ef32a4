//! `od-host serve` as an app meets it: the real binary on a free port or on a pipe, in a scratch home.

mod clients;
mod http;
mod keys;
mod limits;
#[cfg(unix)]
mod logs;
mod raw_websocket;
mod security;
mod sse;
pub(crate) mod stage;
#[cfg(unix)]
mod start;
mod stdio;
mod tls;
mod traces;
mod websocket;

mod client;
mod tour;

#[cfg(target_os = "linux")]
mod kill;
#[cfg(target_os = "linux")]
mod outlived;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod soak;
#[cfg(target_os = "linux")]
mod stop;
#[cfg(target_os = "linux")]
mod supervision;
#[cfg(target_os = "linux")]
mod waiting;
