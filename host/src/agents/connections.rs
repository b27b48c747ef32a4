//! Adapter processes for calls outside runs: one per agent, started by the first call, shared by concurrent calls and
//! kept for some time. A task owns each process: it reaps one that dies and closes one that is idle for too long.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use od_protocol::{Call, ErrorKind, ErrorObject};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use crate::context::HostContext;
use crate::discover::Adapter;
use crate::error::HostError;
use crate::plugin::caller::Caller;
use crate::plugin::{FINAL_OUTPUT_GRACE, Plugin};
use crate::sync::lock;

/// The kept processes by agent.
#[derive(Debug, Default)]
pub(super) struct Connections {
    slots: Mutex<HashMap<String, Slot>>,
}

/// The lock ensures that two concurrent calls start one process.
type Slot = Arc<tokio::sync::Mutex<Option<Connection>>>;

/// A connection to one adapter process.
#[derive(Debug, Clone)]
struct Connection {
    sha256: String,
    caller: Caller,
    usage: Arc<watch::Sender<ConnectionUse>>,
    /// Why the process died, when it did; the channel closes when the process has exited.
    ended: watch::Receiver<Option<ErrorObject>>,
}

#[derive(Debug, Clone, Copy)]
struct ConnectionUse {
    stage: Stage,
    calls: usize,
    idle_since: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Accepts calls.
    Open,
    /// Accepts no more calls and ends after the running ones.
    Retired,
    /// Ends now.
    Closing,
}

struct RunningCall {
    connection: Connection,
    /// The process was started by an earlier call.
    is_reused: bool,
}

impl Connections {
    /// Calls an adapter. A kept process that has died is replaced once.
    ///
    /// # Errors
    /// When no adapter has this id, `capability_unsupported` before anything is started, or the adapter's error.
    pub(super) async fn call<P: Call + Clone>(
        &self,
        context: &HostContext,
        agent: &str,
        params: P,
    ) -> Result<P::Result, HostError> {
        let adapter = context.adapter(agent).await?;
        check_capability::<P>(&adapter)?;
        let call = self.connect(context, &adapter).await?;
        let answer = call.send(params.clone()).await;
        let died = answer.as_ref().is_err_and(|error| error.kind() == ErrorKind::PluginCrashed);
        if died && call.is_reused {
            return Ok(self.connect(context, &adapter).await?.send(params).await?);
        }
        Ok(answer?)
    }

    /// Returns the process of an agent; starts one when none accepts calls.
    async fn connect(
        &self,
        context: &HostContext,
        adapter: &Adapter,
    ) -> Result<RunningCall, ErrorObject> {
        let slot = Arc::clone(lock(&self.slots).entry(adapter.id.clone()).or_default());
        let mut slot = slot.lock().await;
        if let Some(connection) = slot.take() {
            if connection.sha256 == adapter.sha256 && connection.begin_call() {
                *slot = Some(connection.clone());
                return Ok(RunningCall { connection, is_reused: true });
            }
            connection.retire();
        }
        let plugin = context.launch(adapter).await?;
        let keep = context.options().keep_adapters;
        let connection = Connection::new(plugin, adapter.sha256.clone(), keep);
        *slot = Some(connection.clone());
        Ok(RunningCall { connection, is_reused: false })
    }

    /// Closes all processes and waits until they have exited.
    pub(super) async fn close(&self) {
        let slots: Vec<Slot> = lock(&self.slots).drain().map(|(_, slot)| slot).collect();
        let mut ends = Vec::new();
        for slot in slots {
            if let Some(connection) = slot.lock().await.take() {
                connection.usage.send_modify(|usage| usage.stage = Stage::Closing);
                ends.push(connection.ended);
            }
        }
        for mut end in ends {
            // A report that the process died is not its exit; the channel closes at the exit.
            while end.changed().await.is_ok() {}
        }
    }
}

fn check_capability<P: Call>(adapter: &Adapter) -> Result<(), HostError> {
    let Some(gate) = P::METHOD.gate else { return Ok(()) };
    let declared = serde_json::to_value(&adapter.manifest.capabilities).unwrap_or_default();
    if declared.get(gate).is_some() {
        return Ok(());
    }
    let (name, method) = (&adapter.manifest.display_name, P::METHOD.name);
    let text = format!("{name} does not support {method} (capability {gate:?})");
    let hint = format!("see what it supports: od-host capabilities -a {}", adapter.id);
    let error = HostError::protocol(ErrorKind::CapabilityUnsupported, text);
    Err(error.with_hint(hint).with_which(gate))
}

impl Connection {
    /// A new process with its first call.
    fn new(plugin: Plugin, sha256: String, keep: Duration) -> Self {
        let first = ConnectionUse { stage: Stage::Open, calls: 1, idle_since: Instant::now() };
        let usage = Arc::new(watch::Sender::new(first));
        let (ending, ended) = watch::channel(None);
        let caller = plugin.caller().clone();
        tokio::spawn(own(plugin, Arc::clone(&usage), ending, keep));
        Self { sha256, caller, usage, ended }
    }

    /// Returns false when the process accepts no more calls.
    fn begin_call(&self) -> bool {
        self.usage.send_if_modified(|usage| {
            let is_open = usage.stage == Stage::Open;
            usage.calls += usize::from(is_open);
            is_open
        })
    }

    fn retire(&self) {
        self.usage.send_if_modified(|usage| {
            let is_open = usage.stage == Stage::Open;
            if is_open {
                usage.stage = Stage::Retired;
            }
            is_open
        });
    }
}

impl RunningCall {
    async fn send<P: Call>(&self, params: P) -> Result<P::Result, ErrorObject> {
        let answer = self.connection.caller.call(params).await;
        let Err(error) = answer else { return answer };
        match error.kind() {
            ErrorKind::PluginHung => {
                self.connection.retire();
                Err(error)
            }
            ErrorKind::PluginCrashed => {
                let mut ended = self.connection.ended.clone();
                let reason = timeout(2 * FINAL_OUTPUT_GRACE, ended.wait_for(Option::is_some)).await;
                Err(reason.ok().and_then(|reason| reason.ok()?.clone()).unwrap_or(error))
            }
            _ => Err(error),
        }
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.connection.usage.send_modify(|usage| {
            usage.calls -= 1;
            usage.idle_since = Instant::now();
        });
    }
}

/// Owns a process until it dies, is idle for too long, or is closed.
async fn own(
    mut plugin: Plugin,
    usage: Arc<watch::Sender<ConnectionUse>>,
    ending: watch::Sender<Option<ErrorObject>>,
    keep: Duration,
) {
    let mut changes = usage.subscribe();
    let died = loop {
        let now = *changes.borrow_and_update();
        if now.stage == Stage::Closing || (now.stage == Stage::Retired && now.calls == 0) {
            break false;
        }
        tokio::select! {
            _ = plugin.exited() => break true,
            _ = changes.changed() => {}
            () = idle_for(keep, now) => drop(usage.send_if_modified(|usage| {
                let is_idle = usage.calls == 0;
                if is_idle {
                    usage.stage = Stage::Closing;
                }
                is_idle
            })),
        }
    };
    usage.send_modify(|usage| usage.stage = Stage::Closing);
    if died {
        let error = plugin.caller().crashed("the adapter exited unexpectedly");
        plugin.caller().observations().counters().failed(&error.kind());
        ending.send_replace(Some(plugin.explain(error).await));
    }
    plugin.close().await;
}

async fn idle_for(keep: Duration, usage: ConnectionUse) {
    match usage.calls {
        0 => sleep_until(usage.idle_since + keep).await,
        _ => std::future::pending().await,
    }
}
