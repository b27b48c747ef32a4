//! The adapter as the sdk sees it: each question goes to the room that answers it.

use std::path::PathBuf;

use od_protocol::{
    AuthStatus, ErrorObject, ListModelsResult, ListSessionsParams, ListSessionsResult, Manifest,
    ReadSessionsParams, ReadSessionsResult, StartRunParams,
};
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper, http, parts};

use crate::events::Events;
use crate::{invocation, manifest, models, sessions};

/// OpenCode, by `opencode serve` or a server that runs already.
#[derive(Debug, Clone, Copy)]
pub struct OpenCodeHttp;

impl Adapter for OpenCodeHttp {
    fn manifest(&self) -> Manifest {
        manifest::manifest()
    }

    fn auth(&self, machine: &Machine) -> AuthStatus {
        parts::auth(machine)
    }

    fn config_dir(&self, machine: &Machine) -> Option<PathBuf> {
        Some(parts::config_dir(machine))
    }

    fn http(&self) -> Option<http::Client> {
        Some(http::Client::new())
    }

    fn invocation(
        &self,
        start_run_params: &StartRunParams,
        install: &Install,
    ) -> Result<Invocation, ErrorObject> {
        invocation::invocation(start_run_params, install)
    }

    fn mapper(&self, start_run_params: &StartRunParams, install: &Install) -> Box<dyn Mapper> {
        Box::new(Events::new(start_run_params, install))
    }

    fn models(&self, machine: &Machine) -> Result<ListModelsResult, ErrorObject> {
        models::list(self, machine)
    }

    fn list_sessions(
        &self,
        machine: &Machine,
        list_sessions_params: &ListSessionsParams,
    ) -> Result<ListSessionsResult, ErrorObject> {
        sessions::list(self, machine, list_sessions_params)
    }

    fn read_session(
        &self,
        machine: &Machine,
        read_sessions_params: &ReadSessionsParams,
    ) -> Result<ReadSessionsResult, ErrorObject> {
        sessions::read(self, machine, read_sessions_params)
    }
}
