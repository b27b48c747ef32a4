//! Error kinds that only the host has. They are vendor kinds of the protocol (`_od.…`), so every reader of
//! [`crate::ErrorKind`] accepts them.

/// One error kind of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostErrorKind {
    /// The value of `data.kind`.
    pub kind: &'static str,
    /// The JSON-RPC code.
    pub code: i32,
    /// Whether the same call may succeed later without a change.
    pub retryable: bool,
    /// A one-sentence description.
    pub summary: &'static str,
}

macro_rules! host_error_kinds {
    ($($constant:ident = $code:literal $kind:literal, retryable $retryable:literal, $summary:literal;)+) => {
        $(
            #[doc = $summary]
            pub const $constant: &str = $kind;
        )+

        /// All error kinds that only the host has.
        pub const HOST_ERROR_KINDS: &[HostErrorKind] = &[$(HostErrorKind {
            kind: $kind,
            code: $code,
            retryable: $retryable,
            summary: $summary,
        }),+];
    };
}

host_error_kinds! {
    USAGE = 2001 "_od.usage", retryable false, "The request cannot work: for example an empty prompt or a missing folder.";
    AGENT_UNKNOWN = 2002 "_od.agent_unknown", retryable false, "The agent does not exist, or no agent is available.";
    AGENT_REJECTED = 2003 "_od.agent_rejected", retryable false, "The adapter was found but is not trusted or cannot be used.";
    STORAGE = 2004 "_od.storage", retryable false, "The host's own files cannot be read or written.";
    HOST_DIED = 2005 "_od.host_died", retryable true, "The host process that owned the run has ended.";
    JOURNAL_FAILED = 2006 "_od.journal_failed", retryable false, "The journal of the run could not be written.";
    PLUGIN_PROTOCOL = 2007 "_od.plugin_protocol", retryable true, "The adapter violated the protocol, so the host ended the run.";
    UNAUTHORIZED = 2010 "_od.unauthorized", retryable false, "The token is missing or wrong.";
    FORBIDDEN = 2011 "_od.forbidden", retryable false, "The Host or Origin of the request is not allowed.";
    TOO_MANY_CALLS = 2012 "_od.too_many_calls", retryable true, "The client calls too often; retry later.";
    TOO_LARGE = 2013 "_od.too_large", retryable false, "The request is larger than the host accepts.";
    PATH_NOT_ALLOWED = 2014 "_od.path_not_allowed", retryable false, "The path is outside the folders that runs may work in.";
    RUN_ACTIVE = 2020 "_od.run_active", retryable true, "A run is active, so this is not possible now.";
    KEY_CONFLICT = 2021 "_od.key_conflict", retryable false, "The key was used for another task.";
    QUEUE_FULL = 2022 "_od.queue_full", retryable true, "The queue is full.";
    RUN_WAITING = 2023 "_od.run_waiting", retryable true, "The run is queued, so no agent can receive input.";
}
