//! The end of a service: no more runs, an end for those that wait, time for those that go on, and then their end too.

use std::time::Duration;

use od_protocol::api::{ShutdownHostParams, ShutdownHostResult};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use super::Service;
use crate::error::HostError;

/// How long agent CLIs may take to stop politely.
const GRACE: Duration = Duration::from_secs(2);
/// What the end of a run may take beyond its grace.
const SLACK: Duration = Duration::from_secs(5);
/// How long the end of everything may take once nobody is asked politely any more.
const HARD_LIMIT: Duration = Duration::from_secs(10);

/// Nobody waits longer for runs to end.
const LONGEST_PATIENCE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How a service stands: what faces wait on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Lifecycle {
    /// It takes runs.
    #[default]
    Serving,
    /// It takes no more runs; some may be going on.
    Draining,
    /// Everything is over: the process may end.
    Stopped,
}

/// When patience ends, and how politely runs are asked then.
#[derive(Debug, Clone, Copy)]
struct Deadline {
    at: Instant,
    grace: Duration,
}

/// The two things that are told about an end.
#[derive(Debug)]
pub(super) struct Ending {
    lifecycle: watch::Sender<Lifecycle>,
    deadline: watch::Sender<Option<Deadline>>,
}

impl Default for Ending {
    fn default() -> Self {
        Self { lifecycle: watch::Sender::default(), deadline: watch::Sender::new(None) }
    }
}

impl Service {
    /// `host/shutdown`: answers at once; [`Service::lifecycle`] tells the face when to end.
    ///
    /// # Errors
    /// None so far.
    pub async fn shutdown_host(
        &self,
        params: ShutdownHostParams,
    ) -> Result<ShutdownHostResult, HostError> {
        let runs = u32::try_from(self.host().live_runs().len()).unwrap_or(u32::MAX);
        tracing::info!(runs, drain_ms = params.drain_ms, "host/shutdown ends the host");
        match params.drain_ms.map(Duration::from_millis) {
            Some(patience) => self.begin_end(patience, GRACE),
            // Whoever asks again without a word about the time leaves it at what was said before.
            None if *self.lifecycle().borrow() != Lifecycle::Serving => {}
            None => self.begin_end(self.options().drain, GRACE),
        }
        Ok(ShutdownHostResult { runs })
    }

    /// Ends the service: takes no more runs, cancels those that wait, lets those that go on do so for `patience`,
    /// then cancels them. Returns when everything is over. Called again, the earlier end counts.
    pub async fn drain(&self, patience: Duration) {
        self.begin_end(patience, GRACE);
        self.stopped().await;
    }

    /// Ends the service at once, also while it drains. Returns when everything is over.
    pub async fn stop(&self) {
        self.begin_end(Duration::ZERO, Duration::ZERO);
        self.stopped().await;
    }

    /// How the service stands, now and later.
    pub fn lifecycle(&self) -> watch::Receiver<Lifecycle> {
        self.shared.ending.lifecycle.subscribe()
    }

    pub(super) async fn stopped(&self) {
        // The sender lives as long as this service.
        drop(self.lifecycle().wait_for(|lifecycle| *lifecycle == Lifecycle::Stopped).await);
    }

    fn begin_end(&self, patience: Duration, grace: Duration) {
        let Ending { lifecycle, deadline } = &self.shared.ending;
        let at = Instant::now() + patience.min(LONGEST_PATIENCE);
        deadline.send_modify(|known| {
            let earlier = known.map_or(at, |known| known.at.min(at));
            let shorter = known.map_or(grace, |known| known.grace.min(grace));
            *known = Some(Deadline { at: earlier, grace: shorter });
        });
        let begins = lifecycle.send_if_modified(|lifecycle| {
            let begins = *lifecycle == Lifecycle::Serving;
            if begins {
                *lifecycle = Lifecycle::Draining;
            }
            begins
        });
        if begins {
            self.shared.queue.close();
            tokio::spawn(wind_down(self.clone(), deadline.subscribe()));
        }
    }

    /// Waits until no run of this process is left.
    async fn all_over(&self) {
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

async fn wind_down(service: Service, mut deadline: watch::Receiver<Option<Deadline>>) {
    if !waited(&service, &mut deadline).await {
        let over = timeout(HARD_LIMIT, service.all_over());
        if over.await.is_err() {
            tracing::error!(
                runs = service.host().live_runs().len(),
                "not every run could be ended"
            );
        }
    }
    if timeout(HARD_LIMIT, service.host().close_connections()).await.is_err() {
        tracing::error!("not every adapter could be ended");
    }
    service.shared.ending.lifecycle.send_replace(Lifecycle::Stopped);
}

/// Gives runs their time, then asks them to stop, at last without grace. `false` means that some are still there.
async fn waited(service: &Service, deadline: &mut watch::Receiver<Option<Deadline>>) -> bool {
    let over = service.all_over();
    tokio::pin!(over);
    // The shortest grace that runs were asked with.
    let mut asked: Option<Duration> = None;
    loop {
        let Some(Deadline { at, grace }) = *deadline.borrow_and_update() else { return false };
        let due = asked.map_or(at, |grace| at + grace + SLACK);
        tokio::select! {
            () = &mut over => return true,
            changed = deadline.changed() => if changed.is_err() { return false },
            () = sleep_until(due) => {}
        }
        let now = Instant::now();
        let hurried = asked.is_some_and(|asked| grace < asked);
        if now >= due && asked.is_some() {
            service.cancel_all(Duration::ZERO);
            return false;
        }
        if now >= at && (asked.is_none() || hurried) {
            service.cancel_all(grace);
            asked = Some(grace);
        }
    }
}
