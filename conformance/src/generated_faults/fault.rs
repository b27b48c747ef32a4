//! What a generated fault is.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::text_loss::TextLoss;

/// A fault: one thing that differs from the reference adapter.
#[derive(Debug, Clone)]
pub struct GeneratedFault {
    /// Its name, such as `event.done.exitCode.add_one`.
    pub name: String,
    /// The chapter of the specification that it belongs to.
    pub chapter: Chapter,
    /// What it alters. Several alterations keep related values consistent.
    pub alterations: Vec<Alteration>,
    /// Whether the specification forbids it.
    pub verdict: Verdict,
    /// Whether an adapter may omit the field that it alters.
    pub is_optional: bool,
}

/// Whether the specification forbids a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Forbidden,
    /// It does not, for this reason.
    Legal(&'static str),
}

/// One change at one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alteration {
    /// The messages that it applies to.
    pub place: Place,
    /// The field inside the message; `[]` means every entry of a list, `{}` every value of an object.
    pub path: Vec<String>,
    /// What is changed.
    pub change: Change,
}

/// The messages that an alteration applies to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Place {
    /// The payload of the events of a type.
    Event(String),
    /// The parameters of every `run/event`.
    Envelope,
    /// The result of a method.
    Result(String),
    /// The error object of error responses of a kind.
    Error(String),
    /// The manifest.
    Manifest,
    /// The parameters of a method, before the adapter reads them.
    Request(String),
    /// Every line that the adapter writes.
    Line,
}

impl Place {
    /// The first part of the names of its faults.
    pub fn name(&self) -> String {
        match self {
            Self::Event(event_type) => format!("event.{event_type}"),
            Self::Envelope => "envelope".to_owned(),
            Self::Result(method) => format!("result.{method}"),
            Self::Error(kind) => format!("error.{kind}"),
            Self::Manifest => "manifest".to_owned(),
            Self::Request(method) => format!("request.{method}"),
            Self::Line => "line".to_owned(),
        }
    }
}

/// What is changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Change {
    /// The field is absent, unless it has its default value.
    Drop {
        /// The value that an absent field means.
        default: Option<Value>,
    },
    /// The field is null.
    Null,
    /// An absent field is null.
    NullIfAbsent,
    /// Always this value.
    Constant(Value),
    /// An empty text, list or object.
    Empty,
    /// The last character is missing.
    CutLast,
    /// Space at both ends is missing.
    Trim,
    /// A kind of character is lost, at any depth.
    Loss(TextLoss),
    /// A text gets this prefix.
    Prefix(String),
    /// An integer plus this number.
    Add(i64),
    /// A number times this number.
    Multiply(u32),
    /// An integer divided by this number.
    Divide(u32),
    /// A negative number.
    Negate,
    /// The other boolean.
    Flip,
    /// One value becomes another one.
    Replace {
        /// The value that is replaced.
        from: Value,
        /// The new value.
        to: Value,
    },
    /// The last of several entries is missing.
    DropLast,
    /// The entries are in the opposite order.
    Reverse,
    /// Always the first value of this process, as of a cache or of an earlier run.
    KeepFirst,
    /// The whole message.
    Message(MessageChange),
    /// The bytes of a line.
    Line(LineChange),
}

/// A change of a whole message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MessageChange {
    /// It is not sent.
    Drop,
    /// It is sent twice.
    Repeat,
    /// An event is sent just before `done`.
    HoldBack,
    /// An event follows the next one.
    SwapWithNext,
    /// A text is sent as two events.
    SplitText,
    /// A response is sent after this many milliseconds.
    Delay(u64),
    /// A response has another id.
    OtherId,
    /// A result becomes an internal error.
    InternalError,
}

/// A change of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineChange {
    /// Starts with a byte order mark.
    ByteOrderMark,
    /// Contains a byte that is not UTF-8.
    InvalidUtf8,
    /// Integers have a fraction.
    Fractions,
    /// Integers have an exponent.
    Exponents,
    /// One message takes several lines.
    SeveralLines,
    /// A message is a batch.
    Batch,
    /// A line that is not JSON follows the first one.
    StrayLine,
    /// `jsonrpc` is absent.
    NoVersion,
    /// `jsonrpc` has another value.
    OtherVersion,
    /// The id of a response is a text.
    TextId,
    /// A response without an id.
    NoId,
    /// A request of the adapter follows the first line.
    OwnRequest,
    /// A notification that the protocol does not define follows the first line.
    UndefinedNotification,
    /// A response that nobody requested follows the first line.
    StrayResponse,
    /// A result and an error in one response.
    ResultAndError,
    /// Ends with CR LF.
    CarriageReturn,
    /// An empty line follows each line.
    BlankLine,
    /// Space between the tokens.
    Spaces,
    /// The members are in the opposite order.
    MemberOrder,
    /// Other characters than ASCII are escaped.
    Escapes,
    /// Members that this version does not define.
    UnknownMembers,
    /// Custom data.
    Meta,
    /// A notification of a vendor follows the first line.
    VendorNotification,
    /// An event of a type that this version does not define follows the first event.
    UnknownEvent,
    /// A `heartbeat` follows each event except `done`.
    Heartbeats,
    /// Ids that the adapter chooses have another form.
    OtherIdForm,
    /// Every response takes longer.
    SlowResponses,
}

/// The chapter of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Chapter {
    /// Times, sequence numbers and run ids.
    TimeAndIds,
    /// The start of a run and its session.
    StartAndSession,
    /// Texts and thoughts.
    Text,
    /// Messages, tools and files.
    MessagesAndTools,
    /// The end of a run.
    Done,
    /// Errors, usage and rate limits.
    ErrorsAndUsage,
    /// Approvals and input.
    ApprovalsAndInput,
    /// Detection, health, models, quota and native sessions.
    Detection,
    /// The options of a run.
    Options,
    /// Environment, limits, cancel and shutdown.
    LimitsAndShutdown,
    /// Lines, responses and the handshake.
    Wire,
    /// The manifest.
    Manifest,
}

impl Chapter {
    /// Every chapter.
    pub const ALL: [Self; 12] = [
        Self::TimeAndIds,
        Self::StartAndSession,
        Self::Text,
        Self::MessagesAndTools,
        Self::Done,
        Self::ErrorsAndUsage,
        Self::ApprovalsAndInput,
        Self::Detection,
        Self::Options,
        Self::LimitsAndShutdown,
        Self::Wire,
        Self::Manifest,
    ];

    /// The name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TimeAndIds => "time and ids",
            Self::StartAndSession => "start and session",
            Self::Text => "text",
            Self::MessagesAndTools => "messages and tools",
            Self::Done => "done",
            Self::ErrorsAndUsage => "errors and usage",
            Self::ApprovalsAndInput => "approvals and input",
            Self::Detection => "detection",
            Self::Options => "options of a run",
            Self::LimitsAndShutdown => "environment, limits, shutdown",
            Self::Wire => "wire and handshake",
            Self::Manifest => "manifest",
        }
    }

    /// The chapter of a place and field.
    pub(super) fn of(place: &Place, path: &[String]) -> Self {
        match place {
            Place::Event(event_type) => of_event(event_type),
            Place::Envelope => Self::TimeAndIds,
            Place::Result(method) => of_method(method),
            Place::Error(_) => Self::ErrorsAndUsage,
            Place::Manifest => Self::Manifest,
            Place::Request(method) => of_parameter(method, path.first().map(String::as_str)),
            Place::Line => Self::Wire,
        }
    }
}

fn of_event(event_type: &str) -> Chapter {
    match event_type {
        "run_started" | "session_started" | "turn_started" | "turn_ended" | "mode_changed"
        | "user_message" => Chapter::StartAndSession,
        "text_delta" | "thinking_started" | "thinking_delta" | "thinking_stopped" => Chapter::Text,
        "approval_requested" | "approval_resolved" | "input_requested" => {
            Chapter::ApprovalsAndInput
        }
        "usage" | "quota" | "rate_limited" | "retry" | "error" | "context" => {
            Chapter::ErrorsAndUsage
        }
        "heartbeat" => Chapter::LimitsAndShutdown,
        "done" => Chapter::Done,
        _ => Chapter::MessagesAndTools,
    }
}

fn of_method(method: &str) -> Chapter {
    match method {
        "initialize" | "ping" => Chapter::Wire,
        "run/start" => Chapter::StartAndSession,
        "run/input" | "run/respond" => Chapter::ApprovalsAndInput,
        "run/cancel" | "shutdown" => Chapter::LimitsAndShutdown,
        _ => Chapter::Detection,
    }
}

fn of_parameter(method: &str, field: Option<&str>) -> Chapter {
    match (method, field) {
        ("initialize", Some("hostPid" | "config" | "limits")) => Chapter::LimitsAndShutdown,
        ("initialize", Some("capabilities")) => Chapter::ApprovalsAndInput,
        ("run/start", Some("env" | "timeouts" | "cwd")) => Chapter::LimitsAndShutdown,
        ("run/start", Some("session" | "runId")) => Chapter::StartAndSession,
        ("run/start", _) => Chapter::Options,
        _ => of_method(method),
    }
}
