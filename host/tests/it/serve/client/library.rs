//! The API as functions, without a transport.

use std::time::Duration;

use od_host::home::OdHome;
use od_host::serve::ServeSettings;
use od_host::service::{self, Lifecycle, Roots};
use od_host::{Host, HostOptions, Service, ServiceOptions};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tokio::runtime::Runtime;

use super::{Client, Events, Matches, Reply, take};
use crate::cli::scratch::Scratch;

pub(super) struct LibraryClient {
    scratch: Scratch,
    service: Service,
    runtime: Runtime,
}

impl LibraryClient {
    pub(super) fn open(scratch: Scratch) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let home = OdHome::at(scratch.path("od")).expect("an absolute path");
        let mut options = HostOptions::new(home);
        options.adapter_dirs = vec![scratch.path("adapters")];
        options.search_path = Some("/usr/bin:/bin".into());
        let service = runtime.block_on(async {
            let host = Host::open(options).expect("a host");
            let serve = ServeSettings::default();
            let options = ServiceOptions {
                roots: Roots::new([scratch.path("")]).expect("a root"),
                max_request_bytes: serve.max_request_bytes.into(),
                max_calls_per_second: serve.max_calls_per_second,
                drain: Duration::ZERO,
            };
            Service::new(host, options)
        });
        Self { scratch, service, runtime }
    }

    async fn call_service(&self, method: &str, params: &RawValue) -> Reply {
        let client = service::Client("library".to_owned());
        match self.service.call(&client, method, Some(params)).await {
            Ok(result) => Ok(serde_json::from_str(result.get()).expect("JSON")),
            Err(error) => Err(serde_json::to_value(error).expect("JSON")),
        }
    }
}

impl Client for LibraryClient {
    fn scratch(&self) -> &Scratch {
        &self.scratch
    }

    fn call(&mut self, method: &str, params: &Value) -> Reply {
        let params = to_raw_value(params).expect("JSON");
        self.runtime.block_on(self.call_service(method, &params))
    }

    fn race(&mut self, method: &str, params: &Value) -> [Reply; 2] {
        let params = to_raw_value(params).expect("JSON");
        let call = || self.call_service(method, &params);
        let (one, two) = self.runtime.block_on(async { tokio::join!(call(), call()) });
        [one, two]
    }

    fn read(&mut self, run_id: &str, from: u64, matches: Matches<'_>) -> Events {
        let reader = self.service.events(run_id, from);
        let mut reader = reader
            .map_err(|error| serde_json::to_value(error.into_error_object()).expect("JSON"))?;
        let mut events = Vec::new();
        self.runtime.block_on(async {
            while let Some(event) = reader.next().await.expect("an event") {
                let event = serde_json::from_slice(event.bytes).expect("an envelope");
                if take(&mut events, [event], matches) {
                    break;
                }
            }
        });
        Ok(events)
    }

    fn wait_for_exit(self: Box<Self>) -> Option<i32> {
        let mut lifecycle = self.service.lifecycle();
        let stopped = lifecycle.wait_for(|lifecycle| *lifecycle == Lifecycle::Stopped);
        self.runtime.block_on(stopped).is_ok().then_some(0)
    }
}
