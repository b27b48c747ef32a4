//! Accepting connections: everything that is asked arrives on one channel.

use std::io::BufReader;
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use super::read::read_request;
use super::request::Request;
use super::write::Caller;

/// A request and whoever waits for its answer.
#[derive(Debug)]
pub(in crate::stand_in) struct Asked {
    /// What was asked.
    pub(in crate::stand_in) request: Request,
    /// Who waits for it.
    pub(in crate::stand_in) caller: Caller,
}

/// Listens on loopback until the process ends, and gives the port. `on_request` is called on a thread
/// per connection and says whether more requests of it are wanted.
pub(in crate::stand_in) fn listen(
    on_request: impl Fn(Asked) -> bool + Clone + Send + 'static,
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

/// Reads requests until the other side closes or sends something that is none.
fn serve(stream: TcpStream, on_request: impl Fn(Asked) -> bool) {
    // Each event is to arrive on its own; where that cannot be set they arrive together.
    drop(stream.set_nodelay(true));
    let mut reader = BufReader::new(stream);
    while let Ok(Some(request)) = read_request(&mut reader) {
        let Ok(stream) = reader.get_ref().try_clone() else { return };
        if !on_request(Asked { request, caller: Caller::new(stream) }) {
            return;
        }
    }
}
