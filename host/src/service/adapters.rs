//! `adapters/*`: lists adapters, pins them, and returns how to install the agent CLIs.

use od_protocol::api::{
    HiddenAdapter, InstallHint, ListAdaptersParams, ListAdaptersResult, ListInstallHintsParams,
    ListInstallHintsResult, RejectedAdapter, TrustAdapterParams, TrustAdapterResult, UsedAdapter,
};
use serde::Serialize;

use super::Service;
use crate::agents::Agent;
use crate::agents::install_methods;
use crate::discover::{Adapter, Rejected, Rule, Shadowed};
use crate::error::HostError;
use crate::files::stamp;
use crate::settings::Trust;

impl Service {
    /// `adapters/list`: problems of an adapter are in its row.
    ///
    /// # Errors
    /// Never.
    pub async fn list_adapters(
        &self,
        _params: ListAdaptersParams,
    ) -> Result<ListAdaptersResult, HostError> {
        let found = self.host().discover().await;
        let trust = self.host().trust();
        Ok(ListAdaptersResult {
            adapters: found.adapters.iter().map(|adapter| used(adapter, &trust)).collect(),
            hidden: found.shadowed.iter().map(hidden).collect(),
            rejected: found.rejected.iter().map(rejected).collect(),
            policy: name_of(&trust.policy),
        })
    }

    /// `adapters/trust`.
    ///
    /// # Errors
    /// When it is not a hash, when it is pinned in `settings.toml` and cannot be unpinned here, or when
    /// `trust.json` cannot be read or written.
    pub async fn trust_adapter(
        &self,
        params: TrustAdapterParams,
    ) -> Result<TrustAdapterResult, HostError> {
        let trust = self.host().set_trusted(&params.sha256, params.trusted)?;
        Ok(TrustAdapterResult { policy: name_of(&trust.policy), pinned: trust.pinned })
    }

    /// `adapters/install-hints`.
    ///
    /// # Errors
    /// When the named agent is unknown.
    pub async fn install_hints(
        &self,
        params: ListInstallHintsParams,
    ) -> Result<ListInstallHintsResult, HostError> {
        let agents = match params.agent {
            Some(id) => vec![self.known_agent(&id).await?],
            None => self.host().list_agents().await.agents,
        };
        Ok(ListInstallHintsResult { hints: agents.iter().map(install_hint).collect() })
    }
}

fn used(adapter: &Adapter, trust: &Trust) -> UsedAdapter {
    UsedAdapter {
        id: adapter.id.clone(),
        display_name: adapter.manifest.display_name.clone(),
        version: adapter.manifest.version.clone(),
        path: adapter.path.display().to_string(),
        origin: name_of(&adapter.origin),
        sha256: adapter.sha256.clone(),
        pinned: trust.pinned.iter().any(|pinned| pinned.eq_ignore_ascii_case(&adapter.sha256)),
    }
}

fn hidden(shadowed: &Shadowed) -> HiddenAdapter {
    HiddenAdapter {
        id: shadowed.id.clone(),
        path: shadowed.path.display().to_string(),
        by: shadowed.by.display().to_string(),
    }
}

fn rejected(rejected: &Rejected) -> RejectedAdapter {
    // A client needs the hash to pin the file. Reading the file is safe, executing it would not be.
    let pinnable = rejected.rule == Rule::NotPinned;
    RejectedAdapter {
        id: rejected.id.clone(),
        path: rejected.path.display().to_string(),
        rule: name_of(&rejected.rule),
        reason: rejected.reason.clone(),
        fix: rejected.fix.clone(),
        sha256: pinnable.then(|| stamp::sha256(&rejected.path).ok()).flatten(),
    }
}

fn install_hint(agent: &Agent) -> InstallHint {
    InstallHint {
        agent: agent.id.clone(),
        display_name: agent.manifest.display_name.clone(),
        installed: agent.is_installed(),
        install: install_methods(&agent.manifest).cloned().collect(),
        login: agent.manifest.auth.login_command.clone(),
        homepage: agent.manifest.homepage.clone(),
    }
}

/// The JSON string of an enum value.
fn name_of(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}
