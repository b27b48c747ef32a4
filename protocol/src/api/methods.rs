//! The table of the API's methods and its one subscription.

use super::*;
use crate::methods::{Call, Method, methods};
use crate::{
    CancelRunResult, GetQuotaResult, HealthAdapterResult, InputRunResult, ListModelsResult,
    ListSessionsResult, ReadSessionsResult, RespondRunResult,
};

methods! {
    LIST_AGENTS = "agents/list", gate None, limit 30_000, ListAgentsParams => ListAgentsResult,
        "Lists the agents at once from what is known; what is stale is looked at again meanwhile.";
    REFRESH_AGENTS = "agents/refresh", gate None, limit 30_000, RefreshAgentsParams => ListAgentsResult,
        "Looks at the agents again and answers when all have been looked at.";
    GET_AGENT = "agents/get", gate None, limit 30_000, GetAgentParams => AgentStatus,
        "Says all that is known of one agent.";
    SET_ACTIVE_AGENT = "agents/setActive", gate None, limit 30_000, SetActiveAgentParams => SetActiveAgentResult,
        "Makes an agent the one that runs without a name get; refused while a run is going on.";
    LIST_AGENT_MODELS = "agents/models", gate None, limit 30_000, ListAgentModelsParams => ListModelsResult,
        "Lists an agent's models and their efforts.";
    GET_AGENT_QUOTA = "agents/quota", gate None, limit 30_000, GetAgentQuotaParams => GetQuotaResult or null,
        "Reads what is left of an agent's allowance; null when that cannot be read.";
    GET_AGENT_HEALTH = "agents/health", gate None, limit 30_000, GetAgentHealthParams => HealthAdapterResult,
        "Asks an agent's adapter how it feels.";
    GET_AGENT_FEATURES = "agents/features", gate None, limit 30_000, GetAgentFeaturesParams => AgentFeatures,
        "Says which features of an app an agent can carry, and why not where it cannot.";
    START_RUNS = "runs/start", gate None, limit 30_000, StartRunsParams => StartRunsResult,
        "Starts a run or puts it into the queue; the same key twice starts it once.";
    LIST_RUNS = "runs/list", gate None, limit 30_000, ListRunsParams => ListRunsResult,
        "Lists the runs, the newest first.";
    GET_RUN = "runs/get", gate None, limit 30_000, GetRunParams => RunInfo,
        "Says how one run stands.";
    GET_RUN_RESULT = "runs/result", gate None, limit 30_000, GetRunResultParams => RunResult,
        "Waits for the end of a run and says what came of it.";
    INPUT_RUNS = "runs/input", gate None, limit 30_000, InputRunsParams => InputRunResult,
        "Says something to a run that is going on.";
    RESPOND_RUNS = "runs/respond", gate None, limit 30_000, RespondRunsParams => RespondRunResult,
        "Answers an approval.";
    CANCEL_RUNS = "runs/cancel", gate None, limit 30_000, CancelRunsParams => CancelRunResult,
        "Stops a run with everything it started, or takes it out of the queue.";
    DELETE_RUNS = "runs/delete", gate None, limit 30_000, DeleteRunsParams => DeleteRunsResult,
        "Removes a run that is over; the usage ledger keeps its figures.";
    LIST_AGENT_SESSIONS = "sessions/list", gate None, limit 30_000, ListAgentSessionsParams => ListSessionsResult,
        "Lists an agent's native sessions on disk.";
    READ_AGENT_SESSION = "sessions/read", gate None, limit 30_000, ReadAgentSessionParams => ReadSessionsResult,
        "Reads a native session as unified events.";
    SUMMARIZE_USAGE = "usage/summary", gate None, limit 30_000, SummarizeUsageParams => UsageSummary,
        "Adds up what was used: by agent, model, provider, credential or day.";
    LIST_ADAPTERS = "adapters/list", gate None, limit 30_000, ListAdaptersParams => ListAdaptersResult,
        "Lists the adapters that are used, hidden and passed over, with the reasons.";
    TRUST_ADAPTERS = "adapters/trust", gate None, limit 30_000, TrustAdaptersParams => TrustAdaptersResult,
        "Pins an executable as trusted, or takes that back.";
    LIST_INSTALL_HINTS = "adapters/install-hints", gate None, limit 30_000, ListInstallHintsParams => ListInstallHintsResult,
        "Says what to type to install an agent CLI and to log in.";
    GET_HOST_INFO = "host/info", gate None, limit 30_000, GetHostInfoParams => HostStatus,
        "Says who answers, and how busy it is.";
    SHUTDOWN_HOST = "host/shutdown", gate None, limit 30_000, ShutdownHostParams => ShutdownHostResult,
        "Takes no more runs, lets the ones that go on end or cancels them, and ends the host.";
}

/// A subscription: the call that begins it, what arrives, and the call that ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subscription {
    /// The call that begins it; its result is the subscription's id.
    pub subscribe: &'static str,
    /// The notification that arrives, with `params.subscription` and `params.result`.
    pub notification: &'static str,
    /// The call that ends it; its one parameter is the subscription's id.
    pub unsubscribe: &'static str,
    /// The name of the parameters' type in the schema.
    pub params: &'static str,
    /// The name of the type of `params.result` in the schema.
    pub item: &'static str,
    /// In one sentence.
    pub summary: &'static str,
}

/// Events of a run, from any number on. Over HTTP the same comes from
/// `GET /runs/{runId}/events?from=SEQ` as server-sent events.
pub const ATTACH_RUNS: Subscription = Subscription {
    subscribe: "runs/attach",
    notification: "runs/event",
    unsubscribe: "runs/detach",
    params: "AttachRunsParams",
    item: "RunEvents",
    summary: "Sends the events of a run from any number on, at the client's own pace; the last is `done`.",
};

/// All subscriptions.
pub const SUBSCRIPTIONS: &[Subscription] = &[ATTACH_RUNS];
