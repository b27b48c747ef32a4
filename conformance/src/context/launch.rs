//! How an adapter process is started and initialized.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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
    /// Whether the host declares that it answers approvals.
    pub answers_approvals: bool,
    /// The value of `limits.maxLineBytes`; `None` uses the default of the protocol.
    pub max_line_bytes: Option<u64>,
    /// The value of `config.stateDir`.
    pub state_dir: Option<PathBuf>,
    /// The folder of the fake CLI; `None` uses a folder of the adapter process.
    pub cli_folder: Option<PathBuf>,
}

impl Default for LaunchOptions {
    fn default() -> Self {
        Self {
            scenario: None,
            cli_path: CliPath::FakeCli,
            initialize: true,
            env: BTreeMap::new(),
            answers_approvals: true,
            max_line_bytes: None,
            state_dir: None,
            cli_folder: None,
        }
    }
}

/// The value of `config.cliPath`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CliPath {
    /// The fake CLI.
    FakeCli,
    /// This path, which need not exist.
    At(PathBuf),
    /// No path: the adapter searches PATH, whose first folder is that of the fake CLI.
    Search,
}

/// Returns the parameters of `initialize` that a correct host sends.
pub fn initialize_params(adapter: &AdapterClient, options: &LaunchOptions) -> InitializeParams {
    let cli_path = match &options.cli_path {
        CliPath::FakeCli => Some(adapter.fake_cli.executable()),
        CliPath::At(path) => Some(path.as_path()),
        CliPath::Search => None,
    };
    let text = |path: &Path| path.to_string_lossy().into_owned();
    InitializeParams {
        protocol: ProtocolRange::current(),
        host: HostInfo {
            name: "conformance".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        host_pid: Some(std::process::id()),
        capabilities: HostCapabilities {
            approvals: options.answers_approvals.then_some(Marker {}),
        },
        limits: options
            .max_line_bytes
            .map_or_else(Limits::default, |max_line_bytes| Limits { max_line_bytes }),
        config: AdapterConfig {
            cli_path: cli_path.map(text),
            state_dir: options.state_dir.as_deref().map(text),
            ..AdapterConfig::default()
        },
        meta: None,
    }
}

/// Calls `initialize` as a correct host does.
pub fn initialize(
    adapter: &mut AdapterClient,
    options: &LaunchOptions,
) -> Result<InitializeResult, Finding> {
    let params = initialize_params(adapter, options);
    adapter.call(&params)
}
