//! The adapter as the sdk sees it: each question goes to the room that answers it.

use std::path::PathBuf;

use od_protocol::{AuthStatus, ErrorObject, ListModelsResult, Manifest, StartRunParams};
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper};

use crate::events::Events;
use crate::mode::{self, Mode};
use crate::{detect, invocation, live, manifest, models};

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
            Mode::Live => live::mapper(start_run_params),
            Mode::OneShot => Box::new(Events::new(start_run_params)),
        }
    }

    fn models(&self, machine: &Machine) -> Result<ListModelsResult, ErrorObject> {
        let install = self.locate(machine)?;
        Ok(models::list(machine, &install))
    }
}
