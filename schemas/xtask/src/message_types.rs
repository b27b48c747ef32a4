//! The lists of all types in the schemas, each with functions that add it to a schema document and that convert a JSON
//! value to the Rust type and back.

use schemars::SchemaGenerator;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::contract::Contract;

/// An event of a later version is read as a part of `Event` only.
pub const LATER_EVENT: &str = "UnknownEvent";

/// One type of the protocol.
pub struct MessageType {
    /// The name in `$defs`.
    pub name: &'static str,
    /// Adds the type, and all types that it refers to, to a schema document.
    pub describe: fn(&mut SchemaGenerator),
    /// Deserializes a value as this type, serializes it and deserializes the text again.
    pub round_trip: fn(&Value) -> Result<RoundTrip, serde_json::Error>,
}

/// The result of a conversion to the Rust type and back.
#[derive(Debug)]
pub struct RoundTrip {
    /// The serialized value, indented and in the order of its fields.
    pub text: String,
    /// Whether deserializing the text again gave the same Rust value.
    pub equal: bool,
}

impl RoundTrip {
    /// The text as a value.
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.text).expect("serde_json reads what it wrote")
    }
}

fn round_trip<T: DeserializeOwned + Serialize + PartialEq>(
    value: &Value,
) -> Result<RoundTrip, serde_json::Error> {
    let first: T = serde_json::from_str(&value.to_string())?;
    let text = serde_json::to_string_pretty(&first)?;
    let second: T = serde_json::from_str(&text)?;
    Ok(RoundTrip { equal: first == second, text })
}

macro_rules! message_types {
    (in $module:ident: $($name:ident)+) => {{
        use od_protocol::$module::*;
        use od_protocol::*;
        &[$(MessageType {
            name: stringify!($name),
            describe: |generator| { generator.subschema_for::<$name>(); },
            round_trip: round_trip::<$name>,
        }),+]
    }};
}

/// Every type of the adapter protocol; a test compares the list with the schema.
pub const ADAPTER_TYPES: &[MessageType] = message_types! { in adapter:
    // Messages.
    Manifest InitializeParams InitializeResult PingParams PingResult ShutdownParams
    ShutdownResult HealthAdapterParams HealthAdapterResult DetectAdapterParams
    DetectAdapterResult ListModelsParams ListModelsResult GetQuotaParams Quota
    ListSessionsParams ListSessionsResult ReadSessionParams ReadSessionResult StartRunParams
    StartRunResult InputRunParams InputRunResult RespondRunParams RespondRunResult
    CancelRunParams CancelRunResult CancelRequestParams RunEventParams Event ErrorObject
    // Payloads of events.
    RunStarted SessionStarted TurnStarted TurnEnded Status UserMessage MessageStarted TextDelta
    MessageStopped MessageDiscarded ThinkingStarted ThinkingDelta ThinkingStopped
    ToolCallStarted ToolInputDelta ToolCallReady ToolOutputDelta ToolResult FileChange
    ApprovalRequested ApprovalResolved InputRequested Plan SubagentStarted SubagentStopped Usage
    Context RateLimited Retry AgentSwitched Image Extension ModeChanged Notice Unmapped Heartbeat ErrorEvent
    Done
    // Parts of messages.
    AdapterConfig AdapterInfo ApprovalOption ApprovalsCapability AuthInfo AuthStatus
    Capabilities CliInfo ConformanceInfo Credential EffortCapability EnvRequirement ErrorData
    Evidence HostCapabilities HostInfo ImageInput InputCapability InstallMethod Limits Marker
    McpServer McpServerStatus Model PermissionModesCapability PlanEntry Policy Prompt
    ProtocolRange QuotaWindow Requirements ResumeCapability SessionChoice SessionSummary
    SkillsInfo Timeouts Totals Truncated UsageCapability
    // Enumerations.
    ApprovalCategory ApprovalOutcome ApprovalResolver ApprovalRisk AuthState CliTransport
    CredentialKind DoneEvidence DoneStatus Effort ErrorKind ExtensionPhase FileChangeSource
    FileOp Handover HealthStatus InputOutcome McpTransport ModelsSource NetworkMode NoticeLevel
    OutputStream PlanStatus SessionMode SkillStrategy StopReason TestedVersion ToolKind
    ToolStatus UsageScope UsageSource
};

/// Every type that only the host's API has, and the types of the adapter protocol that its methods
/// return; these refer to the other shared types.
pub const API_TYPES: &[MessageType] = message_types! { in api:
    // Messages.
    ListAgentsParams RefreshAgentsParams ListAgentsResult GetAgentParams AgentStatus
    SetActiveAgentParams SetActiveAgentResult ListAgentModelsParams ListModelsResult
    GetAgentQuotaParams Quota GetAgentHealthParams HealthAdapterResult
    GetAgentFeaturesParams AgentFeatures StartRunParams StartRunResult AttachRunParams
    AttachedEvents ListRunsParams ListRunsResult GetRunParams RunInfo GetRunResultParams RunResult
    InputRunParams InputRunResult RespondRunParams RespondRunResult CancelRunParams
    CancelRunResult DeleteRunParams DeleteRunResult ListSessionsParams ListSessionsResult
    ReadSessionParams ReadSessionResult SummarizeUsageParams UsageSummary ListAdaptersParams
    ListAdaptersResult TrustAdapterParams TrustAdapterResult ListInstallHintsParams
    ListInstallHintsResult GetHostInfoParams HostStatus ShutdownHostParams ShutdownHostResult
    ErrorObject
    // Parts of messages.
    AgentProblem ChangedFile FallbackPolicy FeatureGate HiddenAdapter HostLimits InstallHint
    RejectedAdapter RetryPolicy RunAttempt RunEvents TaskSpec RunVerdict SkillRequirements UsageRow
    UsedAdapter
    // Enumerations.
    Feature RunState UsageGroup
};

/// The type of that name in a contract. Types that both contracts share are in the adapter protocol's list.
pub fn message_type(contract: &Contract, name: &str) -> &'static MessageType {
    let mut types = contract.types.iter().chain(ADAPTER_TYPES);
    types.find(|message| message.name == name).expect("the type is in a list")
}
