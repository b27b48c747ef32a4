//! From sockets to requests: accepting, TLS, HTTP/1.1, and the limits that keep a bad client small.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use super::calls;
use super::refusal::Refusal;
use super::router::{Peer, Router};
use super::stall::Stalling;
use super::websocket::Farewell;
use crate::telemetry::metrics::{Face, Refusal as Reason};

/// A client that has not sent its headers by then, or opens a connection and stays silent, is let go.
const HEADER_LIMIT: Duration = Duration::from_secs(30);
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);
const MOST_HEADERS: usize = 64;
const LONGEST_HEADERS: usize = 32 * 1024;
/// A client that takes nothing for so long, though something is there for it, is let go.
const STALL_LIMIT: Duration = Duration::from_secs(120);
/// Connections too many that are told so at the same time.
const TURNED_AWAY: usize = 64;
/// How long a connection may take to say its last word.
const CLOSING_LIMIT: Duration = Duration::from_secs(2);
/// After an error of the system, such as no more file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Answers until `stop` is over, then lets what is being answered end.
pub(super) async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    farewell: Farewell,
    stop: impl Future<Output = ()>,
) {
    let max_connections = router.settings.max_connections;
    let permits = Arc::new(Semaphore::new(max_connections as usize));
    let router = Arc::new(router);
    let (closing, closed) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut count = 0;
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else {
            router.service.host().telemetry().metrics().refused(Reason::Connections);
            if connections.len() >= max_connections as usize + TURNED_AWAY {
                continue; // Not even time to say why.
            }
            connections.spawn(turn_away(stream, address, max_connections, tls.is_some()));
            continue;
        };
        count += 1;
        let peer = Peer { address, connection: count, permit: Arc::new(permit) };
        connections.spawn(connection(
            stream,
            tls.clone(),
            peer,
            Arc::clone(&router),
            closed.clone(),
        ));
    }
    drop(listener);
    drop(closing);
    // WebSockets have ended when nobody could open another one.
    drop(router);
    let ended = async {
        farewell.say(CLOSING_LIMIT).await;
        while connections.join_next().await.is_some() {}
    };
    if tokio::time::timeout(3 * CLOSING_LIMIT, ended).await.is_err() {
        tracing::debug!("connections that did not end were cut");
    }
}

async fn connection(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    peer: Peer,
    router: Arc<Router>,
    closed: watch::Receiver<()>,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "small answers may come late");
    }
    let stream = Stalling::new(stream, STALL_LIMIT);
    let Some(tls) = tls else { return converse(stream, peer, router, closed).await };
    match tokio::time::timeout(HANDSHAKE_LIMIT, tls.accept(stream)).await {
        Ok(Ok(stream)) => converse(stream, peer, router, closed).await,
        Ok(Err(error)) => tracing::debug!(peer = %peer.address, %error, "no TLS"),
        Err(_) => tracing::debug!(peer = %peer.address, "TLS took too long"),
    }
}

async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: Peer,
    router: Arc<Router>,
    mut closed: watch::Receiver<()>,
) {
    let address = peer.address;
    let _present = router.service.host().telemetry().metrics().client(Face::Http);
    let service = service_fn(move |request| {
        let (router, peer) = (Arc::clone(&router), peer.clone());
        async move { Ok::<_, Infallible>(router.route(peer, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_LIMIT)
        .max_headers(MOST_HEADERS)
        .max_header_size(LONGEST_HEADERS)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        _ = closed.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(peer = %address, %error, "a connection broke");
    }
}

/// One connection too many is told so, without reading what it wants.
async fn turn_away(mut stream: TcpStream, address: SocketAddr, limit: u32, secure: bool) {
    tracing::warn!(peer = %address, limit, "a connection too many");
    if secure {
        return;
    }
    let body = calls::response("null", Err(*Refusal::too_many_connections(limit).error));
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let tell = async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        // What is closed with something unread in it takes the answer away again.
        let mut rest = [0; 4096];
        while stream.read(&mut rest).await? > 0 {}
        std::io::Result::Ok(())
    };
    if !matches!(tokio::time::timeout(CLOSING_LIMIT, tell).await, Ok(Ok(()))) {
        tracing::debug!(peer = %address, "it did not listen");
    }
}
