//! Adapters for calls outside runs: one process for each agent, started when the first call comes, kept
//! for a while and used by several calls at once. A task owns each process, so one that dies is
//! reaped at once and one that nobody needs is closed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use od_protocol::{Call, ErrorKind, ErrorObject};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use crate::discover::Adapter;
use crate::error::HostError;
use crate::host::Host;
use crate::plugin::caller::Caller;
use crate::plugin::{LAST_WORDS, Plugin};

/// The processes that are kept, by the agent.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    slots: Mutex<HashMap<String, Slot>>,
}

/// The lock makes sure that two calls at once start one process.
type Slot = Arc<tokio::sync::Mutex<Option<Line>>>;

/// The way to one process.
#[derive(Debug, Clone)]
struct Line {
    sha256: String,
    caller: Caller,
    uses: Arc<watch::Sender<Uses>>,
    /// How the process ended, when it did so by itself; the sender is gone when nothing is left.
    ended: watch::Receiver<Option<ErrorObject>>,
}

#[derive(Debug, Clone, Copy)]
struct Uses {
    stage: Stage,
    calls: usize,
    idle_since: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Takes calls.
    Open,
    /// Takes no more calls and ends after the ones that go on.
    Retired,
    /// Ends now.
    Closing,
}

/// A call that goes on.
struct Use {
    line: Line,
    /// The process was there before.
    kept: bool,
}

/// Asks an agent's adapter outside a run. A process that was kept and turns out dead is replaced once.
///
/// # Errors
/// When there is no such agent, `capability_unsupported` before anything is started, or what the adapter
/// answered.
pub(crate) async fn ask<P: Call + Clone>(
    host: &Host,
    agent: &str,
    params: P,
) -> Result<P::Result, HostError> {
    let adapter = host.adapter(agent).await?;
    check_gate::<P>(&adapter)?;
    let connections = host.connections();
    let used = connections.line(host, &adapter).await?;
    let answer = used.call(params.clone()).await;
    let died = answer.as_ref().is_err_and(|error| error.kind() == ErrorKind::PluginCrashed);
    if died && used.kept {
        return Ok(connections.line(host, &adapter).await?.call(params).await?);
    }
    Ok(answer?)
}

fn check_gate<P: Call>(adapter: &Adapter) -> Result<(), HostError> {
    let Some(gate) = P::METHOD.gate else { return Ok(()) };
    let declared = serde_json::to_value(&adapter.manifest.capabilities).unwrap_or_default();
    if declared.get(gate).is_some() {
        return Ok(());
    }
    let (name, method) = (&adapter.manifest.display_name, P::METHOD.name);
    let text = format!("{name} has no {method}: its adapter lacks the capability {gate:?}");
    let hint = format!("`od-host capabilities -a {}` shows what it can do", adapter.id);
    let error = HostError::protocol(ErrorKind::CapabilityUnsupported, text);
    Err(error.with_hint(hint).with_which(gate))
}

impl Connections {
    /// The process of an agent, started when there is none that takes calls.
    async fn line(&self, host: &Host, adapter: &Adapter) -> Result<Use, ErrorObject> {
        let slot = Arc::clone(self.slots().entry(adapter.id.clone()).or_default());
        let mut slot = slot.lock().await;
        if let Some(line) = slot.take() {
            if line.sha256 == adapter.sha256 && line.begin_call() {
                *slot = Some(line.clone());
                return Ok(Use { line, kept: true });
            }
            line.retire();
        }
        let plugin = host.launch(adapter).await?;
        let line = Line::of(plugin, adapter.sha256.clone(), host.options().keep_adapters);
        *slot = Some(line.clone());
        Ok(Use { line, kept: false })
    }

    /// Ends all of them and waits until they are gone.
    pub(crate) async fn close(&self) {
        let slots: Vec<Slot> = self.slots().drain().map(|(_, slot)| slot).collect();
        let mut ends = Vec::new();
        for slot in slots {
            if let Some(line) = slot.lock().await.take() {
                line.uses.send_modify(|uses| uses.stage = Stage::Closing);
                ends.push(line.ended);
            }
        }
        for mut end in ends {
            // News that it died is not the end yet; the sender is gone when it is.
            while end.changed().await.is_ok() {}
        }
    }

    fn slots(&self) -> std::sync::MutexGuard<'_, HashMap<String, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    /// A new process, with its first call begun.
    fn of(plugin: Plugin, sha256: String, keep: Duration) -> Self {
        let begun = Uses { stage: Stage::Open, calls: 1, idle_since: Instant::now() };
        let uses = Arc::new(watch::Sender::new(begun));
        let (ending, ended) = watch::channel(None);
        let caller = plugin.caller().clone();
        tokio::spawn(own(plugin, Arc::clone(&uses), ending, keep));
        Self { sha256, caller, uses, ended }
    }

    /// False when it takes no more calls.
    fn begin_call(&self) -> bool {
        self.uses.send_if_modified(|uses| {
            let open = uses.stage == Stage::Open;
            uses.calls += usize::from(open);
            open
        })
    }

    fn retire(&self) {
        self.uses.send_if_modified(|uses| {
            let open = uses.stage == Stage::Open;
            if open {
                uses.stage = Stage::Retired;
            }
            open
        });
    }
}

impl Use {
    async fn call<P: Call>(&self, params: P) -> Result<P::Result, ErrorObject> {
        let answer = self.line.caller.call(params).await;
        let Err(error) = answer else { return answer };
        match error.kind() {
            ErrorKind::PluginHung => {
                self.line.retire();
                Err(error)
            }
            ErrorKind::PluginCrashed => {
                let mut ended = self.line.ended.clone();
                let told = timeout(2 * LAST_WORDS, ended.wait_for(Option::is_some)).await;
                Err(told.ok().and_then(|told| told.ok()?.clone()).unwrap_or(error))
            }
            _ => Err(error),
        }
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        self.line.uses.send_modify(|uses| {
            uses.calls -= 1;
            uses.idle_since = Instant::now();
        });
    }
}

/// Keeps a process until it dies, nobody has used it for a while, or it is told to end.
async fn own(
    mut plugin: Plugin,
    uses: Arc<watch::Sender<Uses>>,
    ending: watch::Sender<Option<ErrorObject>>,
    keep: Duration,
) {
    let mut changes = uses.subscribe();
    let died = loop {
        let now = *changes.borrow_and_update();
        if now.stage == Stage::Closing || (now.stage == Stage::Retired && now.calls == 0) {
            break false;
        }
        tokio::select! {
            _ = plugin.exited() => break true,
            _ = changes.changed() => {}
            () = unused_for(keep, now) => drop(uses.send_if_modified(|uses| {
                let unused = uses.calls == 0;
                if unused {
                    uses.stage = Stage::Closing;
                }
                unused
            })),
        }
    };
    uses.send_modify(|uses| uses.stage = Stage::Closing);
    if died {
        let error = plugin.caller().crashed("the adapter ended unexpectedly");
        plugin.caller().observations().meter().failed(&error.kind());
        ending.send_replace(Some(plugin.explain(error).await));
    }
    plugin.close().await;
}

async fn unused_for(keep: Duration, uses: Uses) {
    match uses.calls {
        0 => sleep_until(uses.idle_since + keep).await,
        _ => std::future::pending().await,
    }
}
