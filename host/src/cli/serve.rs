//! `od-host serve`: the arguments; `server` serves the API on an address or on stdin and stdout until it is stopped.

#[cfg(feature = "serve")]
mod server;

use std::path::PathBuf;

use clap::Args;
use od_host::login_path::LoginPath;
use od_host::telemetry::logs::LogFormat;
use od_host::{ExitStatus, Host, HostError};

use crate::cli::print::print_error;

const EXAMPLES: &str = "\
Examples:
  od-host serve                                  127.0.0.1:7456, runs inside your home folder
  od-host serve --bind 127.0.0.1:0 --root ~/shop a free port, runs inside ~/shop only
  od-host serve --allow-origin http://localhost:5173
  od-host serve --bind 0.0.0.0:7456 --tls-cert cert.pem --tls-key key.pem
  od-host serve --stdio                          for an app that starts the host itself

When it is ready, it prints one line of JSON to stdout: url, websocketUrl, tokenFile, pid.
SIGTERM and Ctrl-C stop it: runs get --drain seconds to end; a second signal cancels them at once.
SIGHUP detects the agents again.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The address to listen on; port 0 picks a free port [default: 127.0.0.1:7456]
    #[arg(long, value_name = "ADDRESS:PORT", conflicts_with = "stdio")]
    bind: Option<String>,
    /// Serve stdin and stdout instead of an address; needs no token
    #[arg(long)]
    stdio: bool,
    /// Allow runs only inside this folder; repeatable [default: your home folder]
    #[arg(long = "root", value_name = "DIR")]
    roots: Vec<PathBuf>,
    /// Allow web pages of this origin; repeatable
    #[arg(long = "allow-origin", value_name = "URL", conflicts_with = "stdio")]
    allow_origins: Vec<String>,
    /// Allow this name in the Host header; repeatable
    #[arg(long = "allow-host", value_name = "NAME", conflicts_with = "stdio")]
    allow_hosts: Vec<String>,
    /// Serve TLS with this certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key", conflicts_with = "stdio")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert", conflicts_with = "stdio")]
    tls_key: Option<PathBuf>,
    /// Accept other machines without TLS
    #[arg(long, conflicts_with = "stdio")]
    insecure_bind: bool,
    /// Use the PATH of a login shell: auto, always or never
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    login_path: LoginPath,
    /// Seconds that runs may continue when the host stops
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    drain: u64,
}

impl Arguments {
    /// Whether to use the PATH of a login shell.
    pub(crate) fn login_path(&self) -> LoginPath {
        self.login_path
    }
}

pub(crate) async fn execute(
    arguments: Arguments,
    host: &Host,
    output: ServiceOutput,
) -> Result<ExitStatus, HostError> {
    #[cfg(feature = "serve")]
    return server::execute(arguments, host, output).await;
    #[cfg(not(feature = "serve"))]
    {
        let _unused = (arguments, host, output);
        Err(HostError::missing_feature("the API server", "serve"))
    }
}

/// Where the service reports to: stderr for people, or the log when it is JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServiceOutput(pub(crate) LogFormat);

impl ServiceOutput {
    /// Reports the error that ends the service.
    pub(crate) fn error(self, error: &HostError) {
        match self.0 {
            LogFormat::Text => print_error(error),
            LogFormat::Json => tracing::error!(hint = error.hint, "{error}"),
        }
    }
}
