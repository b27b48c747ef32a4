//! The adapter as the sdk sees it: each question goes to the room that answers it.

use std::path::PathBuf;

use od_protocol::{
    AuthStatus, DetectAdapterResult, ErrorObject, GetQuotaResult, ListModelsResult,
    ListSessionsParams, ListSessionsResult, Manifest, ReadSessionsParams, ReadSessionsResult,
    StartRunParams,
};
use od_sdk::start_run::AdapterOptions;
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper};

use crate::events::Events;
use crate::exec_events::ExecEvents;
use crate::mode::{self, Mode};
use crate::options::Options;
use crate::{detect, invocation, manifest, models, sessions};

/// Codex.
#[derive(Debug, Clone, Copy)]
pub struct Codex;

impl Adapter for Codex {
    fn manifest(&self) -> Manifest {
        manifest::manifest()
    }

    fn auth(&self, machine: &Machine) -> AuthStatus {
        detect::auth(machine)
    }

    fn config_dir(&self, machine: &Machine) -> Option<PathBuf> {
        Some(detect::config_dir(machine))
    }

    fn detect(&self, machine: &Machine, refresh: bool) -> DetectAdapterResult {
        let pages = invocation::HELP_PAGES;
        let (mut result, _) = od_sdk::detect::detect_with_help(self, machine, refresh, pages);
        if mode::of_version(result.version.as_deref()) == Mode::Exec {
            result.capabilities = manifest::exec_capabilities();
        }
        result
    }

    fn invocation(
        &self,
        start_run_params: &StartRunParams,
        install: &Install,
    ) -> Result<Invocation, ErrorObject> {
        invocation::invocation(start_run_params, install, None)
    }

    fn invocation_on(
        &self,
        machine: &Machine,
        start_run_params: &StartRunParams,
        install: &Install,
    ) -> Result<Invocation, ErrorObject> {
        let is_paid_by_key = invocation::is_paid_by_key(install);
        let key = machine.var(invocation::KEY_VARIABLE).filter(|_| is_paid_by_key);
        invocation::invocation(start_run_params, install, key)
    }

    fn mapper(&self, start_run_params: &StartRunParams, install: &Install) -> Box<dyn Mapper> {
        let options = Options::lenient(start_run_params);
        match mode::of(&options, install) {
            Mode::AppServer => Box::new(Events::new(start_run_params, install)),
            Mode::Exec => Box::new(ExecEvents::new(start_run_params, install)),
        }
    }

    fn models(&self, machine: &Machine) -> Result<ListModelsResult, ErrorObject> {
        let install = self.locate(machine)?;
        Ok(models::list(machine, &install))
    }

    fn quota(&self, machine: &Machine) -> Result<Option<GetQuotaResult>, ErrorObject> {
        let install = self.locate(machine)?;
        Ok(models::quota(machine, &install))
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
