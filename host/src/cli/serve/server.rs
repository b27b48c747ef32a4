//! Serves the API until a signal or `host/shutdown` stops it.

use std::io::IsTerminal;
use std::time::Duration;

use od_host::serve::{ServeOptions, ServeSettings, Server, TimeLimits, TlsFiles, serve_stdio};
use od_host::service::{Lifecycle, Roots, ServiceOptions};
use od_host::telemetry::logs::LogFormat;
use od_host::{ExitStatus, Host, HostError, Service};
use od_protocol::api::RefreshAgentsParams;

use super::{Arguments, ServiceOutput};
use crate::cli::print::{print, print_remark, print_to_stderr, print_warning};
use crate::cli::signals::{Signal, Signals};

pub(super) async fn execute(
    arguments: Arguments,
    host: &Host,
    output: ServiceOutput,
) -> Result<ExitStatus, HostError> {
    let options = options(&arguments, &host.settings().serve);
    let service = Service::new(host.clone(), service_options(&arguments, &options.settings)?);
    let signals = Signals::listen()?;
    let drain = Duration::from_secs(arguments.drain);
    let stopped = wait_until_stopped(service.clone(), signals, drain, output);
    if arguments.stdio {
        serve_stdio(service, &options.settings, stopped).await?;
    } else {
        let server = Server::bind(service, options).await?;
        announce(&server, output)?;
        server.run(stopped).await;
    }
    Ok(ExitStatus::Completed)
}

/// The command line overrides the settings; lists are combined.
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
            error.with_hint("use existing folders for roots in [serve] of settings.toml")
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

impl ServiceOutput {
    fn remark(self, text: &str) {
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

    /// Whether only a person reads stderr, so that a secret does not end up in a log.
    fn is_terminal(self) -> bool {
        self.0 == LogFormat::Text && std::io::stderr().is_terminal()
    }
}

/// Prints one line for scripts to stdout and remarks to stderr. A new token is shown once, and only on a terminal:
/// other output may be logged.
fn announce(server: &Server, output: ServiceOutput) -> Result<(), HostError> {
    let token = server.token();
    if !server.address().ip().is_loopback() && server.url().starts_with("http:") {
        output.warn("other machines can reach this address, and traffic is not encrypted");
    }
    output.remark(&format!("od-host listens on {}", server.url()));
    if token.is_new() && output.is_terminal() {
        print_to_stderr(&format!("token: {}\n", token.text()));
    }
    output.remark(&format!("clients need the token in {}", token.file().display()));
    let ready = serde_json::json!({
        "url": server.url(),
        "websocketUrl": server.websocket_url(),
        "tokenFile": token.file().display().to_string(),
        "pid": std::process::id(),
    });
    print(&format!("{ready}\n"))
}

/// Handles signals until the service has stopped, by one of them or by `host/shutdown`.
async fn wait_until_stopped(
    service: Service,
    mut signals: Signals,
    drain: Duration,
    output: ServiceOutput,
) {
    let mut lifecycle = service.lifecycle();
    let mut is_stopping = false;
    loop {
        let signal = tokio::select! {
            stopped = lifecycle.wait_for(|lifecycle| *lifecycle == Lifecycle::Stopped) => {
                return drop(stopped);
            }
            signal = signals.next() => signal,
        };
        let service = service.clone();
        match signal {
            Signal::HangUp => drop(tokio::spawn(refresh(service))),
            Signal::Stop if is_stopping => {
                tracing::info!("a second signal stops the host at once");
                drop(tokio::spawn(async move { service.stop().await }));
            }
            Signal::Stop => {
                is_stopping = true;
                report_stop(&service, drain, output);
                drop(tokio::spawn(async move { service.drain(drain).await }));
            }
        }
    }
}

fn report_stop(service: &Service, drain: Duration, output: ServiceOutput) {
    let runs = service.host().live_runs().len();
    tracing::info!(runs, drain_s = drain.as_secs(), "a signal stops the host");
    if runs > 0 {
        let seconds = drain.as_secs();
        output.remark(&match runs {
            1 => format!("1 run has {seconds} s to end; a second signal cancels it at once"),
            _ => {
                format!("{runs} runs have {seconds} s to end; a second signal cancels them at once")
            }
        });
    }
}

async fn refresh(service: Service) {
    match service.refresh_agents(RefreshAgentsParams::default()).await {
        Ok(result) => {
            tracing::info!(agents = result.agents.len(), "detected the agents again")
        }
        Err(error) => tracing::warn!(%error, "cannot detect the agents again"),
    }
}
