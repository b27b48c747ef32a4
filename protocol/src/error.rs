//! The JSON-RPC error object and its kinds.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{JsonObject, ProtocolRange};

macro_rules! error_kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal $text:literal,)+) => {
        /// The kind of an error, for programs to branch on. Unknown kinds are kept as
        /// [`ErrorKind::Vendor`].
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[doc = $doc])+ $variant,)+
            /// A kind of a vendor (`_vendor.…`), or of a later version.
            Vendor(String),
        }

        impl ErrorKind {
            /// Every kind of this version of the protocol.
            pub const KNOWN: &'static [ErrorKind] = &[$(ErrorKind::$variant),+];

            /// The value of `data.kind`.
            pub fn as_str(&self) -> &str {
                match self { $(Self::$variant => $text,)+ Self::Vendor(text) => text }
            }

            /// The JSON-RPC code. A vendor's kind gets 2000 unless its author sets another one.
            pub fn code(&self) -> i32 {
                match self { $(Self::$variant => $code,)+ Self::Vendor(_) => 2000 }
            }

            /// Parses the value of `data.kind`.
            pub fn from_wire(text: &str) -> Self {
                match text { $($text => Self::$variant,)+ other => Self::Vendor(other.to_owned()) }
            }

            /// Whether the same call may succeed later without a change, judging by the kind alone.
            pub fn is_retryable(&self) -> bool {
                match self {
                    Self::RateLimited
                    | Self::QuotaExhausted
                    | Self::TooManyRuns
                    | Self::SessionBusy
                    | Self::Timeout
                    | Self::NetworkUnreachable
                    | Self::CliCrashed
                    | Self::PluginCrashed
                    | Self::PluginHung => true,
                    Self::Vendor(text) => crate::api::HOST_ERROR_KINDS
                        .iter()
                        .any(|kind| kind.kind == text && kind.retryable),
                    _ => false,
                }
            }

            /// The meaning of the kind, in one sentence.
            pub fn summary(&self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($($doc),+).trim_ascii(),)+
                    Self::Vendor(_) => "A kind of a vendor.",
                }
            }
        }
    };
}

error_kinds! {
    /// The line is not JSON.
    ParseError = -32700 "parse_error",
    /// The line is JSON but not a JSON-RPC 2.0 message.
    InvalidRequest = -32600 "invalid_request",
    /// The method does not exist.
    MethodNotFound = -32601 "method_not_found",
    /// The parameters are not valid for the method.
    InvalidParams = -32602 "invalid_params",
    /// An internal error of the adapter.
    Internal = -32603 "internal",
    /// `$/cancelRequest` cancelled the request.
    RequestCancelled = -32800 "request_cancelled",
    /// The two sides have no common protocol major.
    UnsupportedProtocol = 1001 "unsupported_protocol",
    /// `initialize` has not been called.
    NotInitialized = 1002 "not_initialized",
    /// `initialize` was called twice.
    AlreadyInitialized = 1003 "already_initialized",
    /// `shutdown` was called.
    ShuttingDown = 1004 "shutting_down",
    /// The adapter does not support an option or a method.
    CapabilityUnsupported = 1005 "capability_unsupported",
    /// The configuration or an option's value is wrong.
    ConfigInvalid = 1006 "config_invalid",
    /// The agent CLI is not installed.
    CliNotFound = 1010 "cli_not_found",
    /// The agent CLI is older than the adapter supports.
    CliVersionUnsupported = 1011 "cli_version_unsupported",
    /// The agent CLI could not be started.
    CliSpawnFailed = 1012 "cli_spawn_failed",
    /// The agent CLI exited without reporting a result.
    CliCrashed = 1013 "cli_crashed",
    /// The agent CLI violated its own protocol.
    CliProtocol = 1014 "cli_protocol",
    /// No credential exists.
    AuthMissing = 1020 "auth_missing",
    /// The credential has expired or was rejected.
    AuthExpired = 1021 "auth_expired",
    /// The credential belongs to an account without permission for this.
    AuthWrongAccount = 1022 "auth_wrong_account",
    /// The operating system or the agent CLI refused access.
    PermissionDenied = 1023 "permission_denied",
    /// The provider limits the rate of requests.
    RateLimited = 1030 "rate_limited",
    /// The account's quota is exhausted.
    QuotaExhausted = 1031 "quota_exhausted",
    /// The conversation exceeds the model's context window.
    ContextExceeded = 1032 "context_exceeded",
    /// The provider does not know the model.
    ModelUnknown = 1033 "model_unknown",
    /// The prompt is too large for the agent CLI.
    PromptTooLarge = 1034 "prompt_too_large",
    /// The run does not exist.
    RunUnknown = 1040 "run_unknown",
    /// A run with this id already exists.
    RunIdInUse = 1041 "run_id_in_use",
    /// The adapter has reached its maximum number of runs.
    TooManyRuns = 1042 "too_many_runs",
    /// The agent CLI does not know the session.
    SessionUnknown = 1043 "session_unknown",
    /// The session is in use.
    SessionBusy = 1044 "session_busy",
    /// The approval does not exist or is already resolved.
    ApprovalUnknown = 1045 "approval_unknown",
    /// A time limit was reached; `data.which` names it.
    Timeout = 1050 "timeout",
    /// The provider cannot be reached or returns a server error.
    NetworkUnreachable = 1051 "network_unreachable",
    /// The adapter process ended unexpectedly.
    PluginCrashed = 1052 "plugin_crashed",
    /// The adapter process does not respond.
    PluginHung = 1053 "plugin_hung",
}

impl std::fmt::Display for ErrorKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl Serialize for ErrorKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ErrorKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from_wire(&<Cow<'de, str>>::deserialize(deserializer)?))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ErrorKind {
    fn schema_name() -> Cow<'static, str> {
        "ErrorKind".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut any_of: Vec<serde_json::Value> = Self::KNOWN
            .iter()
            .map(|kind| serde_json::json!({"const": kind.as_str(), "description": kind.summary()}))
            .collect();
        any_of.push(serde_json::json!({
            "type": "string",
            "description": "A kind of a vendor (`_vendor.…`), or of a later version.",
        }));
        schemars::json_schema!({
            "description": "The kind of an error, for programs to branch on.",
            "anyOf": any_of,
        })
    }
}

/// `error.data` of every JSON-RPC error: the kind for programs and the hint for people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ErrorData {
    /// The kind.
    pub kind: ErrorKind,
    /// What to type or change to fix it. Present for `auth_*` and `cli_not_found`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether the same call may succeed later without a change: true for `rate_limited`, false for `auth_*`,
    /// `config_invalid`, `model_unknown`, `context_exceeded` and `cli_not_found`.
    #[serde(default)]
    pub retryable: bool,
    /// With `unsupported_protocol`: the majors that the responding side supports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supported: Option<ProtocolRange>,
    /// With `timeout`: which limit (`start`, `idle`, `total`); with `capability_unsupported`: which capability; with `invalid_params` of the
    /// host's API: which parameter, such as `task.session.mode`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub which: Option<String>,
    /// Further details, never a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<JsonObject>,
}

/// The JSON-RPC error object. Its shape is frozen for all majors.
///
/// ```
/// use od_protocol::{ErrorKind, ErrorObject};
///
/// let error = ErrorObject::new(ErrorKind::CliNotFound, "parrot is not on PATH")
///     .with_hint("install it: npm install --global parrot");
/// assert_eq!(error.code, 1010);
/// assert_eq!(error.to_string(), "cli_not_found: parrot is not on PATH");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorObject {
    /// The JSON-RPC code of the kind.
    pub code: i32,
    /// What failed, on what and why: lowercase, without a final dot.
    pub message: String,
    /// The kind and the hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<ErrorData>,
}

impl ErrorObject {
    /// Creates an error of a kind with a message for people.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            code: kind.code(),
            message: message.into(),
            data: Some(ErrorData {
                retryable: kind.is_retryable(),
                kind,
                hint: None,
                supported: None,
                which: None,
                details: None,
            }),
        }
    }

    /// Adds the hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        if let Some(data) = &mut self.data {
            data.hint = Some(hint.into());
        }
        self
    }

    /// Adds the name of the limit, capability or parameter.
    #[must_use]
    pub fn with_which(mut self, which: impl Into<String>) -> Self {
        if let Some(data) = &mut self.data {
            data.which = Some(which.into());
        }
        self
    }

    /// The kind; for an error without `data` it is derived from the code.
    pub fn kind(&self) -> ErrorKind {
        match &self.data {
            Some(data) => data.kind.clone(),
            None => ErrorKind::KNOWN
                .iter()
                .find(|kind| kind.code() == self.code)
                .cloned()
                .unwrap_or(ErrorKind::Internal),
        }
    }

    /// The hint, if present.
    pub fn hint(&self) -> Option<&str> {
        self.data.as_ref()?.hint.as_deref()
    }
}

impl std::fmt::Display for ErrorObject {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.kind(), self.message)
    }
}

impl std::error::Error for ErrorObject {}
