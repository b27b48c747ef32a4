//! Implements the sdk's `Adapter` trait: delegates to the modules of this crate.

use std::path::PathBuf;

use od_protocol::adapter::{ListModelsResult, StartRunParams};
use od_protocol::{AuthStatus, ErrorKind, ErrorObject, Manifest, SessionMode};
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper, SessionStore, auth};

use crate::events::Events;
use crate::mode::{self, Mode};
use crate::{acp, detect, flags, invocation, manifest, models, sessions};

/// Gemini CLI.
#[derive(Debug, Clone, Copy)]
pub struct GeminiCli;

impl Adapter for GeminiCli {
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

    fn help_pages(&self) -> &'static [&'static [&'static str]] {
        flags::HELP_PAGES
    }

    fn invocation(
        &self,
        start_run_params: &StartRunParams,
        install: &Install,
    ) -> Result<Invocation, ErrorObject> {
        invocation::invocation(start_run_params, install)
    }

    fn invocation_on(
        &self,
        machine: &Machine,
        start_run_params: &StartRunParams,
        install: &Install,
    ) -> Result<Invocation, ErrorObject> {
        let invocation = self.invocation(start_run_params, install)?;
        let uses_acp = mode::of(start_run_params, install) == Mode::Acp;
        let session = &start_run_params.session;
        match &session.id {
            Some(id) if uses_acp && session.mode == SessionMode::Resume => {
                check_reload_delay(machine, id).map(|()| invocation)
            }
            _ => Ok(invocation),
        }
    }

    fn mapper(&self, start_run_params: &StartRunParams, install: &Install) -> Box<dyn Mapper> {
        match mode::of(start_run_params, install) {
            Mode::Acp => acp::mapper(start_run_params, install),
            Mode::StreamJson => Box::new(Events::new(start_run_params, install)),
        }
    }

    fn models(&self, machine: &Machine) -> Result<ListModelsResult, ErrorObject> {
        let install = self.locate(machine)?;
        Ok(models::list(machine, &install))
    }

    fn session_store(&self) -> Option<SessionStore> {
        Some(SessionStore { list: sessions::list, read: sessions::read })
    }
}

/// Refuses to load a session too early, because Gemini CLI would overwrite it.
fn check_reload_delay(machine: &Machine, session_id: &str) -> Result<(), ErrorObject> {
    let now_ms = auth::now();
    match sessions::reload_delay_ms(&detect::config_dir(machine), session_id, now_ms) {
        None => Ok(()),
        Some(delay_ms) => Err(ErrorObject::new(
            ErrorKind::SessionBusy,
            format!(
                "session {session_id} was used less than a minute ago, and Gemini CLI would overwrite it"
            ),
        )
        .with_hint(format!(
            "try again in {} s, or resume it with permissionMode yolo",
            delay_ms.div_ceil(1000)
        ))),
    }
}
