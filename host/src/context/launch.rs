//! How the host starts an adapter: its environment and the parameters of `initialize`.

use std::ffi::OsString;

use od_protocol::adapter::{AdapterConfig, HostCapabilities, HostInfo, InitializeParams, Limits};
use od_protocol::{ErrorObject, ProtocolRange};

use super::HostContext;
use crate::discover::Adapter;
use crate::environment::adapter_environment;
use crate::plugin::{Launch, Plugin};

impl HostContext {
    /// Starts an adapter outside a run.
    pub(crate) async fn launch(&self, adapter: &Adapter) -> Result<Plugin, ErrorObject> {
        let launch = Launch {
            executable: adapter.path.clone(),
            environment: self.environment(adapter),
            initialize: self.initialize(adapter, HostCapabilities::default()),
            events: None,
            counters: self.telemetry().metrics().adapter(&adapter.id),
        };
        Plugin::launch(launch).await
    }

    /// The environment of an adapter process.
    pub(crate) fn environment(&self, adapter: &Adapter) -> Vec<(OsString, OsString)> {
        let search_path = self.shared.options.search_path.as_deref();
        let manifest = Some(&adapter.manifest);
        let mut environment = adapter_environment(self.settings(), manifest, search_path);
        environment.push(self.shared.marker.variable());
        environment
    }

    /// The parameters of `initialize`.
    pub(crate) fn initialize(
        &self,
        adapter: &Adapter,
        capabilities: HostCapabilities,
    ) -> InitializeParams {
        let agent = self.settings().agent(&adapter.id);
        let state_dir = self.home().adapter_state(&adapter.id);
        InitializeParams {
            protocol: ProtocolRange::current(),
            host: HostInfo {
                name: env!("CARGO_PKG_NAME").to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
            host_pid: Some(std::process::id()),
            capabilities,
            limits: Limits::default(),
            config: AdapterConfig {
                cli_path: agent.cli_path.map(|path| path.display().to_string()),
                state_dir: Some(state_dir.display().to_string()),
                options: agent.options,
            },
            meta: None,
        }
    }
}
