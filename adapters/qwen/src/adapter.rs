//! Implements the sdk's `Adapter` trait: delegates to the modules of this crate.

use std::path::PathBuf;

use od_protocol::adapter::{ListModelsResult, StartRunParams};
use od_protocol::{AuthStatus, ErrorObject, Manifest};
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper, SessionStore};

use crate::events::Events;
use crate::{detect, invocation, manifest, models, sessions};

/// Qwen Code.
#[derive(Debug, Clone, Copy)]
pub struct Qwen;

impl Adapter for Qwen {
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

    fn mapper(&self, start_run_params: &StartRunParams, _install: &Install) -> Box<dyn Mapper> {
        Box::new(Events::new(start_run_params))
    }

    fn models(&self, machine: &Machine) -> Result<ListModelsResult, ErrorObject> {
        self.locate(machine)?;
        Ok(models::list(machine))
    }

    fn session_store(&self) -> Option<SessionStore> {
        Some(SessionStore::of::<sessions::Record>())
    }
}
