//! Implements the sdk's `Adapter` trait: delegates to the modules of this crate.

use std::path::PathBuf;

use od_protocol::adapter::{ListModelsResult, StartRunParams};
use od_protocol::{AuthStatus, ErrorObject, Manifest, Quota};
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper, SessionStore};

use crate::events::Events;
use crate::{control, detect, invocation, manifest, models, sessions};

/// Claude Code.
#[derive(Debug, Clone, Copy)]
pub struct ClaudeCode;

impl Adapter for ClaudeCode {
    fn manifest(&self) -> Manifest {
        manifest::manifest()
    }

    fn auth(&self, machine: &Machine) -> AuthStatus {
        detect::auth(machine)
    }

    fn provider(&self, machine: &Machine, auth: &AuthStatus) -> Option<String> {
        detect::provider(machine, auth).map(str::to_owned)
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
        Box::new(Events::new(start_run_params, install, control::new_uuid))
    }

    fn models(&self, machine: &Machine) -> Result<ListModelsResult, ErrorObject> {
        let install = self.locate(machine)?;
        Ok(models::list(machine, &install))
    }

    fn quota(&self, machine: &Machine) -> Result<Option<Quota>, ErrorObject> {
        let install = self.locate(machine)?;
        Ok(models::quota(machine, &install))
    }

    fn session_store(&self) -> Option<SessionStore> {
        Some(SessionStore { list: sessions::list, read: sessions::read })
    }
}
