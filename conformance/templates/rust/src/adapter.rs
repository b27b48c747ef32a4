//! The adapter as the sdk uses it: delegates to the modules beside it.

use od_protocol::adapter::StartRunParams;
use od_protocol::{AuthStatus, ErrorObject, Manifest};
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper, auth};

use crate::events::Events;
use crate::{invocation, manifest};

/// The adapter of My Agent.
#[derive(Debug, Clone, Copy)]
pub struct MyAgentAdapter;

impl Adapter for MyAgentAdapter {
    fn manifest(&self) -> Manifest {
        manifest::manifest()
    }

    /// `od_sdk::auth` also reads variables and credential files.
    fn auth(&self, _machine: &Machine) -> AuthStatus {
        auth::not_needed()
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
