//! A proxy that cuts connections to the host after some bytes, each later than the one before.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The first connection is cut after this many bytes to the client; the limit doubles each time.
const FIRST_CUT_BYTES: u64 = 40 * 1024;

/// See the module.
pub(super) struct FlakyProxy {
    address: SocketAddr,
    cuts: Arc<AtomicU32>,
}

impl FlakyProxy {
    /// Forwards connections of the listener to the host.
    pub(super) fn start(listener: TcpListener, host: &str) -> Self {
        let address = listener.local_addr().expect("an address");
        let proxy = Self { address, cuts: Arc::default() };
        let (cuts, host) = (Arc::clone(&proxy.cuts), host.to_owned());
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let host = TcpStream::connect(&host).expect("the host listens");
                let cuts = Arc::clone(&cuts);
                std::thread::spawn(move || forward(client, host, &cuts));
            }
        });
        proxy
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The number of cut connections since the last call; resets the limit.
    pub(super) fn take_cuts(&self) -> u32 {
        self.cuts.swap(0, Ordering::SeqCst)
    }
}

fn forward(client: TcpStream, host: TcpStream, cuts: &AtomicU32) {
    let (mut from_client, mut to_host) = (copy(&client), copy(&host));
    std::thread::spawn(move || {
        // Either side may be cut at any time.
        if std::io::copy(&mut from_client, &mut to_host).is_ok() {
            to_host.shutdown(Shutdown::Write).ok();
        }
    });
    let limit = FIRST_CUT_BYTES << cuts.load(Ordering::SeqCst);
    let (mut from_host, mut to_client) = ((&host).take(limit), &client);
    let forwarded = std::io::copy(&mut from_host, &mut to_client);
    if forwarded.is_ok_and(|bytes| bytes == limit) {
        cuts.fetch_add(1, Ordering::SeqCst);
    }
    to_client.flush().ok();
    for stream in [&client, &host] {
        stream.shutdown(Shutdown::Both).ok();
    }
}

fn copy(stream: &TcpStream) -> TcpStream {
    stream.try_clone().expect("a handle")
}
