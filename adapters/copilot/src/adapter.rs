//! Implements the sdk's `Adapter` trait: delegates to the modules of this crate.

use std::path::PathBuf;

use od_protocol::adapter::{ListModelsResult, StartRunParams};
use od_protocol::{AuthStatus, ErrorObject, Manifest};
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper, SessionStore};

use crate::events::Events;
use crate::mode::{self, Mode};
use crate::{acp, detect, invocation, manifest, models, sessions};

/// GitHub Copilot CLI.
#[derive(Debug, Clone, Copy)]
pub struct Copilot;

impl Adapter for Copilot {
    fn manifest(&self) -> Manifest {
        manifest::manifest()
    }

    fn auth(&self, machine: &Machine) -> AuthStatus {
        detect::auth(machine)
    }

    fn provider(&self, _machine: &Machine, auth: &AuthStatus) -> Option<String> {
        detect::provider(auth).map(str::to_owned)
    }

    fn config_dir(&self, machine: &Machine) -> Option<PathBuf> {
        Some(detect::config_dir(machine))
    }

    fn invocation(
        &self,
        start_run_params: &StartRunParams,
        install: &Install,
    ) -> Result<Invocation, ErrorObject> {
        invocation::invocation(start_run_params, install)
    }

    fn mapper(&self, start_run_params: &StartRunParams, install: &Install) -> Box<dyn Mapper> {
        match mode::of(start_run_params, install) {
            Mode::Acp => acp::mapper(start_run_params),
            Mode::JsonLines => Box::new(Events::new(start_run_params)),
        }
    }

    fn models(&self, machine: &Machine) -> Result<ListModelsResult, ErrorObject> {
        let install = self.locate(machine)?;
        Ok(models::list(machine, &install))
    }

    fn session_store(&self) -> Option<SessionStore> {
        Some(SessionStore::of::<sessions::Record>())
    }
}
