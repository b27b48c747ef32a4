//! The error object and the kinds that programs branch on.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{JsonObject, ProtocolRange};

macro_rules! error_kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal $text:literal,)+) => {
        /// What went wrong, as a word to branch on. Unknown words are kept as [`ErrorKind::Vendor`].
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[doc = $doc])+ $variant,)+
            /// A vendor's own kind (`_vendor.…`), or a word of a later version.
            Vendor(String),
        }

        impl ErrorKind {
            /// Every kind of this version of the protocol.
            pub const KNOWN: &'static [ErrorKind] = &[$(ErrorKind::$variant),+];

            /// The word in `data.kind`.
            pub fn as_str(&self) -> &str {
                match self { $(Self::$variant => $text,)+ Self::Vendor(text) => text }
            }

            /// The JSON-RPC code; a vendor's kind gets 2000 unless its author sets another.
            pub fn code(&self) -> i32 {
                match self { $(Self::$variant => $code,)+ Self::Vendor(_) => 2000 }
            }

            /// Reads a word.
            pub fn from_wire(text: &str) -> Self {
                match text { $($text => Self::$variant,)+ other => Self::Vendor(other.to_owned()) }
            }

            /// The same call may succeed later without a change, as far as the kind tells: something passes,
            /// ends or is started anew.
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

            /// What the kind means, in one sentence.
            pub fn summary(&self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($($doc),+).trim_ascii(),)+
                    Self::Vendor(_) => "A vendor's own kind.",
                }
            }
        }
    };
}

error_kinds! {
    /// The line is no JSON.
    ParseError = -32700 "parse_error",
    /// The line is JSON but no JSON-RPC 2.0 message.
    InvalidRequest = -32600 "invalid_request",
    /// There is no such method.
    MethodNotFound = -32601 "method_not_found",
    /// The parameters do not fit the method.
    InvalidParams = -32602 "invalid_params",
    /// The adapter itself failed.
    Internal = -32603 "internal",
    /// `$/cancelRequest` ended the request.
    RequestCancelled = -32800 "request_cancelled",
    /// The two sides share no protocol major.
    UnsupportedProtocol = 1001 "unsupported_protocol",
    /// `initialize` has not been called.
    NotInitialized = 1002 "not_initialized",
    /// `initialize` was called twice.
    AlreadyInitialized = 1003 "already_initialized",
    /// `shutdown` was called.
    ShuttingDown = 1004 "shutting_down",
    /// The adapter cannot honour an option or method.
    CapabilityUnsupported = 1005 "capability_unsupported",
    /// The configuration or an option's value is wrong.
    ConfigInvalid = 1006 "config_invalid",
    /// The agent CLI is not installed.
    CliNotFound = 1010 "cli_not_found",
    /// The agent CLI is older than the adapter can drive.
    CliVersionUnsupported = 1011 "cli_version_unsupported",
    /// The agent CLI could not be started.
    CliSpawnFailed = 1012 "cli_spawn_failed",
    /// The agent CLI ended without its own last word.
    CliCrashed = 1013 "cli_crashed",
    /// The agent CLI broke its own protocol.
    CliProtocol = 1014 "cli_protocol",
    /// No credential.
    AuthMissing = 1020 "auth_missing",
    /// The credential has run out or was refused.
    AuthExpired = 1021 "auth_expired",
    /// The credential belongs to an account that may not do this.
    AuthWrongAccount = 1022 "auth_wrong_account",
    /// The operating system or the agent CLI refused access.
    PermissionDenied = 1023 "permission_denied",
    /// The provider asks to slow down.
    RateLimited = 1030 "rate_limited",
    /// The account's allowance is used up.
    QuotaExhausted = 1031 "quota_exhausted",
    /// The conversation no longer fits the model's window.
    ContextExceeded = 1032 "context_exceeded",
    /// The provider does not know the model.
    ModelUnknown = 1033 "model_unknown",
    /// The prompt cannot be handed to the agent CLI.
    PromptTooLarge = 1034 "prompt_too_large",
    /// No such run.
    RunUnknown = 1040 "run_unknown",
    /// A run of that id is there already.
    RunIdInUse = 1041 "run_id_in_use",
    /// The adapter runs as many as it can.
    TooManyRuns = 1042 "too_many_runs",
    /// The agent CLI does not know the session.
    SessionUnknown = 1043 "session_unknown",
    /// The session is in use.
    SessionBusy = 1044 "session_busy",
    /// No such open approval.
    ApprovalUnknown = 1045 "approval_unknown",
    /// A limit of time ran out; `data.which` says which.
    Timeout = 1050 "timeout",
    /// The provider cannot be reached or answers with a server error.
    NetworkUnreachable = 1051 "network_unreachable",
    /// The adapter process ended unexpectedly.
    PluginCrashed = 1052 "plugin_crashed",
    /// The adapter process no longer answers.
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

impl JsonSchema for ErrorKind {
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
            "description": "A vendor's own kind (`_vendor.…`), or a word of a later version.",
        }));
        schemars::json_schema!({
            "description": "What went wrong, as a word to branch on.",
            "anyOf": any_of,
        })
    }
}

/// `error.data` of every JSON-RPC error: what programs branch on and people act on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorData {
    /// The kind.
    pub kind: ErrorKind,
    /// What to type or change now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The same call may succeed later without a change.
    #[serde(default)]
    pub retryable: bool,
    /// With `unsupported_protocol`: what the answering side speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supported: Option<ProtocolRange>,
    /// With `timeout`: which limit; with `capability_unsupported`: which capability; with `invalid_params` of the
    /// host's API: which parameter, such as `task.session.mode`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub which: Option<String>,
    /// Anything else worth keeping, never a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<JsonObject>,
}

/// The JSON-RPC error object. Its shape is frozen for all majors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorObject {
    /// The JSON-RPC code of the kind.
    pub code: i32,
    /// A lowercase text without final dot: what was tried, on what, why it failed.
    pub message: String,
    /// The kind and the hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<ErrorData>,
}

impl ErrorObject {
    /// An error of a kind, with the text for people.
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

    /// Adds what to type or change now.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        if let Some(data) = &mut self.data {
            data.hint = Some(hint.into());
        }
        self
    }

    /// Adds which limit, capability or parameter it was.
    #[must_use]
    pub fn with_which(mut self, which: impl Into<String>) -> Self {
        if let Some(data) = &mut self.data {
            data.which = Some(which.into());
        }
        self
    }

    /// The kind; an error without `data` is read by its code.
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

    /// The hint, where there is one.
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
