//! JSON-RPC 2.0 between the host and its clients: requests in, replies and notifications out, and one
//! [`Session`] for every transport that carries messages (stdio, WebSocket, control socket). Framing lives in
//! the transports, methods live in their [`Handler`]s.

mod message;
mod session;

pub(crate) use message::{CallResult, Request, to_json};
#[cfg(feature = "serve")]
pub(crate) use message::{write_notification, write_reply};
pub(crate) use session::{Handler, Output, Session};
