//! Shutdown of a service: no new runs, queued runs are cancelled, running ones get time to end and are then cancelled.

use std::time::Duration;

use od_protocol::api::{ShutdownHostParams, ShutdownHostResult};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use super::Service;
use crate::error::HostError;

/// The grace period of agent CLIs when a drain cancels their runs.
const CANCEL_GRACE: Duration = Duration::from_secs(2);
/// What the end of a run may take beyond its grace period.
const CANCEL_SLACK: Duration = Duration::from_secs(5);
/// How long the shutdown may take after every run was cancelled without grace.
const HARD_LIMIT: Duration = Duration::from_secs(10);

/// The longest time that a drain waits for runs.
const MAX_DRAIN: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The lifecycle of a service. Transports wait for `Stopped`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Lifecycle {
    /// It accepts runs.
    #[default]
    Serving,
    /// It accepts no more runs; some may still be running.
    Draining,
    /// Every run and adapter has ended: the process may exit.
    Stopped,
}

/// When running runs are cancelled, and with which grace period.
#[derive(Debug, Clone, Copy)]
struct Deadline {
    at: Instant,
    grace: Duration,
}

/// The state of the shutdown.
#[derive(Debug)]
pub(super) struct Shutdown {
    lifecycle: watch::Sender<Lifecycle>,
    deadline: watch::Sender<Option<Deadline>>,
}

impl Default for Shutdown {
    fn default() -> Self {
        Self { lifecycle: watch::Sender::default(), deadline: watch::Sender::new(None) }
    }
}

impl Service {
    /// `host/shutdown`: returns at once; [`Service::lifecycle`] reports the end.
    ///
    /// # Errors
    /// Never.
    pub async fn shutdown_host(
        &self,
        params: ShutdownHostParams,
    ) -> Result<ShutdownHostResult, HostError> {
        let runs = u32::try_from(self.host().live_runs().len()).unwrap_or(u32::MAX);
        tracing::info!(runs, drain_ms = params.drain_ms, "shutdown requested");
        match params.drain_ms.map(Duration::from_millis) {
            Some(drain) => self.begin_shutdown(drain, CANCEL_GRACE),
            // A repeated call without a time keeps the earlier deadline.
            None if *self.lifecycle().borrow() != Lifecycle::Serving => {}
            None => self.begin_shutdown(self.options().drain, CANCEL_GRACE),
        }
        Ok(ShutdownHostResult { runs })
    }

    /// Shuts the service down: accepts no more runs, cancels the queued ones, gives the running ones `timeout` to end,
    /// then cancels them. Returns when everything has ended. When called again, the earlier deadline counts.
    pub async fn drain(&self, timeout: Duration) {
        self.begin_shutdown(timeout, CANCEL_GRACE);
        self.stopped().await;
    }

    /// Shuts the service down at once, also during a drain. Returns when everything has ended.
    pub async fn stop(&self) {
        self.begin_shutdown(Duration::ZERO, Duration::ZERO);
        self.stopped().await;
    }

    /// The current lifecycle and its changes.
    pub fn lifecycle(&self) -> watch::Receiver<Lifecycle> {
        self.shared.shutdown.lifecycle.subscribe()
    }

    pub(super) async fn stopped(&self) {
        // The sender lives as long as this service.
        drop(self.lifecycle().wait_for(|lifecycle| *lifecycle == Lifecycle::Stopped).await);
    }

    fn begin_shutdown(&self, timeout: Duration, grace: Duration) {
        let Shutdown { lifecycle, deadline } = &self.shared.shutdown;
        let at = Instant::now() + timeout.min(MAX_DRAIN);
        deadline.send_modify(|known| {
            let earlier = known.map_or(at, |known| known.at.min(at));
            let shorter = known.map_or(grace, |known| known.grace.min(grace));
            *known = Some(Deadline { at: earlier, grace: shorter });
        });
        let is_first = lifecycle.send_if_modified(|lifecycle| {
            let is_first = *lifecycle == Lifecycle::Serving;
            if is_first {
                *lifecycle = Lifecycle::Draining;
            }
            is_first
        });
        if is_first {
            self.shared.queue.close();
            tokio::spawn(shut_down(self.clone(), deadline.subscribe()));
        }
    }

    /// Waits until no run of this process is live.
    async fn all_ended(&self) {
        loop {
            self.shared.queue.wait_until_empty().await;
            match self.host().live_runs().pop() {
                Some(run) => drop(run.wait().await),
                None => return,
            }
        }
    }

    fn cancel_all(&self, grace: Duration) {
        for run in self.host().live_runs() {
            run.cancel(grace);
        }
    }
}

async fn shut_down(service: Service, mut deadline: watch::Receiver<Option<Deadline>>) {
    if !wait_for_runs(&service, &mut deadline).await {
        let ended = timeout(HARD_LIMIT, service.all_ended());
        if ended.await.is_err() {
            tracing::error!(runs = service.host().live_runs().len(), "not every run has ended");
        }
    }
    if timeout(HARD_LIMIT, service.host().close_connections()).await.is_err() {
        tracing::error!("not every adapter has exited");
    }
    service.shared.shutdown.lifecycle.send_replace(Lifecycle::Stopped);
}

/// Waits for the runs, cancels them at the deadline, and again without grace after that. Returns `false` when some are
/// still live.
async fn wait_for_runs(
    service: &Service,
    deadline: &mut watch::Receiver<Option<Deadline>>,
) -> bool {
    let ended = service.all_ended();
    tokio::pin!(ended);
    // The shortest grace period that runs were cancelled with.
    let mut cancelled: Option<Duration> = None;
    loop {
        let Some(Deadline { at, grace }) = *deadline.borrow_and_update() else { return false };
        let due = cancelled.map_or(at, |grace| at + grace + CANCEL_SLACK);
        tokio::select! {
            () = &mut ended => return true,
            changed = deadline.changed() => if changed.is_err() { return false },
            () = sleep_until(due) => {}
        }
        let now = Instant::now();
        let is_shorter = cancelled.is_some_and(|cancelled| grace < cancelled);
        if now >= due && cancelled.is_some() {
            service.cancel_all(Duration::ZERO);
            return false;
        }
        if now >= at && (cancelled.is_none() || is_shorter) {
            service.cancel_all(grace);
            cancelled = Some(grace);
        }
    }
}
