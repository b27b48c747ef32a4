//! `od-host serve`: the API for apps, at an address or on stdin and stdout, until it is told to stop.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use od_host::login_path::LoginPath;
use od_host::serve::{ServeOptions, ServeSettings, Server, TimeLimits, TlsFiles, serve_stdio};
use od_host::service::{Lifecycle, Roots, ServiceOptions};
use od_host::telemetry::logs::LogFormat;
use od_host::{ExitStatus, Host, HostError, Service};
use od_protocol::api::RefreshAgentsParams;

use crate::cli::print::{print, print_error, print_remark, print_to_stderr, print_warning};
use crate::cli::signals::{ServiceSignal, ServiceSignals};

const EXAMPLES: &str = "\
Examples:
  od-host serve                                  at 127.0.0.1:7456, runs below your home folder
  od-host serve --bind 127.0.0.1:0 --root ~/shop any free port, runs below ~/shop only
  od-host serve --allow-origin http://localhost:5173
  od-host serve --bind 0.0.0.0:7456 --tls-cert cert.pem --tls-key key.pem
  od-host serve --stdio                          for an app that starts the host itself

When it is ready, one line of JSON appears on stdout: url, websocketUrl, tokenFile, pid.
SIGTERM and Ctrl-C stop it: runs get --drain seconds to end; a second one ends them at once.
SIGHUP looks at the agents again.";

/// The arguments of `serve`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Where to listen; port 0 takes any that is free [default: 127.0.0.1:7456]
    #[arg(long, value_name = "ADDRESS:PORT", conflicts_with = "stdio")]
    bind: Option<String>,
    /// Serve stdin and stdout instead of an address; no token is needed
    #[arg(long)]
    stdio: bool,
    /// Runs may work below this folder only; may be given more than once [default: your home folder]
    #[arg(long = "root", value_name = "DIR")]
    roots: Vec<PathBuf>,
    /// Let web pages of this origin call; may be given more than once
    #[arg(long = "allow-origin", value_name = "URL", conflicts_with = "stdio")]
    allow_origins: Vec<String>,
    /// A further name that requests may call the host by; may be given more than once
    #[arg(long = "allow-host", value_name = "NAME", conflicts_with = "stdio")]
    allow_hosts: Vec<String>,
    /// Speak TLS with this certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key", conflicts_with = "stdio")]
    tls_cert: Option<PathBuf>,
    /// The key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert", conflicts_with = "stdio")]
    tls_key: Option<PathBuf>,
    /// Listen beyond this machine without TLS
    #[arg(long, conflicts_with = "stdio")]
    insecure_bind: bool,
    /// Ask a login shell for its PATH: auto, always or never
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    login_path: LoginPath,
    /// How long runs may go on when the host is told to stop
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    drain: u64,
}

impl Arguments {
    /// Whether to ask a login shell for its PATH.
    pub(crate) fn login_path(&self) -> LoginPath {
        self.login_path
    }
}

/// # Errors
/// When the address, a root, the certificate or the token cannot be used.
pub(crate) async fn execute(
    arguments: Arguments,
    host: &Host,
    voice: Voice,
) -> Result<ExitStatus, HostError> {
    let options = options(&arguments, &host.settings().serve);
    let service = Service::new(host.clone(), service_options(&arguments, &options.settings)?);
    let signals = ServiceSignals::listen()?;
    let patience = Duration::from_secs(arguments.drain);
    let over = until_over(service.clone(), signals, patience, voice);
    if arguments.stdio {
        serve_stdio(service, &options.settings, over).await?;
    } else {
        let server = Server::bind(service, options).await?;
        announce(&server, voice)?;
        server.run(over).await;
    }
    Ok(ExitStatus::Completed)
}

/// The command line wins over the settings; lists add up.
fn options(arguments: &Arguments, settings: &ServeSettings) -> ServeOptions {
    let mut settings = settings.clone();
    if let Some(bind) = &arguments.bind {
        settings.bind.clone_from(bind);
    }
    settings.allow_origins.extend_from_slice(&arguments.allow_origins);
    settings.allow_hosts.extend_from_slice(&arguments.allow_hosts);
    let files = arguments.tls_cert.clone().zip(arguments.tls_key.clone());
    ServeOptions {
        settings,
        tls: files.map(|(certificate, key)| TlsFiles { certificate, key }),
        insecure_bind: arguments.insecure_bind,
        limits: TimeLimits::default(),
    }
}

fn service_options(
    arguments: &Arguments,
    settings: &ServeSettings,
) -> Result<ServiceOptions, HostError> {
    let roots = match (arguments.roots.is_empty(), settings.roots.is_empty()) {
        (false, _) => Roots::new(&arguments.roots)?,
        (true, false) => Roots::new(&settings.roots).map_err(|error| {
            error.with_hint("name folders that exist in roots, under [serve] in settings.toml")
        })?,
        (true, true) => Roots::of_user()?,
    };
    Ok(ServiceOptions {
        roots,
        max_request_bytes: settings.max_request_bytes.into(),
        max_calls_per_second: settings.max_calls_per_second,
        drain: Duration::from_secs(arguments.drain),
    })
}

/// How the service speaks of itself on stderr: to a person, or in the lines of the log when those are JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Voice(pub(crate) LogFormat);

impl Voice {
    fn say(self, text: &str) {
        match self.0 {
            LogFormat::Text => print_remark(text),
            LogFormat::Json => tracing::info!("{text}"),
        }
    }

    fn warn(self, text: &str) {
        match self.0 {
            LogFormat::Text => print_warning(text),
            LogFormat::Json => tracing::warn!("{text}"),
        }
    }

    /// Somebody looks at a terminal, and nothing keeps what is written there.
    fn is_private(self) -> bool {
        self.0 == LogFormat::Text && std::io::stderr().is_terminal()
    }

    /// The service cannot begin or go on.
    pub(crate) fn fail(self, error: &HostError) {
        match self.0 {
            LogFormat::Text => print_error(error),
            LogFormat::Json => tracing::error!(hint = error.hint, "{error}"),
        }
    }
}

/// A line for scripts on stdout, words for people on stderr. The token is shown once, when it is made, and to a person
/// only: what is written elsewhere ends in a log.
fn announce(server: &Server, voice: Voice) -> Result<(), HostError> {
    let token = server.token();
    if !server.address().ip().is_loopback() && server.url().starts_with("http:") {
        voice.warn("others can reach this address, and nothing they send is encrypted");
    }
    voice.say(&format!("od-host serves at {}", server.url()));
    if token.is_fresh() && voice.is_private() {
        print_to_stderr(&format!("token: {}\n", token.text()));
    }
    voice.say(&format!("clients need the token in {}", token.file().display()));
    let ready = serde_json::json!({
        "url": server.url(),
        "websocketUrl": server.websocket_url(),
        "tokenFile": token.file().display().to_string(),
        "pid": std::process::id(),
    });
    print(&format!("{ready}\n"))
}

/// Hears signals until the service has ended, by one of them or by `host/shutdown`.
async fn until_over(
    service: Service,
    mut signals: ServiceSignals,
    patience: Duration,
    voice: Voice,
) {
    let mut lifecycle = service.lifecycle();
    let mut asked = false;
    loop {
        let signal = tokio::select! {
            over = lifecycle.wait_for(|lifecycle| *lifecycle == Lifecycle::Stopped) => {
                return drop(over);
            }
            signal = signals.next() => signal,
        };
        let service = service.clone();
        match signal {
            ServiceSignal::Refresh => drop(tokio::spawn(refresh(service))),
            ServiceSignal::Stop if asked => {
                tracing::info!("a second signal ends the host at once");
                drop(tokio::spawn(async move { service.stop().await }));
            }
            ServiceSignal::Stop => {
                asked = true;
                tell_the_end(&service, patience, voice);
                drop(tokio::spawn(async move { service.drain(patience).await }));
            }
        }
    }
}

fn tell_the_end(service: &Service, patience: Duration, voice: Voice) {
    let runs = service.host().live_runs().len();
    tracing::info!(runs, drain_s = patience.as_secs(), "a signal ends the host");
    if runs > 0 {
        let seconds = patience.as_secs();
        voice.say(&match runs {
            1 => format!("one run has {seconds} s to end; a second signal ends it at once"),
            _ => format!("{runs} runs have {seconds} s to end; a second signal ends them at once"),
        });
    }
}

async fn refresh(service: Service) {
    match service.refresh_agents(RefreshAgentsParams::default()).await {
        Ok(result) => {
            tracing::info!(agents = result.agents.len(), "the agents were looked at again")
        }
        Err(error) => tracing::warn!(%error, "the agents could not be looked at again"),
    }
}
