//! The adapter as the sdk sees it: delegates to the modules beside it.

use od_protocol::adapter::StartRunParams;
use od_protocol::{AuthState, AuthStatus, ErrorObject, Manifest};
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper};

use crate::events::Events;
use crate::{invocation, manifest};

/// The adapter of My Agent.
#[derive(Debug, Clone, Copy)]
pub struct MyAgentAdapter;

impl Adapter for MyAgentAdapter {
    fn manifest(&self) -> Manifest {
        manifest::manifest()
    }

    /// `my-agent` needs no login. `od_sdk::auth` reads variables and credential files.
    fn auth(&self, _machine: &Machine) -> AuthStatus {
        AuthStatus {
            state: AuthState::Ok,
            method: None,
            credential: None,
            expires_at: None,
            guidance: None,
        }
    }

    fn invocation(
        &self,
        start_run_params: &StartRunParams,
        _install: &Install,
    ) -> Result<Invocation, ErrorObject> {
        Ok(invocation::invocation(start_run_params))
    }

    fn mapper(&self, _params: &StartRunParams, _install: &Install) -> Box<dyn Mapper> {
        Box::new(Events)
    }
}
