//! The control socket on Unix: a socket in the run's folder, which only the user can enter.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use tokio::net::{UnixListener, UnixStream};

use crate::journal::folder::RunFolder;

/// A connection.
pub(super) type Stream = UnixStream;

/// The longest path that fits into a socket address on every platform.
const MAX_PATH_BYTES: usize = 100;

/// The owner's end. Dropping it removes the socket.
#[derive(Debug)]
pub(super) struct Listener {
    listener: UnixListener,
    path: PathBuf,
}

impl Listener {
    /// Waits for a connection.
    pub(super) async fn accept(&mut self) -> std::io::Result<Stream> {
        self.listener.accept().await.map(|(stream, _)| stream)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::debug!(path = %self.path.display(), %error, "cannot remove the control socket");
        }
    }
}

/// Listens in a run's folder.
pub(super) fn listen(folder: &RunFolder) -> std::io::Result<Listener> {
    let (address, _folder) = address(folder)?;
    Ok(Listener { listener: UnixListener::bind(address)?, path: folder.control() })
}

/// Connects to the owner of a run.
pub(super) async fn connect(folder: &RunFolder) -> std::io::Result<Stream> {
    let (address, _folder) = address(folder)?;
    UnixStream::connect(address).await
}

/// The socket's path. A path that is too long for a socket address becomes a short one through the open folder (Linux
/// only; elsewhere binding fails).
fn address(folder: &RunFolder) -> std::io::Result<(PathBuf, Option<File>)> {
    let path = folder.control();
    if path.as_os_str().len() <= MAX_PATH_BYTES {
        return Ok((path, None));
    }
    let open = File::open(folder.path())?;
    let name = path.file_name().unwrap_or_default();
    let short = PathBuf::from(format!("/proc/self/fd/{}", open.as_raw_fd())).join(name);
    Ok((short, Some(open)))
}
