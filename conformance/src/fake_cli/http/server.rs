//! Accepts connections; all requests arrive on one channel.

use std::io::BufReader;
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use super::read::read_request;
use super::request::Request;
use super::write::Responder;

/// A request without a reply.
#[derive(Debug)]
pub(in crate::fake_cli) struct PendingRequest {
    pub(in crate::fake_cli) request: Request,
    pub(in crate::fake_cli) responder: Responder,
}

/// Listens on loopback until the process exits; returns the port. `on_request` runs on one thread
/// per connection and returns whether to read more requests.
pub(in crate::fake_cli) fn listen(
    on_request: impl Fn(PendingRequest) -> bool + Clone + Send + 'static,
) -> std::io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let on_request = on_request.clone();
            std::thread::spawn(move || serve(stream, on_request));
        }
    });
    Ok(port)
}

/// Reads requests until the client disconnects or sends an invalid one.
fn serve(stream: TcpStream, on_request: impl Fn(PendingRequest) -> bool) {
    // Each event should arrive separately; where this option fails they arrive together.
    drop(stream.set_nodelay(true));
    let mut reader = BufReader::new(stream);
    while let Ok(Some(request)) = read_request(&mut reader) {
        let Ok(stream) = reader.get_ref().try_clone() else { return };
        if !on_request(PendingRequest { request, responder: Responder::new(stream) }) {
            return;
        }
    }
}
