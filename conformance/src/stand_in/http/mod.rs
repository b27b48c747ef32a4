//! HTTP as the stand-in speaks it: blocking, over loopback, without TLS. It writes what it is told,
//! byte by byte where a script wants that, so it does not sit on a library's server.

mod read;
mod request;
mod server;
mod write;

pub(super) use request::Request;
pub(super) use server::{Asked, listen};
pub(super) use write::{Caller, EventStream, event_frame, event_frames, in_pieces};
