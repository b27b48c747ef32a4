"""The OD adapter protocol, version 1, as Python types (Python 3.11 or later).

Generated from schemas/v1/schema.json and methods.json: do not edit.

Where a type allows None, it means the same as absent. An open enumeration is
`Literal[...] | str`: a later version may send others, so keep a default branch.
"""

from typing import (
    Any,
    Final,
    Literal,
    NotRequired,
    Protocol,
    TypedDict,
    TypeGuard,
    get_args,
    overload,
)

PROTOCOL_MAJOR: Final = 1


class AdapterConfig(TypedDict):
    """Settings for this adapter."""

    # The executable of the agent CLI to use, without a fallback to PATH. This lets a conformance suite replace the agent CLI.
    cliPath: NotRequired[str | None]

    # Options that the manifest's `configSchema` describes.
    options: NotRequired[dict[str, Any]]

    # A folder for the adapter's own caches; absent means: store nothing.
    stateDir: NotRequired[str | None]


class AdapterInfo(TypedDict):
    """The id, version and vendor of the adapter."""

    # The adapter id: the file name after `od-adapter-`.
    id: str

    # The adapter's own version.
    version: str

    # The publisher of the adapter.
    vendor: str

# What the agent requests approval for.
ApprovalCategory = Literal[
    # Run a command.
    "execute",
    # Create, change or delete a file.
    "edit",
    # Read a file outside the allowed folders.
    "read",
    # Access the network.
    "network",
    # Call a tool of an MCP server.
    "mcp",
    # Anything else.
    "other",
] | str

# The decision on an approval. An unknown value means a denial.
ApprovalOutcome = Literal[
    # Allow this one call.
    "allow_once",
    # Allow this call and every similar call of the run.
    "allow_always",
    # Deny this one call; the agent continues.
    "reject_once",
    # Deny this call and every similar call of the run.
    "reject_always",
] | str

# Who resolved an approval. An unknown value means a policy.
ApprovalResolver = Literal[
    # The user decided: `run/respond` without another `by`.
    "user",
    # A rule decided, also that no client answers approvals.
    "policy",
    # No decision before the deadline or a time limit of the run: denied.
    "timeout",
    # The run was cancelled or has ended, or the agent CLI withdrew its request: denied.
    "cancel",
] | str

# How much harm a wrong decision can do. An unknown value means high.
ApprovalRisk = Literal[
    # Only reads, or is harmless.
    "low",
    # Changes files below the working folder.
    "med",
    # Runs commands, accesses the network or leaves the working folder.
    "high",
] | str


class ApprovalsCapability(TypedDict):
    """Details of `approvals`."""

    # Supports `run/respond.updatedInput`. Default: false.
    editInput: NotRequired[bool]


class AuthInfo(TypedDict):
    """The login methods of the agent CLI."""

    # Variables that hold a credential. The host passes them on where policy allows. Default: [].
    env: NotRequired[list[str]]

    # Files that hold a credential, `~` for the home folder. Default: [].
    files: NotRequired[list[str]]

    # The command to log in.
    loginCommand: NotRequired[str | None]

    # `oauth`, `api_key`, …; empty means that no login is needed. Default: [].
    methods: NotRequired[list[str]]

# Whether a run would be authenticated.
AuthState = Literal[
    # A credential exists, is not empty and has not expired.
    "ok",
    # No credential exists; an empty variable is none.
    "missing",
    # The credential has expired.
    "expired",
    # The state cannot be determined without a request to the provider.
    "unknown",
] | str


class CancelRequestParams(TypedDict):
    """Parameters of the notification `$/cancelRequest`."""

    # The id of the request; it still gets a response.
    id: Any


class CancelRunParams(TypedDict):
    """Parameters of `run/cancel`."""

    # The run.
    runId: str

    # The grace period of the agent CLI from the receipt of `run/cancel` to SIGTERM; absent means 2000, 0 means immediately.
    graceMs: NotRequired[int | None]

    # The reason, for the log.
    reason: NotRequired[str | None]


class CancelRunResult(TypedDict):
    """Result of `run/cancel`."""

    # Whether the run exists and is being stopped. `false` for an unknown or finished run, which is not an error.
    accepted: bool

# How the adapter communicates with the agent CLI. An unknown value means stdio.
CliTransport = Literal[
    # Lines over stdin and stdout.
    "stdio",
    # JSON-RPC over stdin and stdout.
    "json_rpc",
    # The Agent Client Protocol.
    "acp",
    # A local HTTP server.
    "http",
    # A pseudo-terminal.
    "pty",
    # Part of the adapter itself.
    "embedded",
] | str


class ConformanceInfo(TypedDict):
    """The requirement set that an adapter claims to meet."""

    # The version of the set, such as `1.0`.
    requirements: str

    # The folder of the fixture pack, relative to the adapter's source.
    fixtures: NotRequired[str | None]


class Context(TypedDict):
    """Payload of `context`."""

    # Tokens in the model's context window.
    usedTokens: int

    # Whether the conversation was just compacted. Default: false.
    compacted: NotRequired[bool]

    # The size of the context window; absent means not reported.
    maxTokens: NotRequired[int | None]

# The kind of credential that pays for a run. An unknown value means other.
CredentialKind = Literal[
    # A subscription that the user logged in with.
    "subscription",
    # An API key, billed by use.
    "api_key",
    # A bearer token that the user set.
    "token",
    # A cloud account (Bedrock, Vertex, …).
    "cloud",
    # A command that prints a key.
    "helper",
    # Nothing has to be paid.
    "none",
    # Anything else.
    "other",
] | str


class DetectAdapterParams(TypedDict):
    """Parameters of `adapter/detect`."""

    # Ignore cached results and read the state of the machine again. Slow status commands of the agent CLI may run. Default: false.
    refresh: NotRequired[bool]

# The evidence for the status. An unknown value means the weakest.
DoneEvidence = Literal[
    # The agent CLI's own final message.
    "native_result",
    # The model's stop reason.
    "stop_reason",
    # Only the exit code of the agent CLI; never sufficient for `completed`.
    "exit_code",
    # The adapter or the host stopped the run.
    "watchdog",
    # A signal ended the agent CLI.
    "signal",
] | str

# How a run ended. An unknown value means failed.
DoneStatus = Literal[
    # The agent CLI itself reported that it finished.
    "completed",
    # An error ended the run; a fatal `error` precedes `done`.
    "failed",
    # The run was cancelled, by `run/cancel`, `shutdown` or the agent CLI itself.
    "cancelled",
    # A time limit of `run/start.timeouts` was reached.
    "timed_out",
] | str

# The reasoning effort, with the same values for every agent. An unknown value means medium.
Effort = Literal[
    # Low effort.
    "low",
    # Medium effort.
    "medium",
    # High effort.
    "high",
    # The highest effort of the model.
    "max",
] | str


class EnvRequirement(TypedDict):
    """One variable of the environment."""

    # The name.
    name: str

    # The adapter also works without this variable. Default: false.
    optional: NotRequired[bool]

    # The value must never be shown. Default: false.
    secret: NotRequired[bool]

# The kind of an error, for programs to branch on.
ErrorKind = Literal[
    # The line is not JSON.
    "parse_error",
    # The line is JSON but not a JSON-RPC 2.0 message.
    "invalid_request",
    # The method does not exist.
    "method_not_found",
    # The parameters are not valid for the method.
    "invalid_params",
    # An internal error of the adapter.
    "internal",
    # `$/cancelRequest` cancelled the request.
    "request_cancelled",
    # The two sides have no common protocol major.
    "unsupported_protocol",
    # `initialize` has not been called.
    "not_initialized",
    # `initialize` was called twice.
    "already_initialized",
    # `shutdown` was called.
    "shutting_down",
    # The adapter does not support an option or a method.
    "capability_unsupported",
    # The configuration or an option's value is wrong.
    "config_invalid",
    # The agent CLI is not installed.
    "cli_not_found",
    # The agent CLI is older than the adapter supports.
    "cli_version_unsupported",
    # The agent CLI could not be started.
    "cli_spawn_failed",
    # The agent CLI exited without reporting a result.
    "cli_crashed",
    # The agent CLI violated its own protocol.
    "cli_protocol",
    # No credential exists.
    "auth_missing",
    # The credential has expired or was rejected.
    "auth_expired",
    # The credential belongs to an account without permission for this.
    "auth_wrong_account",
    # The operating system or the agent CLI refused access.
    "permission_denied",
    # The provider limits the rate of requests.
    "rate_limited",
    # The account's quota is exhausted.
    "quota_exhausted",
    # The conversation exceeds the model's context window.
    "context_exceeded",
    # The provider does not know the model.
    "model_unknown",
    # The prompt is too large for the agent CLI.
    "prompt_too_large",
    # The run does not exist.
    "run_unknown",
    # A run with this id already exists.
    "run_id_in_use",
    # The adapter has reached its maximum number of runs.
    "too_many_runs",
    # The agent CLI does not know the session.
    "session_unknown",
    # The session is in use.
    "session_busy",
    # The approval does not exist or is already resolved.
    "approval_unknown",
    # A time limit was reached; `data.which` names it.
    "timeout",
    # The provider cannot be reached or returns a server error.
    "network_unreachable",
    # The adapter process ended unexpectedly.
    "plugin_crashed",
    # The adapter process does not respond.
    "plugin_hung",
] | str


class Evidence(TypedDict):
    """One thing that was checked, and the result."""

    # What was checked: `path`, `well_known_dir`, `config_dir`, `env`, `auth_file`, `version`, ….
    signal: str

    # Where: a folder, a file or the name of a variable. Never the value of a variable.
    subject: str

    # Whether it exists.
    found: bool

    # More details, for people.
    detail: NotRequired[str | None]

# What happened to a skill or plugin. An unknown value means loaded.
ExtensionPhase = Literal[
    # It was loaded.
    "loaded",
    # It was used.
    "invoked",
] | str

# Who detected the change. An unknown value means observed.
FileChangeSource = Literal[
    # The agent CLI reported it.
    "native",
    # The adapter or the host detected it on disk.
    "observed",
] | str

# The operation on a file. An unknown value means an edit.
FileOp = Literal[
    # The file was created.
    "create",
    # The file was changed.
    "edit",
    # The file was deleted.
    "delete",
    # The file was renamed.
    "rename",
] | str


class GetQuotaParams(TypedDict):
    """Parameters of `quota/get`."""

# What the next agent receives about the previous attempt. An unknown value means the prompt only.
Handover = Literal[
    # The prompt alone.
    "prompt",
    # The prompt, preceded by what the previous agent wrote and did.
    "transcript",
] | str


class HealthAdapterParams(TypedDict):
    """Parameters of `adapter/health`."""

# The health of the adapter. An unknown value means degraded.
HealthStatus = Literal[
    # Runs should work.
    "ok",
    # Runs may work.
    "degraded",
    # Runs cannot work.
    "unavailable",
] | str


class Heartbeat(TypedDict):
    """Payload of `heartbeat`, sent at least every ten seconds without output."""

    # The time since the last output of the agent CLI, or since `run/start` if there was none.
    silentMs: int


class HostInfo(TypedDict):
    """The name and version of the host."""

    # The name.
    name: str

    # The version.
    version: str


class Image(TypedDict):
    """Payload of `image`: by value or by path."""

    # The media type, such as `image/png`.
    mime: str

    # The content in Base64.
    data: NotRequired[str | None]

    # The absolute path of a file.
    path: NotRequired[str | None]


class ImageInput(TypedDict):
    """An image in a prompt: by path or by value."""

    # The media type, such as `image/png`.
    mime: str

    # The content in Base64.
    data: NotRequired[str | None]

    # The absolute path of a file.
    path: NotRequired[str | None]


class InputCapability(TypedDict):
    """Details of `input`."""

    # Input can reach the running turn; otherwise it is queued for the next one. Default: false.
    steer: NotRequired[bool]

# What happens with input. An unknown value means refused.
InputOutcome = Literal[
    # It reached the running turn.
    "steered",
    # It is queued for the next turn of the same run.
    "queued",
    # It is not accepted.
    "refused",
] | str


class InputRequested(TypedDict):
    """Payload of `input_requested`."""

    # The id of the question.
    questionId: str

    # The question.
    text: str

    # A JSON Schema of the answer; absent means text.
    schema: NotRequired[dict[str, Any] | None]


class InputRunParams(TypedDict):
    """Parameters of `run/input`."""

    # The run.
    runId: str

    # The text for the agent, passed unchanged.
    text: str

    # Accept the input only while this turn runs; refuse it otherwise.
    expectedTurn: NotRequired[str | None]


class InstallMethod(TypedDict):
    """One way to install the agent CLI."""

    # `any`, `linux`, `macos` or `windows`.
    platform: str

    # `npm`, `brew`, `pip`, `script`, ….
    kind: str

    # The command.
    command: str

    # Notes for people.
    notes: NotRequired[str | None]


class Limits(TypedDict):
    """Limits of the messages that the host reads."""

    # The most bytes of one line with its line end, at least 65536. A larger payload is shortened and marked with `truncated`. Default: 16777216.
    maxLineBytes: NotRequired[int]


class ListModelsParams(TypedDict):
    """Parameters of `models/list`."""


class ListSessionsParams(TypedDict):
    """Parameters of `sessions/list`."""

    # Only sessions of this folder.
    cwd: NotRequired[str | None]

    # The most sessions to return, newest first; absent means 50.
    limit: NotRequired[int | None]


class Marker(TypedDict):
    """A capability without details."""


class McpServerStatus(TypedDict):
    """An MCP server as the agent CLI reports it."""

    # The name.
    name: str

    # The agent CLI's own status (`connected`, `failed`, …).
    status: str

# The transport of an MCP server. An unknown value means stdio.
McpTransport = Literal[
    # stdin and stdout of a program.
    "stdio",
    # Streamable HTTP.
    "http",
    # The older HTTP with server-sent events.
    "sse",
] | str


class MessageDiscarded(TypedDict):
    """Payload of `message_discarded`."""

    # The message whose text is no longer valid.
    messageId: str


class MessageStarted(TypedDict):
    """Payload of `message_started`."""

    # The id of the message, unique within the run.
    messageId: str


class MessageStopped(TypedDict):
    """Payload of `message_stopped`."""

    # The message.
    messageId: str


class ModeChanged(TypedDict):
    """Payload of `mode_changed`."""

    # The current model.
    model: NotRequired[str | None]

    # The current permission mode.
    permissionMode: NotRequired[str | None]

# The source of a list of models. An unknown value means static.
ModelsSource = Literal[
    # Queried from the agent CLI.
    "live",
    # A list in the adapter.
    "static",
] | str

# The network access of the agent's tools. An unknown value means none.
NetworkMode = Literal[
    # No access.
    "none",
    # What the agent CLI's own rules allow.
    "default",
    # Full access.
    "full",
] | str

# The level of a notice. An unknown value means a warning.
NoticeLevel = Literal[
    # For debugging.
    "debug",
    # For information.
    "info",
    # Something may be wrong.
    "warn",
] | str

# The stream of a piece of output. An unknown value means stdout.
OutputStream = Literal[
    # Standard output.
    "stdout",
    # Standard error.
    "stderr",
] | str


class PermissionModesCapability(TypedDict):
    """Details of `permissionModes`."""

    # The agent CLI's own names, the strictest first. Default: [].
    modes: NotRequired[list[str]]


class PingParams(TypedDict):
    """Parameters of `ping`."""


class PingResult(TypedDict):
    """Result of `ping`."""

# The status of a plan entry. An unknown value means pending.
PlanStatus = Literal[
    # Not started.
    "pending",
    # Started.
    "in_progress",
    # Done.
    "completed",
] | str


class ProtocolRange(TypedDict):
    """The protocol majors that one side supports. Minor versions exist only as capabilities."""

    # The lowest major.
    min: int

    # The highest major, at least `min`.
    max: int

    # The revision of the specification, for people.
    revision: NotRequired[str | None]


class QuotaWindow(TypedDict):
    """One window of a quota, such as five hours or a week."""

    # The provider's own name (`five_hour`, `weekly`, …).
    kind: str

    # Whether the quota of this window is exhausted.
    exhausted: bool

    # When the window resets, in milliseconds since 1970; absent means not reported.
    resetsAt: NotRequired[int | None]

    # The used share, 0 to 100; absent means not reported.
    usedPercent: NotRequired[float | None]


class RateLimited(TypedDict):
    """Payload of `rate_limited`."""

    # Who reported it: `cli`, `provider`.
    source: str

    # When the limit ends, in milliseconds since 1970, as the agent CLI reports it; absent means not reported.
    resetsAt: NotRequired[int | None]

    # How long to wait, as the agent CLI reports it; absent means not reported.
    retryAfterMs: NotRequired[int | None]

    # The exhausted window, by the provider's own name.
    window: NotRequired[str | None]


class ReadSessionParams(TypedDict):
    """Parameters of `sessions/read`."""

    # The session.
    id: str

    # The working folder of the session, for agent CLIs that store sessions by folder.
    cwd: NotRequired[str | None]


class RespondRunResult(TypedDict):
    """Result of `run/respond`."""


class ResumeCapability(TypedDict):
    """Details of `resume`."""

    # A session can be resumed only from the folder it was started in. Default: false.
    sameCwdOnly: NotRequired[bool]


class Retry(TypedDict):
    """Payload of `retry`."""

    # The number of the retry, from 1.
    attempt: int

    # The reason, as the agent CLI reports it.
    reason: str

    # The time until the retry; absent means not reported.
    delayMs: NotRequired[int | None]

    # The maximum number of retries; absent means not reported.
    maxAttempts: NotRequired[int | None]

# The session of a run. An unknown value means a new session.
SessionMode = Literal[
    # A new session.
    "new",
    # Continue an existing session under its own id.
    "resume",
    # Continue a copy of an existing session under a new id.
    "fork",
] | str


class SessionSummary(TypedDict):
    """One native session."""

    # The session id, as used by `run/start.session.id`.
    id: str

    # The working folder of the session.
    cwd: NotRequired[str | None]

    # The model that was last used.
    model: NotRequired[str | None]

    # The title or the first prompt, shortened.
    title: NotRequired[str | None]

    # The time of the last change, in milliseconds since 1970.
    updatedAt: NotRequired[int | None]


class ShutdownParams(TypedDict):
    """Parameters of `shutdown`."""

    # The grace period for open runs from the receipt of `shutdown`; absent means 2000.
    graceMs: NotRequired[int | None]


class ShutdownResult(TypedDict):
    """Result of `shutdown`, sent after every run has ended."""

# How skills are passed to the agent. An unknown value means in the prompt.
SkillStrategy = Literal[
    # The agent CLI reads a folder of skills.
    "native",
    # The text of a skill is put into the prompt.
    "prompt",
    # A file is placed in a folder that the agent reads.
    "file",
] | str


class StartRunResult(TypedDict):
    """Result of `run/start`, sent on acceptance; everything else arrives as events."""

    # The run, exactly as the host named it.
    runId: str


class Status(TypedDict):
    """Payload of `status`."""

    # A short name: `requesting`, `waiting`, `compacting`, ….
    phase: str

    # More details, for people.
    detail: NotRequired[str | None]

    # The time to the first token, if the agent CLI reports it.
    ttftMs: NotRequired[int | None]

# Why the model stopped (the values of ACP and two more). An unknown value means other.
StopReason = Literal[
    # It finished its answer, or the agent CLI states no reason.
    "end_turn",
    # Its answer reached the maximum length.
    "max_tokens",
    # It reached the maximum number of turns.
    "max_turn_requests",
    # It refused to answer.
    "refusal",
    # The run or the turn was cancelled, or a time limit stopped it.
    "cancelled",
    # An error ended the turn.
    "error",
    # Anything else.
    "other",
] | str


class SubagentStarted(TypedDict):
    """Payload of `subagent_started`."""

    # The id of the subagent.
    subagentId: str

    # The title of the subagent's task.
    title: str

    # The tool call that started it.
    parentToolCallId: NotRequired[str | None]

# How the installed version compares to the one that the adapter was tested with.
TestedVersion = Literal[
    # The same version.
    "same",
    # Newer: it should work; report what does not work.
    "newer",
    # Older, but at least the minimum.
    "older",
] | str


class ThinkingStarted(TypedDict):
    """Payload of `thinking_started`."""

    # The id of the thinking block, unique within the run.
    thinkingId: str


class ThinkingStopped(TypedDict):
    """Payload of `thinking_stopped`."""

    # The thinking block.
    thinkingId: str


class Timeouts(TypedDict):
    """Time limits; absent means the adapter's default, 0 means no limit. Heartbeats restart nothing."""

    # The time without output. Output restarts it; an open approval pauses it. A default is at least 300 s.
    idleMs: NotRequired[int | None]

    # The time from `run/start` to the first output of the agent CLI. A default is at least 60 s.
    startMs: NotRequired[int | None]

    # The time of the whole run. A default is at least one hour.
    totalMs: NotRequired[int | None]


class ToolInputDelta(TypedDict):
    """Payload of `tool_input_delta`."""

    # The call.
    toolCallId: str

    # The next piece of the input, as raw JSON text.
    text: str

# What a tool does (the values of ACP). An unknown value means other.
ToolKind = Literal[
    # Reads files or data.
    "read",
    # Changes files.
    "edit",
    # Deletes files.
    "delete",
    # Moves or renames files.
    "move",
    # Searches.
    "search",
    # Runs a command.
    "execute",
    # Thinks or plans.
    "think",
    # Fetches external data.
    "fetch",
    # Anything else.
    "other",
] | str

# How a call ended.
ToolStatus = Literal[
    # It succeeded.
    "ok",
    # It failed.
    "error",
    # Its approval was denied.
    "denied",
    # The run was cancelled before the call ended.
    "cancelled",
    # The agent CLI reported no status, or the run ended before the call.
    "unknown",
] | str


class Truncated(TypedDict):
    """How much of a payload was removed to keep a line under the limit."""

    # The number of UTF-8 bytes that were removed from the payload; one that is not text counts as its JSON text.
    bytes: int


class TurnStarted(TypedDict):
    """Payload of `turn_started`."""

    # The id of the turn, as used by `run/input.expectedTurn`.
    turnId: str


class UnknownEvent(TypedDict):
    """An event of a later version; readers keep and forward it."""

    type: str


class Unmapped(TypedDict):
    """Payload of `unmapped`."""

    # The agent CLI's own name of the message type.
    nativeType: str

    # The first occurrence, shortened and without secrets.
    sample: str

    # The number of occurrences in the run so far.
    count: int


class UsageCapability(TypedDict):
    """Details of `usage`."""

    # The agent CLI reports a cost in US dollars. Default: false.
    cost: NotRequired[bool]

# What a usage report covers. An unknown value means one turn.
UsageScope = Literal[
    # One turn of the model.
    "turn",
    # The whole run, and nothing before it.
    "run",
    # The whole session, earlier runs included.
    "session",
] | str

# The source of a usage report. An unknown value means an estimate.
UsageSource = Literal[
    # The agent CLI reported it.
    "cli",
    # The provider's response, read by the adapter.
    "provider",
    # Computed by other means.
    "estimated",
] | str


class UserMessage(TypedDict):
    """Payload of `user_message`."""

    # The text.
    text: str


class AgentSwitched(TypedDict):
    """Payload of `agent_switched`, which only the host sends: the run continues with another agent, whose own `run_started` follows."""

    # The agent that failed.
    fromAgent: str

    # The agent that continues the run.
    toAgent: str

    # The number of the attempt, from 2.
    attempt: int

    # The kind of error that caused it.
    errorKind: ErrorKind

    # The reason, for people.
    reason: str

    # What the next agent receives.
    handover: Handover

    # The size of the handover text in bytes. Default: 0.
    handoverBytes: NotRequired[int]


class ApprovalOption(TypedDict):
    """One decision that the agent CLI offers. Only offered decisions may be given."""

    # The agent CLI's own name.
    id: str

    # What it means.
    kind: ApprovalOutcome

    # The label of a button.
    label: NotRequired[str | None]


class ApprovalResolved(TypedDict):
    """Payload of `approval_resolved`."""

    # The approval.
    approvalId: str

    # The decision: that of `run/respond`, or a denial.
    outcome: ApprovalOutcome

    # Who decided: `by` of `run/respond`, whose default is `user`.
    by: ApprovalResolver


class CliInfo(TypedDict):
    """The agent CLI."""

    # The names of the executable, the preferred one first.
    names: list[str]

    # How the adapter communicates with it.
    transport: CliTransport

    # Ways to install it. Default: [].
    install: NotRequired[list[InstallMethod]]

    # The oldest version that works.
    versionMin: NotRequired[str | None]

    # The version the adapter was tested with.
    versionTested: NotRequired[str | None]


class Credential(TypedDict):
    """The credential that pays. It names a variable or a file, never a value."""

    # The kind.
    kind: CredentialKind

    # The environment variable, file or plan that it comes from.
    name: str


class EffortCapability(TypedDict):
    """Details of `effort`."""

    # The levels that can be requested. Default: [].
    levels: NotRequired[list[Effort]]


class ErrorData(TypedDict):
    """`error.data` of every JSON-RPC error: the kind for programs and the hint for people."""

    # The kind.
    kind: ErrorKind

    # Further details, never a secret.
    details: NotRequired[dict[str, Any] | None]

    # What to type or change to fix it. Present for `auth_*` and `cli_not_found`.
    hint: NotRequired[str | None]

    # Whether the same call may succeed later without a change: true for `rate_limited`, false for `auth_*`, `config_invalid`, `model_unknown`, `context_exceeded` and `cli_not_found`. Default: false.
    retryable: NotRequired[bool]

    # With `unsupported_protocol`: the majors that the responding side supports.
    supported: NotRequired[ProtocolRange | None]

    # With `timeout`: which limit (`start`, `idle`, `total`); with `capability_unsupported`: which capability; with `invalid_params` of the host's API: which parameter, such as `task.session.mode`.
    which: NotRequired[str | None]


class ErrorEvent(TypedDict):
    """Payload of `error`."""

    # The kind.
    kind: ErrorKind

    # What failed, on what and why: lowercase, without a final dot and without secrets.
    message: str

    # Whether the error ends the run: `done` follows.
    fatal: bool

    # Further details, never a secret. With `timeout`: `which` is `start`, `idle` or `total`.
    data: NotRequired[dict[str, Any] | None]

    # What to type or change to fix it. Present for `auth_*` and `cli_not_found`.
    hint: NotRequired[str | None]

    # Whether the same run may succeed later without a change: true for `rate_limited`, false for `auth_*`, `config_invalid`, `model_unknown`, `context_exceeded` and `cli_not_found`. Default: false.
    retryable: NotRequired[bool]


class Extension(TypedDict):
    """Payload of `skill` and `plugin`."""

    # The name.
    name: str

    # Whether it was loaded or used.
    phase: ExtensionPhase

    # The source; absent means not reported.
    source: NotRequired[str | None]

# Payload of `file_change`.
FileChange = TypedDict("FileChange", {
    # The absolute path of the file.
    "path": str,
    # The operation.
    "op": FileOp,
    # Who detected it.
    "source": FileChangeSource,
    # A unified diff, if the agent CLI provides one.
    "diff": NotRequired[str | None],
    # With `rename`: the absolute old path.
    "from": NotRequired[str | None],
    # The id of the tool call that changed the file; absent means not known.
    "toolCallId": NotRequired[str | None],
    # Present when the diff was shortened.
    "truncated": NotRequired[Truncated | None],
})


class HealthAdapterResult(TypedDict):
    """Result of `adapter/health`."""

    # The status.
    status: HealthStatus

    # A one-sentence description.
    message: str

    # Details such as open runs and versions. Default: {}.
    details: NotRequired[dict[str, Any]]


class HostCapabilities(TypedDict):
    """The capabilities of the host. A marker is an object; absent means unsupported."""

    # The host answers `approval_requested`. Without it the adapter denies what the agent CLI requests, and reports the denial by `policy`.
    approvals: NotRequired[Marker | None]


class InputRunResult(TypedDict):
    """Result of `run/input`."""

    # What the agent does with the input.
    outcome: InputOutcome


class ListSessionsResult(TypedDict):
    """Result of `sessions/list`."""

    # Newest first.
    sessions: list[SessionSummary]


class McpServer(TypedDict):
    """An MCP server for a run."""

    # The name.
    name: str

    # The transport.
    transport: McpTransport

    # The arguments of the program.
    args: NotRequired[list[str]]

    # The program, with `stdio`.
    command: NotRequired[str | None]

    # The variables of the program.
    env: NotRequired[dict[str, str]]

    # The HTTP headers.
    headers: NotRequired[dict[str, str]]

    # The URL, with `http` and `sse`.
    url: NotRequired[str | None]


class Model(TypedDict):
    """One model."""

    # The model id, as used by `run/start.model`.
    id: str

    # The context window in tokens; absent means not known.
    contextWindow: NotRequired[int | None]

    # Used when a run names no model. Default: false.
    default: NotRequired[bool]

    # The efforts that the model supports; absent means not known.
    efforts: NotRequired[list[Effort] | None]

    # The name for people.
    name: NotRequired[str | None]


class Notice(TypedDict):
    """Payload of `notice`."""

    # The level.
    level: NoticeLevel

    # A code for programs.
    code: str

    # A sentence for people.
    text: str

    # What to type or change to fix it.
    hint: NotRequired[str | None]


class PlanEntry(TypedDict):
    """One entry of a plan."""

    # The task.
    content: str

    # The status.
    status: PlanStatus


class Policy(TypedDict):
    """Rules for approvals, shell and network. The adapter translates them into the strictest form of the agent CLI."""

    # Categories that always need an approval. Default: [].
    ask: NotRequired[list[ApprovalCategory]]

    # The network access of the agent's tools.
    network: NotRequired[NetworkMode | None]

    # Command prefixes that need no approval. Default: [].
    shellAllow: NotRequired[list[str]]

    # Command prefixes that are denied. Default: [].
    shellDeny: NotRequired[list[str]]


class Prompt(TypedDict):
    """The prompt."""

    # The text, passed unchanged. It is data: `/x`, `@x`, `-x` and `$(x)` have no special meaning.
    text: str

    # The absolute paths of files to read.
    attachments: NotRequired[list[str]]

    # Images.
    images: NotRequired[list[ImageInput]]

    # The system prompt.
    system: NotRequired[str | None]


class Quota(TypedDict):
    """Payload of the event `quota` and result of `quota/get`."""

    # The windows.
    windows: list[QuotaWindow]

    # Whether a run started now would be rejected.
    rateLimited: bool

    # The earliest reset that allows runs again, in milliseconds since 1970.
    earliestResetAt: NotRequired[int | None]


class Requirements(TypedDict):
    """What the adapter needs."""

    # Other programs that must be installed. Default: [].
    bins: NotRequired[list[str]]

    # Further variables that the adapter or the agent CLI reads. Default: [].
    env: NotRequired[list[EnvRequirement]]

    # Variables by which the agent CLI detects that it runs inside another one. They never reach it, even if the user's settings allow them.
    nestingEnv: NotRequired[list[str]]

    # The supported platforms: `linux`, `macos`, `windows`; empty means all. Default: [].
    platforms: NotRequired[list[str]]


class RespondRunParams(TypedDict):
    """Parameters of `run/respond`."""

    # The run that requested the approval.
    runId: str

    # The approval id of `approval_requested`.
    approvalId: str

    # The decision.
    outcome: ApprovalOutcome

    # Who decided; absent means the user.
    by: NotRequired[ApprovalResolver | None]

    # The reason of a denial, for the agent.
    message: NotRequired[str | None]

    # The tool input as edited by the user; absent means unchanged. Requires the capability `approvals.editInput`.
    updatedInput: NotRequired[dict[str, Any] | None]


class SessionChoice(TypedDict):
    """A new session, or an existing one."""

    # The mode.
    mode: SessionMode

    # The native id of the existing session, always data: never an option or a path. With `new`: the id of the new session, where the agent CLI supports that.
    id: NotRequired[str | None]


class SessionStarted(TypedDict):
    """Payload of `session_started`."""

    # The agent CLI's own session id, as used by `resume`.
    sessionId: str

    # Whether the session is new, resumed or forked.
    mode: SessionMode

    # The working folder that the agent CLI reports.
    cwd: NotRequired[str | None]

    # The available MCP servers; absent means not reported.
    mcpServers: NotRequired[list[McpServerStatus] | None]

    # The model in use, by the agent CLI's own name; absent means not reported.
    model: NotRequired[str | None]

    # With `fork`: the id of the session that was copied; absent means not reported.
    parentSessionId: NotRequired[str | None]

    # The available tools, by the agent CLI's own names; absent means not reported.
    tools: NotRequired[list[str] | None]


class SkillsInfo(TypedDict):
    """How skills are passed to the agent."""

    # The strategy.
    strategy: SkillStrategy

    # The folders that the agent CLI reads, `~` for the home folder. Default: [].
    dirs: NotRequired[list[str]]


class SubagentStopped(TypedDict):
    """Payload of `subagent_stopped`."""

    # The subagent.
    subagentId: str

    # The title of the subagent's task.
    title: str

    # The tool call that started it.
    parentToolCallId: NotRequired[str | None]

    # How it ended.
    status: NotRequired[ToolStatus | None]

    # A summary of what the subagent did.
    summary: NotRequired[str | None]


class TextDelta(TypedDict):
    """Payload of `text_delta`."""

    # The open message that the piece belongs to.
    messageId: str

    # The next piece, byte for byte as the agent CLI sent it.
    text: str

    # Present when the piece was shortened.
    truncated: NotRequired[Truncated | None]


class ThinkingDelta(TypedDict):
    """Payload of `thinking_delta`."""

    # The open thinking block that the piece belongs to.
    thinkingId: str

    # The next piece, byte for byte as the agent CLI sent it.
    text: str

    # Present when the piece was shortened.
    truncated: NotRequired[Truncated | None]


class ToolCallReady(TypedDict):
    """Payload of `tool_call_ready`."""

    # The call.
    toolCallId: str

    # The complete input, unchanged, as the agent CLI reports it.
    input: Any

    # A one-line title for people, derived from the input.
    title: NotRequired[str | None]

    # Present when the input was shortened.
    truncated: NotRequired[Truncated | None]


class ToolCallStarted(TypedDict):
    """Payload of `tool_call_started`."""

    # The id of the call, unique within the run.
    toolCallId: str

    # The agent CLI's own name for the tool.
    name: str

    # What the tool does.
    kind: ToolKind

    # The MCP server the tool belongs to.
    mcpServer: NotRequired[str | None]

    # The call whose subagent makes this call.
    parentToolCallId: NotRequired[str | None]

    # A one-line title for people.
    title: NotRequired[str | None]


class ToolOutputDelta(TypedDict):
    """Payload of `tool_output_delta`."""

    # The call.
    toolCallId: str

    # The next piece of the output.
    text: str

    # The stream; absent means not reported.
    stream: NotRequired[OutputStream | None]

    # Present when the piece was shortened.
    truncated: NotRequired[Truncated | None]


class ToolResult(TypedDict):
    """Payload of `tool_result`."""

    # The call.
    toolCallId: str

    # How it ended.
    status: ToolStatus

    # The complete output, unchanged: text, or the agent CLI's own structure.
    output: Any

    # The exit code of a command, as the agent CLI reports it; absent means not reported.
    exitCode: NotRequired[int | None]

    # Present when the output was shortened.
    truncated: NotRequired[Truncated | None]


class TurnEnded(TypedDict):
    """Payload of `turn_ended`."""

    # The turn.
    turnId: str

    # Why the turn ended.
    stopReason: StopReason


class Usage(TypedDict):
    """Payload of the event `usage`."""

    # What the numbers cover.
    scope: UsageScope

    # Whether the numbers include all earlier reports of the same scope.
    cumulative: bool

    # Tokens sent, those read from or written to a cache excluded.
    inputTokens: int

    # Tokens received, reasoning included.
    outputTokens: int

    # `inputTokens` + `outputTokens` + `cacheReadTokens` + `cacheWriteTokens`.
    totalTokens: int

    # The source of the numbers.
    source: UsageSource

    # Tokens read from a cache. Default: 0.
    cacheReadTokens: NotRequired[int]

    # Tokens written to a cache. Default: 0.
    cacheWriteTokens: NotRequired[int]

    # The cost in US dollars if the agent CLI reports it; null means not reported, which is not zero.
    costUsd: NotRequired[float | None]

    # The model.
    model: NotRequired[str | None]

    # The company whose service ran the model, such as `anthropic`; absent means not known.
    provider: NotRequired[str | None]

    # The reasoning tokens of the output; absent means not reported.
    reasoningTokens: NotRequired[int | None]

    # The service tier of the provider.
    serviceTier: NotRequired[str | None]


class ApprovalRequested(TypedDict):
    """Payload of `approval_requested`."""

    # The id of the approval, unique within the run.
    approvalId: str

    # What the agent requests approval for.
    category: ApprovalCategory

    # How much harm a wrong decision can do.
    risk: ApprovalRisk

    # A one-line summary for people: what exactly would happen.
    summary: str

    # The decisions that the agent CLI offers; at least one.
    options: list[ApprovalOption]

    # How long the request waits, from this event on, before it is denied by `timeout`; null means without limit.
    deadlineMs: NotRequired[int | None]

    # The input of the tool call, unchanged, to show or edit.
    input: NotRequired[Any]

    # The id of the tool call that waits; absent means not known.
    toolCallId: NotRequired[str | None]


class AuthStatus(TypedDict):
    """The state of the login."""

    # Whether a run would be authenticated.
    state: AuthState

    # The credential that would pay.
    credential: NotRequired[Credential | None]

    # When the login expires, in milliseconds since 1970.
    expiresAt: NotRequired[int | None]

    # The command to log in.
    guidance: NotRequired[str | None]

    # The login method (`oauth`, `api_key`, …).
    method: NotRequired[str | None]


class Capabilities(TypedDict):
    """What an adapter declares in its manifest and repeats in `initialize`. `adapter/detect` may report fewer capabilities for the installed version of the agent CLI."""

    # `run/start.addDirs`.
    addDirs: NotRequired[Marker | None]

    # `approval_requested` and `run/respond`.
    approvals: NotRequired[ApprovalsCapability | None]

    # `run/start.prompt.attachments`.
    attachments: NotRequired[Marker | None]

    # `run/start.effort`.
    effort: NotRequired[EffortCapability | None]

    # Emits native `file_change` events.
    fileChanges: NotRequired[Marker | None]

    # `run/start.session.mode = fork`.
    fork: NotRequired[Marker | None]

    # `run/start.prompt.images`.
    images: NotRequired[Marker | None]

    # `run/input` to a running run.
    input: NotRequired[InputCapability | None]

    # `run/start.maxTurns`.
    maxTurns: NotRequired[Marker | None]

    # `run/start.mcpServers`.
    mcpServers: NotRequired[Marker | None]

    # `models/list` and `run/start.model`.
    models: NotRequired[Marker | None]

    # `run/start.outputSchema`.
    outputSchema: NotRequired[Marker | None]

    # `run/start.permissionMode`.
    permissionModes: NotRequired[PermissionModesCapability | None]

    # `run/start.policy`.
    policy: NotRequired[Marker | None]

    # `quota/get`.
    quota: NotRequired[Marker | None]

    # `run/start.session.mode = resume`.
    resume: NotRequired[ResumeCapability | None]

    # `run/start` and `run/cancel`.
    run: NotRequired[Marker | None]

    # `sessions/list` and `sessions/read`.
    sessions: NotRequired[Marker | None]

    # `run/start.skills`.
    skills: NotRequired[Marker | None]

    # Emits `subagent_*`.
    subagents: NotRequired[Marker | None]

    # `run/start.prompt.system`.
    systemPrompt: NotRequired[Marker | None]

    # Emits `text_delta` while the model generates, not only whole messages.
    textDeltas: NotRequired[Marker | None]

    # Emits `thinking_*` events.
    thinking: NotRequired[Marker | None]

    # `run/start.thinkingBudgetTokens`.
    thinkingBudget: NotRequired[Marker | None]

    # `run/start.allowedTools` and `deniedTools`.
    toolLists: NotRequired[Marker | None]

    # Emits `tool_*` events.
    tools: NotRequired[Marker | None]

    # Emits `usage`.
    usage: NotRequired[UsageCapability | None]


class ErrorObject(TypedDict):
    """The JSON-RPC error object. Its shape is frozen for all majors."""

    # The JSON-RPC code of the kind.
    code: int

    # What failed, on what and why: lowercase, without a final dot.
    message: str

    # The kind and the hint.
    data: NotRequired[ErrorData | None]


class InitializeParams(TypedDict):
    """Parameters of `initialize`. The shape is frozen for all majors."""

    # The protocol majors that the host supports.
    protocol: ProtocolRange

    # The name and version of the host.
    host: HostInfo

    # The capabilities of the host. Default: {}.
    capabilities: NotRequired[HostCapabilities]

    # Settings for this adapter. Default: {}.
    config: NotRequired[AdapterConfig]

    # The process id of the host. The adapter stops when this process has ended. Absent means: watch stdin only.
    hostPid: NotRequired[int | None]

    # Limits of the messages that the host reads. Default: {"maxLineBytes":16777216}.
    limits: NotRequired[Limits]

    # Custom data.
    _meta: NotRequired[dict[str, Any] | None]


class ListModelsResult(TypedDict):
    """Result of `models/list`."""

    # The models. Ids are unique.
    models: list[Model]

    # Where the list comes from.
    source: ModelsSource

    # The model that the agent CLI is configured to use.
    current: NotRequired[str | None]


class Plan(TypedDict):
    """Payload of `plan`."""

    # All entries; each plan replaces the previous one.
    entries: list[PlanEntry]


class RunStarted(TypedDict):
    """Payload of `run_started`."""

    # The arguments of the agent CLI in their order; the executable may precede them. The prompt and secrets are omitted or replaced. Default: [].
    argv: NotRequired[list[str]]

    # The absolute path of the executable that was started; null when nothing could be started.
    cliPath: NotRequired[str | None]

    # The version of the agent CLI, as `adapter/detect` reports it; null when unknown.
    cliVersion: NotRequired[str | None]

    # The credential that pays; null when unknown.
    credential: NotRequired[Credential | None]

    # The agent CLI's own name of the permission mode; null means its default.
    permissionMode: NotRequired[str | None]

    # The process id of the agent CLI; null when nothing could be started.
    pid: NotRequired[int | None]

    # How the version compares to the tested one; null when unknown.
    testedVersion: NotRequired[TestedVersion | None]


class StartRunParams(TypedDict):
    """Parameters of `run/start`. An option that the adapter does not support is the error `capability_unsupported` before any process starts; it is never ignored."""

    # The run id, chosen by the host and unique for this adapter process: an opaque text.
    runId: str

    # The absolute path of the working folder.
    cwd: str

    # The prompt.
    prompt: Prompt

    # Options that the manifest's `configSchema` describes.
    adapterOptions: NotRequired[dict[str, Any]]

    # Further folders that the agent may work in, as absolute paths.
    addDirs: NotRequired[list[str]]

    # Tools that need no approval; absent means the agent CLI's own default.
    allowedTools: NotRequired[list[str] | None]

    # Tools that the agent may not use.
    deniedTools: NotRequired[list[str] | None]

    # The reasoning effort; absent means the agent CLI's own default.
    effort: NotRequired[Effort | None]

    # Variables for the agent CLI of this run, in addition to the allowlist and with precedence.
    env: NotRequired[dict[str, str]]

    # The maximum number of turns of the model.
    maxTurns: NotRequired[int | None]

    # MCP servers for this run.
    mcpServers: NotRequired[list[McpServer]]

    # The model; absent means the agent CLI's own default.
    model: NotRequired[str | None]

    # A JSON Schema that the final answer must match.
    outputSchema: NotRequired[dict[str, Any] | None]

    # A permission mode of the agent CLI, by its own name.
    permissionMode: NotRequired[str | None]

    # Rules for approvals, shell and network.
    policy: NotRequired[Policy | None]

    # A new session, or an existing one. Default: {"mode":"new"}.
    session: NotRequired[SessionChoice]

    # The folders of the skills to load.
    skills: NotRequired[list[str]]

    # The reasoning effort as a number of tokens.
    thinkingBudgetTokens: NotRequired[int | None]

    # Time limits. Default: {}.
    timeouts: NotRequired[Timeouts]

    # A file that receives the complete raw stdout of the agent CLI. Needs no capability; never ignored.
    tracePath: NotRequired[str | None]

    # Custom data.
    _meta: NotRequired[dict[str, Any] | None]


class Totals(TypedDict):
    """Totals of a run."""

    # `costUsd` of the `usage` of scope `run`; absent if the agent CLI reported none.
    costUsd: NotRequired[float | None]

    # The number of different paths in `file_change`. Default: 0.
    filesChanged: NotRequired[int]

    # The UTF-8 bytes of all `text_delta`, discarded messages excluded. Default: 0.
    textBytes: NotRequired[int]

    # The number of `tool_call_started`. Default: 0.
    toolCalls: NotRequired[int]

    # The `usage` of scope `run`; absent if there was none.
    usage: NotRequired[Usage | None]


class DetectAdapterResult(TypedDict):
    """Result of `adapter/detect`. "Not installed" is a result, not an error."""

    # Whether an executable file of the agent CLI exists at `config.cliPath`, or on this machine without it.
    installed: bool

    # The state of the login.
    auth: AuthStatus

    # What works with the installed version: a subset of what `initialize` declared.
    capabilities: Capabilities

    # The settings folder of the agent CLI, if it exists.
    configDir: NotRequired[str | None]

    # What was checked. Default: [].
    evidence: NotRequired[list[Evidence]]

    # The command to install or upgrade.
    guidance: NotRequired[str | None]

    # Whether the version is at least `cli.versionMin`, compared number by number; null when the version cannot be read.
    meetsMin: NotRequired[bool | None]

    # The absolute path of the executable that a run would start; absent when not installed.
    path: NotRequired[str | None]

    # The folder from which the agent CLI reads skills, if it does.
    skillsDir: NotRequired[str | None]

    # How the version compares to `cli.versionTested`, number by number; absent when one of them is not known.
    testedVersion: NotRequired[TestedVersion | None]

    # The version of the installed agent CLI; absent when it cannot be read.
    version: NotRequired[str | None]


class Done(TypedDict):
    """Payload of `done`."""

    # How the run ended.
    status: DoneStatus

    # Why the model stopped; `end_turn` if the run completed and the agent CLI states no reason.
    stopReason: StopReason

    # The evidence for the status.
    evidence: DoneEvidence

    # The time from the receipt of `run/start` to `done`.
    durationMs: int

    # Totals of the run.
    totals: Totals

    # With `failed` and `timed_out`: the kind of the preceding fatal `error`; otherwise absent.
    errorKind: NotRequired[ErrorKind | None]

    # The exit code of the agent CLI's process; absent when a signal ended it or the adapter does not report it.
    exitCode: NotRequired[int | None]

    # The session id of the last `session_started`; absent if there was none.
    sessionId: NotRequired[str | None]

    # The signal that ended the agent CLI's process, also if the adapter sent it.
    signal: NotRequired[int | None]


class InitializeResult(TypedDict):
    """Result of `initialize`. The shape is frozen for all majors."""

    # The highest major that both sides support.
    protocol: int

    # The id, version and vendor of the adapter.
    adapter: AdapterInfo

    # The capabilities of the manifest.
    capabilities: Capabilities

    # The revision of the specification that the adapter follows.
    revision: NotRequired[str | None]


class Manifest(TypedDict):
    """The manifest. A host accepts any minor of a known major."""

    # The version of the manifest format, `major.minor`.
    manifestVersion: str

    # The adapter id: the file name after `od-adapter-`.
    adapterId: str

    # The name for people.
    displayName: str

    # The adapter's own version (semver).
    version: str

    # The publisher of the adapter.
    vendor: str

    # The protocol majors that the adapter supports.
    protocol: ProtocolRange

    # The capabilities; `adapter/detect` may report fewer for the installed version.
    capabilities: Capabilities

    # The agent CLI that the adapter wraps.
    cli: CliInfo

    # The login methods of the agent CLI.
    auth: AuthInfo

    # A JSON Schema of `initialize.config.options` and `run/start.adapterOptions`.
    configSchema: NotRequired[dict[str, Any] | None]

    # The requirement set that the adapter claims to meet, and its fixture pack.
    conformance: NotRequired[ConformanceInfo | None]

    # A one-sentence description. Default: "".
    description: NotRequired[str]

    # A web page about the agent CLI.
    homepage: NotRequired[str | None]

    # The SPDX license expression.
    license: NotRequired[str | None]

    # The plugin formats that the agent CLI loads. Default: [].
    pluginFormats: NotRequired[list[str]]

    # What the adapter needs. Default: {"bins":[],"env":[],"platforms":[]}.
    requirements: NotRequired[Requirements]

    # A detached signature of the executable; null means unsigned.
    signature: NotRequired[str | None]

    # How skills are passed to the agent.
    skills: NotRequired[SkillsInfo | None]

    # Custom data.
    _meta: NotRequired[dict[str, Any] | None]


class EventRunStarted(RunStarted):
    """The agent CLI was started. The first event of every run."""

    type: Literal["run_started"]


class EventSessionStarted(SessionStarted):
    """The native session is known."""

    type: Literal["session_started"]


class EventTurnStarted(TurnStarted):
    """A turn of the model starts."""

    type: Literal["turn_started"]


class EventTurnEnded(TurnEnded):
    """A turn of the model ended; more turns may follow in the same run."""

    type: Literal["turn_ended"]


class EventStatus(Status):
    """What the agent is doing now."""

    type: Literal["status"]


class EventUserMessage(UserMessage):
    """Text of the user or the host: the echo of input, or part of a session that is read."""

    type: Literal["user_message"]


class EventMessageStarted(MessageStarted):
    """A message of the agent starts."""

    type: Literal["message_started"]


class EventTextDelta(TextDelta):
    """A piece of a message."""

    type: Literal["text_delta"]


class EventMessageStopped(MessageStopped):
    """A message is complete."""

    type: Literal["message_stopped"]


class EventMessageDiscarded(MessageDiscarded):
    """A message was retried: its text is no longer valid."""

    type: Literal["message_discarded"]


class EventThinkingStarted(ThinkingStarted):
    """A thinking block starts."""

    type: Literal["thinking_started"]


class EventThinkingDelta(ThinkingDelta):
    """A piece of a thinking block."""

    type: Literal["thinking_delta"]


class EventThinkingStopped(ThinkingStopped):
    """A thinking block is complete."""

    type: Literal["thinking_stopped"]


class EventToolCallStarted(ToolCallStarted):
    """A tool call starts."""

    type: Literal["tool_call_started"]


class EventToolInputDelta(ToolInputDelta):
    """A piece of the call's input, as raw JSON text."""

    type: Literal["tool_input_delta"]


class EventToolCallReady(ToolCallReady):
    """The call's input is complete."""

    type: Literal["tool_call_ready"]


class EventToolOutputDelta(ToolOutputDelta):
    """A piece of the call's output."""

    type: Literal["tool_output_delta"]


class EventToolResult(ToolResult):
    """The call ended."""

    type: Literal["tool_result"]


class EventFileChange(FileChange):
    """A file was changed."""

    type: Literal["file_change"]


class EventApprovalRequested(ApprovalRequested):
    """The agent waits for an approval."""

    type: Literal["approval_requested"]


class EventApprovalResolved(ApprovalResolved):
    """An approval was resolved."""

    type: Literal["approval_resolved"]


class EventInputRequested(InputRequested):
    """The agent asks the user a question."""

    type: Literal["input_requested"]


class EventPlan(Plan):
    """The agent's list of tasks; each plan replaces the previous one."""

    type: Literal["plan"]


class EventSubagentStarted(SubagentStarted):
    """A subagent starts; its activity is summarised, not forwarded."""

    type: Literal["subagent_started"]


class EventSubagentStopped(SubagentStopped):
    """A subagent ended."""

    type: Literal["subagent_stopped"]


class EventUsage(Usage):
    """Tokens and cost."""

    type: Literal["usage"]


class EventContext(Context):
    """How full the model's context window is."""

    type: Literal["context"]


class EventQuota(Quota):
    """The quota of the account."""

    type: Literal["quota"]


class EventRateLimited(RateLimited):
    """The provider limits the rate of requests."""

    type: Literal["rate_limited"]


class EventRetry(Retry):
    """The agent CLI or the host retries."""

    type: Literal["retry"]


class EventAgentSwitched(AgentSwitched):
    """Another agent continues the run; only the host sends it."""

    type: Literal["agent_switched"]


class EventImage(Image):
    """An image."""

    type: Literal["image"]


class EventSkill(Extension):
    """A skill was loaded or used."""

    type: Literal["skill"]


class EventPlugin(Extension):
    """A plugin was loaded or used."""

    type: Literal["plugin"]


class EventModeChanged(ModeChanged):
    """The model or the permission mode changed."""

    type: Literal["mode_changed"]


class EventNotice(Notice):
    """Information for people."""

    type: Literal["notice"]


class EventUnmapped(Unmapped):
    """The agent CLI sent something that the adapter does not know: a sign of a newer agent CLI."""

    type: Literal["unmapped"]


class EventHeartbeat(Heartbeat):
    """The agent CLI sends no output but is alive."""

    type: Literal["heartbeat"]


class EventError(ErrorEvent):
    """An error."""

    type: Literal["error"]


class EventDone(Done):
    """The last event of every run: none of its processes is alive."""

    type: Literal["done"]


# An event of this version; `type` discriminates them.
KnownEvent = (
    EventRunStarted
    | EventSessionStarted
    | EventTurnStarted
    | EventTurnEnded
    | EventStatus
    | EventUserMessage
    | EventMessageStarted
    | EventTextDelta
    | EventMessageStopped
    | EventMessageDiscarded
    | EventThinkingStarted
    | EventThinkingDelta
    | EventThinkingStopped
    | EventToolCallStarted
    | EventToolInputDelta
    | EventToolCallReady
    | EventToolOutputDelta
    | EventToolResult
    | EventFileChange
    | EventApprovalRequested
    | EventApprovalResolved
    | EventInputRequested
    | EventPlan
    | EventSubagentStarted
    | EventSubagentStopped
    | EventUsage
    | EventContext
    | EventQuota
    | EventRateLimited
    | EventRetry
    | EventAgentSwitched
    | EventImage
    | EventSkill
    | EventPlugin
    | EventModeChanged
    | EventNotice
    | EventUnmapped
    | EventHeartbeat
    | EventError
    | EventDone
)

# What happened: an event of this version or of a later one.
Event = KnownEvent | UnknownEvent

EventType = Literal[
    "run_started",
    "session_started",
    "turn_started",
    "turn_ended",
    "status",
    "user_message",
    "message_started",
    "text_delta",
    "message_stopped",
    "message_discarded",
    "thinking_started",
    "thinking_delta",
    "thinking_stopped",
    "tool_call_started",
    "tool_input_delta",
    "tool_call_ready",
    "tool_output_delta",
    "tool_result",
    "file_change",
    "approval_requested",
    "approval_resolved",
    "input_requested",
    "plan",
    "subagent_started",
    "subagent_stopped",
    "usage",
    "context",
    "quota",
    "rate_limited",
    "retry",
    "agent_switched",
    "image",
    "skill",
    "plugin",
    "mode_changed",
    "notice",
    "unmapped",
    "heartbeat",
    "error",
    "done",
]

# The event types of this version.
EVENT_TYPES: Final[tuple[str, ...]] = get_args(EventType)


def is_known_event(event: Event) -> TypeGuard[KnownEvent]:
    """Whether an event is of this version; then `type` narrows its type."""
    return event["type"] in EVENT_TYPES


class ReadSessionResult(TypedDict):
    """Result of `sessions/read`."""

    # The session.
    session: SessionSummary

    # The content of the session as events of a run, including `user_message`.
    events: list[Event]

    # Older events are omitted to keep the response under the line limit. Default: false.
    truncated: NotRequired[bool]


class RunEventParams(TypedDict):
    """Parameters of the notification `run/event`: the envelope of every event."""

    # The run, exactly as `run/start` named it.
    runId: str

    # The sequence number: starts at 0, without gaps.
    seq: int

    # The wall clock (UTC) when the adapter emits the event, in milliseconds since 1970.
    ts: int

    # The event.
    event: Event

    # Custom data.
    _meta: NotRequired[dict[str, Any] | None]

# The JSON-RPC code of each kind.
ERROR_CODES: Final[dict[str, int]] = {
    # The line is not JSON.
    "parse_error": -32700,
    # The line is JSON but not a JSON-RPC 2.0 message.
    "invalid_request": -32600,
    # The method does not exist.
    "method_not_found": -32601,
    # The parameters are not valid for the method.
    "invalid_params": -32602,
    # An internal error of the adapter.
    "internal": -32603,
    # `$/cancelRequest` cancelled the request.
    "request_cancelled": -32800,
    # The two sides have no common protocol major.
    "unsupported_protocol": 1001,
    # `initialize` has not been called.
    "not_initialized": 1002,
    # `initialize` was called twice.
    "already_initialized": 1003,
    # `shutdown` was called.
    "shutting_down": 1004,
    # The adapter does not support an option or a method.
    "capability_unsupported": 1005,
    # The configuration or an option's value is wrong.
    "config_invalid": 1006,
    # The agent CLI is not installed.
    "cli_not_found": 1010,
    # The agent CLI is older than the adapter supports.
    "cli_version_unsupported": 1011,
    # The agent CLI could not be started.
    "cli_spawn_failed": 1012,
    # The agent CLI exited without reporting a result.
    "cli_crashed": 1013,
    # The agent CLI violated its own protocol.
    "cli_protocol": 1014,
    # No credential exists.
    "auth_missing": 1020,
    # The credential has expired or was rejected.
    "auth_expired": 1021,
    # The credential belongs to an account without permission for this.
    "auth_wrong_account": 1022,
    # The operating system or the agent CLI refused access.
    "permission_denied": 1023,
    # The provider limits the rate of requests.
    "rate_limited": 1030,
    # The account's quota is exhausted.
    "quota_exhausted": 1031,
    # The conversation exceeds the model's context window.
    "context_exceeded": 1032,
    # The provider does not know the model.
    "model_unknown": 1033,
    # The prompt is too large for the agent CLI.
    "prompt_too_large": 1034,
    # The run does not exist.
    "run_unknown": 1040,
    # A run with this id already exists.
    "run_id_in_use": 1041,
    # The adapter has reached its maximum number of runs.
    "too_many_runs": 1042,
    # The agent CLI does not know the session.
    "session_unknown": 1043,
    # The session is in use.
    "session_busy": 1044,
    # The approval does not exist or is already resolved.
    "approval_unknown": 1045,
    # A time limit was reached; `data.which` names it.
    "timeout": 1050,
    # The provider cannot be reached or returns a server error.
    "network_unreachable": 1051,
    # The adapter process ended unexpectedly.
    "plugin_crashed": 1052,
    # The adapter process does not respond.
    "plugin_hung": 1053,
}

# What the host calls: parameters and result of each method.
METHODS: Final[dict[str, tuple[Any, Any]]] = {
    # Negotiates the protocol major and passes the configuration.
    "initialize": (InitializeParams, InitializeResult),
    # Responds immediately, also while runs emit many events.
    "ping": (PingParams, PingResult),
    # Returns the health of the adapter, also when the agent CLI hangs.
    "adapter/health": (HealthAdapterParams, HealthAdapterResult),
    # Detects the agent CLI, its version and login: read-only, local and fast.
    "adapter/detect": (DetectAdapterParams, DetectAdapterResult),
    # Lists the models and their efforts.
    "models/list": (ListModelsParams, ListModelsResult),
    # Returns the quota of the account; null when it cannot be read.
    "quota/get": (GetQuotaParams, Quota),
    # Lists native sessions on disk.
    "sessions/list": (ListSessionsParams, ListSessionsResult),
    # Reads a native session as unified events.
    "sessions/read": (ReadSessionParams, ReadSessionResult),
    # Starts a run. The response means acceptance; everything else arrives as events.
    "run/start": (StartRunParams, StartRunResult),
    # Sends input to a running run.
    "run/input": (InputRunParams, InputRunResult),
    # Resolves an approval.
    "run/respond": (RespondRunParams, RespondRunResult),
    # Stops a run and all processes that it started.
    "run/cancel": (CancelRunParams, CancelRunResult),
    # Stops every run, then responds.
    "shutdown": (ShutdownParams, ShutdownResult),
}


class Calls(Protocol):
    """A function that calls a method by its name."""

    @overload
    def __call__(
        self, method: Literal["initialize"], params: InitializeParams, /
    ) -> InitializeResult: ...

    @overload
    def __call__(
        self, method: Literal["ping"], params: PingParams = ..., /
    ) -> PingResult: ...

    @overload
    def __call__(
        self, method: Literal["adapter/health"], params: HealthAdapterParams = ..., /
    ) -> HealthAdapterResult: ...

    @overload
    def __call__(
        self, method: Literal["adapter/detect"], params: DetectAdapterParams = ..., /
    ) -> DetectAdapterResult: ...

    @overload
    def __call__(
        self, method: Literal["models/list"], params: ListModelsParams = ..., /
    ) -> ListModelsResult: ...

    @overload
    def __call__(
        self, method: Literal["quota/get"], params: GetQuotaParams = ..., /
    ) -> Quota | None: ...

    @overload
    def __call__(
        self, method: Literal["sessions/list"], params: ListSessionsParams = ..., /
    ) -> ListSessionsResult: ...

    @overload
    def __call__(
        self, method: Literal["sessions/read"], params: ReadSessionParams, /
    ) -> ReadSessionResult: ...

    @overload
    def __call__(
        self, method: Literal["run/start"], params: StartRunParams, /
    ) -> StartRunResult: ...

    @overload
    def __call__(
        self, method: Literal["run/input"], params: InputRunParams, /
    ) -> InputRunResult: ...

    @overload
    def __call__(
        self, method: Literal["run/respond"], params: RespondRunParams, /
    ) -> RespondRunResult: ...

    @overload
    def __call__(
        self, method: Literal["run/cancel"], params: CancelRunParams, /
    ) -> CancelRunResult: ...

    @overload
    def __call__(
        self, method: Literal["shutdown"], params: ShutdownParams = ..., /
    ) -> ShutdownResult: ...
