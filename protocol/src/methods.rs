//! The table of methods: the one place that says which exist, what gates them and how long they
//! may take. `schemas/v1/methods.json` and `openrpc.json` are made from it.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::*;

/// The name of the one notification an adapter sends.
pub const RUN_EVENT: &str = "run/event";

/// The name of the notification that gives a request up.
pub const CANCEL_REQUEST: &str = "$/cancelRequest";

/// One method that a host calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// On the wire.
    pub name: &'static str,
    /// The capability it needs.
    pub gate: Option<&'static str>,
    /// How long an adapter or the host may take to answer, in milliseconds. For `shutdown` the asked grace
    /// comes on top, for `runs/result` the wait for the run's end.
    pub limit_ms: u64,
    /// The name of the parameters' type in the schema.
    pub params: &'static str,
    /// The name of the result's type in the schema.
    pub result: &'static str,
    /// The result may be null.
    pub nullable: bool,
    /// In one sentence.
    pub summary: &'static str,
}

impl Method {
    /// How long an adapter may take to answer.
    pub const fn limit(&self) -> Duration {
        Duration::from_millis(self.limit_ms)
    }
}

/// The parameters of a method know their method and their result, so a call is typed from end to
/// end: `client.call(PingParams {})` gives a [`PingResult`].
pub trait Call: Serialize + DeserializeOwned + Send {
    /// What the method answers.
    type Result: Serialize + DeserializeOwned + Send;
    /// The method.
    const METHOD: Method;
}

macro_rules! methods {
    ($($constant:ident = $name:literal, gate $gate:expr, limit $limit:literal,
        $params:ident => $result:ident $(or $null:ident)?, $summary:literal;)+) => {
        $(
            #[doc = $summary]
            pub const $constant: $crate::methods::Method = $crate::methods::Method {
                name: $name,
                gate: $gate,
                limit_ms: $limit,
                params: stringify!($params),
                result: stringify!($result),
                nullable: methods!(@nullable $($null)?),
                summary: $summary,
            };

            impl Call for $params {
                type Result = methods!(@result $result $($null)?);
                const METHOD: Method = $constant;
            }
        )+

        /// All methods, in the order of the specification.
        pub const METHODS: &[Method] = &[$($constant),+];
    };
    (@nullable) => { false };
    (@nullable null) => { true };
    (@result $result:ident) => { $result };
    (@result $result:ident null) => { Option<$result> };
}

pub(crate) use methods;

methods! {
    INITIALIZE = "initialize", gate None, limit 5_000, InitializeParams => InitializeResult,
        "Agrees on a protocol major and hands over the configuration.";
    PING = "ping", gate None, limit 1_000, PingParams => PingResult,
        "Answers at once, also while runs flood.";
    HEALTH = "adapter/health", gate None, limit 5_000, HealthAdapterParams => HealthAdapterResult,
        "Says how the adapter feels, also when the agent CLI hangs.";
    DETECT = "adapter/detect", gate None, limit 5_000, DetectAdapterParams => DetectAdapterResult,
        "Finds the agent CLI, its version and login: read-only, local and fast.";
    LIST_MODELS = "models/list", gate Some("models"), limit 15_000, ListModelsParams => ListModelsResult,
        "Lists models and their efforts.";
    GET_QUOTA = "quota/get", gate Some("quota"), limit 15_000, GetQuotaParams => GetQuotaResult or null,
        "Reads what is left of an allowance; null when that cannot be read.";
    LIST_SESSIONS = "sessions/list", gate Some("sessions"), limit 15_000, ListSessionsParams => ListSessionsResult,
        "Lists native sessions on disk.";
    READ_SESSIONS = "sessions/read", gate Some("sessions"), limit 15_000, ReadSessionsParams => ReadSessionsResult,
        "Reads a native session as unified events.";
    START_RUN = "run/start", gate Some("run"), limit 10_000, StartRunParams => StartRunResult,
        "Starts a run; answered on acceptance, everything else arrives as events.";
    INPUT_RUN = "run/input", gate Some("input"), limit 5_000, InputRunParams => InputRunResult,
        "Says something to a live run.";
    RESPOND_RUN = "run/respond", gate Some("approvals"), limit 5_000, RespondRunParams => RespondRunResult,
        "Answers an approval.";
    CANCEL_RUN = "run/cancel", gate Some("run"), limit 1_000, CancelRunParams => CancelRunResult,
        "Stops a run with everything it started.";
    SHUTDOWN = "shutdown", gate None, limit 1_000, ShutdownParams => ShutdownResult,
        "Stops every run, then answers.";
}
