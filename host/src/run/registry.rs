//! The live runs of this process, and what every run needs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::task::JoinSet;

use super::handle::RunHandle;
use crate::agents::Agents;
use crate::context::HostContext;
use crate::sync::lock;

/// Lets other processes reach a run until the returned tasks are dropped. The layer above passes it in.
pub(crate) type ServeControl = fn(&RunHandle) -> Option<JoinSet<()>>;

/// The live runs of this process. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct RunRegistry {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    context: HostContext,
    agents: Agents,
    serve_control: ServeControl,
    live: Mutex<HashMap<String, RunHandle>>,
}

impl RunRegistry {
    pub(crate) fn new(context: HostContext, agents: Agents, serve_control: ServeControl) -> Self {
        let live = Mutex::default();
        Self { shared: Arc::new(Shared { context, agents, serve_control, live }) }
    }

    pub(crate) fn context(&self) -> &HostContext {
        &self.shared.context
    }

    pub(crate) fn agents(&self) -> &Agents {
        &self.shared.agents
    }

    pub(crate) fn get(&self, run_id: &str) -> Option<RunHandle> {
        lock(&self.shared.live).get(run_id).cloned()
    }

    pub(crate) fn all(&self) -> Vec<RunHandle> {
        lock(&self.shared.live).values().cloned().collect()
    }

    /// Adds a run and lets other processes reach it until the returned tasks are dropped.
    pub(super) fn add(&self, run: &RunHandle) -> Option<JoinSet<()>> {
        lock(&self.shared.live).insert(run.id().to_owned(), run.clone());
        (self.shared.serve_control)(run)
    }

    pub(super) fn remove(&self, run: &RunHandle) {
        lock(&self.shared.live).remove(run.id());
    }
}
