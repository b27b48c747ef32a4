//! The faces of the API: WebSocket and HTTP with server-sent events at one address, or lines on stdin
//! and stdout. Who may call, how often and how much is decided here; what a call does lives in `service`.
//!
//! Reading order for a newcomer: [`Server`] (a bound address), `listen` (sockets to requests), `guard` (who
//! may come in), `router` (which face answers), `websocket`, `http`, `sse` and `stdio` (the faces),
//! `calls` and `attach` (what they share; `wording` and `shelf` make watching cheap).

mod limits;
mod settings;
mod token;

mod listen;
mod server;
mod stall;
mod tls;

mod guard;
mod rate;
mod refusal;

mod router;

mod attach;
mod calls;
mod discover;
mod shelf;
mod wording;

mod http;
mod sse;
mod stdio;
mod websocket;

pub use limits::TimeLimits;
pub use server::{ServeOptions, Server, TlsFiles};
pub use settings::ServeSettings;
pub use stdio::serve_stdio;
pub use token::Token;
