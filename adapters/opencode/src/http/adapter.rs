//! The adapter `opencode-http`; delegates to the other modules.

use std::path::PathBuf;

use od_protocol::adapter::{
    ListModelsResult, ListSessionsParams, ListSessionsResult, ReadSessionParams, ReadSessionResult,
    StartRunParams,
};
use od_protocol::{AuthStatus, ErrorObject, Manifest};
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper, http};

use crate::http::events::Events;
use crate::http::{invocation, manifest, models, sessions};

/// OpenCode through `opencode serve`, or through a server that is already running.
#[derive(Debug, Clone, Copy)]
pub struct OpenCodeHttp;

impl Adapter for OpenCodeHttp {
    fn manifest(&self) -> Manifest {
        manifest::manifest()
    }

    fn auth(&self, machine: &Machine) -> AuthStatus {
        crate::auth::auth(machine)
    }

    fn config_dir(&self, machine: &Machine) -> Option<PathBuf> {
        Some(crate::auth::config_dir(machine))
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
        read_session_params: &ReadSessionParams,
    ) -> Result<ReadSessionResult, ErrorObject> {
        sessions::read(self, machine, read_session_params)
    }
}
