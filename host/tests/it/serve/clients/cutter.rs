//! A bad line: connections to the host that are cut after some bytes, each later than the one before.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The first connection is cut after so many bytes towards the client, each later one after twice as many.
const FIRST_CUT: u64 = 40 * 1024;

/// See the module.
pub(super) struct Cutter {
    address: SocketAddr,
    cuts: Arc<AtomicU32>,
}

impl Cutter {
    /// Leads what comes to the listener on to the host.
    pub(super) fn between(listener: TcpListener, host: &str) -> Self {
        let address = listener.local_addr().expect("an address");
        let cutter = Self { address, cuts: Arc::default() };
        let (cuts, host) = (Arc::clone(&cutter.cuts), host.to_owned());
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let host = TcpStream::connect(&host).expect("the host listens");
                let cuts = Arc::clone(&cuts);
                std::thread::spawn(move || carry(client, host, &cuts));
            }
        });
        cutter
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many connections were cut since this was last asked; the next one is the first again.
    pub(super) fn take_cuts(&self) -> u32 {
        self.cuts.swap(0, Ordering::SeqCst)
    }
}

fn carry(client: TcpStream, host: TcpStream, cuts: &AtomicU32) {
    let (mut from_client, mut to_host) = (copy(&client), copy(&host));
    std::thread::spawn(move || {
        // Either side may be cut meanwhile; then there is nothing more to carry.
        if std::io::copy(&mut from_client, &mut to_host).is_ok() {
            to_host.shutdown(Shutdown::Write).ok();
        }
    });
    let limit = FIRST_CUT << cuts.load(Ordering::SeqCst);
    let (mut from_host, mut to_client) = ((&host).take(limit), &client);
    let carried = std::io::copy(&mut from_host, &mut to_client);
    if carried.is_ok_and(|carried| carried == limit) {
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
