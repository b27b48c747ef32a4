//! Calls the function of a method by its name, with parameters and result as JSON.

use od_protocol::{Call, ErrorKind, ErrorObject, api};
use serde_json::value::RawValue;
use tracing::Instrument;

use super::{Client, Service, params};
use crate::error::HostError;
use crate::json_rpc::{CallResult, to_json};

impl Service {
    /// Calls a method by its name.
    ///
    /// # Errors
    /// `method_not_found`, `invalid_params`, or the method's error.
    pub async fn call(
        &self,
        client: &Client,
        method: &str,
        params: Option<&RawValue>,
    ) -> CallResult {
        let call = self.host().telemetry().call(&client.0, method);
        let result = self.dispatch(client, method, params).instrument(call.span()).await;
        call.finish(&result);
        result
    }

    async fn dispatch(
        &self,
        client: &Client,
        method: &str,
        params: Option<&RawValue>,
    ) -> CallResult {
        match method {
            name if name == api::START_RUN.name => {
                invoke(params, async |params| self.start_run(client, params).await).await
            }
            name if name == api::LIST_RUNS.name => {
                invoke(params, async |params| self.list_runs(params).await).await
            }
            name if name == api::GET_RUN.name => {
                invoke(params, async |params| self.get_run(params).await).await
            }
            name if name == api::GET_RUN_RESULT.name => {
                invoke(params, async |params| self.run_result(params).await).await
            }
            name if name == api::INPUT_RUN.name => {
                invoke(params, async |params| self.input_run(params).await).await
            }
            name if name == api::RESPOND_RUN.name => {
                invoke(params, async |params| self.respond_run(params).await).await
            }
            name if name == api::CANCEL_RUN.name => {
                invoke(params, async |params| self.cancel_run(params).await).await
            }
            name if name == api::DELETE_RUN.name => {
                invoke(params, async |params| self.delete_run(params).await).await
            }
            name if name == api::SHUTDOWN_HOST.name => {
                invoke(params, async |params| self.shutdown_host(params).await).await
            }
            name if name == api::GET_HOST_INFO.name => {
                invoke(params, async |params| self.host_info(params).await).await
            }
            name if name == api::SUMMARIZE_USAGE.name => {
                invoke(params, async |params| self.summarize_usage(params).await).await
            }
            name if name.starts_with("agents/") => self.call_agents(name, params).await,
            _ => self.call_adapters(method, params).await,
        }
    }

    async fn call_agents(&self, method: &str, params: Option<&RawValue>) -> CallResult {
        match method {
            name if name == api::LIST_AGENTS.name => {
                invoke(params, async |params| self.list_agents(params).await).await
            }
            name if name == api::REFRESH_AGENTS.name => {
                invoke(params, async |params| self.refresh_agents(params).await).await
            }
            name if name == api::GET_AGENT.name => {
                invoke(params, async |params| self.get_agent(params).await).await
            }
            name if name == api::SET_ACTIVE_AGENT.name => {
                invoke(params, async |params| self.set_active_agent(params).await).await
            }
            name if name == api::LIST_AGENT_MODELS.name => {
                invoke(params, async |params| self.agent_models(params).await).await
            }
            name if name == api::GET_AGENT_QUOTA.name => {
                invoke(params, async |params| self.agent_quota(params).await).await
            }
            name if name == api::GET_AGENT_HEALTH.name => {
                invoke(params, async |params| self.agent_health(params).await).await
            }
            name if name == api::GET_AGENT_FEATURES.name => {
                invoke(params, async |params| self.agent_features(params).await).await
            }
            _ => Err(unknown(method)),
        }
    }

    async fn call_adapters(&self, method: &str, params: Option<&RawValue>) -> CallResult {
        match method {
            name if name == api::LIST_SESSIONS.name => {
                invoke(params, async |params| self.list_sessions(params).await).await
            }
            name if name == api::READ_SESSION.name => {
                invoke(params, async |params| self.read_session(params).await).await
            }
            name if name == api::LIST_ADAPTERS.name => {
                invoke(params, async |params| self.list_adapters(params).await).await
            }
            name if name == api::TRUST_ADAPTER.name => {
                invoke(params, async |params| self.trust_adapter(params).await).await
            }
            name if name == api::LIST_INSTALL_HINTS.name => {
                invoke(params, async |params| self.install_hints(params).await).await
            }
            _ => Err(unknown(method)),
        }
    }
}

fn unknown(method: &str) -> ErrorObject {
    ErrorObject::new(ErrorKind::MethodNotFound, format!("unknown method {method:?}"))
        .with_hint(params::DISCOVER_HINT)
}

async fn invoke<P: Call>(
    params: Option<&RawValue>,
    function: impl AsyncFnOnce(P) -> Result<P::Result, HostError>,
) -> CallResult {
    let params: P = params::parse(P::METHOD.name, P::METHOD.params, params.map(RawValue::get))?;
    let result = function(params).await.map_err(HostError::into_error_object)?;
    to_json(&result)
}
