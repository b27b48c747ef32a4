//! The control socket on Windows: a named pipe with the run's id.

use std::ffi::OsString;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::windows::named_pipe::{ClientOptions, NamedPipeServer, ServerOptions};

use crate::journal::folder::RunFolder;

/// A connection, from either end.
pub(super) type Stream = Box<dyn Pipe>;

/// The client's and the server's end have the same methods.
pub(super) trait Pipe: AsyncRead + AsyncWrite + Send + Unpin + std::fmt::Debug {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin + std::fmt::Debug> Pipe for T {}

/// The owner's end.
#[derive(Debug)]
pub(super) struct Listener {
    name: OsString,
    next: NamedPipeServer,
}

impl Listener {
    /// Waits for a connection.
    pub(super) async fn accept(&mut self) -> std::io::Result<Stream> {
        self.next.connect().await?;
        let next = ServerOptions::new().create(&self.name)?;
        Ok(Box::new(std::mem::replace(&mut self.next, next)))
    }
}

/// Listens under the run's name.
pub(super) fn listen(folder: &RunFolder) -> std::io::Result<Listener> {
    let name = name(folder);
    let next = ServerOptions::new().first_pipe_instance(true).create(&name)?;
    Ok(Listener { name, next })
}

/// Connects to the owner of a run.
pub(super) async fn connect(folder: &RunFolder) -> std::io::Result<Stream> {
    Ok(Box::new(ClientOptions::new().open(name(folder))?))
}

fn name(folder: &RunFolder) -> OsString {
    let mut name = OsString::from(r"\\.\pipe\od-run-");
    name.push(folder.path().file_name().unwrap_or_default());
    name
}
