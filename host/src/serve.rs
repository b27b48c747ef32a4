//! The transports of the API: WebSocket, HTTP and server-sent events on one address, or lines on stdin and stdout.
//! They check who may call, how often and how much; the methods live in `service`.
//!
//! Reading order: [`Server`] (a bound address), `listen` (accepts connections), `guard` (checks requests), `router`
//! (finds the endpoint), `websocket`, `http`, `sse` and `stdio` (the transports), `session` and `calls` (requests),
//! `subscription` (events; `batch_format` and `batch_cache` let clients share the work).

mod limits;
mod token;

mod listen;
mod server;
mod stall;
mod tls;

mod guard;
mod rate;
mod refusal;

mod router;

mod batch_cache;
mod batch_format;
mod calls;
mod discover;
mod session;
mod subscription;

mod http;
mod sse;
mod stdio;
mod websocket;

pub use crate::settings::ServeSettings;
pub use limits::TimeLimits;
pub use server::{ServeOptions, Server, TlsFiles};
pub use stdio::serve_stdio;
pub use token::Token;
