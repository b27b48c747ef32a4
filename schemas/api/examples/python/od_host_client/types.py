"""The OD host API, version 1, as Python types (Python 3.11 or later).

Generated from schemas/api/v1/schema.json and openrpc.json: do not edit.

Where a type allows None, it means the same as absent. An open set of words is
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

API_MAJOR: Final = 1

# What kind of thing the agent asks to do.
ApprovalCategory = Literal[
    # Run a command.
    "execute",
    # Create, change or delete a file.
    "edit",
    # Read a file outside the allowed folders.
    "read",
    # Reach the network.
    "network",
    # Call a tool of an MCP server.
    "mcp",
    # Anything else.
    "other",
] | str

# What a person (or policy) decided. An unknown word is a denial.
ApprovalOutcome = Literal[
    # Allow this one call.
    "allow_once",
    # Allow this and every like call of the run.
    "allow_always",
    # Deny this one call; the agent goes on.
    "reject_once",
    # Deny this and every like call of the run.
    "reject_always",
] | str

# Who resolved an approval. An unknown word is read as a policy.
ApprovalResolver = Literal[
    # A person answered.
    "user",
    # A rule answered.
    "policy",
    # Nobody answered before the deadline, so it was denied.
    "timeout",
    # The run was cancelled, or the agent CLI took its question back.
    "cancel",
] | str

# How much harm a wrong answer can do. An unknown word is high.
ApprovalRisk = Literal[
    # Reads or harmless.
    "low",
    # Changes files below the working folder.
    "med",
    # Runs commands, reaches the network or leaves the working folder.
    "high",
] | str


class ApprovalsCapability(TypedDict):
    """Details of `approvals`."""

    # `run/respond.updatedInput` is honoured. Default: false.
    editInput: NotRequired[bool]

# Parameters of `runs/attach`.
AttachRunsParams = TypedDict("AttachRunsParams", {
    # The run, going on or over.
    "runId": str,
    # The number of the first event to send; absent means 0, the first. Default: 0.
    "from": NotRequired[int],
})

# Whether a run would be let in.
AuthState = Literal[
    # A credential is there and has not run out.
    "ok",
    # There is none.
    "missing",
    # It has run out.
    "expired",
    # It cannot be told without asking the provider.
    "unknown",
] | str


class CancelRunResult(TypedDict):
    """Result of `run/cancel`."""

    # The run was there and is being stopped. An unknown or finished run is `false`, no error.
    accepted: bool


class CancelRunsParams(TypedDict):
    """Parameters of `runs/cancel`."""

    # The run.
    runId: str

    # How long the agent CLI may take to stop politely; absent means 2000, 0 means at once.
    graceMs: NotRequired[int | None]


class Context(TypedDict):
    """Payload of `context`."""

    # Tokens in the model's window.
    usedTokens: int

    # The conversation was just shortened. Default: false.
    compacted: NotRequired[bool]

    # How many fit; absent means not stated.
    maxTokens: NotRequired[int | None]

# What kind of credential pays for a run. An unknown word is read as other.
CredentialKind = Literal[
    # A subscription the person logged in with.
    "subscription",
    # An API key, billed by use.
    "api_key",
    # A bearer token set by hand.
    "token",
    # A cloud account (Bedrock, Vertex, …).
    "cloud",
    # A helper command that prints a key.
    "helper",
    # Nothing is paid.
    "none",
    # Something else.
    "other",
] | str


class DeleteRunsParams(TypedDict):
    """Parameters of `runs/delete`."""

    # The run; one that is going on is refused.
    runId: str


class DeleteRunsResult(TypedDict):
    """Result of `runs/delete`."""

    # It was there and is gone.
    deleted: bool

# What the verdict stands on. An unknown word is read as the weakest.
DoneEvidence = Literal[
    # The agent CLI's own last message.
    "native_result",
    # The model's stop reason.
    "stop_reason",
    # Only the exit code.
    "exit_code",
    # The adapter or host stopped it.
    "watchdog",
    # A signal ended it.
    "signal",
] | str

# How a run ended. An unknown word is a failure.
DoneStatus = Literal[
    # The agent CLI itself said that it is done.
    "completed",
    # Something went wrong.
    "failed",
    # It was told to stop.
    "cancelled",
    # A limit of time ran out.
    "timed_out",
] | str

# How hard a model shall think, the same words for every agent. An unknown word is medium.
Effort = Literal[
    # Little.
    "low",
    # The usual.
    "medium",
    # Much.
    "high",
    # As much as the model can.
    "max",
] | str

# What went wrong, as a word to branch on.
ErrorKind = Literal[
    # The line is no JSON.
    "parse_error",
    # The line is JSON but no JSON-RPC 2.0 message.
    "invalid_request",
    # There is no such method.
    "method_not_found",
    # The parameters do not fit the method.
    "invalid_params",
    # The adapter itself failed.
    "internal",
    # `$/cancelRequest` ended the request.
    "request_cancelled",
    # The two sides share no protocol major.
    "unsupported_protocol",
    # `initialize` has not been called.
    "not_initialized",
    # `initialize` was called twice.
    "already_initialized",
    # `shutdown` was called.
    "shutting_down",
    # The adapter cannot honour an option or method.
    "capability_unsupported",
    # The configuration or an option's value is wrong.
    "config_invalid",
    # The agent CLI is not installed.
    "cli_not_found",
    # The agent CLI is older than the adapter can drive.
    "cli_version_unsupported",
    # The agent CLI could not be started.
    "cli_spawn_failed",
    # The agent CLI ended without its own last word.
    "cli_crashed",
    # The agent CLI broke its own protocol.
    "cli_protocol",
    # No credential.
    "auth_missing",
    # The credential has run out or was refused.
    "auth_expired",
    # The credential belongs to an account that may not do this.
    "auth_wrong_account",
    # The operating system or the agent CLI refused access.
    "permission_denied",
    # The provider asks to slow down.
    "rate_limited",
    # The account's allowance is used up.
    "quota_exhausted",
    # The conversation no longer fits the model's window.
    "context_exceeded",
    # The provider does not know the model.
    "model_unknown",
    # The prompt cannot be handed to the agent CLI.
    "prompt_too_large",
    # No such run.
    "run_unknown",
    # A run of that id is there already.
    "run_id_in_use",
    # The adapter runs as many as it can.
    "too_many_runs",
    # The agent CLI does not know the session.
    "session_unknown",
    # The session is in use.
    "session_busy",
    # No such open approval.
    "approval_unknown",
    # A limit of time ran out; `data.which` says which.
    "timeout",
    # The provider cannot be reached or answers with a server error.
    "network_unreachable",
    # The adapter process ended unexpectedly.
    "plugin_crashed",
    # The adapter process no longer answers.
    "plugin_hung",
] | str


class Evidence(TypedDict):
    """One thing that was looked at, and what it showed."""

    # What was looked at: `path`, `well_known_dir`, `config_dir`, `env`, `auth_file`, `version`, ….
    signal: str

    # Where: a folder, a file or the name of a variable. Never a value of one.
    subject: str

    # It was there.
    found: bool

    # More, for people.
    detail: NotRequired[str | None]

# What became of a skill or plugin. An unknown word is read as loaded.
ExtensionPhase = Literal[
    # It is there.
    "loaded",
    # It was used.
    "invoked",
] | str

# A feature of an app that an agent may or may not carry. An unknown word is a skill.
Feature = Literal[
    # Click on a part of the result and ask for a change of just that.
    "comment_mode",
    # What the agent's tools do, while they do it.
    "tool_feed",
    # The answer while it is written.
    "live_text",
    # Go on with an interrupted run.
    "resume",
    # Try another way from the same point.
    "fork",
    # Say something to a run that is going on.
    "steer",
    # Ask before the agent does something.
    "approvals",
    # Choose the model.
    "model_picker",
    # Choose how hard it thinks.
    "effort_picker",
    # Show what a run costs.
    "cost_meter",
    # Show what is left of an allowance.
    "quota_meter",
    # Pictures in the prompt.
    "images",
    # Files in the prompt.
    "attachments",
    # The agent's own sessions, listed and read.
    "session_history",
    # A skill of the app.
    "skill",
] | str

# Who saw the change. An unknown word is read as observed.
FileChangeSource = Literal[
    # The agent CLI reported it.
    "native",
    # Adapter or host saw it on disk.
    "observed",
] | str

# What was done to a file. An unknown word is an edit.
FileOp = Literal[
    # It is new.
    "create",
    # It was changed.
    "edit",
    # It is gone.
    "delete",
    # It has another name.
    "rename",
] | str


class GetAgentHealthParams(TypedDict):
    """Parameters of `agents/health`."""

    # The agent.
    agent: str


class GetAgentParams(TypedDict):
    """Parameters of `agents/get`."""

    # The agent.
    agent: str


class GetAgentQuotaParams(TypedDict):
    """Parameters of `agents/quota`."""

    # The agent.
    agent: str


class GetHostInfoParams(TypedDict):
    """Parameters of `host/info`."""


class GetRunParams(TypedDict):
    """Parameters of `runs/get`."""

    # The run.
    runId: str


class GetRunResultParams(TypedDict):
    """Parameters of `runs/result`."""

    # The run.
    runId: str

    # How long to wait for its end; absent means as long as it takes, 0 means not at all. When the time is over the error is `timeout`; the run goes on.
    waitMs: NotRequired[int | None]

# What the next agent is told of what has happened. An unknown word is the prompt only.
Handover = Literal[
    # The prompt alone, as if nothing had happened.
    "prompt",
    # The prompt, and before it what the agent before has said and done.
    "transcript",
] | str

# How the adapter feels. An unknown word is read as degraded.
HealthStatus = Literal[
    # Runs should work.
    "ok",
    # Runs may work.
    "degraded",
    # Runs cannot work.
    "unavailable",
] | str


class Heartbeat(TypedDict):
    """Payload of `heartbeat`, at least every ten seconds of silence."""

    # How long the agent CLI has been silent.
    silentMs: int


class HiddenAdapter(TypedDict):
    """An adapter that is hidden by an earlier one of the same name."""

    # The agent it is for.
    id: str

    # The executable that is not used.
    path: str

    # The one that is.
    by: str


class HostLimits(TypedDict):
    """What the host lets through."""

    # Runs at the same time.
    maxRuns: int

    # Runs at the same time of one agent, unless its settings say otherwise.
    maxRunsPerAgent: int

    # Runs that wait.
    maxQueued: int

    # The largest request.
    maxRequestBytes: int

    # Calls of one client in a second.
    maxCallsPerSecond: int


class Image(TypedDict):
    """Payload of `image`: by value or by path."""

    # Such as `image/png`.
    mime: str

    # Base64.
    data: NotRequired[str | None]

    # A file, absolute.
    path: NotRequired[str | None]


class ImageInput(TypedDict):
    """A picture in a prompt: by path or by value."""

    # Such as `image/png`.
    mime: str

    # Base64.
    data: NotRequired[str | None]

    # A file, absolute.
    path: NotRequired[str | None]


class InputCapability(TypedDict):
    """Details of `input`."""

    # Text can reach the turn that is running; otherwise it waits for the next one. Default: false.
    steer: NotRequired[bool]

# What became of input. An unknown word is a refusal.
InputOutcome = Literal[
    # It reached the turn that is running.
    "steered",
    # It waits for the next turn of the same run.
    "queued",
    # It cannot be taken.
    "refused",
] | str


class InputRequested(TypedDict):
    """Payload of `input_requested`."""

    # Names the question.
    questionId: str

    # The question.
    text: str

    # What the answer must look like; absent means text.
    schema: NotRequired[dict[str, Any] | None]


class InputRunsParams(TypedDict):
    """Parameters of `runs/input`."""

    # The run.
    runId: str

    # What to say.
    text: str

    # Only while this turn runs; otherwise refused.
    expectedTurn: NotRequired[str | None]


class InstallMethod(TypedDict):
    """One way to install the agent CLI."""

    # `any`, `linux`, `macos` or `windows`.
    platform: str

    # `npm`, `brew`, `pip`, `script`, ….
    kind: str

    # What to type.
    command: str

    # What to know.
    notes: NotRequired[str | None]


class ListAdaptersParams(TypedDict):
    """Parameters of `adapters/list`."""


class ListAgentModelsParams(TypedDict):
    """Parameters of `agents/models`."""

    # The agent.
    agent: str


class ListAgentSessionsParams(TypedDict):
    """Parameters of `sessions/list`."""

    # The agent.
    agent: str

    # Only sessions of this folder.
    cwd: NotRequired[str | None]

    # At most so many, the newest first; absent means 50.
    limit: NotRequired[int | None]


class ListAgentsParams(TypedDict):
    """Parameters of `agents/list`."""


class ListInstallHintsParams(TypedDict):
    """Parameters of `adapters/install-hints`."""

    # Only this one; absent means all.
    agent: NotRequired[str | None]


class Marker(TypedDict):
    """A capability without details."""


class McpServerStatus(TypedDict):
    """An MCP server as the agent CLI sees it."""

    # Its name.
    name: str

    # The agent CLI's own word (`connected`, `failed`, …).
    status: str

# How an MCP server is reached. An unknown word is read as a pipe.
McpTransport = Literal[
    # A program's stdin and stdout.
    "stdio",
    # Streamable HTTP.
    "http",
    # The older HTTP with server-sent events.
    "sse",
] | str


class MessageDiscarded(TypedDict):
    """Payload of `message_discarded`."""

    # The message, whose text no longer counts.
    messageId: str


class MessageStarted(TypedDict):
    """Payload of `message_started`."""

    # Names the message.
    messageId: str


class MessageStopped(TypedDict):
    """Payload of `message_stopped`."""

    # The message.
    messageId: str


class ModeChanged(TypedDict):
    """Payload of `mode_changed`."""

    # The model now in use.
    model: NotRequired[str | None]

    # The permission mode now in use.
    permissionMode: NotRequired[str | None]

# Where a list of models comes from. An unknown word is read as static.
ModelsSource = Literal[
    # The agent CLI was asked.
    "live",
    # The adapter's own list.
    "static",
] | str

# What the agent's tools may reach. An unknown word is none.
NetworkMode = Literal[
    # Nothing.
    "none",
    # What the agent CLI's own rules allow.
    "default",
    # Everything.
    "full",
] | str

# How loud a notice is. An unknown word is a warning.
NoticeLevel = Literal[
    # For people who look for a fault.
    "debug",
    # For everybody.
    "info",
    # Something may be wrong.
    "warn",
] | str

# Where a piece of output comes from. An unknown word is read as stdout.
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

# How far a thing to do is. An unknown word is pending.
PlanStatus = Literal[
    # Not begun.
    "pending",
    # Begun.
    "in_progress",
    # Done.
    "completed",
] | str


class ProtocolRange(TypedDict):
    """The majors one side speaks. Minors exist only as capabilities."""

    # The lowest major.
    min: int

    # The highest major, at least `min`.
    max: int

    # The revision of the specification, for people.
    revision: NotRequired[str | None]


class QuotaWindow(TypedDict):
    """One window of an allowance, such as five hours or a week."""

    # The provider's own name for it (`five_hour`, `weekly`, …).
    kind: str

    # Nothing is left.
    exhausted: bool

    # When it starts anew, in milliseconds since 1970; absent means not stated.
    resetsAt: NotRequired[int | None]

    # How much is used, 0 to 100; absent means not stated.
    usedPercent: NotRequired[float | None]


class RateLimited(TypedDict):
    """Payload of `rate_limited`."""

    # Who says so: `cli`, `provider`.
    source: str

    # When it is over, in milliseconds since 1970, when it is stated.
    resetsAt: NotRequired[int | None]

    # How long to wait, when it is stated.
    retryAfterMs: NotRequired[int | None]

    # Which window ran out, in the provider's words.
    window: NotRequired[str | None]


class ReadAgentSessionParams(TypedDict):
    """Parameters of `sessions/read`."""

    # The agent.
    agent: str

    # The session.
    id: str

    # Where it ran, for agent CLIs that keep sessions by folder.
    cwd: NotRequired[str | None]


class RefreshAgentsParams(TypedDict):
    """Parameters of `agents/refresh`."""

    # Only this one; absent means all.
    agent: NotRequired[str | None]


class RejectedAdapter(TypedDict):
    """A file or folder that was passed over."""

    # The executable or folder.
    path: str

    # Which rule it breaks, as a word for programs.
    rule: str

    # Why, for people.
    reason: str

    # What to type or change.
    fix: str

    # The agent it is for, when the file has a proper name.
    id: NotRequired[str | None]

    # Of the executable, in hex, when pinning it would make it usable: what `adapters/trust` takes.
    sha256: NotRequired[str | None]


class RespondRunResult(TypedDict):
    """Result of `run/respond`."""


class ResumeCapability(TypedDict):
    """Details of `resume`."""

    # A session can be resumed only from the folder it was started in. Default: false.
    sameCwdOnly: NotRequired[bool]


class Retry(TypedDict):
    """Payload of `retry`."""

    # Which one, from 1.
    attempt: int

    # Why, in the agent CLI's words.
    reason: str

    # How long until then; absent means not stated.
    delayMs: NotRequired[int | None]

    # How many there will be at most; absent means not stated.
    maxAttempts: NotRequired[int | None]

# How a run stands. An unknown word is a failure.
RunState = Literal[
    # It waits for its turn.
    "queued",
    # It is going on.
    "running",
    # The agent itself said that it is done.
    "completed",
    # Something went wrong.
    "failed",
    # It was told to stop.
    "cancelled",
    # A limit of time ran out.
    "timed_out",
] | str

# Which session a run belongs to. An unknown word is a new one.
SessionMode = Literal[
    # A new one.
    "new",
    # An old one goes on under its own id.
    "resume",
    # A copy of an old one goes on under a new id.
    "fork",
] | str


class SessionSummary(TypedDict):
    """One native session."""

    # What `run/start.session.id` takes.
    id: str

    # Where it ran.
    cwd: NotRequired[str | None]

    # The model it last used.
    model: NotRequired[str | None]

    # Its title or first prompt, shortened.
    title: NotRequired[str | None]

    # The last change, in milliseconds since 1970.
    updatedAt: NotRequired[int | None]


class SetActiveAgentParams(TypedDict):
    """Parameters of `agents/setActive`."""

    # The agent.
    agent: str


class ShutdownHostParams(TypedDict):
    """Parameters of `host/shutdown`."""

    # How long runs may go on before they are cancelled; absent means as long as the host was told when it was started (`serve --drain`).
    drainMs: NotRequired[int | None]


class ShutdownHostResult(TypedDict):
    """Result of `host/shutdown`, sent before the host ends."""

    # Runs that are going on or wait; they end or are cancelled.
    runs: int


class SkillRequirements(TypedDict):
    """A skill that an app offers, and what it needs."""

    # Its name.
    name: str

    # The capabilities it needs, in the words of [`Capabilities`]; none means that every agent will do.
    capabilities: list[str]


class Status(TypedDict):
    """Payload of `status`."""

    # A short word: `requesting`, `waiting`, `compacting`, ….
    phase: str

    # More, for people.
    detail: NotRequired[str | None]

    # How long the first token took, when the agent CLI says so.
    ttftMs: NotRequired[int | None]

# Why the model stopped (the words of ACP and two of ours). An unknown word is other.
StopReason = Literal[
    # It was done.
    "end_turn",
    # Its answer grew too long.
    "max_tokens",
    # It took too many turns.
    "max_turn_requests",
    # It declined.
    "refusal",
    # It was told to.
    "cancelled",
    # Something went wrong.
    "error",
    # Something else.
    "other",
] | str


class SubagentStarted(TypedDict):
    """Payload of `subagent_started`."""

    # Names the helper.
    subagentId: str

    # What it is for.
    title: str

    # The call that started it.
    parentToolCallId: NotRequired[str | None]

# The installed version against the one the adapter was tested with.
TestedVersion = Literal[
    # The very same.
    "same",
    # Newer: it should work; report what does not.
    "newer",
    # Older, but not below the minimum.
    "older",
] | str


class ThinkingStarted(TypedDict):
    """Payload of `thinking_started`."""

    # Names the thought.
    thinkingId: str


class ThinkingStopped(TypedDict):
    """Payload of `thinking_stopped`."""

    # The thought.
    thinkingId: str


class Timeouts(TypedDict):
    """Limits of time; absent means the adapter's default, 0 means none."""

    # Of silence; output starts it anew, an open approval stops it.
    idleMs: NotRequired[int | None]

    # Until the agent CLI's first output.
    startMs: NotRequired[int | None]

    # Of the whole run.
    totalMs: NotRequired[int | None]


class ToolInputDelta(TypedDict):
    """Payload of `tool_input_delta`."""

    # The call.
    toolCallId: str

    # The next piece of its input, as raw JSON text.
    text: str

# What a tool does (ACP's set). An unknown word is other.
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
    # Fetches from outside.
    "fetch",
    # Anything else.
    "other",
] | str

# How a call ended.
ToolStatus = Literal[
    # It worked.
    "ok",
    # It failed.
    "error",
    # It was not allowed.
    "denied",
    # The run was stopped.
    "cancelled",
    # The agent CLI never said.
    "unknown",
] | str


class Truncated(TypedDict):
    """How much of a payload was cut to keep a line under the limit."""

    # Bytes that were left out.
    bytes: int


class TrustAdaptersParams(TypedDict):
    """Parameters of `adapters/trust`."""

    # Of the executable, in hex: what `adapters/list` or the file itself says.
    sha256: str

    # False takes it back; absent means true. Default: true.
    trusted: NotRequired[bool]


class TrustAdaptersResult(TypedDict):
    """Result of `adapters/trust`."""

    # The rule of trust: `path` or `pinned`. With `path` pins are kept but decide nothing.
    policy: str

    # All that are pinned now, in hex.
    pinned: list[str]


class TurnStarted(TypedDict):
    """Payload of `turn_started`."""

    # Names the turn; `run/input.expectedTurn` takes it.
    turnId: str


class UnknownEvent(TypedDict):
    """An event of a later version; readers keep and forward it."""

    type: str


class Unmapped(TypedDict):
    """Payload of `unmapped`."""

    # The agent CLI's own name for it.
    nativeType: str

    # The first one seen, shortened and without secrets.
    sample: str

    # How many so far.
    count: int


class UsageCapability(TypedDict):
    """Details of `usage`."""

    # The agent CLI states a price in US dollars. Default: false.
    cost: NotRequired[bool]

# What the figures are added up by. An unknown word is the agent.
UsageGroup = Literal[
    # The agent.
    "agent",
    # The model.
    "model",
    # Who runs the model.
    "provider",
    # What kind of credential paid.
    "credential",
    # The day, in the host's time zone.
    "day",
] | str


class UsageRow(TypedDict):
    """Figures of one group."""

    # The agent, model, provider, credential kind or day; empty means not known.
    group: str

    # Runs.
    runs: int

    # Tokens sent, cached ones excluded.
    inputTokens: int

    # Tokens received, reasoning included.
    outputTokens: int

    # Tokens read from a cache.
    cacheReadTokens: int

    # Tokens written to a cache.
    cacheWriteTokens: int

    # All of the above.
    totalTokens: int

    # Runs whose cost is not stated, so not in `costUsd`.
    runsWithoutCost: int

    # US dollars, of the runs whose agent CLI states them; null means that none does.
    costUsd: NotRequired[float | None]

# What a usage figure covers. An unknown word is read as one turn.
UsageScope = Literal[
    # One turn of the model.
    "turn",
    # The whole run.
    "run",
    # The whole session, earlier runs included.
    "session",
] | str

# Where a figure comes from. An unknown word is an estimate.
UsageSource = Literal[
    # The agent CLI stated it.
    "cli",
    # The provider's own reply, read by the adapter.
    "provider",
    # Computed by somebody else.
    "estimated",
] | str


class UsedAdapter(TypedDict):
    """An adapter that is used."""

    # The agent it is for.
    id: str

    # For people.
    displayName: str

    # Its version.
    version: str

    # The executable.
    path: str

    # Where it was found: `adapterDir`, `adapterPath`, `besideHost`, `userFolder`, `path`.
    origin: str

    # Of the executable, in hex.
    sha256: str

    # It is pinned as trusted.
    pinned: bool


class UserMessage(TypedDict):
    """Payload of `user_message`."""

    # What was said.
    text: str


class AgentProblem(TypedDict):
    """Why an agent cannot be used right now."""

    # The kind.
    kind: ErrorKind

    # What was tried, on what, why it failed.
    message: str

    # What to type or change now.
    fix: NotRequired[str | None]


class AgentSwitched(TypedDict):
    """Payload of `agent_switched`, which only the host sends: the run goes on with another agent, whose own `run_started` (with who pays) follows."""

    # The agent that failed.
    fromAgent: str

    # The agent that takes over.
    toAgent: str

    # Which attempt of the run this is, from 2.
    attempt: int

    # The kind of error that caused it.
    errorKind: ErrorKind

    # Why, for people.
    reason: str

    # What the next agent is told.
    handover: Handover

    # How much of what happened is handed over, in bytes. Default: 0.
    handoverBytes: NotRequired[int]


class ApprovalOption(TypedDict):
    """One answer the agent CLI offers. Only offered answers may be given."""

    # The agent CLI's own name for it.
    id: str

    # What it means.
    kind: ApprovalOutcome

    # A label for a button.
    label: NotRequired[str | None]


class ApprovalResolved(TypedDict):
    """Payload of `approval_resolved`."""

    # The question.
    approvalId: str

    # The decision.
    outcome: ApprovalOutcome

    # Who made it.
    by: ApprovalResolver

# A file the run changed: the sum of its changes.
ChangedFile = TypedDict("ChangedFile", {
    # The file.
    "path": str,
    # What happened to it last.
    "op": FileOp,
    # With `rename`: where it was.
    "from": NotRequired[str | None],
})


class Credential(TypedDict):
    """Which credential pays. It names a variable or a file, never a value."""

    # The kind.
    kind: CredentialKind

    # The environment variable, file or plan it comes from.
    name: str


class EffortCapability(TypedDict):
    """Details of `effort`."""

    # The levels that can be asked for. Default: [].
    levels: NotRequired[list[Effort]]


class ErrorData(TypedDict):
    """`error.data` of every JSON-RPC error: what programs branch on and people act on."""

    # The kind.
    kind: ErrorKind

    # Anything else worth keeping, never a secret.
    details: NotRequired[dict[str, Any] | None]

    # What to type or change now.
    hint: NotRequired[str | None]

    # The same call may succeed later without a change. Default: false.
    retryable: NotRequired[bool]

    # With `unsupported_protocol`: what the answering side speaks.
    supported: NotRequired[ProtocolRange | None]

    # With `timeout`: which limit; with `capability_unsupported`: which capability; with `invalid_params` of the host's API: which parameter, such as `task.session.mode`.
    which: NotRequired[str | None]


class ErrorEvent(TypedDict):
    """Payload of `error`."""

    # The kind.
    kind: ErrorKind

    # What was tried, on what, why it failed.
    message: str

    # The run ends because of it.
    fatal: bool

    # Anything else worth keeping, never a secret.
    data: NotRequired[dict[str, Any] | None]

    # What to type or change now.
    hint: NotRequired[str | None]

    # The same run may succeed later without a change. Default: false.
    retryable: NotRequired[bool]


class Extension(TypedDict):
    """Payload of `skill` and `plugin`."""

    # Its name.
    name: str

    # What became of it.
    phase: ExtensionPhase

    # Where it comes from; absent means not stated.
    source: NotRequired[str | None]


class FallbackPolicy(TypedDict):
    """Other agents that may take over when one fails. Every switch is an event `agent_switched`."""

    # In this order, each at most once.
    agents: list[str]

    # What the next agent is told; absent means the transcript.
    handover: NotRequired[Handover | None]

    # Only after errors of these kinds; absent means those that another agent may not have: a CLI or login that is missing, a crash, a limit, a provider that cannot be reached.
    on: NotRequired[list[ErrorKind] | None]


class FeatureGate(TypedDict):
    """Whether a feature can be offered."""

    # The feature.
    feature: Feature

    # It can be offered.
    enabled: bool

    # The capabilities it needs.
    requires: list[str]

    # What to offer instead, in a sentence to show to a person.
    instead: NotRequired[str | None]

    # Those of them that the agent lacks. Default: [].
    missing: NotRequired[list[str]]

    # With `skill`: which.
    name: NotRequired[str | None]

    # Why it cannot be offered, in a sentence to show to a person.
    reason: NotRequired[str | None]

# Payload of `file_change`.
FileChange = TypedDict("FileChange", {
    # The file, absolute.
    "path": str,
    # What was done to it.
    "op": FileOp,
    # Who saw it.
    "source": FileChangeSource,
    # A unified diff, where the agent CLI gives one.
    "diff": NotRequired[str | None],
    # With `rename`: its old name.
    "from": NotRequired[str | None],
    # The call that did it.
    "toolCallId": NotRequired[str | None],
    # The diff was cut.
    "truncated": NotRequired[Truncated | None],
})


class GetAgentFeaturesParams(TypedDict):
    """Parameters of `agents/features`."""

    # The agent; absent means the active one.
    agent: NotRequired[str | None]

    # Skills to judge as well.
    skills: NotRequired[list[SkillRequirements]]


class GetQuotaResult(TypedDict):
    """Result of `quota/get`; null when the account has none that can be read."""

    # The windows.
    windows: list[QuotaWindow]

    # A run started now would be refused.
    rateLimited: bool

    # The first moment that helps, in milliseconds since 1970.
    earliestResetAt: NotRequired[int | None]


class HealthAdapterResult(TypedDict):
    """Result of `adapter/health`."""

    # In one word.
    status: HealthStatus

    # In one sentence.
    message: str

    # Figures: open runs, versions. Default: {}.
    details: NotRequired[dict[str, Any]]


class HostStatus(TypedDict):
    """Result of `host/info`."""

    # Always `od-host`.
    name: str

    # Its version.
    version: str

    # The major of this API.
    api: int

    # The majors of the adapter protocol.
    protocol: ProtocolRange

    # The host's process.
    pid: int

    # In milliseconds since 1970.
    startedAt: int

    # The host's folder.
    home: str

    # Such as `linux-x86_64`.
    platform: str

    # Runs that are going on in this process.
    running: int

    # Runs that wait.
    queued: int

    # It takes no more runs.
    draining: bool

    # The folders that runs may work in.
    roots: list[str]

    # What the host lets through.
    limits: HostLimits


class InputRunResult(TypedDict):
    """Result of `run/input`."""

    # What became of it.
    outcome: InputOutcome


class InstallHint(TypedDict):
    """What to type to get an agent."""

    # The agent.
    agent: str

    # For people.
    displayName: str

    # The agent CLI is there.
    installed: bool

    # Ways to install it that work on this platform.
    install: list[InstallMethod]

    # Where to read more.
    homepage: NotRequired[str | None]

    # What to type to log in.
    login: NotRequired[str | None]


class ListAdaptersResult(TypedDict):
    """Result of `adapters/list`."""

    # In the order of their ids.
    adapters: list[UsedAdapter]

    # Hidden by an earlier one.
    hidden: list[HiddenAdapter]

    # Passed over.
    rejected: list[RejectedAdapter]

    # The rule of trust: `path` or `pinned`.
    policy: str


class ListRunsParams(TypedDict):
    """Parameters of `runs/list`."""

    # Only runs of this agent.
    agent: NotRequired[str | None]

    # Only runs older than this one: what `next` said.
    before: NotRequired[str | None]

    # At most so many; absent means 50.
    limit: NotRequired[int | None]

    # Only runs that stand like this.
    state: NotRequired[RunState | None]


class ListSessionsResult(TypedDict):
    """Result of `sessions/list`."""

    # The newest first.
    sessions: list[SessionSummary]


class McpServer(TypedDict):
    """An MCP server for a run."""

    # Its name.
    name: str

    # How it is reached.
    transport: McpTransport

    # Its arguments.
    args: NotRequired[list[str]]

    # The program, with `stdio`.
    command: NotRequired[str | None]

    # Its variables.
    env: NotRequired[dict[str, str]]

    # Its headers.
    headers: NotRequired[dict[str, str]]

    # The address, otherwise.
    url: NotRequired[str | None]


class Model(TypedDict):
    """One model."""

    # What `run/start.model` takes.
    id: str

    # In tokens; absent means not stated.
    contextWindow: NotRequired[int | None]

    # Used when a run names none. Default: false.
    default: NotRequired[bool]

    # The efforts it takes; absent means not stated.
    efforts: NotRequired[list[Effort] | None]

    # A name for people.
    name: NotRequired[str | None]


class Notice(TypedDict):
    """Payload of `notice`."""

    # How loud.
    level: NoticeLevel

    # A word for programs.
    code: str

    # A sentence for people.
    text: str

    # What to type or change.
    hint: NotRequired[str | None]


class PlanEntry(TypedDict):
    """One thing to do."""

    # What.
    content: str

    # How far.
    status: PlanStatus


class Policy(TypedDict):
    """Rules for approvals, shell and network. They reach the agent CLI in its strictest form."""

    # Categories that always ask. Default: [].
    ask: NotRequired[list[ApprovalCategory]]

    # What the agent's tools may reach.
    network: NotRequired[NetworkMode | None]

    # Command prefixes that need no approval. Default: [].
    shellAllow: NotRequired[list[str]]

    # Command prefixes that are refused. Default: [].
    shellDeny: NotRequired[list[str]]


class Prompt(TypedDict):
    """What to do."""

    # The text, byte for byte. It is data: `/x`, `@x`, `-x` and `$(x)` mean nothing special.
    text: str

    # Files to read, absolute.
    attachments: NotRequired[list[str]]

    # Pictures.
    images: NotRequired[list[ImageInput]]

    # Instructions above the conversation.
    system: NotRequired[str | None]


class RespondRunsParams(TypedDict):
    """Parameters of `runs/respond`."""

    # The run.
    runId: str

    # What `approval_requested` named.
    approvalId: str

    # Yes or no.
    outcome: ApprovalOutcome

    # With no: why, for the agent.
    message: NotRequired[str | None]

    # With yes: the tool's input, changed; absent leaves it as it is.
    updatedInput: NotRequired[dict[str, Any] | None]


class RetryPolicy(TypedDict):
    """Whether the same agent may try again. Every new attempt is an event `retry`."""

    # The first pause where no reset is stated; it doubles each time. Absent means a second.
    backoffMs: NotRequired[int | None]

    # Attempts of one agent, the first included; absent means 3.
    maxAttempts: NotRequired[int | None]

    # The longest wait for a stated reset; a later one is not waited for. Absent means an hour.
    maxWaitMs: NotRequired[int | None]

    # Only after errors of these kinds; absent means those that pass: a rate limit, a provider that cannot be reached, a crash.
    on: NotRequired[list[ErrorKind] | None]


class RunInfo(TypedDict):
    """How one run stands."""

    # The run.
    runId: str

    # The agent that has it now.
    agent: str

    # Where the agent works.
    cwd: str

    # The first line of the prompt, shortened.
    promptPreview: str

    # How it stands.
    state: RunState

    # In milliseconds since 1970.
    startedAt: int

    # How many attempts there were so far, the first included. Default: 0.
    attempts: NotRequired[int]

    # In milliseconds since 1970; absent while it is going on.
    endedAt: NotRequired[int | None]

    # With `failed` and `timed_out`: what went wrong.
    errorKind: NotRequired[ErrorKind | None]

    # The client's own name for it.
    key: NotRequired[str | None]

    # The model that was asked for.
    model: NotRequired[str | None]

    # Its place in the queue, from 1, while it waits.
    queuePosition: NotRequired[int | None]

    # The native session: what `task.session.id` takes.
    sessionId: NotRequired[str | None]


class RunVerdict(TypedDict):
    """How a run ended, and what that stands on."""

    # How it ended.
    status: DoneStatus

    # Why the model stopped.
    stopReason: StopReason

    # What the verdict stands on.
    evidence: DoneEvidence

    # With `failed` and `timed_out`: the kind of error.
    errorKind: NotRequired[ErrorKind | None]

    # What to type or change now.
    hint: NotRequired[str | None]

    # What was tried, on what, why it failed.
    message: NotRequired[str | None]


class SessionChoice(TypedDict):
    """A new session, or an old one."""

    # Which.
    mode: SessionMode

    # The old session's native id; with `new`, the id to give it where the agent CLI can.
    id: NotRequired[str | None]


class SessionStarted(TypedDict):
    """Payload of `session_started`."""

    # The native id: what `resume` takes.
    sessionId: str

    # New, resumed or forked.
    mode: SessionMode

    # Where the agent says it works.
    cwd: NotRequired[str | None]

    # The MCP servers it has.
    mcpServers: NotRequired[list[McpServerStatus] | None]

    # The model in use.
    model: NotRequired[str | None]

    # With `fork`: whose copy it is.
    parentSessionId: NotRequired[str | None]

    # The tools it has.
    tools: NotRequired[list[str] | None]


class StartRunsResult(TypedDict):
    """Result of `runs/start`."""

    # The run.
    runId: str

    # The agent it goes to.
    agent: str

    # How it stands.
    state: RunState

    # The run was there already: a call with the same key had started it. Default: false.
    existing: NotRequired[bool]

    # Its place in the queue, from 1, while it waits.
    queuePosition: NotRequired[int | None]


class SubagentStopped(TypedDict):
    """Payload of `subagent_stopped`."""

    # The helper.
    subagentId: str

    # What it was for.
    title: str

    # The call that started it.
    parentToolCallId: NotRequired[str | None]

    # How it ended.
    status: NotRequired[ToolStatus | None]

    # What it did inside, counted.
    summary: NotRequired[str | None]


class SummarizeUsageParams(TypedDict):
    """Parameters of `usage/summary`."""

    # What to add up by; absent means the agent.
    by: NotRequired[UsageGroup | None]

    # Only from this time on, in milliseconds since 1970.
    since: NotRequired[int | None]

    # Only before this time, in milliseconds since 1970.
    until: NotRequired[int | None]


class TextDelta(TypedDict):
    """Payload of `text_delta`."""

    # The message.
    messageId: str

    # The next piece.
    text: str

    # The piece was cut.
    truncated: NotRequired[Truncated | None]


class ThinkingDelta(TypedDict):
    """Payload of `thinking_delta`."""

    # The thought.
    thinkingId: str

    # The next piece.
    text: str

    # The piece was cut.
    truncated: NotRequired[Truncated | None]


class ToolCallReady(TypedDict):
    """Payload of `tool_call_ready`."""

    # The call.
    toolCallId: str

    # All of its input, as the agent CLI states it.
    input: Any

    # One line for people, now that the input is known.
    title: NotRequired[str | None]

    # The input was cut.
    truncated: NotRequired[Truncated | None]


class ToolCallStarted(TypedDict):
    """Payload of `tool_call_started`."""

    # Names the call.
    toolCallId: str

    # The agent CLI's own name for the tool.
    name: str

    # What it does.
    kind: ToolKind

    # The MCP server the tool belongs to.
    mcpServer: NotRequired[str | None]

    # The call whose helper makes this one.
    parentToolCallId: NotRequired[str | None]

    # One line for people.
    title: NotRequired[str | None]


class ToolOutputDelta(TypedDict):
    """Payload of `tool_output_delta`."""

    # The call.
    toolCallId: str

    # The next piece of its output.
    text: str

    # Where it comes from; absent means not stated.
    stream: NotRequired[OutputStream | None]

    # The piece was cut.
    truncated: NotRequired[Truncated | None]


class ToolResult(TypedDict):
    """Payload of `tool_result`."""

    # The call.
    toolCallId: str

    # How it ended.
    status: ToolStatus

    # What it gave: text, or the agent CLI's own structure.
    output: Any

    # With a command: its exit code.
    exitCode: NotRequired[int | None]

    # The output was cut.
    truncated: NotRequired[Truncated | None]


class TurnEnded(TypedDict):
    """Payload of `turn_ended`."""

    # The turn.
    turnId: str

    # Why it is over.
    stopReason: StopReason


class Usage(TypedDict):
    """Payload of the event `usage`: a tick of the meter."""

    # What it covers.
    scope: UsageScope

    # The figures include all earlier ticks of the same scope.
    cumulative: bool

    # Tokens sent, cached ones excluded.
    inputTokens: int

    # Tokens received, reasoning included.
    outputTokens: int

    # All of the above.
    totalTokens: int

    # Where the figures come from.
    source: UsageSource

    # Tokens read from a cache. Default: 0.
    cacheReadTokens: NotRequired[int]

    # Tokens written to a cache. Default: 0.
    cacheWriteTokens: NotRequired[int]

    # US dollars, only when the agent CLI states it; null means not stated, which is not zero.
    costUsd: NotRequired[float | None]

    # The model it was spent on.
    model: NotRequired[str | None]

    # The part of the output that was reasoning; absent means not stated.
    reasoningTokens: NotRequired[int | None]

    # The provider's service tier.
    serviceTier: NotRequired[str | None]


class UsageSummary(TypedDict):
    """Result of `usage/summary`."""

    # What the rows are.
    by: UsageGroup

    # Days in their order, otherwise the most tokens first.
    rows: list[UsageRow]

    # All of them together.
    total: UsageRow

    # Lines of the ledger that are damaged or of a later version, so not in the figures. Default: 0.
    unreadLines: NotRequired[int]


class AgentFeatures(TypedDict):
    """Result of `agents/features`."""

    # The agent.
    agent: str

    # Every feature, then every skill that was asked about.
    gates: list[FeatureGate]


class ApprovalRequested(TypedDict):
    """Payload of `approval_requested`."""

    # Names the question.
    approvalId: str

    # What kind of thing it is.
    category: ApprovalCategory

    # How much harm a wrong answer can do.
    risk: ApprovalRisk

    # One line for people: what exactly would happen.
    summary: str

    # The answers on offer.
    options: list[ApprovalOption]

    # How long it waits before it is denied; null means without limit.
    deadlineMs: NotRequired[int | None]

    # The input that waits, for a person to see or edit.
    input: NotRequired[Any]

    # The call that waits.
    toolCallId: NotRequired[str | None]


class AuthStatus(TypedDict):
    """The state of the login."""

    # Whether a run would be let in.
    state: AuthState

    # Which credential would pay.
    credential: NotRequired[Credential | None]

    # When it runs out, in milliseconds since 1970.
    expiresAt: NotRequired[int | None]

    # What to type to mend it.
    guidance: NotRequired[str | None]

    # How one is logged in (`oauth`, `api_key`, …).
    method: NotRequired[str | None]


class Capabilities(TypedDict):
    """Everything an adapter declares in its manifest, repeats in `initialize`, and may narrow in `adapter/detect` once it knows which version of the agent CLI is installed."""

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

    # `run/input` into a live run.
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

    # Emits `text_delta` while the model writes, not only whole messages.
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

    # A lowercase text without final dot: what was tried, on what, why it failed.
    message: str

    # The kind and the hint.
    data: NotRequired[ErrorData | None]


class ListInstallHintsResult(TypedDict):
    """Result of `adapters/install-hints`."""

    # In the order of the agents' ids.
    hints: list[InstallHint]


class ListModelsResult(TypedDict):
    """Result of `models/list`."""

    # The models; ids are unique.
    models: list[Model]

    # Where the list comes from.
    source: ModelsSource

    # The one the agent CLI is set to.
    current: NotRequired[str | None]


class ListRunsResult(TypedDict):
    """Result of `runs/list`."""

    # The newest first.
    runs: list[RunInfo]

    # What `before` takes to get the next ones; absent when there are none.
    next: NotRequired[str | None]


class Plan(TypedDict):
    """Payload of `plan`."""

    # All of it; each plan replaces the last.
    entries: list[PlanEntry]


class RunAttempt(TypedDict):
    """One attempt of a run."""

    # The agent.
    agent: str

    # What kind of credential paid, when it is known.
    credential: NotRequired[CredentialKind | None]

    # Why it was not the last; absent for the last.
    errorKind: NotRequired[ErrorKind | None]

    # The model in use, when it is known.
    model: NotRequired[str | None]

    # What it used, when it is known.
    usage: NotRequired[Usage | None]


class RunStarted(TypedDict):
    """Payload of `run_started`."""

    # Its arguments, without the prompt and without secrets. Default: [].
    argv: NotRequired[list[str]]

    # The file that was started; null when nothing could be.
    cliPath: NotRequired[str | None]

    # Its version; null when unknown.
    cliVersion: NotRequired[str | None]

    # Who pays; null when it cannot be told.
    credential: NotRequired[Credential | None]

    # The agent CLI's own name for the mode; null means its default.
    permissionMode: NotRequired[str | None]

    # Its process; null when nothing could be started.
    pid: NotRequired[int | None]

    # Against the version the adapter was tested with; null when unknown.
    testedVersion: NotRequired[TestedVersion | None]


class RunTask(TypedDict):
    """What an agent shall do: `run/start` without the run's id. The host's API takes paths below one of its roots only."""

    # Where the agent works, absolute.
    cwd: str

    # What to do.
    prompt: Prompt

    # What the manifest's `configSchema` describes.
    adapterOptions: NotRequired[dict[str, Any]]

    # Further folders the agent may work in, absolute.
    addDirs: NotRequired[list[str]]

    # Tools that need no approval; absent means the agent CLI's own default.
    allowedTools: NotRequired[list[str] | None]

    # Tools the agent may not use.
    deniedTools: NotRequired[list[str] | None]

    # How hard to think; absent means the agent CLI's own default.
    effort: NotRequired[Effort | None]

    # Variables for the agent CLI, on top of the allowlist.
    env: NotRequired[dict[str, str]]

    # Stop after so many turns of the model.
    maxTurns: NotRequired[int | None]

    # MCP servers for this run.
    mcpServers: NotRequired[list[McpServer]]

    # The model; absent means the agent CLI's own default.
    model: NotRequired[str | None]

    # The final answer must fit this JSON Schema.
    outputSchema: NotRequired[dict[str, Any] | None]

    # One of the agent CLI's own modes.
    permissionMode: NotRequired[str | None]

    # Rules for approvals, shell and network.
    policy: NotRequired[Policy | None]

    # A new session, or an old one. Default: {"mode":"new"}.
    session: NotRequired[SessionChoice]

    # Folders of skills.
    skills: NotRequired[list[str]]

    # The same as a number of tokens.
    thinkingBudgetTokens: NotRequired[int | None]

    # Limits of time. Default: {}.
    timeouts: NotRequired[Timeouts]

    # A file that gets the agent CLI's raw output.
    tracePath: NotRequired[str | None]

    # Custom data.
    _meta: NotRequired[dict[str, Any] | None]


class Totals(TypedDict):
    """What came of a run."""

    # US dollars, when the agent CLI stated them.
    costUsd: NotRequired[float | None]

    # Different files changed. Default: 0.
    filesChanged: NotRequired[int]

    # Bytes of message text, discarded messages excluded. Default: 0.
    textBytes: NotRequired[int]

    # Tool calls. Default: 0.
    toolCalls: NotRequired[int]

    # The run's usage, when it is known.
    usage: NotRequired[Usage | None]


class AgentStatus(TypedDict):
    """One agent: an adapter and what it found on this machine."""

    # What `runs/start.agent` takes.
    id: str

    # For people.
    displayName: str

    # Who makes the adapter.
    vendor: str

    # The adapter's version.
    adapterVersion: str

    # The adapter's executable.
    adapterPath: str

    # A run would be let in, as far as can be told.
    ready: bool

    # The agent CLI is there and not too old.
    installed: bool

    # What works with the version that is installed.
    capabilities: Capabilities

    # It is the one that runs without a name get. Default: false.
    active: NotRequired[bool]

    # The state of the login; absent when it could not be looked at.
    auth: NotRequired[AuthStatus | None]

    # The agent CLI's settings folder, when it exists.
    configDir: NotRequired[str | None]

    # When it was looked at, in milliseconds since 1970; absent means never.
    detectedAt: NotRequired[int | None]

    # What was looked at, and what it showed. Default: [].
    evidence: NotRequired[list[Evidence]]

    # The agent CLI.
    path: NotRequired[str | None]

    # Why it cannot be used right now; absent when it can.
    problem: NotRequired[AgentProblem | None]

    # Where it reads skills from, when it does.
    skillsDir: NotRequired[str | None]

    # It may no longer be so: something it stands on has changed since then, or the last look failed. It is looked at again, at once or after a while. Default: false.
    stale: NotRequired[bool]

    # Against the version the adapter was tested with.
    testedVersion: NotRequired[TestedVersion | None]

    # Its version, as it states it.
    version: NotRequired[str | None]


class Done(TypedDict):
    """Payload of `done`."""

    # How it ended.
    status: DoneStatus

    # Why the model stopped.
    stopReason: StopReason

    # What the verdict stands on.
    evidence: DoneEvidence

    # From `run/start` to now.
    durationMs: int

    # What came of it.
    totals: Totals

    # With `failed` and `timed_out`: the kind of the fatal `error` before.
    errorKind: NotRequired[ErrorKind | None]

    # The agent CLI's exit code; absent when a signal ended it.
    exitCode: NotRequired[int | None]

    # The native session, when it is known.
    sessionId: NotRequired[str | None]

    # The signal that ended it.
    signal: NotRequired[int | None]


class RunResult(TypedDict):
    """Result of `runs/result`: what came of a run that is over."""

    # The run.
    runId: str

    # The agent that had it last.
    agent: str

    # The text of the agent's last message.
    content: str

    # From start to end, the time in the queue excluded.
    durationMs: int

    # The files it changed, by path.
    files: list[ChangedFile]

    # How it ended.
    verdict: RunVerdict

    # The number of the last event.
    lastSeq: int

    # All attempts, in order; mostly one.
    attempts: list[RunAttempt]

    # US dollars of all attempts, only when the agent CLIs state them; null means not stated, which is not zero.
    costUsd: NotRequired[float | None]

    # The native session: what `task.session.id` takes.
    sessionId: NotRequired[str | None]

    # What all attempts used together, when it is known.
    usage: NotRequired[Usage | None]


class SetActiveAgentResult(TypedDict):
    """Result of `agents/setActive`."""

    # The agent that is active now.
    active: str

    # What an app can offer with it.
    features: AgentFeatures


class StartRunsParams(TypedDict):
    """Parameters of `runs/start`: what an agent shall do, and how the host goes about it."""

    # What to do.
    task: RunTask

    # The agent; absent means the active one, and without one the best that is ready.
    agent: NotRequired[str | None]

    # Somebody answers approvals with `runs/respond`; otherwise the agent is told no. Default: false.
    approvals: NotRequired[bool]

    # Who asks, for a fair queue: clients take turns. Absent means the connection.
    client: NotRequired[str | None]

    # Other agents that may take over; absent means none.
    fallback: NotRequired[FallbackPolicy | None]

    # The client's own name for this run: the same key and task again gives the same run.
    key: NotRequired[str | None]

    # How long the run may wait in the queue; absent means as long as it takes.
    queueMs: NotRequired[int | None]

    # Whether the same agent may try again; absent means no.
    retry: NotRequired[RetryPolicy | None]


class EventRunStarted(RunStarted):
    """The agent CLI was started; the first event of every run."""

    type: Literal["run_started"]


class EventSessionStarted(SessionStarted):
    """The native session is known."""

    type: Literal["session_started"]


class EventTurnStarted(TurnStarted):
    """The model's turn begins."""

    type: Literal["turn_started"]


class EventTurnEnded(TurnEnded):
    """The model's turn is over; more may follow in the same run."""

    type: Literal["turn_ended"]


class EventStatus(Status):
    """What the agent is doing right now."""

    type: Literal["status"]


class EventUserMessage(UserMessage):
    """Text that a person (or the host) said: the echo of input, or part of a session that is read."""

    type: Literal["user_message"]


class EventMessageStarted(MessageStarted):
    """A message of the agent begins."""

    type: Literal["message_started"]


class EventTextDelta(TextDelta):
    """A piece of a message."""

    type: Literal["text_delta"]


class EventMessageStopped(MessageStopped):
    """A message is complete."""

    type: Literal["message_stopped"]


class EventMessageDiscarded(MessageDiscarded):
    """A message was retried: forget its text."""

    type: Literal["message_discarded"]


class EventThinkingStarted(ThinkingStarted):
    """A thought begins."""

    type: Literal["thinking_started"]


class EventThinkingDelta(ThinkingDelta):
    """A piece of a thought."""

    type: Literal["thinking_delta"]


class EventThinkingStopped(ThinkingStopped):
    """A thought is complete."""

    type: Literal["thinking_stopped"]


class EventToolCallStarted(ToolCallStarted):
    """A tool call begins."""

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
    """The call is over."""

    type: Literal["tool_result"]


class EventFileChange(FileChange):
    """A file was changed."""

    type: Literal["file_change"]


class EventApprovalRequested(ApprovalRequested):
    """The agent waits for a decision."""

    type: Literal["approval_requested"]


class EventApprovalResolved(ApprovalResolved):
    """The decision was made."""

    type: Literal["approval_resolved"]


class EventInputRequested(InputRequested):
    """The agent asks the person something."""

    type: Literal["input_requested"]


class EventPlan(Plan):
    """The agent's list of things to do; each one replaces the last."""

    type: Literal["plan"]


class EventSubagentStarted(SubagentStarted):
    """A helper of the agent begins; what it does inside is summarised, not forwarded."""

    type: Literal["subagent_started"]


class EventSubagentStopped(SubagentStopped):
    """A helper of the agent is done."""

    type: Literal["subagent_stopped"]


class EventUsage(Usage):
    """Tokens and money."""

    type: Literal["usage"]


class EventContext(Context):
    """How full the model's window is."""

    type: Literal["context"]


class EventQuota(GetQuotaResult):
    """Allowances and their windows."""

    type: Literal["quota"]


class EventRateLimited(RateLimited):
    """The provider asks to slow down."""

    type: Literal["rate_limited"]


class EventRetry(Retry):
    """The agent CLI tries again."""

    type: Literal["retry"]


class EventAgentSwitched(AgentSwitched):
    """Another agent takes over; only the host sends it."""

    type: Literal["agent_switched"]


class EventImage(Image):
    """A picture."""

    type: Literal["image"]


class EventSkill(Extension):
    """A skill was loaded or used."""

    type: Literal["skill"]


class EventPlugin(Extension):
    """A plugin was loaded or used."""

    type: Literal["plugin"]


class EventModeChanged(ModeChanged):
    """Model or permission mode changed."""

    type: Literal["mode_changed"]


class EventNotice(Notice):
    """Something a person may want to know."""

    type: Literal["notice"]


class EventUnmapped(Unmapped):
    """The agent CLI said something the adapter does not know: the drift signal."""

    type: Literal["unmapped"]


class EventHeartbeat(Heartbeat):
    """The agent CLI is silent but alive."""

    type: Literal["heartbeat"]


class EventError(ErrorEvent):
    """Something went wrong."""

    type: Literal["error"]


class EventDone(Done):
    """The last event of every run: nothing of it is alive any more."""

    type: Literal["done"]


# An event of this version; `type` tells them apart.
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
    """Tells the events of this version from those of a later one; then `type` narrows."""
    return event["type"] in EVENT_TYPES


class ListAgentsResult(TypedDict):
    """Result of `agents/list` and `agents/refresh`."""

    # In the order of their ids.
    agents: list[AgentStatus]

    # The agent of runs that name none, when one was chosen.
    active: NotRequired[str | None]

    # Some are being looked at again right now: ask once more to see what came of it. Default: false.
    refreshing: NotRequired[bool]


class ReadSessionsResult(TypedDict):
    """Result of `sessions/read`."""

    # What it is.
    session: SessionSummary

    # What happened, in the words of a run's events; `user_message` included.
    events: list[Event]

    # Older events were left out to keep the reply under the line limit. Default: false.
    truncated: NotRequired[bool]


class RunEventParams(TypedDict):
    """Parameters of the notification `run/event`: the envelope of every event."""

    # The run.
    runId: str

    # Starts at 0, no gaps.
    seq: int

    # Milliseconds since 1970, by the adapter's clock.
    ts: int

    # What happened.
    event: Event

    # Custom data.
    _meta: NotRequired[dict[str, Any] | None]


class RunEvents(TypedDict):
    """What `runs/event` brings: one or more events, in order, without a gap."""

    # The events, with the run's id and their numbers. After `done` nothing comes. An empty list says that the run is over and has no event of the number that was asked for.
    events: list[RunEventParams]


class AttachedEvents(TypedDict):
    """Parameters of `runs/event`: what a subscription brings."""

    # What `runs/attach` answered.
    subscription: str

    # The events.
    result: RunEvents

# The JSON-RPC code of each kind.
ERROR_CODES: Final[dict[str, int]] = {
    # The line is no JSON.
    "parse_error": -32700,
    # The line is JSON but no JSON-RPC 2.0 message.
    "invalid_request": -32600,
    # There is no such method.
    "method_not_found": -32601,
    # The parameters do not fit the method.
    "invalid_params": -32602,
    # The adapter itself failed.
    "internal": -32603,
    # `$/cancelRequest` ended the request.
    "request_cancelled": -32800,
    # The two sides share no protocol major.
    "unsupported_protocol": 1001,
    # `initialize` has not been called.
    "not_initialized": 1002,
    # `initialize` was called twice.
    "already_initialized": 1003,
    # `shutdown` was called.
    "shutting_down": 1004,
    # The adapter cannot honour an option or method.
    "capability_unsupported": 1005,
    # The configuration or an option's value is wrong.
    "config_invalid": 1006,
    # The agent CLI is not installed.
    "cli_not_found": 1010,
    # The agent CLI is older than the adapter can drive.
    "cli_version_unsupported": 1011,
    # The agent CLI could not be started.
    "cli_spawn_failed": 1012,
    # The agent CLI ended without its own last word.
    "cli_crashed": 1013,
    # The agent CLI broke its own protocol.
    "cli_protocol": 1014,
    # No credential.
    "auth_missing": 1020,
    # The credential has run out or was refused.
    "auth_expired": 1021,
    # The credential belongs to an account that may not do this.
    "auth_wrong_account": 1022,
    # The operating system or the agent CLI refused access.
    "permission_denied": 1023,
    # The provider asks to slow down.
    "rate_limited": 1030,
    # The account's allowance is used up.
    "quota_exhausted": 1031,
    # The conversation no longer fits the model's window.
    "context_exceeded": 1032,
    # The provider does not know the model.
    "model_unknown": 1033,
    # The prompt cannot be handed to the agent CLI.
    "prompt_too_large": 1034,
    # No such run.
    "run_unknown": 1040,
    # A run of that id is there already.
    "run_id_in_use": 1041,
    # The adapter runs as many as it can.
    "too_many_runs": 1042,
    # The agent CLI does not know the session.
    "session_unknown": 1043,
    # The session is in use.
    "session_busy": 1044,
    # No such open approval.
    "approval_unknown": 1045,
    # A limit of time ran out; `data.which` says which.
    "timeout": 1050,
    # The provider cannot be reached or answers with a server error.
    "network_unreachable": 1051,
    # The adapter process ended unexpectedly.
    "plugin_crashed": 1052,
    # The adapter process no longer answers.
    "plugin_hung": 1053,
    # What was asked cannot work as asked: an empty prompt, a folder that is not there.
    "_od.usage": 2001,
    # There is no such agent, or none at all.
    "_od.agent_unknown": 2002,
    # The adapter was found but may not or cannot be used.
    "_od.agent_rejected": 2003,
    # The host's own files cannot be read or written.
    "_od.storage": 2004,
    # The host process that owned the run is gone.
    "_od.host_died": 2005,
    # The journal of the run could not be written.
    "_od.journal_failed": 2006,
    # The adapter broke the protocol, so the run was ended.
    "_od.plugin_protocol": 2007,
    # The token is missing or wrong.
    "_od.unauthorized": 2010,
    # The Host or Origin of the request is not allowed.
    "_od.forbidden": 2011,
    # The client calls too often; wait a little.
    "_od.too_many_calls": 2012,
    # The request is larger than the host takes.
    "_od.too_large": 2013,
    # The path is outside the folders that runs may work in.
    "_od.path_not_allowed": 2014,
    # A run is going on, so this has to wait.
    "_od.run_active": 2020,
    # The key was used for another task.
    "_od.key_conflict": 2021,
    # No more runs can wait.
    "_od.queue_full": 2022,
    # The run waits, so no agent can take what was said.
    "_od.run_waiting": 2023,
}

# What an app calls: parameters and result of each method.
METHODS: Final[dict[str, tuple[Any, Any]]] = {
    # Lists the agents at once from what is known; what is stale is looked at again meanwhile.
    "agents/list": (ListAgentsParams, ListAgentsResult),
    # Looks at the agents again and answers when all have been looked at.
    "agents/refresh": (RefreshAgentsParams, ListAgentsResult),
    # Says all that is known of one agent.
    "agents/get": (GetAgentParams, AgentStatus),
    # Makes an agent the one that runs without a name get; refused while a run is going on.
    "agents/setActive": (SetActiveAgentParams, SetActiveAgentResult),
    # Lists an agent's models and their efforts.
    "agents/models": (ListAgentModelsParams, ListModelsResult),
    # Reads what is left of an agent's allowance; null when that cannot be read.
    "agents/quota": (GetAgentQuotaParams, GetQuotaResult),
    # Asks an agent's adapter how it feels.
    "agents/health": (GetAgentHealthParams, HealthAdapterResult),
    # Says which features of an app an agent can carry, and why not where it cannot.
    "agents/features": (GetAgentFeaturesParams, AgentFeatures),
    # Starts a run or puts it into the queue; the same key twice starts it once.
    "runs/start": (StartRunsParams, StartRunsResult),
    # Lists the runs, the newest first.
    "runs/list": (ListRunsParams, ListRunsResult),
    # Says how one run stands.
    "runs/get": (GetRunParams, RunInfo),
    # Waits for the end of a run and says what came of it.
    "runs/result": (GetRunResultParams, RunResult),
    # Says something to a run that is going on.
    "runs/input": (InputRunsParams, InputRunResult),
    # Answers an approval.
    "runs/respond": (RespondRunsParams, RespondRunResult),
    # Stops a run with everything it started, or takes it out of the queue.
    "runs/cancel": (CancelRunsParams, CancelRunResult),
    # Removes a run that is over; the usage ledger keeps its figures.
    "runs/delete": (DeleteRunsParams, DeleteRunsResult),
    # Lists an agent's native sessions on disk.
    "sessions/list": (ListAgentSessionsParams, ListSessionsResult),
    # Reads a native session as unified events.
    "sessions/read": (ReadAgentSessionParams, ReadSessionsResult),
    # Adds up what was used: by agent, model, provider, credential or day.
    "usage/summary": (SummarizeUsageParams, UsageSummary),
    # Lists the adapters that are used, hidden and passed over, with the reasons.
    "adapters/list": (ListAdaptersParams, ListAdaptersResult),
    # Pins an executable as trusted, or takes that back.
    "adapters/trust": (TrustAdaptersParams, TrustAdaptersResult),
    # Says what to type to install an agent CLI and to log in.
    "adapters/install-hints": (ListInstallHintsParams, ListInstallHintsResult),
    # Says who answers, and how busy it is.
    "host/info": (GetHostInfoParams, HostStatus),
    # Takes no more runs, lets the ones that go on end or cancels them, and ends the host.
    "host/shutdown": (ShutdownHostParams, ShutdownHostResult),
}


class Calls(Protocol):
    """A function that calls a method by its name."""

    @overload
    def __call__(
        self, method: Literal["agents/list"], params: ListAgentsParams = ..., /
    ) -> ListAgentsResult: ...

    @overload
    def __call__(
        self, method: Literal["agents/refresh"], params: RefreshAgentsParams = ..., /
    ) -> ListAgentsResult: ...

    @overload
    def __call__(
        self, method: Literal["agents/get"], params: GetAgentParams, /
    ) -> AgentStatus: ...

    @overload
    def __call__(
        self, method: Literal["agents/setActive"], params: SetActiveAgentParams, /
    ) -> SetActiveAgentResult: ...

    @overload
    def __call__(
        self, method: Literal["agents/models"], params: ListAgentModelsParams, /
    ) -> ListModelsResult: ...

    @overload
    def __call__(
        self, method: Literal["agents/quota"], params: GetAgentQuotaParams, /
    ) -> GetQuotaResult | None: ...

    @overload
    def __call__(
        self, method: Literal["agents/health"], params: GetAgentHealthParams, /
    ) -> HealthAdapterResult: ...

    @overload
    def __call__(
        self, method: Literal["agents/features"], params: GetAgentFeaturesParams = ..., /
    ) -> AgentFeatures: ...

    @overload
    def __call__(
        self, method: Literal["runs/start"], params: StartRunsParams, /
    ) -> StartRunsResult: ...

    @overload
    def __call__(
        self, method: Literal["runs/list"], params: ListRunsParams = ..., /
    ) -> ListRunsResult: ...

    @overload
    def __call__(
        self, method: Literal["runs/get"], params: GetRunParams, /
    ) -> RunInfo: ...

    @overload
    def __call__(
        self, method: Literal["runs/result"], params: GetRunResultParams, /
    ) -> RunResult: ...

    @overload
    def __call__(
        self, method: Literal["runs/input"], params: InputRunsParams, /
    ) -> InputRunResult: ...

    @overload
    def __call__(
        self, method: Literal["runs/respond"], params: RespondRunsParams, /
    ) -> RespondRunResult: ...

    @overload
    def __call__(
        self, method: Literal["runs/cancel"], params: CancelRunsParams, /
    ) -> CancelRunResult: ...

    @overload
    def __call__(
        self, method: Literal["runs/delete"], params: DeleteRunsParams, /
    ) -> DeleteRunsResult: ...

    @overload
    def __call__(
        self, method: Literal["sessions/list"], params: ListAgentSessionsParams, /
    ) -> ListSessionsResult: ...

    @overload
    def __call__(
        self, method: Literal["sessions/read"], params: ReadAgentSessionParams, /
    ) -> ReadSessionsResult: ...

    @overload
    def __call__(
        self, method: Literal["usage/summary"], params: SummarizeUsageParams = ..., /
    ) -> UsageSummary: ...

    @overload
    def __call__(
        self, method: Literal["adapters/list"], params: ListAdaptersParams = ..., /
    ) -> ListAdaptersResult: ...

    @overload
    def __call__(
        self, method: Literal["adapters/trust"], params: TrustAdaptersParams, /
    ) -> TrustAdaptersResult: ...

    @overload
    def __call__(
        self, method: Literal["adapters/install-hints"], params: ListInstallHintsParams = ..., /
    ) -> ListInstallHintsResult: ...

    @overload
    def __call__(
        self, method: Literal["host/info"], params: GetHostInfoParams = ..., /
    ) -> HostStatus: ...

    @overload
    def __call__(
        self, method: Literal["host/shutdown"], params: ShutdownHostParams = ..., /
    ) -> ShutdownHostResult: ...
