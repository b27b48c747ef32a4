//! The adapter as the sdk sees it: each question goes to the room that answers it.

use std::path::PathBuf;

use od_protocol::{AuthStatus, ErrorObject, ListModelsResult, Manifest, StartRunParams};
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper};

use crate::events::Events;
use crate::{detect, invocation, manifest, models};

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
}
