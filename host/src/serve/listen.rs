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

const MOST_HEADERS: usize = 64;
const LONGEST_HEADERS: usize = 32 * 1024;
/// Everything in TLS begins with this byte, and nothing in HTTP does.
const TLS_HANDSHAKE: u8 = 0x16;
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
            connections.spawn(one_too_many(stream, address, max_connections, tls.is_some()));
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
    let (address, limits) = (peer.address, router.limits);
    let Some(tls) = tls else {
        return converse(Stalling::new(stream, limits.stall), peer, router, closed).await;
    };
    let handshake = async {
        if is_in_the_clear(&stream).await? {
            router.service.host().telemetry().metrics().refused(Reason::Malformed);
            turn_away(stream, address, Refusal::needs_tls()).await;
            return Ok(None);
        }
        tls.accept(Stalling::new(stream, limits.stall)).await.map(Some)
    };
    match tokio::time::timeout(limits.handshake, handshake).await {
        Ok(Ok(Some(stream))) => converse(stream, peer, router, closed).await,
        Ok(Ok(None)) => tracing::debug!(peer = %address, "plain text where TLS is spoken"),
        Ok(Err(error)) => tracing::debug!(peer = %address, %error, "no TLS"),
        Err(_) => tracing::debug!(peer = %address, "TLS took too long"),
    }
}

async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: Peer,
    router: Arc<Router>,
    mut closed: watch::Receiver<()>,
) {
    let (address, header_limit) = (peer.address, router.limits.headers);
    let _present = router.service.host().telemetry().metrics().client(Face::Http);
    let service = service_fn(move |request| {
        let (router, peer) = (Arc::clone(&router), peer.clone());
        async move { Ok::<_, Infallible>(router.route(peer, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header_limit)
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

/// Whether somebody speaks plain HTTP; waits for the first byte and leaves it there.
async fn is_in_the_clear(stream: &TcpStream) -> std::io::Result<bool> {
    let mut first = [0];
    Ok(stream.peek(&mut first).await? > 0 && first[0] != TLS_HANDSHAKE)
}

/// There is no room for it.
async fn one_too_many(stream: TcpStream, address: SocketAddr, limit: u32, is_secure: bool) {
    tracing::warn!(peer = %address, limit, "a connection too many");
    if !is_secure {
        turn_away(stream, address, Refusal::too_many_connections(limit)).await;
    }
}

/// Tells a connection why it is not served, without reading what it wants.
async fn turn_away(mut stream: TcpStream, address: SocketAddr, refusal: Refusal) {
    let Refusal { status, error, retry_after, .. } = refusal;
    let body = calls::response("null", Err(*error));
    let retry_after = retry_after.map(|seconds| format!("retry-after: {seconds}\r\n"));
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{}content-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        retry_after.unwrap_or_default(),
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
