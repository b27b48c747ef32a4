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
                self.invoke(params, async |service: &Self, params| {
                    service.start_run(client, params).await
                })
                .await
            }
            _ if method == api::LIST_RUNS.name => self.invoke(params, Self::list_runs).await,
            _ if method == api::GET_RUN.name => self.invoke(params, Self::get_run).await,
            _ if method == api::GET_RUN_RESULT.name => self.invoke(params, Self::run_result).await,
            _ if method == api::INPUT_RUN.name => self.invoke(params, Self::input_run).await,
            _ if method == api::RESPOND_RUN.name => self.invoke(params, Self::respond_run).await,
            _ if method == api::CANCEL_RUN.name => self.invoke(params, Self::cancel_run).await,
            _ if method == api::DELETE_RUN.name => self.invoke(params, Self::delete_run).await,
            _ if method == api::SHUTDOWN_HOST.name => {
                self.invoke(params, Self::shutdown_host).await
            }
            _ if method == api::GET_HOST_INFO.name => self.invoke(params, Self::host_info).await,
            _ if method == api::SUMMARIZE_USAGE.name => {
                self.invoke(params, Self::summarize_usage).await
            }
            _ if method.starts_with("agents/") => self.call_agents(method, params).await,
            _ => self.call_adapters(method, params).await,
        }
    }

    async fn call_agents(&self, method: &str, params: Option<&RawValue>) -> CallResult {
        match method {
            _ if method == api::LIST_AGENTS.name => self.invoke(params, Self::list_agents).await,
            _ if method == api::REFRESH_AGENTS.name => {
                self.invoke(params, Self::refresh_agents).await
            }
            _ if method == api::GET_AGENT.name => self.invoke(params, Self::get_agent).await,
            _ if method == api::SET_ACTIVE_AGENT.name => {
                self.invoke(params, Self::set_active_agent).await
            }
            _ if method == api::LIST_AGENT_MODELS.name => {
                self.invoke(params, Self::agent_models).await
            }
            _ if method == api::GET_AGENT_QUOTA.name => {
                self.invoke(params, Self::agent_quota).await
            }
            _ if method == api::GET_AGENT_HEALTH.name => {
                self.invoke(params, Self::agent_health).await
            }
            _ if method == api::GET_AGENT_FEATURES.name => {
                self.invoke(params, Self::agent_features).await
            }
            _ => Err(unknown(method)),
        }
    }

    async fn call_adapters(&self, method: &str, params: Option<&RawValue>) -> CallResult {
        match method {
            _ if method == api::LIST_SESSIONS.name => {
                self.invoke(params, Self::list_sessions).await
            }
            _ if method == api::READ_SESSION.name => self.invoke(params, Self::read_session).await,
            _ if method == api::LIST_ADAPTERS.name => {
                self.invoke(params, Self::list_adapters).await
            }
            _ if method == api::TRUST_ADAPTER.name => {
                self.invoke(params, Self::trust_adapter).await
            }
            _ if method == api::LIST_INSTALL_HINTS.name => {
                self.invoke(params, Self::install_hints).await
            }
            _ => Err(unknown(method)),
        }
    }

    async fn invoke<P: Call>(
        &self,
        params: Option<&RawValue>,
        function: impl AsyncFnOnce(&Self, P) -> Result<P::Result, HostError>,
    ) -> CallResult {
        let params: P = params::parse(P::METHOD.name, P::METHOD.params, params.map(RawValue::get))?;
        let result = function(self, params).await.map_err(HostError::into_error_object)?;
        to_json(&result)
    }
}

fn unknown(method: &str) -> ErrorObject {
    ErrorObject::new(ErrorKind::MethodNotFound, format!("unknown method {method:?}"))
        .with_hint(params::DISCOVER_HINT)
}
