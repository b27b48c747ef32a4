//! The adapter as the sdk sees it: each question goes to the room that answers it.

use std::path::PathBuf;

use od_protocol::{
    AuthStatus, ErrorObject, ListModelsResult, ListSessionsParams, ListSessionsResult, Manifest,
    ReadSessionsParams, ReadSessionsResult, StartRunParams,
};
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper};

use crate::events::Events;
use crate::mode::{self, Mode};
use crate::{detect, invocation, live, manifest, models, sessions};

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

    fn list_sessions(
        &self,
        machine: &Machine,
        list_sessions_params: &ListSessionsParams,
    ) -> Result<ListSessionsResult, ErrorObject> {
        Ok(sessions::list(&detect::config_dir(machine), list_sessions_params))
    }

    fn read_session(
        &self,
        machine: &Machine,
        read_sessions_params: &ReadSessionsParams,
    ) -> Result<ReadSessionsResult, ErrorObject> {
        sessions::read(&detect::config_dir(machine), read_sessions_params)
    }
}
