//! Calls over a WebSocket: a layer in front of jsonrpsee's own table of methods, so that every call is answered, counted
//! and refused in the same words as through the other faces.

use jsonrpsee::core::middleware::{Batch, Notification, RpcServiceT};
use jsonrpsee::core::server::{MethodResponse, ResponsePayload};
use jsonrpsee::types::{Id, Request};
use od_protocol::api::ATTACH_RUNS;
use od_protocol::{ErrorKind, ErrorObject};

use super::super::calls;
use super::super::refusal::Refusal;
use super::{Connection, LARGEST_ANSWER, owned};
use crate::service::Service;

/// Answers every call with the [`Service`]; only subscriptions go further in.
#[derive(Debug, Clone)]
pub(super) struct AnswerLayer {
    pub(super) service: Service,
    pub(super) max_bytes: u32,
}

/// The layer around jsonrpsee's table.
#[derive(Debug, Clone)]
pub(super) struct Answers<S> {
    layer: AnswerLayer,
    inner: S,
}

impl AnswerLayer {
    fn admit(&self, connection: &Connection, request: &Request<'_>) -> Result<(), Refusal> {
        let length = request.params.as_ref().map_or(0, |params| params.get().len());
        let admitted = match connection.rate.check() {
            Err(wait) => Err(Refusal::too_many_calls(wait)),
            Ok(()) if length > self.max_bytes as usize => Err(Refusal::too_large(self.max_bytes)),
            Ok(()) => Ok(()),
        };
        if let Err(Refusal { reason: Some(reason), .. }) = &admitted {
            self.service.host().telemetry().metrics().refused(*reason);
        }
        admitted
    }
}

impl<S> tower::Layer<S> for AnswerLayer {
    type Service = Answers<S>;

    fn layer(&self, inner: S) -> Answers<S> {
        Answers { layer: self.clone(), inner }
    }
}

impl<S> RpcServiceT for Answers<S>
where
    S: RpcServiceT<MethodResponse = MethodResponse> + Clone + Send + Sync + 'static,
{
    type MethodResponse = MethodResponse;
    type NotificationResponse = MethodResponse;
    type BatchResponse = MethodResponse;

    fn call<'a>(&self, request: Request<'a>) -> impl Future<Output = MethodResponse> + Send + 'a {
        let Self { layer, inner } = self.clone();
        async move {
            let Some(connection) = request.extensions.get::<Connection>() else {
                let error = ErrorObject::new(ErrorKind::Internal, "the connection is unknown");
                return MethodResponse::error(request.id, owned(error));
            };
            if let Err(refusal) = layer.admit(connection, &request) {
                return MethodResponse::error(request.id, owned(*refusal.error));
            }
            if [ATTACH_RUNS.subscribe, ATTACH_RUNS.unsubscribe].contains(&&*request.method) {
                return inner.call(request).await;
            }
            let _place = match calls::take_waiting_place(&request.method, &connection.waiting) {
                Ok(place) => place,
                Err(error) => return MethodResponse::error(request.id, owned(error)),
            };
            let client = &connection.client;
            let params = request.params.as_deref();
            let answer = calls::call(&layer.service, client, &request.method, params);
            respond(request.id.clone(), answer.await)
        }
    }

    fn batch<'a>(&self, _batch: Batch<'a>) -> impl Future<Output = MethodResponse> + Send + 'a {
        let error = calls::no_batches();
        std::future::ready(MethodResponse::error(Id::Null, owned(error)))
    }

    fn notification<'a>(
        &self,
        _notification: Notification<'a>,
    ) -> impl Future<Output = MethodResponse> + Send + 'a {
        std::future::ready(MethodResponse::notification())
    }
}

fn respond(id: Id<'_>, answer: calls::Answer) -> MethodResponse {
    match answer {
        Ok(result) => {
            MethodResponse::response(id, ResponsePayload::success(result), LARGEST_ANSWER as usize)
        }
        Err(error) => MethodResponse::error(id, owned(error)),
    }
}
