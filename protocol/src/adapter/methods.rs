//! The table of the methods that the host calls on an adapter.

use super::*;
use crate::Quota;
use crate::methods::{Call, Method, methods};

/// The notification an adapter sends for each event.
pub const RUN_EVENT: &str = "run/event";

/// The notification that cancels a request.
pub const CANCEL_REQUEST: &str = "$/cancelRequest";

methods! {
    INITIALIZE = "initialize", gate None, limit 5_000, InitializeParams => InitializeResult,
        "Negotiates the protocol major and passes the configuration.";
    PING = "ping", gate None, limit 1_000, PingParams => PingResult,
        "Responds immediately, also while runs emit many events.";
    HEALTH_ADAPTER = "adapter/health", gate None, limit 5_000, HealthAdapterParams => HealthAdapterResult,
        "Returns the health of the adapter, also when the agent CLI hangs.";
    DETECT_ADAPTER = "adapter/detect", gate None, limit 5_000, DetectAdapterParams => DetectAdapterResult,
        "Detects the agent CLI, its version and login: read-only, local and fast.";
    LIST_MODELS = "models/list", gate Some("models"), limit 15_000, ListModelsParams => ListModelsResult,
        "Lists the models and their efforts.";
    GET_QUOTA = "quota/get", gate Some("quota"), limit 15_000, GetQuotaParams => Quota or null,
        "Returns the quota of the account; null when it cannot be read.";
    LIST_SESSIONS = "sessions/list", gate Some("sessions"), limit 15_000, ListSessionsParams => ListSessionsResult,
        "Lists native sessions on disk.";
    READ_SESSION = "sessions/read", gate Some("sessions"), limit 15_000, ReadSessionParams => ReadSessionResult,
        "Reads a native session as unified events.";
    START_RUN = "run/start", gate Some("run"), limit 10_000, StartRunParams => StartRunResult,
        "Starts a run. The response means acceptance; everything else arrives as events.";
    INPUT_RUN = "run/input", gate Some("input"), limit 5_000, InputRunParams => InputRunResult,
        "Sends input to a running run.";
    RESPOND_RUN = "run/respond", gate Some("approvals"), limit 5_000, RespondRunParams => RespondRunResult,
        "Resolves an approval.";
    CANCEL_RUN = "run/cancel", gate Some("run"), limit 1_000, CancelRunParams => CancelRunResult,
        "Stops a run and all processes that it started.";
    SHUTDOWN = "shutdown", gate None, limit 1_000, ShutdownParams => ShutdownResult,
        "Stops every run, then responds.";
}
