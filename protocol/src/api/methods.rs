//! The table of the API's methods, and its one subscription.

use super::*;
use crate::Quota;
pub use crate::adapter::{
    CancelRunResult, HealthAdapterResult, InputRunResult, ListModelsResult, ListSessionsResult,
    ReadSessionResult, RespondRunResult,
};
use crate::methods::{Call, Method, methods};

methods! {
    LIST_AGENTS = "agents/list", gate None, limit 30_000, ListAgentsParams => ListAgentsResult,
        "Lists the agents immediately from cached information and refreshes outdated entries in the background.";
    REFRESH_AGENTS = "agents/refresh", gate None, limit 30_000, RefreshAgentsParams => ListAgentsResult,
        "Detects the agents again and responds when all are refreshed.";
    GET_AGENT = "agents/get", gate None, limit 30_000, GetAgentParams => AgentStatus,
        "Returns the status of one agent.";
    SET_ACTIVE_AGENT = "agents/setActive", gate None, limit 30_000, SetActiveAgentParams => SetActiveAgentResult,
        "Sets the active agent, which runs without an agent use. Rejected while a run is active.";
    LIST_AGENT_MODELS = "agents/models", gate None, limit 30_000, ListAgentModelsParams => ListModelsResult,
        "Lists an agent's models and their efforts.";
    GET_AGENT_QUOTA = "agents/quota", gate None, limit 30_000, GetAgentQuotaParams => Quota or null,
        "Returns the quota of an agent's account; null when it cannot be read.";
    GET_AGENT_HEALTH = "agents/health", gate None, limit 30_000, GetAgentHealthParams => HealthAdapterResult,
        "Returns the health of an agent's adapter.";
    GET_AGENT_FEATURES = "agents/features", gate None, limit 30_000, GetAgentFeaturesParams => AgentFeatures,
        "Returns which features of a client an agent supports, with reasons for the others.";
    START_RUN = "runs/start", gate None, limit 30_000, StartRunParams => StartRunResult,
        "Starts a run or queues it. Two calls with the same key start one run.";
    LIST_RUNS = "runs/list", gate None, limit 30_000, ListRunsParams => ListRunsResult,
        "Lists the runs, newest first.";
    GET_RUN = "runs/get", gate None, limit 30_000, GetRunParams => RunInfo,
        "Returns the state of one run.";
    GET_RUN_RESULT = "runs/result", gate None, limit 30_000, GetRunResultParams => RunResult,
        "Waits for the end of a run and returns its result.";
    INPUT_RUN = "runs/input", gate None, limit 30_000, InputRunParams => InputRunResult,
        "Sends input to a running run.";
    RESPOND_RUN = "runs/respond", gate None, limit 30_000, RespondRunParams => RespondRunResult,
        "Resolves an approval.";
    CANCEL_RUN = "runs/cancel", gate None, limit 30_000, CancelRunParams => CancelRunResult,
        "Stops a run and all processes that it started, or removes it from the queue.";
    DELETE_RUN = "runs/delete", gate None, limit 30_000, DeleteRunParams => DeleteRunResult,
        "Removes a finished run; the usage ledger keeps its numbers.";
    LIST_SESSIONS = "sessions/list", gate None, limit 30_000, ListSessionsParams => ListSessionsResult,
        "Lists an agent's native sessions on disk.";
    READ_SESSION = "sessions/read", gate None, limit 30_000, ReadSessionParams => ReadSessionResult,
        "Reads a native session as unified events.";
    SUMMARIZE_USAGE = "usage/summary", gate None, limit 30_000, SummarizeUsageParams => UsageSummary,
        "Returns usage grouped by agent, model, provider, credential or day.";
    LIST_ADAPTERS = "adapters/list", gate None, limit 30_000, ListAdaptersParams => ListAdaptersResult,
        "Lists the used, hidden and rejected adapters, with reasons.";
    TRUST_ADAPTER = "adapters/trust", gate None, limit 30_000, TrustAdapterParams => TrustAdapterResult,
        "Pins an executable as trusted, or revokes the trust.";
    LIST_INSTALL_HINTS = "adapters/install-hints", gate None, limit 30_000, ListInstallHintsParams => ListInstallHintsResult,
        "Returns the commands to install an agent CLI and to log in.";
    GET_HOST_INFO = "host/info", gate None, limit 30_000, GetHostInfoParams => HostStatus,
        "Returns version, limits and load of the host.";
    SHUTDOWN_HOST = "host/shutdown", gate None, limit 30_000, ShutdownHostParams => ShutdownHostResult,
        "Shuts the host down: rejects new runs, waits for active runs or cancels them, then exits.";
}

/// A subscription: the call that starts it, its notification, and the call that ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subscription {
    /// The call that starts it; its result is the subscription id.
    pub subscribe: &'static str,
    /// The notification, with `params.subscription` and `params.result`.
    pub notification: &'static str,
    /// The call that ends it; its one parameter is the subscription id.
    pub unsubscribe: &'static str,
    /// The name of the parameters' type in the schema.
    pub params: &'static str,
    /// The name of the type of `params.result` in the schema.
    pub item: &'static str,
    /// A one-sentence description.
    pub summary: &'static str,
}

/// Events of a run from any sequence number. Over HTTP, `GET /runs/{runId}/events?from=SEQ` sends
/// the same events as server-sent events.
pub const ATTACH_RUN: Subscription = Subscription {
    subscribe: "runs/attach",
    notification: "runs/event",
    unsubscribe: "runs/detach",
    params: "AttachRunParams",
    item: "RunEvents",
    summary: "Sends the events of a run from any sequence number at the client's own pace. The last event is `done`.",
};

/// All subscriptions.
pub const SUBSCRIPTIONS: &[Subscription] = &[ATTACH_RUN];
