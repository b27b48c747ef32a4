//! Accepts connections: TLS, HTTP/1.1, and the limits on what one client can cost.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use od_protocol::RequestId;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use super::refusal::Refusal;
use super::router::{Peer, Router};
use super::stall::StallLimit;
use super::websocket::Shutdown;
use crate::json_rpc::write_reply;
use crate::telemetry::metrics::{Refusal as Reason, Transport};

const MAX_HEADERS: usize = 64;
const MAX_HEADER_BYTES: usize = 32 * 1024;
/// The first byte of every TLS connection; no HTTP request starts with it.
const TLS_HANDSHAKE: u8 = 0x16;
/// Connections above the maximum that get an error response at the same time.
const MAX_REFUSED_CONNECTIONS: usize = 64;
/// How long a closing connection may take.
const CLOSE_GRACE: Duration = Duration::from_secs(2);
/// The pause after a system error, such as no free file descriptors.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Serves until `stop` completes, then finishes the requests in progress.
pub(super) async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    shutdown: Shutdown,
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
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else {
            router.service.host().telemetry().metrics().refused(Reason::Connections);
            if connections.len() >= max_connections as usize + MAX_REFUSED_CONNECTIONS {
                continue; // Too many even for an error response.
            }
            connections.spawn(refuse_connection(stream, address, max_connections, tls.is_some()));
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
    drop(router);
    let ended = async {
        shutdown.run(2 * CLOSE_GRACE).await;
        while connections.join_next().await.is_some() {}
    };
    if tokio::time::timeout(3 * CLOSE_GRACE, ended).await.is_err() {
        tracing::debug!("aborted connections that did not close in time");
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
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    let (address, limits) = (peer.address, router.limits);
    let Some(tls) = tls else {
        return serve_http(StallLimit::new(stream, limits.stall), peer, router, closed).await;
    };
    let handshake = async {
        if is_plain_text(&stream).await? {
            router.service.host().telemetry().metrics().refused(Reason::Malformed);
            send_refusal(stream, address, Refusal::needs_tls()).await;
            return Ok(None);
        }
        tls.accept(StallLimit::new(stream, limits.stall)).await.map(Some)
    };
    match tokio::time::timeout(limits.handshake, handshake).await {
        Ok(Ok(Some(stream))) => serve_http(stream, peer, router, closed).await,
        Ok(Ok(None)) => tracing::debug!(peer = %address, "plain HTTP on a TLS port"),
        Ok(Err(error)) => tracing::debug!(peer = %address, %error, "the TLS handshake failed"),
        Err(_) => tracing::debug!(peer = %address, "the TLS handshake timed out"),
    }
}

async fn serve_http(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: Peer,
    router: Arc<Router>,
    mut closed: watch::Receiver<()>,
) {
    let (address, header_limit) = (peer.address, router.limits.headers);
    let _gauge = router.service.host().telemetry().metrics().client(Transport::Http);
    let service = service_fn(move |request| {
        let (router, peer) = (Arc::clone(&router), peer.clone());
        async move { Ok::<_, Infallible>(router.route(peer, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header_limit)
        .max_headers(MAX_HEADERS)
        .max_header_size(MAX_HEADER_BYTES)
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
        tracing::debug!(peer = %address, %error, "a connection failed");
    }
}

/// Whether the client sends plain HTTP; waits for the first byte without consuming it.
async fn is_plain_text(stream: &TcpStream) -> std::io::Result<bool> {
    let mut first = [0];
    Ok(stream.peek(&mut first).await? > 0 && first[0] != TLS_HANDSHAKE)
}

async fn refuse_connection(stream: TcpStream, address: SocketAddr, limit: u32, is_secure: bool) {
    tracing::warn!(peer = %address, limit, "refused a connection: the maximum is reached");
    if !is_secure {
        send_refusal(stream, address, Refusal::too_many_connections(limit)).await;
    }
}

/// Sends an error response without reading the request.
async fn send_refusal(mut stream: TcpStream, address: SocketAddr, refusal: Refusal) {
    let Refusal { status, error, retry_after, .. } = refusal;
    let body = write_reply(&RequestId::NULL, &Err(*error));
    let retry_after = retry_after.map(|seconds| format!("retry-after: {seconds}\r\n"));
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{}content-length: {}\r\n\
         connection: close\r\n\r\n",
        retry_after.unwrap_or_default(),
        body.len()
    );
    let sending = async {
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&body).await?;
        stream.shutdown().await?;
        // Closing a socket with unread input resets it, and the client would lose the response.
        let mut rest = [0; 4096];
        while stream.read(&mut rest).await? > 0 {}
        std::io::Result::Ok(())
    };
    if !matches!(tokio::time::timeout(CLOSE_GRACE, sending).await, Ok(Ok(()))) {
        tracing::debug!(peer = %address, "the client did not read the refusal");
    }
}
