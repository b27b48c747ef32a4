//! The server: binds a loopback address, serves on its own thread, stops when dropped.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::sync::oneshot;

use super::handle::{Shared, handle};
use super::record::{RecordedRequest, RequestLog};

/// Options of the server.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// A loopback address.
    pub address: IpAddr,
    /// The port; 0 takes any that is free.
    pub port: u16,
    /// The folder for a file per request.
    pub log: Option<PathBuf>,
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self { address: IpAddr::V4(Ipv4Addr::LOCALHOST), port: 0, log: None }
    }
}

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The address is not a loopback address.
    #[error("the fake model serves loopback addresses only, not {0}")]
    NotLoopback(IpAddr),
    /// The address cannot be bound.
    #[error("cannot listen on {address}: {error}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// The folder of the log cannot be created.
    #[error("cannot write the log to {folder}: {error}")]
    Log {
        /// The folder.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// No thread or event loop could be created.
    #[error("cannot start serving: {0}")]
    Start(io::Error),
}

impl ModelError {
    /// What to do now.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotLoopback(_) => "use 127.0.0.1 or ::1",
            Self::Bind { .. } => "use --port 0 for a free port",
            Self::Log { .. } => "choose a folder that can be written",
            Self::Start(_) => "close other programs and try again",
        }
    }
}

/// A running fake model. Dropping it stops it.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// Starts the server on its own thread.
    ///
    /// # Errors
    /// When the address is not loopback or cannot be bound.
    pub fn start(options: ModelOptions) -> Result<Self, ModelError> {
        let listener = bind(&options)?;
        let address = listener.local_addr().map_err(ModelError::Start)?;
        if let Some(folder) = &options.log {
            std::fs::create_dir_all(folder)
                .map_err(|error| ModelError::Log { folder: folder.clone(), error })?;
        }
        let tag = format!("fake{:08x}", rand::random::<u32>());
        let shared = Arc::new(Shared::new(tag, RequestLog::new(options.log)));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(ModelError::Start)?;
        let (stop, stopped) = oneshot::channel();
        let served = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("fake-model".to_owned())
            .spawn(move || runtime.block_on(serve(listener, served, stopped)))
            .map_err(ModelError::Start)?;
        Ok(Self { address, shared, stop: Some(stop), thread: Some(thread) })
    }

    /// Its base address, such as `http://127.0.0.1:8099`, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far, oldest first, without secrets.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.log().requests()
    }

    /// Serves until the process ends.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            // A panic of the thread is already on stderr.
            drop(thread.join());
        }
    }
}

impl Drop for ModelServer {
    /// Closes every connection and waits for the thread.
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn bind(options: &ModelOptions) -> Result<TcpListener, ModelError> {
    if !options.address.is_loopback() {
        return Err(ModelError::NotLoopback(options.address));
    }
    let address = SocketAddr::new(options.address, options.port);
    let listener =
        TcpListener::bind(address).map_err(|error| ModelError::Bind { address, error })?;
    listener.set_nonblocking(true).map_err(ModelError::Start)?;
    Ok(listener)
}

async fn serve(listener: TcpListener, shared: Arc<Shared>, stopped: oneshot::Receiver<()>) {
    let accepting = async {
        match tokio::net::TcpListener::from_std(listener) {
            Ok(listener) => accept(&listener, &shared).await,
            Err(error) => anstream::eprintln!("error: the fake model stopped: {error}"),
        }
    };
    // The server was dropped or failed: the runtime and all connections end with this task.
    tokio::select! {
        () = accepting => {}
        _ = stopped => {}
    }
}

async fn accept(listener: &tokio::net::TcpListener, shared: &Arc<Shared>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(connection(stream, Arc::clone(shared)));
            }
            // Too many open files, or a client that disconnected: later connections may succeed.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn connection(stream: tokio::net::TcpStream, shared: Arc<Shared>) {
    // Each event should arrive separately; where this option fails they arrive together.
    drop(stream.set_nodelay(true));
    let service = service_fn(|request| handle(&shared, request));
    // No time limit: an agent CLI may reuse its connection after minutes.
    let served = http1::Builder::new()
        .header_read_timeout(None)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    // A client that disconnected, an invalid request, or a fault of the scenario.
    drop(served);
}
