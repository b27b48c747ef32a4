//! The adapter `opencode`; delegates to the other modules.

use std::path::PathBuf;

use od_protocol::adapter::{
    ListModelsResult, ListSessionsParams, ListSessionsResult, ReadSessionParams, ReadSessionResult,
    StartRunParams,
};
use od_protocol::{AuthStatus, ErrorObject, Manifest};
use od_sdk::acp::{AcpMapper, Handshake};
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper};

use crate::opencode::acp_dialect::OpenCodeDialect;
use crate::opencode::events::Events;
use crate::opencode::mode::Mode;
use crate::opencode::{invocation, manifest};

/// OpenCode through `opencode run` and `opencode acp`.
#[derive(Debug, Clone, Copy)]
pub struct OpenCode;

impl Adapter for OpenCode {
    fn manifest(&self) -> Manifest {
        manifest::manifest()
    }

    fn auth(&self, machine: &Machine) -> AuthStatus {
        crate::auth::auth(machine)
    }

    fn config_dir(&self, machine: &Machine) -> Option<PathBuf> {
        Some(crate::auth::config_dir(machine))
    }

    fn help_pages(&self) -> &'static [&'static [&'static str]] {
        &[&["run", "--help"]]
    }

    fn invocation(
        &self,
        start_run_params: &StartRunParams,
        install: &Install,
    ) -> Result<Invocation, ErrorObject> {
        invocation::invocation(start_run_params, install)
    }

    fn mapper(&self, start_run_params: &StartRunParams, install: &Install) -> Box<dyn Mapper> {
        let handshake = match Mode::of(start_run_params, install) {
            Mode::Acp => invocation::handshake(start_run_params).ok(),
            Mode::Json => None,
        };
        match handshake {
            Some(handshake) => acp_mapper(handshake, start_run_params, install),
            None => Box::new(Events::new(start_run_params, install)),
        }
    }

    fn models(&self, machine: &Machine) -> Result<ListModelsResult, ErrorObject> {
        let install = self.locate(machine)?;
        crate::models::list(&self.manifest(), &install, machine)
    }

    fn list_sessions(
        &self,
        machine: &Machine,
        list_sessions_params: &ListSessionsParams,
    ) -> Result<ListSessionsResult, ErrorObject> {
        let install = self.locate(machine)?;
        crate::sessions::list(&self.manifest(), &install, machine, list_sessions_params)
    }

    fn read_session(
        &self,
        machine: &Machine,
        read_session_params: &ReadSessionParams,
    ) -> Result<ReadSessionResult, ErrorObject> {
        let install = self.locate(machine)?;
        crate::sessions::read(&self.manifest(), &install, machine, read_session_params)
    }
}

fn acp_mapper(
    handshake: Handshake,
    start_run_params: &StartRunParams,
    install: &Install,
) -> Box<dyn Mapper> {
    let dialect = OpenCodeDialect::new(start_run_params, install);
    Box::new(AcpMapper::new(handshake, Box::new(dialect)))
}
