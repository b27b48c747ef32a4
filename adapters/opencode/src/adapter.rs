//! The adapter as the sdk sees it: each question goes to the room that answers it.

use std::path::PathBuf;

use od_protocol::{
    AuthStatus, DetectAdapterResult, ErrorObject, ListModelsResult, ListSessionsParams,
    ListSessionsResult, Manifest, ReadSessionsParams, ReadSessionsResult, StartRunParams,
};
use od_sdk::acp::{AcpMapper, Opening};
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper, parts};

use crate::dialect::OpenCodeDialect;
use crate::events::Events;
use crate::mode::Mode;
use crate::{invocation, manifest};

/// OpenCode, by `opencode run` and `opencode acp`.
#[derive(Debug, Clone, Copy)]
pub struct OpenCode;

impl Adapter for OpenCode {
    fn manifest(&self) -> Manifest {
        manifest::manifest()
    }

    fn auth(&self, machine: &Machine) -> AuthStatus {
        parts::auth(machine)
    }

    fn config_dir(&self, machine: &Machine) -> Option<PathBuf> {
        Some(parts::config_dir(machine))
    }

    fn detect(&self, machine: &Machine, refresh: bool) -> DetectAdapterResult {
        od_sdk::detect::detect_with_help(self, machine, refresh, &[&["run", "--help"]]).0
    }

    fn invocation(
        &self,
        start_run_params: &StartRunParams,
        install: &Install,
    ) -> Result<Invocation, ErrorObject> {
        invocation::invocation(start_run_params, install)
    }

    fn mapper(&self, start_run_params: &StartRunParams, install: &Install) -> Box<dyn Mapper> {
        let opening = match Mode::of(start_run_params, install) {
            Mode::Acp => invocation::opening(start_run_params).ok(),
            Mode::Json => None,
        };
        match opening {
            Some(opening) => acp_mapper(opening, start_run_params, install),
            None => Box::new(Events::new(start_run_params, install)),
        }
    }

    fn models(&self, machine: &Machine) -> Result<ListModelsResult, ErrorObject> {
        let install = self.locate(machine)?;
        parts::ask_models(&self.manifest(), &install, machine)
    }

    fn list_sessions(
        &self,
        machine: &Machine,
        list_sessions_params: &ListSessionsParams,
    ) -> Result<ListSessionsResult, ErrorObject> {
        let install = self.locate(machine)?;
        parts::ask_sessions(&self.manifest(), &install, machine, list_sessions_params)
    }

    fn read_session(
        &self,
        machine: &Machine,
        read_sessions_params: &ReadSessionsParams,
    ) -> Result<ReadSessionsResult, ErrorObject> {
        let install = self.locate(machine)?;
        parts::ask_session(&self.manifest(), &install, machine, read_sessions_params)
    }
}

fn acp_mapper(
    opening: Opening,
    start_run_params: &StartRunParams,
    install: &Install,
) -> Box<dyn Mapper> {
    let dialect = OpenCodeDialect::new(start_run_params, install);
    Box::new(AcpMapper::new(opening, Box::new(dialect)))
}
