//! Implements the sdk's `Adapter` trait: delegates to the modules of this crate.

use std::path::PathBuf;

use od_protocol::adapter::{DetectAdapterResult, ListModelsResult, StartRunParams};
use od_protocol::{AuthStatus, ErrorObject, Manifest, Quota};
use od_sdk::start_run::AdapterOptions;
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper, SessionStore};

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

    fn provider(&self, _machine: &Machine, auth: &AuthStatus) -> Option<String> {
        detect::provider(auth)
    }

    fn config_dir(&self, machine: &Machine) -> Option<PathBuf> {
        Some(detect::config_dir(machine))
    }

    fn help_pages(&self) -> &'static [&'static [&'static str]] {
        invocation::HELP_PAGES
    }

    /// Old versions run in exec mode, which has fewer capabilities.
    fn adjust_detection(&self, result: &mut DetectAdapterResult) {
        if mode::of_version(result.version.as_deref()) == Mode::Exec {
            result.capabilities = manifest::exec_capabilities();
        }
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
        let uses_api_key = invocation::uses_api_key(install);
        let key = machine.var(invocation::API_KEY_VARIABLE).filter(|_| uses_api_key);
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

    fn quota(&self, machine: &Machine) -> Result<Option<Quota>, ErrorObject> {
        let install = self.locate(machine)?;
        Ok(models::quota(machine, &install))
    }

    fn session_store(&self) -> Option<SessionStore> {
        Some(SessionStore { list: sessions::list, read: sessions::read })
    }
}
