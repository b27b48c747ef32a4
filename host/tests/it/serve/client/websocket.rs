//! Calls and events over one WebSocket, with a third-party client library.

use jsonrpsee::core::client::{ClientT, Error, Subscription, SubscriptionClientT};
use jsonrpsee::ws_client::WsClient;
use serde_json::Value;
use tokio::runtime::Runtime;

use super::{Client, Events, Matches, Reply, take};
use crate::cli::scratch::Scratch;
use crate::serve::server_process::ServeProcess;
use crate::serve::websocket::{error_of, object};

pub(super) struct WebSocketClient {
    host: ServeProcess,
    client: WsClient,
    runtime: Runtime,
}

impl WebSocketClient {
    pub(super) fn open(scratch: Scratch) -> Self {
        let host = ServeProcess::start(scratch, &[]);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let client = runtime.block_on(host.websocket());
        Self { host, client, runtime }
    }
}

impl Client for WebSocketClient {
    fn scratch(&self) -> &Scratch {
        &self.host.scratch
    }

    fn call(&mut self, method: &str, params: &Value) -> Reply {
        let answer = self.runtime.block_on(self.client.request(method, object(params)));
        answer.map_err(error)
    }

    fn race(&mut self, method: &str, params: &Value) -> [Reply; 2] {
        let call = || self.client.request(method, object(params));
        let (one, two) = self.runtime.block_on(async { tokio::join!(call(), call()) });
        [one.map_err(error), two.map_err(error)]
    }

    fn read(&mut self, run_id: &str, from: u64, matches: Matches<'_>) -> Events {
        let params = object(&serde_json::json!({"runId": run_id, "from": from}));
        self.runtime.block_on(async {
            let attached = self.client.subscribe("runs/attach", params, "runs/detach").await;
            let mut subscription: Subscription<Value> = attached.map_err(error)?;
            let mut events = Vec::new();
            while let Some(item) = subscription.next().await {
                let batch = item.expect("an item")["events"].as_array().cloned();
                if take(&mut events, batch.expect("events"), matches) {
                    break;
                }
            }
            subscription.unsubscribe().await.expect("detached");
            Ok(events)
        })
    }

    fn wait_for_exit(mut self: Box<Self>) -> Option<i32> {
        self.host.wait()
    }
}

fn error(failure: Error) -> Value {
    serde_json::to_value(error_of(failure)).expect("JSON")
}
