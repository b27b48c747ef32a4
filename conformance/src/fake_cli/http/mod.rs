//! The HTTP server of the fake CLI: blocking, on loopback, without TLS. It is not built on a
//! library, because scripts cut replies into single bytes.

mod read;
mod request;
mod server;
mod write;

pub(super) use request::Request;
pub(super) use server::{PendingRequest, listen};
pub(super) use write::{EventStream, Responder, event_frame, event_frames, in_pieces};
