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
            _ if method == api::START_RUN.name => {
                invoke(params, |params| self.start_run(client, params)).await
            }
            _ if method == api::LIST_RUNS.name => {
                invoke(params, |params| self.list_runs(params)).await
            }
            _ if method == api::GET_RUN.name => invoke(params, |params| self.get_run(params)).await,
            _ if method == api::GET_RUN_RESULT.name => {
                invoke(params, |params| self.run_result(params)).await
            }
            _ if method == api::INPUT_RUN.name => {
                invoke(params, |params| self.input_run(params)).await
            }
            _ if method == api::RESPOND_RUN.name => {
                invoke(params, |params| self.respond_run(params)).await
            }
            _ if method == api::CANCEL_RUN.name => {
                invoke(params, |params| self.cancel_run(params)).await
            }
            _ if method == api::DELETE_RUN.name => {
                invoke(params, |params| self.delete_run(params)).await
            }
            _ if method == api::SHUTDOWN_HOST.name => {
                invoke(params, |params| self.shutdown_host(params)).await
            }
            _ if method == api::GET_HOST_INFO.name => {
                invoke(params, |params| self.host_info(params)).await
            }
            _ if method == api::SUMMARIZE_USAGE.name => {
                invoke(params, |params| self.summarize_usage(params)).await
            }
            _ if method.starts_with("agents/") => self.call_agents(method, params).await,
            _ => self.call_adapters(method, params).await,
        }
    }

    async fn call_agents(&self, method: &str, params: Option<&RawValue>) -> CallResult {
        match method {
            _ if method == api::LIST_AGENTS.name => {
                invoke(params, |params| self.list_agents(params)).await
            }
            _ if method == api::REFRESH_AGENTS.name => {
                invoke(params, |params| self.refresh_agents(params)).await
            }
            _ if method == api::GET_AGENT.name => {
                invoke(params, |params| self.get_agent(params)).await
            }
            _ if method == api::SET_ACTIVE_AGENT.name => {
                invoke(params, |params| self.set_active_agent(params)).await
            }
            _ if method == api::LIST_AGENT_MODELS.name => {
                invoke(params, |params| self.agent_models(params)).await
            }
            _ if method == api::GET_AGENT_QUOTA.name => {
                invoke(params, |params| self.agent_quota(params)).await
            }
            _ if method == api::GET_AGENT_HEALTH.name => {
                invoke(params, |params| self.agent_health(params)).await
            }
            _ if method == api::GET_AGENT_FEATURES.name => {
                invoke(params, |params| self.agent_features(params)).await
            }
            _ => Err(unknown(method)),
        }
    }

    async fn call_adapters(&self, method: &str, params: Option<&RawValue>) -> CallResult {
        match method {
            _ if method == api::LIST_SESSIONS.name => {
                invoke(params, |params| self.list_sessions(params)).await
            }
            _ if method == api::READ_SESSION.name => {
                invoke(params, |params| self.read_session(params)).await
            }
            _ if method == api::LIST_ADAPTERS.name => {
                invoke(params, |params| self.list_adapters(params)).await
            }
            _ if method == api::TRUST_ADAPTER.name => {
                invoke(params, |params| self.trust_adapter(params)).await
            }
            _ if method == api::LIST_INSTALL_HINTS.name => {
                invoke(params, |params| self.install_hints(params)).await
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
