//! How an adapter process is started and initialized.

use std::collections::BTreeMap;
use std::path::PathBuf;

use od_protocol::adapter::{
    AdapterConfig, HostCapabilities, HostInfo, InitializeParams, InitializeResult, Limits,
};
use od_protocol::{Marker, ProtocolRange};

use crate::adapter_client::AdapterClient;
use crate::outcome::Finding;

/// How a new adapter process is started.
#[derive(Debug, Clone)]
pub struct LaunchOptions {
    /// The scenario whose environment, home and version it gets; `None` uses a valid login.
    pub scenario: Option<&'static str>,
    /// The value of `config.cliPath`.
    pub cli_path: CliPath,
    /// Whether `initialize` is called before the client is returned.
    pub initialize: bool,
    /// Additional environment variables.
    pub env: BTreeMap<String, String>,
}

impl Default for LaunchOptions {
    fn default() -> Self {
        Self { scenario: None, cli_path: CliPath::FakeCli, initialize: true, env: BTreeMap::new() }
    }
}

/// The value of `config.cliPath`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CliPath {
    /// The fake CLI.
    FakeCli,
    /// This path, which need not exist.
    At(PathBuf),
}

/// Returns the parameters of `initialize` that a correct host sends.
pub fn initialize_params(adapter: &AdapterClient, cli_path: &CliPath) -> InitializeParams {
    let cli_path = match cli_path {
        CliPath::FakeCli => adapter.fake_cli.executable(),
        CliPath::At(path) => path,
    };
    InitializeParams {
        protocol: ProtocolRange::current(),
        host: HostInfo {
            name: "conformance".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        host_pid: Some(std::process::id()),
        capabilities: HostCapabilities { approvals: Some(Marker {}) },
        limits: Limits::default(),
        config: AdapterConfig {
            cli_path: Some(cli_path.to_string_lossy().into_owned()),
            ..AdapterConfig::default()
        },
        meta: None,
    }
}

/// Calls `initialize` as a correct host does.
pub fn initialize(
    adapter: &mut AdapterClient,
    cli_path: &CliPath,
) -> Result<InitializeResult, Finding> {
    let params = initialize_params(adapter, cli_path);
    adapter.call(&params)
}
