// The OD host API, version 1, as TypeScript types.
// Generated from schemas/api/v1/schema.json and openrpc.json: do not edit.
//
// Where a type allows null, it means the same as absent. An open enumeration is
// `"a" | "b" | (string & {})`: a later version may send others, so keep a default branch.

export const API_MAJOR = 1;

/** Result of `agents/features`. */
export interface AgentFeatures {
  /** The agent. */
  agent: string;
  /** Every feature, then every requested skill. */
  gates: FeatureGate[];
}

/** Why an agent cannot be used now. */
export interface AgentProblem {
  /** The kind. */
  kind: ErrorKind;
  /** What failed, on what and why. */
  message: string;
  /** What to type or change to fix it. */
  fix?: string | null;
}

/** One agent: an adapter and what it detected on this machine. */
export interface AgentStatus {
  /** The agent id, as used by `runs/start.agent`. */
  id: string;
  /** The name for people. */
  displayName: string;
  /** The publisher of the adapter. */
  vendor: string;
  /** The adapter's version. */
  adapterVersion: string;
  /** The adapter's executable. */
  adapterPath: string;
  /** Whether a run would probably be accepted. */
  ready: boolean;
  /** Whether the agent CLI is installed and not too old. */
  installed: boolean;
  /** The capabilities with the installed version. */
  capabilities: Capabilities;
  /** Whether it is the active agent. Default: `false`. */
  active?: boolean;
  /** The state of the login; absent when it could not be determined. */
  auth?: AuthStatus | null;
  /** The settings folder of the agent CLI, if it exists. */
  configDir?: string | null;
  /** The time of the last detection, in milliseconds since 1970; absent means never. */
  detectedAt?: number | null;
  /** What was checked, with the results. Default: `[]`. */
  evidence?: Evidence[];
  /** The agent CLI. */
  path?: string | null;
  /** Why it cannot be used now; absent when it can. */
  problem?: AgentProblem | null;
  /** The folder from which the agent CLI reads skills, if it does. */
  skillsDir?: string | null;
  /** Whether this information may be outdated: something it depends on has changed, or the last detection failed. The host detects the agent again. Default: `false`. */
  stale?: boolean;
  /** How the version compares to the tested one. */
  testedVersion?: TestedVersion | null;
  /** The version that the agent CLI reports. */
  version?: string | null;
}

/** Payload of `agent_switched`, which only the host sends: the run continues with another agent, whose own `run_started` follows. */
export interface AgentSwitched {
  /** The agent that failed. */
  fromAgent: string;
  /** The agent that continues the run. */
  toAgent: string;
  /** The number of the attempt, from 2. */
  attempt: number;
  /** The kind of error that caused it. */
  errorKind: ErrorKind;
  /** The reason, for people. */
  reason: string;
  /** What the next agent receives. */
  handover: Handover;
  /** The size of the handover text in bytes. Default: `0`. */
  handoverBytes?: number;
}

/** What the agent requests approval for. */
export type ApprovalCategory =
  /** Run a command. */
  | "execute"
  /** Create, change or delete a file. */
  | "edit"
  /** Read a file outside the allowed folders. */
  | "read"
  /** Access the network. */
  | "network"
  /** Call a tool of an MCP server. */
  | "mcp"
  /** Anything else. */
  | "other"
  | (string & {});

/** One decision that the agent CLI offers. Only offered decisions may be given. */
export interface ApprovalOption {
  /** The agent CLI's own name. */
  id: string;
  /** What it means. */
  kind: ApprovalOutcome;
  /** The label of a button. */
  label?: string | null;
}

/** The decision on an approval. An unknown value means a denial. */
export type ApprovalOutcome =
  /** Allow this one call. */
  | "allow_once"
  /** Allow this call and every similar call of the run. */
  | "allow_always"
  /** Deny this one call; the agent continues. */
  | "reject_once"
  /** Deny this call and every similar call of the run. */
  | "reject_always"
  | (string & {});

/** Payload of `approval_requested`. */
export interface ApprovalRequested {
  /** The id of the approval, unique within the run. */
  approvalId: string;
  /** What the agent requests approval for. */
  category: ApprovalCategory;
  /** How much harm a wrong decision can do. */
  risk: ApprovalRisk;
  /** A one-line summary for people: what exactly would happen. */
  summary: string;
  /** The decisions that the agent CLI offers; at least one. */
  options: ApprovalOption[];
  /** How long the request waits, from this event on, before it is denied by `timeout`; null means without limit. */
  deadlineMs?: number | null;
  /** The input of the tool call, unchanged, to show or edit. */
  input?: unknown;
  /** The id of the tool call that waits; absent means not known. */
  toolCallId?: string | null;
}

/** Payload of `approval_resolved`. */
export interface ApprovalResolved {
  /** The approval. */
  approvalId: string;
  /** The decision: that of `run/respond`, or a denial. */
  outcome: ApprovalOutcome;
  /** Who decided: `by` of `run/respond`, whose default is `user`. */
  by: ApprovalResolver;
}

/** Who resolved an approval. An unknown value means a policy. */
export type ApprovalResolver =
  /** The user decided: `run/respond` without another `by`. */
  | "user"
  /** A rule decided, also that no client answers approvals. */
  | "policy"
  /** No decision before the deadline or a time limit of the run: denied. */
  | "timeout"
  /** The run was cancelled or has ended, or the agent CLI withdrew its request: denied. */
  | "cancel"
  | (string & {});

/** How much harm a wrong decision can do. An unknown value means high. */
export type ApprovalRisk =
  /** Only reads, or is harmless. */
  | "low"
  /** Changes files below the working folder. */
  | "med"
  /** Runs commands, accesses the network or leaves the working folder. */
  | "high"
  | (string & {});

/** Details of `approvals`. */
export interface ApprovalsCapability {
  /** Supports `run/respond.updatedInput`. Default: `false`. */
  editInput?: boolean;
}

/** Parameters of `runs/attach`. */
export interface AttachRunParams {
  /** The run, running or finished. */
  runId: string;
  /** The sequence number of the first event to send; absent means 0. Default: `0`. */
  from?: number;
}

/** Parameters of `runs/event`. */
export interface AttachedEvents {
  /** The subscription id that `runs/attach` returned. */
  subscription: string;
  /** The events. */
  result: RunEvents;
}

/** Whether a run would be authenticated. */
export type AuthState =
  /** A credential exists, is not empty and has not expired. */
  | "ok"
  /** No credential exists; an empty variable is none. */
  | "missing"
  /** The credential has expired. */
  | "expired"
  /** The state cannot be determined without a request to the provider. */
  | "unknown"
  | (string & {});

/** The state of the login. */
export interface AuthStatus {
  /** Whether a run would be authenticated. */
  state: AuthState;
  /** The credential that would pay. */
  credential?: Credential | null;
  /** When the login expires, in milliseconds since 1970. */
  expiresAt?: number | null;
  /** The command to log in. */
  guidance?: string | null;
  /** The login method (`oauth`, `api_key`, …). */
  method?: string | null;
}

/** Parameters of `runs/cancel`. */
export interface CancelRunParams {
  /** The run. */
  runId: string;
  /** The grace period of the agent CLI; absent means 2000, 0 means kill immediately. */
  graceMs?: number | null;
}

/** Result of `run/cancel`. */
export interface CancelRunResult {
  /** Whether the run exists and is being stopped. `false` for an unknown or finished run, which is not an error. */
  accepted: boolean;
}

/** What an adapter declares in its manifest and repeats in `initialize`. `adapter/detect` may report fewer capabilities for the installed version of the agent CLI. */
export interface Capabilities {
  /** `run/start.addDirs`. */
  addDirs?: Marker | null;
  /** `approval_requested` and `run/respond`. */
  approvals?: ApprovalsCapability | null;
  /** `run/start.prompt.attachments`. */
  attachments?: Marker | null;
  /** `run/start.effort`. */
  effort?: EffortCapability | null;
  /** Emits native `file_change` events. */
  fileChanges?: Marker | null;
  /** `run/start.session.mode = fork`. */
  fork?: Marker | null;
  /** `run/start.prompt.images`. */
  images?: Marker | null;
  /** `run/input` to a running run. */
  input?: InputCapability | null;
  /** `run/start.maxTurns`. */
  maxTurns?: Marker | null;
  /** `run/start.mcpServers`. */
  mcpServers?: Marker | null;
  /** `models/list` and `run/start.model`. */
  models?: Marker | null;
  /** `run/start.outputSchema`. */
  outputSchema?: Marker | null;
  /** `run/start.permissionMode`. */
  permissionModes?: PermissionModesCapability | null;
  /** `run/start.policy`. */
  policy?: Marker | null;
  /** `quota/get`. */
  quota?: Marker | null;
  /** `run/start.session.mode = resume`. */
  resume?: ResumeCapability | null;
  /** `run/start` and `run/cancel`. */
  run?: Marker | null;
  /** `sessions/list` and `sessions/read`. */
  sessions?: Marker | null;
  /** `run/start.skills`. */
  skills?: Marker | null;
  /** Emits `subagent_*`. */
  subagents?: Marker | null;
  /** `run/start.prompt.system`. */
  systemPrompt?: Marker | null;
  /** Emits `text_delta` while the model generates, not only whole messages. */
  textDeltas?: Marker | null;
  /** Emits `thinking_*` events. */
  thinking?: Marker | null;
  /** `run/start.thinkingBudgetTokens`. */
  thinkingBudget?: Marker | null;
  /** `run/start.allowedTools` and `deniedTools`. */
  toolLists?: Marker | null;
  /** Emits `tool_*` events. */
  tools?: Marker | null;
  /** Emits `usage`. */
  usage?: UsageCapability | null;
}

/** A file that the run changed: the sum of its changes. */
export interface ChangedFile {
  /** The file. */
  path: string;
  /** The last operation. */
  op: FileOp;
  /** With `rename`: the old path. */
  from?: string | null;
}

/** Payload of `context`. */
export interface Context {
  /** Tokens in the model's context window. */
  usedTokens: number;
  /** Whether the conversation was just compacted. Default: `false`. */
  compacted?: boolean;
  /** The size of the context window; absent means not reported. */
  maxTokens?: number | null;
}

/** The credential that pays. It names a variable or a file, never a value. */
export interface Credential {
  /** The kind. */
  kind: CredentialKind;
  /** The environment variable, file or plan that it comes from. */
  name: string;
}

/** The kind of credential that pays for a run. An unknown value means other. */
export type CredentialKind =
  /** A subscription that the user logged in with. */
  | "subscription"
  /** An API key, billed by use. */
  | "api_key"
  /** A bearer token that the user set. */
  | "token"
  /** A cloud account (Bedrock, Vertex, …). */
  | "cloud"
  /** A command that prints a key. */
  | "helper"
  /** Nothing has to be paid. */
  | "none"
  /** Anything else. */
  | "other"
  | (string & {});

/** Parameters of `runs/delete`. */
export interface DeleteRunParams {
  /** The run. An active run is an error. */
  runId: string;
}

/** Result of `runs/delete`. */
export interface DeleteRunResult {
  /** Whether the run existed and was removed. */
  deleted: boolean;
}

/** Payload of `done`. */
export interface Done {
  /** How the run ended. */
  status: DoneStatus;
  /** Why the model stopped; `end_turn` if the run completed and the agent CLI states no reason. */
  stopReason: StopReason;
  /** The evidence for the status. */
  evidence: DoneEvidence;
  /** The time from the receipt of `run/start` to `done`. */
  durationMs: number;
  /** Totals of the run. */
  totals: Totals;
  /** With `failed` and `timed_out`: the kind of the preceding fatal `error`; otherwise absent. */
  errorKind?: ErrorKind | null;
  /** The exit code of the agent CLI's process; absent when a signal ended it or the adapter does not report it. */
  exitCode?: number | null;
  /** The session id of the last `session_started`; absent if there was none. */
  sessionId?: string | null;
  /** The signal that ended the agent CLI's process, also if the adapter sent it. */
  signal?: number | null;
}

/** The evidence for the status. An unknown value means the weakest. */
export type DoneEvidence =
  /** The agent CLI's own final message. */
  | "native_result"
  /** The model's stop reason. */
  | "stop_reason"
  /** Only the exit code of the agent CLI; never sufficient for `completed`. */
  | "exit_code"
  /** The adapter or the host stopped the run. */
  | "watchdog"
  /** A signal ended the agent CLI. */
  | "signal"
  | (string & {});

/** How a run ended. An unknown value means failed. */
export type DoneStatus =
  /** The agent CLI itself reported that it finished. */
  | "completed"
  /** An error ended the run; a fatal `error` precedes `done`. */
  | "failed"
  /** The run was cancelled, by `run/cancel`, `shutdown` or the agent CLI itself. */
  | "cancelled"
  /** A time limit of `run/start.timeouts` was reached. */
  | "timed_out"
  | (string & {});

/** The reasoning effort, with the same values for every agent. An unknown value means medium. */
export type Effort =
  /** Low effort. */
  | "low"
  /** Medium effort. */
  | "medium"
  /** High effort. */
  | "high"
  /** The highest effort of the model. */
  | "max"
  | (string & {});

/** Details of `effort`. */
export interface EffortCapability {
  /** The levels that can be requested. Default: `[]`. */
  levels?: Effort[];
}

/** `error.data` of every JSON-RPC error: the kind for programs and the hint for people. */
export interface ErrorData {
  /** The kind. */
  kind: ErrorKind;
  /** Further details, never a secret. */
  details?: Record<string, unknown> | null;
  /** What to type or change to fix it. Present for `auth_*` and `cli_not_found`. */
  hint?: string | null;
  /** Whether the same call may succeed later without a change: true for `rate_limited`, false for `auth_*`, `config_invalid`, `model_unknown`, `context_exceeded` and `cli_not_found`. Default: `false`. */
  retryable?: boolean;
  /** With `unsupported_protocol`: the majors that the responding side supports. */
  supported?: ProtocolRange | null;
  /** With `timeout`: which limit (`start`, `idle`, `total`); with `capability_unsupported`: which capability; with `invalid_params` of the host's API: which parameter, such as `task.session.mode`. */
  which?: string | null;
}

/** Payload of `error`. */
export interface ErrorEvent {
  /** The kind. */
  kind: ErrorKind;
  /** What failed, on what and why: lowercase, without a final dot and without secrets. */
  message: string;
  /** Whether the error ends the run: `done` follows. */
  fatal: boolean;
  /** Further details, never a secret. With `timeout`: `which` is `start`, `idle` or `total`. */
  data?: Record<string, unknown> | null;
  /** What to type or change to fix it. Present for `auth_*` and `cli_not_found`. */
  hint?: string | null;
  /** Whether the same run may succeed later without a change: true for `rate_limited`, false for `auth_*`, `config_invalid`, `model_unknown`, `context_exceeded` and `cli_not_found`. Default: `false`. */
  retryable?: boolean;
}

/** The kind of an error, for programs to branch on. */
export type ErrorKind =
  /** The line is not JSON. */
  | "parse_error"
  /** The line is JSON but not a JSON-RPC 2.0 message. */
  | "invalid_request"
  /** The method does not exist. */
  | "method_not_found"
  /** The parameters are not valid for the method. */
  | "invalid_params"
  /** An internal error of the adapter. */
  | "internal"
  /** `$/cancelRequest` cancelled the request. */
  | "request_cancelled"
  /** The two sides have no common protocol major. */
  | "unsupported_protocol"
  /** `initialize` has not been called. */
  | "not_initialized"
  /** `initialize` was called twice. */
  | "already_initialized"
  /** `shutdown` was called. */
  | "shutting_down"
  /** The adapter does not support an option or a method. */
  | "capability_unsupported"
  /** The configuration or an option's value is wrong. */
  | "config_invalid"
  /** The agent CLI is not installed. */
  | "cli_not_found"
  /** The agent CLI is older than the adapter supports. */
  | "cli_version_unsupported"
  /** The agent CLI could not be started. */
  | "cli_spawn_failed"
  /** The agent CLI exited without reporting a result. */
  | "cli_crashed"
  /** The agent CLI violated its own protocol. */
  | "cli_protocol"
  /** No credential exists. */
  | "auth_missing"
  /** The credential has expired or was rejected. */
  | "auth_expired"
  /** The credential belongs to an account without permission for this. */
  | "auth_wrong_account"
  /** The operating system or the agent CLI refused access. */
  | "permission_denied"
  /** The provider limits the rate of requests. */
  | "rate_limited"
  /** The account's quota is exhausted. */
  | "quota_exhausted"
  /** The conversation exceeds the model's context window. */
  | "context_exceeded"
  /** The provider does not know the model. */
  | "model_unknown"
  /** The prompt is too large for the agent CLI. */
  | "prompt_too_large"
  /** The run does not exist. */
  | "run_unknown"
  /** A run with this id already exists. */
  | "run_id_in_use"
  /** The adapter has reached its maximum number of runs. */
  | "too_many_runs"
  /** The agent CLI does not know the session. */
  | "session_unknown"
  /** The session is in use. */
  | "session_busy"
  /** The approval does not exist or is already resolved. */
  | "approval_unknown"
  /** A time limit was reached; `data.which` names it. */
  | "timeout"
  /** The provider cannot be reached or returns a server error. */
  | "network_unreachable"
  /** The adapter process ended unexpectedly. */
  | "plugin_crashed"
  /** The adapter process does not respond. */
  | "plugin_hung"
  | (string & {});

/** The JSON-RPC error object. Its shape is frozen for all majors. */
export interface ErrorObject {
  /** The JSON-RPC code of the kind. */
  code: number;
  /** What failed, on what and why: lowercase, without a final dot. */
  message: string;
  /** The kind and the hint. */
  data?: ErrorData | null;
}

/** The event types of this version. */
export const EVENT_TYPES = [
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
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** An event of this version; `type` discriminates them. */
export type KnownEvent =
  /** The agent CLI was started. The first event of every run. */
  | ({ type: "run_started" } & RunStarted)
  /** The native session is known. */
  | ({ type: "session_started" } & SessionStarted)
  /** A turn of the model starts. */
  | ({ type: "turn_started" } & TurnStarted)
  /** A turn of the model ended; more turns may follow in the same run. */
  | ({ type: "turn_ended" } & TurnEnded)
  /** What the agent is doing now. */
  | ({ type: "status" } & Status)
  /** Text of the user or the host: the echo of input, or part of a session that is read. */
  | ({ type: "user_message" } & UserMessage)
  /** A message of the agent starts. */
  | ({ type: "message_started" } & MessageStarted)
  /** A piece of a message. */
  | ({ type: "text_delta" } & TextDelta)
  /** A message is complete. */
  | ({ type: "message_stopped" } & MessageStopped)
  /** A message was retried: its text is no longer valid. */
  | ({ type: "message_discarded" } & MessageDiscarded)
  /** A thinking block starts. */
  | ({ type: "thinking_started" } & ThinkingStarted)
  /** A piece of a thinking block. */
  | ({ type: "thinking_delta" } & ThinkingDelta)
  /** A thinking block is complete. */
  | ({ type: "thinking_stopped" } & ThinkingStopped)
  /** A tool call starts. */
  | ({ type: "tool_call_started" } & ToolCallStarted)
  /** A piece of the call's input, as raw JSON text. */
  | ({ type: "tool_input_delta" } & ToolInputDelta)
  /** The call's input is complete. */
  | ({ type: "tool_call_ready" } & ToolCallReady)
  /** A piece of the call's output. */
  | ({ type: "tool_output_delta" } & ToolOutputDelta)
  /** The call ended. */
  | ({ type: "tool_result" } & ToolResult)
  /** A file was changed. */
  | ({ type: "file_change" } & FileChange)
  /** The agent waits for an approval. */
  | ({ type: "approval_requested" } & ApprovalRequested)
  /** An approval was resolved. */
  | ({ type: "approval_resolved" } & ApprovalResolved)
  /** The agent asks the user a question. */
  | ({ type: "input_requested" } & InputRequested)
  /** The agent's list of tasks; each plan replaces the previous one. */
  | ({ type: "plan" } & Plan)
  /** A subagent starts; its activity is summarised, not forwarded. */
  | ({ type: "subagent_started" } & SubagentStarted)
  /** A subagent ended. */
  | ({ type: "subagent_stopped" } & SubagentStopped)
  /** Tokens and cost. */
  | ({ type: "usage" } & Usage)
  /** How full the model's context window is. */
  | ({ type: "context" } & Context)
  /** The quota of the account. */
  | ({ type: "quota" } & Quota)
  /** The provider limits the rate of requests. */
  | ({ type: "rate_limited" } & RateLimited)
  /** The agent CLI or the host retries. */
  | ({ type: "retry" } & Retry)
  /** Another agent continues the run; only the host sends it. */
  | ({ type: "agent_switched" } & AgentSwitched)
  /** An image. */
  | ({ type: "image" } & Image)
  /** A skill was loaded or used. */
  | ({ type: "skill" } & Extension)
  /** A plugin was loaded or used. */
  | ({ type: "plugin" } & Extension)
  /** The model or the permission mode changed. */
  | ({ type: "mode_changed" } & ModeChanged)
  /** Information for people. */
  | ({ type: "notice" } & Notice)
  /** The agent CLI sent something that the adapter does not know: a sign of a newer agent CLI. */
  | ({ type: "unmapped" } & Unmapped)
  /** The agent CLI sends no output but is alive. */
  | ({ type: "heartbeat" } & Heartbeat)
  /** An error. */
  | ({ type: "error" } & ErrorEvent)
  /** The last event of every run: none of its processes is alive. */
  | ({ type: "done" } & Done);

/** An event of this version or of a later one. */
export type Event = KnownEvent | UnknownEvent;

/** One thing that was checked, and the result. */
export interface Evidence {
  /** What was checked: `path`, `well_known_dir`, `config_dir`, `env`, `auth_file`, `version`, …. */
  signal: string;
  /** Where: a folder, a file or the name of a variable. Never the value of a variable. */
  subject: string;
  /** Whether it exists. */
  found: boolean;
  /** More details, for people. */
  detail?: string | null;
}

/** Payload of `skill` and `plugin`. */
export interface Extension {
  /** The name. */
  name: string;
  /** Whether it was loaded or used. */
  phase: ExtensionPhase;
  /** The source; absent means not reported. */
  source?: string | null;
}

/** What happened to a skill or plugin. An unknown value means loaded. */
export type ExtensionPhase =
  /** It was loaded. */
  | "loaded"
  /** It was used. */
  | "invoked"
  | (string & {});

/** Other agents that may continue the run when one fails. Every switch is an event `agent_switched`. */
export interface FallbackPolicy {
  /** The agents in this order, each at most once. */
  agents: string[];
  /** What the next agent receives; absent means the transcript. */
  handover?: Handover | null;
  /** The error kinds that cause a switch. Absent means those that another agent may not have: a missing CLI or login, a crash, a limit, an unreachable provider. */
  on?: ErrorKind[] | null;
}

/** A feature of a client that an agent may support. An unknown value means a skill. */
export type Feature =
  /** Select a part of the result and request a change of that part. */
  | "comment_mode"
  /** Show tool calls while they run. */
  | "tool_feed"
  /** Show the answer while it is generated. */
  | "live_text"
  /** Continue an interrupted run. */
  | "resume"
  /** Continue from the same point in another way. */
  | "fork"
  /** Send input to a running run. */
  | "steer"
  /** Approve actions of the agent. */
  | "approvals"
  /** Choose the model. */
  | "model_picker"
  /** Choose the reasoning effort. */
  | "effort_picker"
  /** Show the cost of a run. */
  | "cost_meter"
  /** Show the remaining quota. */
  | "quota_meter"
  /** Images in the prompt. */
  | "images"
  /** Files in the prompt. */
  | "attachments"
  /** List and read the agent's own sessions. */
  | "session_history"
  /** A skill of the client. */
  | "skill"
  | (string & {});

/** Whether a feature can be offered. */
export interface FeatureGate {
  /** The feature. */
  feature: Feature;
  /** Whether it can be offered. */
  enabled: boolean;
  /** The required capabilities. */
  requires: string[];
  /** What to offer instead, in a sentence for the user. */
  instead?: string | null;
  /** The required capabilities that the agent lacks. Default: `[]`. */
  missing?: string[];
  /** With `skill`: its name. */
  name?: string | null;
  /** Why it cannot be offered, in a sentence for the user. */
  reason?: string | null;
}

/** Payload of `file_change`. */
export interface FileChange {
  /** The absolute path of the file. */
  path: string;
  /** The operation. */
  op: FileOp;
  /** Who detected it. */
  source: FileChangeSource;
  /** A unified diff, if the agent CLI provides one. */
  diff?: string | null;
  /** With `rename`: the absolute old path. */
  from?: string | null;
  /** The id of the tool call that changed the file; absent means not known. */
  toolCallId?: string | null;
  /** Present when the diff was shortened. */
  truncated?: Truncated | null;
}

/** Who detected the change. An unknown value means observed. */
export type FileChangeSource =
  /** The agent CLI reported it. */
  | "native"
  /** The adapter or the host detected it on disk. */
  | "observed"
  | (string & {});

/** The operation on a file. An unknown value means an edit. */
export type FileOp =
  /** The file was created. */
  | "create"
  /** The file was changed. */
  | "edit"
  /** The file was deleted. */
  | "delete"
  /** The file was renamed. */
  | "rename"
  | (string & {});

/** Parameters of `agents/features`. */
export interface GetAgentFeaturesParams {
  /** The agent; absent means the active one. */
  agent?: string | null;
  /** Skills to evaluate as well. */
  skills?: SkillRequirements[];
}

/** Parameters of `agents/health`. */
export interface GetAgentHealthParams {
  /** The agent. */
  agent: string;
}

/** Parameters of `agents/get`. */
export interface GetAgentParams {
  /** The agent. */
  agent: string;
}

/** Parameters of `agents/quota`. */
export interface GetAgentQuotaParams {
  /** The agent. */
  agent: string;
}

/** Parameters of `host/info`. */
export type GetHostInfoParams = Record<string, unknown>;

/** Parameters of `runs/get`. */
export interface GetRunParams {
  /** The run. */
  runId: string;
}

/** Parameters of `runs/result`. */
export interface GetRunResultParams {
  /** The run. */
  runId: string;
  /** How long to wait for the end of the run; absent means without limit, 0 means not at all. After this time the error is `timeout` and the run continues. */
  waitMs?: number | null;
}

/** What the next agent receives about the previous attempt. An unknown value means the prompt only. */
export type Handover =
  /** The prompt alone. */
  | "prompt"
  /** The prompt, preceded by what the previous agent wrote and did. */
  | "transcript"
  | (string & {});

/** Result of `adapter/health`. */
export interface HealthAdapterResult {
  /** The status. */
  status: HealthStatus;
  /** A one-sentence description. */
  message: string;
  /** Details such as open runs and versions. Default: `{}`. */
  details?: Record<string, unknown>;
}

/** The health of the adapter. An unknown value means degraded. */
export type HealthStatus =
  /** Runs should work. */
  | "ok"
  /** Runs may work. */
  | "degraded"
  /** Runs cannot work. */
  | "unavailable"
  | (string & {});

/** Payload of `heartbeat`, sent at least every ten seconds without output. */
export interface Heartbeat {
  /** The time since the last output of the agent CLI, or since `run/start` if there was none. */
  silentMs: number;
}

/** An adapter that an earlier one of the same name hides. */
export interface HiddenAdapter {
  /** The agent id. */
  id: string;
  /** The executable that is not used. */
  path: string;
  /** The executable that is used. */
  by: string;
}

/** The limits of the host. */
export interface HostLimits {
  /** The maximum number of concurrent runs. */
  maxRuns: number;
  /** The maximum number of concurrent runs of one agent, unless its settings define another. */
  maxRunsPerAgent: number;
  /** The maximum number of queued runs. */
  maxQueued: number;
  /** The maximum size of a request. */
  maxRequestBytes: number;
  /** The maximum number of calls per second of one client. */
  maxCallsPerSecond: number;
}

/** Result of `host/info`. */
export interface HostStatus {
  /** The name of the program, always `od-host`. */
  name: string;
  /** The version. */
  version: string;
  /** The major of this API. */
  api: number;
  /** The supported majors of the adapter protocol. */
  protocol: ProtocolRange;
  /** The process id of the host. */
  pid: number;
  /** The start time in milliseconds since 1970. */
  startedAt: number;
  /** The folder of the host's files. */
  home: string;
  /** The platform, such as `linux-x86_64`. */
  platform: string;
  /** The number of running runs of this process. */
  running: number;
  /** The number of queued runs. */
  queued: number;
  /** Whether the host rejects new runs because it is shutting down. */
  draining: boolean;
  /** The folders that runs may work in. */
  roots: string[];
  /** The limits of the host. */
  limits: HostLimits;
}

/** Payload of `image`: by value or by path. */
export interface Image {
  /** The media type, such as `image/png`. */
  mime: string;
  /** The content in Base64. */
  data?: string | null;
  /** The absolute path of a file. */
  path?: string | null;
}

/** An image in a prompt: by path or by value. */
export interface ImageInput {
  /** The media type, such as `image/png`. */
  mime: string;
  /** The content in Base64. */
  data?: string | null;
  /** The absolute path of a file. */
  path?: string | null;
}

/** Details of `input`. */
export interface InputCapability {
  /** Input can reach the running turn; otherwise it is queued for the next one. Default: `false`. */
  steer?: boolean;
}

/** What happens with input. An unknown value means refused. */
export type InputOutcome =
  /** It reached the running turn. */
  | "steered"
  /** It is queued for the next turn of the same run. */
  | "queued"
  /** It is not accepted. */
  | "refused"
  | (string & {});

/** Payload of `input_requested`. */
export interface InputRequested {
  /** The id of the question. */
  questionId: string;
  /** The question. */
  text: string;
  /** A JSON Schema of the answer; absent means text. */
  schema?: Record<string, unknown> | null;
}

/** Parameters of `runs/input`. */
export interface InputRunParams {
  /** The run. */
  runId: string;
  /** The text for the agent. */
  text: string;
  /** Accept the input only while this turn runs; refuse it otherwise. */
  expectedTurn?: string | null;
}

/** Result of `run/input`. */
export interface InputRunResult {
  /** What the agent does with the input. */
  outcome: InputOutcome;
}

/** How to install an agent and log in. */
export interface InstallHint {
  /** The agent. */
  agent: string;
  /** The name for people. */
  displayName: string;
  /** The agent CLI is installed. */
  installed: boolean;
  /** Ways to install it on this platform. */
  install: InstallMethod[];
  /** A web page about the agent CLI. */
  homepage?: string | null;
  /** The command to log in. */
  login?: string | null;
}

/** One way to install the agent CLI. */
export interface InstallMethod {
  /** `any`, `linux`, `macos` or `windows`. */
  platform: string;
  /** `npm`, `brew`, `pip`, `script`, …. */
  kind: string;
  /** The command. */
  command: string;
  /** Notes for people. */
  notes?: string | null;
}

/** Parameters of `adapters/list`. */
export type ListAdaptersParams = Record<string, unknown>;

/** Result of `adapters/list`. */
export interface ListAdaptersResult {
  /** Sorted by id. */
  adapters: UsedAdapter[];
  /** Hidden adapters. */
  hidden: HiddenAdapter[];
  /** Rejected files and folders. */
  rejected: RejectedAdapter[];
  /** The trust policy: `path` or `pinned`. */
  policy: string;
}

/** Parameters of `agents/models`. */
export interface ListAgentModelsParams {
  /** The agent. */
  agent: string;
}

/** Parameters of `agents/list`. */
export type ListAgentsParams = Record<string, unknown>;

/** Result of `agents/list` and `agents/refresh`. */
export interface ListAgentsResult {
  /** Sorted by id. */
  agents: AgentStatus[];
  /** The active agent, used by runs that name none, if one is set. */
  active?: string | null;
  /** Some agents are being refreshed now: call again for the new state. Default: `false`. */
  refreshing?: boolean;
}

/** Parameters of `adapters/install-hints`. */
export interface ListInstallHintsParams {
  /** Only this agent; absent means all. */
  agent?: string | null;
}

/** Result of `adapters/install-hints`. */
export interface ListInstallHintsResult {
  /** Sorted by agent id. */
  hints: InstallHint[];
}

/** Result of `models/list`. */
export interface ListModelsResult {
  /** The models. Ids are unique. */
  models: Model[];
  /** Where the list comes from. */
  source: ModelsSource;
  /** The model that the agent CLI is configured to use. */
  current?: string | null;
}

/** Parameters of `runs/list`. */
export interface ListRunsParams {
  /** Only runs of this agent. */
  agent?: string | null;
  /** Only runs older than this one: the value of `next`. */
  before?: string | null;
  /** The most runs to return; absent means 50. */
  limit?: number | null;
  /** Only runs in this state. */
  state?: RunState | null;
}

/** Result of `runs/list`. */
export interface ListRunsResult {
  /** Newest first. */
  runs: RunInfo[];
  /** The value of `before` for the next page; absent on the last page. */
  next?: string | null;
}

/** Parameters of `sessions/list`. */
export interface ListSessionsParams {
  /** The agent. */
  agent: string;
  /** Only sessions of this folder. */
  cwd?: string | null;
  /** The most sessions to return, newest first; absent means 50. */
  limit?: number | null;
}

/** Result of `sessions/list`. */
export interface ListSessionsResult {
  /** Newest first. */
  sessions: SessionSummary[];
}

/** A capability without details. */
export type Marker = Record<string, unknown>;

/** An MCP server for a run. */
export interface McpServer {
  /** The name. */
  name: string;
  /** The transport. */
  transport: McpTransport;
  /** The arguments of the program. */
  args?: string[];
  /** The program, with `stdio`. */
  command?: string | null;
  /** The variables of the program. */
  env?: Record<string, string>;
  /** The HTTP headers. */
  headers?: Record<string, string>;
  /** The URL, with `http` and `sse`. */
  url?: string | null;
}

/** An MCP server as the agent CLI reports it. */
export interface McpServerStatus {
  /** The name. */
  name: string;
  /** The agent CLI's own status (`connected`, `failed`, …). */
  status: string;
}

/** The transport of an MCP server. An unknown value means stdio. */
export type McpTransport =
  /** stdin and stdout of a program. */
  | "stdio"
  /** Streamable HTTP. */
  | "http"
  /** The older HTTP with server-sent events. */
  | "sse"
  | (string & {});

/** Payload of `message_discarded`. */
export interface MessageDiscarded {
  /** The message whose text is no longer valid. */
  messageId: string;
}

/** Payload of `message_started`. */
export interface MessageStarted {
  /** The id of the message, unique within the run. */
  messageId: string;
}

/** Payload of `message_stopped`. */
export interface MessageStopped {
  /** The message. */
  messageId: string;
}

/** Payload of `mode_changed`. */
export interface ModeChanged {
  /** The current model. */
  model?: string | null;
  /** The current permission mode. */
  permissionMode?: string | null;
}

/** One model. */
export interface Model {
  /** The model id, as used by `run/start.model`. */
  id: string;
  /** The context window in tokens; absent means not known. */
  contextWindow?: number | null;
  /** Used when a run names no model. Default: `false`. */
  default?: boolean;
  /** The efforts that the model supports; absent means not known. */
  efforts?: Effort[] | null;
  /** The name for people. */
  name?: string | null;
}

/** The source of a list of models. An unknown value means static. */
export type ModelsSource =
  /** Queried from the agent CLI. */
  | "live"
  /** A list in the adapter. */
  | "static"
  | (string & {});

/** The network access of the agent's tools. An unknown value means none. */
export type NetworkMode =
  /** No access. */
  | "none"
  /** What the agent CLI's own rules allow. */
  | "default"
  /** Full access. */
  | "full"
  | (string & {});

/** Payload of `notice`. */
export interface Notice {
  /** The level. */
  level: NoticeLevel;
  /** A code for programs. */
  code: string;
  /** A sentence for people. */
  text: string;
  /** What to type or change to fix it. */
  hint?: string | null;
}

/** The level of a notice. An unknown value means a warning. */
export type NoticeLevel =
  /** For debugging. */
  | "debug"
  /** For information. */
  | "info"
  /** Something may be wrong. */
  | "warn"
  | (string & {});

/** The stream of a piece of output. An unknown value means stdout. */
export type OutputStream =
  /** Standard output. */
  | "stdout"
  /** Standard error. */
  | "stderr"
  | (string & {});

/** Details of `permissionModes`. */
export interface PermissionModesCapability {
  /** The agent CLI's own names, the strictest first. Default: `[]`. */
  modes?: string[];
}

/** Payload of `plan`. */
export interface Plan {
  /** All entries; each plan replaces the previous one. */
  entries: PlanEntry[];
}

/** One entry of a plan. */
export interface PlanEntry {
  /** The task. */
  content: string;
  /** The status. */
  status: PlanStatus;
}

/** The status of a plan entry. An unknown value means pending. */
export type PlanStatus =
  /** Not started. */
  | "pending"
  /** Started. */
  | "in_progress"
  /** Done. */
  | "completed"
  | (string & {});

/** Rules for approvals, shell and network. The adapter translates them into the strictest form of the agent CLI. */
export interface Policy {
  /** Categories that always need an approval. Default: `[]`. */
  ask?: ApprovalCategory[];
  /** The network access of the agent's tools. */
  network?: NetworkMode | null;
  /** Command prefixes that need no approval. Default: `[]`. */
  shellAllow?: string[];
  /** Command prefixes that are denied. Default: `[]`. */
  shellDeny?: string[];
}

/** The prompt. */
export interface Prompt {
  /** The text, passed unchanged. It is data: `/x`, `@x`, `-x` and `$(x)` have no special meaning. */
  text: string;
  /** The absolute paths of files to read. */
  attachments?: string[];
  /** Images. */
  images?: ImageInput[];
  /** The system prompt. */
  system?: string | null;
}

/** The protocol majors that one side supports. Minor versions exist only as capabilities. */
export interface ProtocolRange {
  /** The lowest major. */
  min: number;
  /** The highest major, at least `min`. */
  max: number;
  /** The revision of the specification, for people. */
  revision?: string | null;
}

/** Payload of the event `quota` and result of `quota/get`. */
export interface Quota {
  /** The windows. */
  windows: QuotaWindow[];
  /** Whether a run started now would be rejected. */
  rateLimited: boolean;
  /** The earliest reset that allows runs again, in milliseconds since 1970. */
  earliestResetAt?: number | null;
}

/** One window of a quota, such as five hours or a week. */
export interface QuotaWindow {
  /** The provider's own name (`five_hour`, `weekly`, …). */
  kind: string;
  /** Whether the quota of this window is exhausted. */
  exhausted: boolean;
  /** When the window resets, in milliseconds since 1970; absent means not reported. */
  resetsAt?: number | null;
  /** The used share, 0 to 100; absent means not reported. */
  usedPercent?: number | null;
}

/** Payload of `rate_limited`. */
export interface RateLimited {
  /** Who reported it: `cli`, `provider`. */
  source: string;
  /** When the limit ends, in milliseconds since 1970, as the agent CLI reports it; absent means not reported. */
  resetsAt?: number | null;
  /** How long to wait, as the agent CLI reports it; absent means not reported. */
  retryAfterMs?: number | null;
  /** The exhausted window, by the provider's own name. */
  window?: string | null;
}

/** Parameters of `sessions/read`. */
export interface ReadSessionParams {
  /** The agent. */
  agent: string;
  /** The session. */
  id: string;
  /** The working folder of the session, for agent CLIs that store sessions by folder. */
  cwd?: string | null;
}

/** Result of `sessions/read`. */
export interface ReadSessionResult {
  /** The session. */
  session: SessionSummary;
  /** The content of the session as events of a run, including `user_message`. */
  events: Event[];
  /** Older events are omitted to keep the response under the line limit. Default: `false`. */
  truncated?: boolean;
}

/** Parameters of `agents/refresh`. */
export interface RefreshAgentsParams {
  /** Only this agent; absent means all. */
  agent?: string | null;
}

/** A file or folder that was rejected. */
export interface RejectedAdapter {
  /** The executable or folder. */
  path: string;
  /** The violated rule, as a code for programs. */
  rule: string;
  /** The reason, for people. */
  reason: string;
  /** What to type or change to fix it. */
  fix: string;
  /** The agent id, if the file has a valid name. */
  id?: string | null;
  /** The SHA-256 of the executable in hex if pinning would make it usable, as used by `adapters/trust`. */
  sha256?: string | null;
}

/** Parameters of `runs/respond`. */
export interface RespondRunParams {
  /** The run. */
  runId: string;
  /** The approval id of `approval_requested`. */
  approvalId: string;
  /** The decision. */
  outcome: ApprovalOutcome;
  /** With a denial: the reason, for the agent. */
  message?: string | null;
  /** With an allowing decision: the changed tool input; absent means unchanged. */
  updatedInput?: Record<string, unknown> | null;
}

/** Result of `run/respond`. */
export type RespondRunResult = Record<string, unknown>;

/** Details of `resume`. */
export interface ResumeCapability {
  /** A session can be resumed only from the folder it was started in. Default: `false`. */
  sameCwdOnly?: boolean;
}

/** Payload of `retry`. */
export interface Retry {
  /** The number of the retry, from 1. */
  attempt: number;
  /** The reason, as the agent CLI reports it. */
  reason: string;
  /** The time until the retry; absent means not reported. */
  delayMs?: number | null;
  /** The maximum number of retries; absent means not reported. */
  maxAttempts?: number | null;
}

/** Whether the same agent may retry. Every retry is an event `retry`. */
export interface RetryPolicy {
  /** The first pause when no reset is reported; it doubles each time. Absent means one second. */
  backoffMs?: number | null;
  /** The maximum number of attempts of one agent, including the first; absent means 3. */
  maxAttempts?: number | null;
  /** The maximum wait for a reported reset; the host does not wait for a later one. Absent means one hour. */
  maxWaitMs?: number | null;
  /** The error kinds that cause a retry. Absent means transient ones: a rate limit, an unreachable provider, a crash. */
  on?: ErrorKind[] | null;
}

/** One attempt of a run. */
export interface RunAttempt {
  /** The agent. */
  agent: string;
  /** The kind of credential that paid, if known. */
  credential?: CredentialKind | null;
  /** The error that ended this attempt; absent for the last attempt. */
  errorKind?: ErrorKind | null;
  /** The model, if known. */
  model?: string | null;
  /** The usage, if known. */
  usage?: Usage | null;
}

/** Parameters of the notification `run/event`: the envelope of every event. */
export interface RunEventParams {
  /** The run, exactly as `run/start` named it. */
  runId: string;
  /** The sequence number: starts at 0, without gaps. */
  seq: number;
  /** The wall clock (UTC) when the adapter emits the event, in milliseconds since 1970. */
  ts: number;
  /** The event. */
  event: Event;
  /** Custom data. */
  _meta?: Record<string, unknown> | null;
}

/** Events of a run in order, without gaps. */
export interface RunEvents {
  /** The events with run id and sequence number. Nothing follows `done`. An empty list means that the run has finished and has no event with the requested sequence number. */
  events: RunEventParams[];
}

/** The state of one run. */
export interface RunInfo {
  /** The run. */
  runId: string;
  /** The current agent of the run. */
  agent: string;
  /** The working folder. */
  cwd: string;
  /** The first line of the prompt, shortened. */
  promptPreview: string;
  /** The state. */
  state: RunState;
  /** The start time in milliseconds since 1970. */
  startedAt: number;
  /** The number of attempts so far, including the first. Default: `0`. */
  attempts?: number;
  /** The end time in milliseconds since 1970; absent while the run is active. */
  endedAt?: number | null;
  /** With `failed` and `timed_out`: the kind of error. */
  errorKind?: ErrorKind | null;
  /** The idempotency key. */
  key?: string | null;
  /** The requested model. */
  model?: string | null;
  /** The position in the queue, from 1, while the run is queued. */
  queuePosition?: number | null;
  /** The native session id, as used by `task.session.id`. */
  sessionId?: string | null;
}

/** Result of `runs/result`: the result of a finished run. */
export interface RunResult {
  /** The run. */
  runId: string;
  /** The last agent of the run. */
  agent: string;
  /** The text of the agent's last message. */
  content: string;
  /** The time from start to end, without the time in the queue. */
  durationMs: number;
  /** The changed files, sorted by path. */
  files: ChangedFile[];
  /** How it ended. */
  verdict: RunVerdict;
  /** The sequence number of the last event. */
  lastSeq: number;
  /** All attempts in order; usually one. */
  attempts: RunAttempt[];
  /** The cost of all attempts in US dollars if the agent CLIs report it; null means not reported, which is not zero. */
  costUsd?: number | null;
  /** The native session id, as used by `task.session.id`. */
  sessionId?: string | null;
  /** The total usage of all attempts, if known. */
  usage?: Usage | null;
}

/** Payload of `run_started`. */
export interface RunStarted {
  /** The arguments of the agent CLI in their order; the executable may precede them. The prompt and secrets are omitted or replaced. Default: `[]`. */
  argv?: string[];
  /** The absolute path of the executable that was started; null when nothing could be started. */
  cliPath?: string | null;
  /** The version of the agent CLI, as `adapter/detect` reports it; null when unknown. */
  cliVersion?: string | null;
  /** The credential that pays; null when unknown. */
  credential?: Credential | null;
  /** The agent CLI's own name of the permission mode; null means its default. */
  permissionMode?: string | null;
  /** The process id of the agent CLI; null when nothing could be started. */
  pid?: number | null;
  /** How the version compares to the tested one; null when unknown. */
  testedVersion?: TestedVersion | null;
}

/** The state of a run. An unknown value means failed. */
export type RunState =
  /** It waits in the queue. */
  | "queued"
  /** It is running. */
  | "running"
  /** The agent reported that it finished. */
  | "completed"
  /** An error. */
  | "failed"
  /** The run was cancelled. */
  | "cancelled"
  /** A time limit was reached. */
  | "timed_out"
  | (string & {});

/** How a run ended, with the evidence. */
export interface RunVerdict {
  /** How it ended. */
  status: DoneStatus;
  /** Why the model stopped. */
  stopReason: StopReason;
  /** The evidence for the status. */
  evidence: DoneEvidence;
  /** With `failed` and `timed_out`: the kind of error. */
  errorKind?: ErrorKind | null;
  /** What to type or change to fix it. */
  hint?: string | null;
  /** What failed, on what and why. */
  message?: string | null;
}

/** A new session, or an existing one. */
export interface SessionChoice {
  /** The mode. */
  mode: SessionMode;
  /** The native id of the existing session, always data: never an option or a path. With `new`: the id of the new session, where the agent CLI supports that. */
  id?: string | null;
}

/** The session of a run. An unknown value means a new session. */
export type SessionMode =
  /** A new session. */
  | "new"
  /** Continue an existing session under its own id. */
  | "resume"
  /** Continue a copy of an existing session under a new id. */
  | "fork"
  | (string & {});

/** Payload of `session_started`. */
export interface SessionStarted {
  /** The agent CLI's own session id, as used by `resume`. */
  sessionId: string;
  /** Whether the session is new, resumed or forked. */
  mode: SessionMode;
  /** The working folder that the agent CLI reports. */
  cwd?: string | null;
  /** The available MCP servers; absent means not reported. */
  mcpServers?: McpServerStatus[] | null;
  /** The model in use, by the agent CLI's own name; absent means not reported. */
  model?: string | null;
  /** With `fork`: the id of the session that was copied; absent means not reported. */
  parentSessionId?: string | null;
  /** The available tools, by the agent CLI's own names; absent means not reported. */
  tools?: string[] | null;
}

/** One native session. */
export interface SessionSummary {
  /** The session id, as used by `run/start.session.id`. */
  id: string;
  /** The working folder of the session. */
  cwd?: string | null;
  /** The model that was last used. */
  model?: string | null;
  /** The title or the first prompt, shortened. */
  title?: string | null;
  /** The time of the last change, in milliseconds since 1970. */
  updatedAt?: number | null;
}

/** Parameters of `agents/setActive`. */
export interface SetActiveAgentParams {
  /** The agent. */
  agent: string;
}

/** Result of `agents/setActive`. */
export interface SetActiveAgentResult {
  /** The active agent. */
  active: string;
  /** The features that a client can offer with it. */
  features: AgentFeatures;
}

/** Parameters of `host/shutdown`. */
export interface ShutdownHostParams {
  /** How long runs may continue before they are cancelled; absent means the value of `serve --drain`. */
  drainMs?: number | null;
}

/** Result of `host/shutdown`, sent before the host exits. */
export interface ShutdownHostResult {
  /** The number of running and queued runs; they end or are cancelled. */
  runs: number;
}

/** A skill that a client offers, and what it needs. */
export interface SkillRequirements {
  /** The name. */
  name: string;
  /** The required capabilities, by their names in [`Capabilities`]; empty means that every agent is suitable. */
  capabilities: string[];
}

/** Parameters of `runs/start`: the task, and how the host runs it. */
export interface StartRunParams {
  /** The task. */
  task: TaskSpec;
  /** The agent; absent means the active one, or the best ready one if none is active. */
  agent?: string | null;
  /** Whether the client answers approvals with `runs/respond`; otherwise they are denied. Default: `false`. */
  approvals?: boolean;
  /** The client id for a fair queue, in which clients take turns. Absent means the connection. */
  client?: string | null;
  /** Other agents that may continue the run; absent means none. */
  fallback?: FallbackPolicy | null;
  /** An idempotency key: the same key with the same task returns the same run. */
  key?: string | null;
  /** The maximum time in the queue; absent means without limit. */
  queueMs?: number | null;
  /** Whether the same agent may retry; absent means no. */
  retry?: RetryPolicy | null;
}

/** Result of `runs/start`. */
export interface StartRunResult {
  /** The run. */
  runId: string;
  /** The agent. */
  agent: string;
  /** The state. */
  state: RunState;
  /** Whether the run already existed: an earlier call with the same key started it. Default: `false`. */
  existing?: boolean;
  /** The position in the queue, from 1, while the run is queued. */
  queuePosition?: number | null;
}

/** Payload of `status`. */
export interface Status {
  /** A short name: `requesting`, `waiting`, `compacting`, …. */
  phase: string;
  /** More details, for people. */
  detail?: string | null;
  /** The time to the first token, if the agent CLI reports it. */
  ttftMs?: number | null;
}

/** Why the model stopped (the values of ACP and two more). An unknown value means other. */
export type StopReason =
  /** It finished its answer, or the agent CLI states no reason. */
  | "end_turn"
  /** Its answer reached the maximum length. */
  | "max_tokens"
  /** It reached the maximum number of turns. */
  | "max_turn_requests"
  /** It refused to answer. */
  | "refusal"
  /** The run or the turn was cancelled, or a time limit stopped it. */
  | "cancelled"
  /** An error ended the turn. */
  | "error"
  /** Anything else. */
  | "other"
  | (string & {});

/** Payload of `subagent_started`. */
export interface SubagentStarted {
  /** The id of the subagent. */
  subagentId: string;
  /** The title of the subagent's task. */
  title: string;
  /** The tool call that started it. */
  parentToolCallId?: string | null;
}

/** Payload of `subagent_stopped`. */
export interface SubagentStopped {
  /** The subagent. */
  subagentId: string;
  /** The title of the subagent's task. */
  title: string;
  /** The tool call that started it. */
  parentToolCallId?: string | null;
  /** How it ended. */
  status?: ToolStatus | null;
  /** A summary of what the subagent did. */
  summary?: string | null;
}

/** Parameters of `usage/summary`. */
export interface SummarizeUsageParams {
  /** How to group; absent means by agent. */
  by?: UsageGroup | null;
  /** Only usage since this time, in milliseconds since 1970. */
  since?: number | null;
  /** Only usage before this time, in milliseconds since 1970. */
  until?: number | null;
}

/** The description of the work: `run/start` without the run id. The host's API accepts only paths below one of its roots. */
export interface TaskSpec {
  /** The absolute path of the working folder. */
  cwd: string;
  /** The prompt. */
  prompt: Prompt;
  /** Options that the manifest's `configSchema` describes. */
  adapterOptions?: Record<string, unknown>;
  /** Further folders that the agent may work in, as absolute paths. */
  addDirs?: string[];
  /** Tools that need no approval; absent means the agent CLI's own default. */
  allowedTools?: string[] | null;
  /** Tools that the agent may not use. */
  deniedTools?: string[] | null;
  /** The reasoning effort; absent means the agent CLI's own default. */
  effort?: Effort | null;
  /** Variables for the agent CLI of this run, in addition to the allowlist and with precedence. */
  env?: Record<string, string>;
  /** The maximum number of turns of the model. */
  maxTurns?: number | null;
  /** MCP servers for this run. */
  mcpServers?: McpServer[];
  /** The model; absent means the agent CLI's own default. */
  model?: string | null;
  /** A JSON Schema that the final answer must match. */
  outputSchema?: Record<string, unknown> | null;
  /** A permission mode of the agent CLI, by its own name. */
  permissionMode?: string | null;
  /** Rules for approvals, shell and network. */
  policy?: Policy | null;
  /** A new session, or an existing one. Default: `{"mode":"new"}`. */
  session?: SessionChoice;
  /** The folders of the skills to load. */
  skills?: string[];
  /** The reasoning effort as a number of tokens. */
  thinkingBudgetTokens?: number | null;
  /** Time limits. Default: `{}`. */
  timeouts?: Timeouts;
  /** A file that receives the complete raw stdout of the agent CLI. Needs no capability; never ignored. */
  tracePath?: string | null;
  /** Custom data. */
  _meta?: Record<string, unknown> | null;
}

/** How the installed version compares to the one that the adapter was tested with. */
export type TestedVersion =
  /** The same version. */
  | "same"
  /** Newer: it should work; report what does not work. */
  | "newer"
  /** Older, but at least the minimum. */
  | "older"
  | (string & {});

/** Payload of `text_delta`. */
export interface TextDelta {
  /** The open message that the piece belongs to. */
  messageId: string;
  /** The next piece, byte for byte as the agent CLI sent it. */
  text: string;
  /** Present when the piece was shortened. */
  truncated?: Truncated | null;
}

/** Payload of `thinking_delta`. */
export interface ThinkingDelta {
  /** The open thinking block that the piece belongs to. */
  thinkingId: string;
  /** The next piece, byte for byte as the agent CLI sent it. */
  text: string;
  /** Present when the piece was shortened. */
  truncated?: Truncated | null;
}

/** Payload of `thinking_started`. */
export interface ThinkingStarted {
  /** The id of the thinking block, unique within the run. */
  thinkingId: string;
}

/** Payload of `thinking_stopped`. */
export interface ThinkingStopped {
  /** The thinking block. */
  thinkingId: string;
}

/** Time limits; absent means the adapter's default, 0 means no limit. Heartbeats restart nothing. */
export interface Timeouts {
  /** The time without output. Output restarts it; an open approval pauses it. A default is at least 300 s. */
  idleMs?: number | null;
  /** The time from `run/start` to the first output of the agent CLI. A default is at least 60 s. */
  startMs?: number | null;
  /** The time of the whole run. A default is at least one hour. */
  totalMs?: number | null;
}

/** Payload of `tool_call_ready`. */
export interface ToolCallReady {
  /** The call. */
  toolCallId: string;
  /** The complete input, unchanged, as the agent CLI reports it. */
  input: unknown;
  /** A one-line title for people, derived from the input. */
  title?: string | null;
  /** Present when the input was shortened. */
  truncated?: Truncated | null;
}

/** Payload of `tool_call_started`. */
export interface ToolCallStarted {
  /** The id of the call, unique within the run. */
  toolCallId: string;
  /** The agent CLI's own name for the tool. */
  name: string;
  /** What the tool does. */
  kind: ToolKind;
  /** The MCP server the tool belongs to. */
  mcpServer?: string | null;
  /** The call whose subagent makes this call. */
  parentToolCallId?: string | null;
  /** A one-line title for people. */
  title?: string | null;
}

/** Payload of `tool_input_delta`. */
export interface ToolInputDelta {
  /** The call. */
  toolCallId: string;
  /** The next piece of the input, as raw JSON text. */
  text: string;
}

/** What a tool does (the values of ACP). An unknown value means other. */
export type ToolKind =
  /** Reads files or data. */
  | "read"
  /** Changes files. */
  | "edit"
  /** Deletes files. */
  | "delete"
  /** Moves or renames files. */
  | "move"
  /** Searches. */
  | "search"
  /** Runs a command. */
  | "execute"
  /** Thinks or plans. */
  | "think"
  /** Fetches external data. */
  | "fetch"
  /** Anything else. */
  | "other"
  | (string & {});

/** Payload of `tool_output_delta`. */
export interface ToolOutputDelta {
  /** The call. */
  toolCallId: string;
  /** The next piece of the output. */
  text: string;
  /** The stream; absent means not reported. */
  stream?: OutputStream | null;
  /** Present when the piece was shortened. */
  truncated?: Truncated | null;
}

/** Payload of `tool_result`. */
export interface ToolResult {
  /** The call. */
  toolCallId: string;
  /** How it ended. */
  status: ToolStatus;
  /** The complete output, unchanged: text, or the agent CLI's own structure. */
  output: unknown;
  /** The exit code of a command, as the agent CLI reports it; absent means not reported. */
  exitCode?: number | null;
  /** Present when the output was shortened. */
  truncated?: Truncated | null;
}

/** How a call ended. */
export type ToolStatus =
  /** It succeeded. */
  | "ok"
  /** It failed. */
  | "error"
  /** Its approval was denied. */
  | "denied"
  /** The run was cancelled before the call ended. */
  | "cancelled"
  /** The agent CLI reported no status, or the run ended before the call. */
  | "unknown"
  | (string & {});

/** Totals of a run. */
export interface Totals {
  /** `costUsd` of the `usage` of scope `run`; absent if the agent CLI reported none. */
  costUsd?: number | null;
  /** The number of different paths in `file_change`. Default: `0`. */
  filesChanged?: number;
  /** The UTF-8 bytes of all `text_delta`, discarded messages excluded. Default: `0`. */
  textBytes?: number;
  /** The number of `tool_call_started`. Default: `0`. */
  toolCalls?: number;
  /** The `usage` of scope `run`; absent if there was none. */
  usage?: Usage | null;
}

/** How much of a payload was removed to keep a line under the limit. */
export interface Truncated {
  /** The number of UTF-8 bytes that were removed from the payload; one that is not text counts as its JSON text. */
  bytes: number;
}

/** Parameters of `adapters/trust`. */
export interface TrustAdapterParams {
  /** The SHA-256 of the executable in hex, from `adapters/list` or computed from the file. */
  sha256: string;
  /** `false` revokes the trust; absent means true. Default: `true`. */
  trusted?: boolean;
}

/** Result of `adapters/trust`. */
export interface TrustAdapterResult {
  /** The trust policy: `path` or `pinned`. With `path` the pins are stored but have no effect. */
  policy: string;
  /** All pinned SHA-256 values in hex. */
  pinned: string[];
}

/** Payload of `turn_ended`. */
export interface TurnEnded {
  /** The turn. */
  turnId: string;
  /** Why the turn ended. */
  stopReason: StopReason;
}

/** Payload of `turn_started`. */
export interface TurnStarted {
  /** The id of the turn, as used by `run/input.expectedTurn`. */
  turnId: string;
}

/** An event of a later version; readers keep and forward it. */
export interface UnknownEvent {
  type: string;
  [field: string]: unknown;
}

/** Payload of `unmapped`. */
export interface Unmapped {
  /** The agent CLI's own name of the message type. */
  nativeType: string;
  /** The first occurrence, shortened and without secrets. */
  sample: string;
  /** The number of occurrences in the run so far. */
  count: number;
}

/** Payload of the event `usage`. */
export interface Usage {
  /** What the numbers cover. */
  scope: UsageScope;
  /** Whether the numbers include all earlier reports of the same scope. */
  cumulative: boolean;
  /** Tokens sent, those read from or written to a cache excluded. */
  inputTokens: number;
  /** Tokens received, reasoning included. */
  outputTokens: number;
  /** `inputTokens` + `outputTokens` + `cacheReadTokens` + `cacheWriteTokens`. */
  totalTokens: number;
  /** The source of the numbers. */
  source: UsageSource;
  /** Tokens read from a cache. Default: `0`. */
  cacheReadTokens?: number;
  /** Tokens written to a cache. Default: `0`. */
  cacheWriteTokens?: number;
  /** The cost in US dollars if the agent CLI reports it; null means not reported, which is not zero. */
  costUsd?: number | null;
  /** The model. */
  model?: string | null;
  /** The company whose service ran the model, such as `anthropic`; absent means not known. */
  provider?: string | null;
  /** The reasoning tokens of the output; absent means not reported. */
  reasoningTokens?: number | null;
  /** The service tier of the provider. */
  serviceTier?: string | null;
}

/** Details of `usage`. */
export interface UsageCapability {
  /** The agent CLI reports a cost in US dollars. Default: `false`. */
  cost?: boolean;
}

/** How usage is grouped. An unknown value means by agent. */
export type UsageGroup =
  /** The agent. */
  | "agent"
  /** The model. */
  | "model"
  /** The provider of the model. */
  | "provider"
  /** The kind of credential that paid. */
  | "credential"
  /** The day, in the host's time zone. */
  | "day"
  | (string & {});

/** The usage of one group. */
export interface UsageRow {
  /** The agent, model, provider, credential kind or day; empty means unknown. */
  group: string;
  /** The number of runs. */
  runs: number;
  /** Tokens sent, cached ones excluded. */
  inputTokens: number;
  /** Tokens received, reasoning included. */
  outputTokens: number;
  /** Tokens read from a cache. */
  cacheReadTokens: number;
  /** Tokens written to a cache. */
  cacheWriteTokens: number;
  /** The sum of all tokens. */
  totalTokens: number;
  /** The number of runs without a reported cost, which `costUsd` excludes. */
  runsWithoutCost: number;
  /** The cost in US dollars of the runs whose agent CLI reports it; null means that none does. */
  costUsd?: number | null;
}

/** What a usage report covers. An unknown value means one turn. */
export type UsageScope =
  /** One turn of the model. */
  | "turn"
  /** The whole run, and nothing before it. */
  | "run"
  /** The whole session, earlier runs included. */
  | "session"
  | (string & {});

/** The source of a usage report. An unknown value means an estimate. */
export type UsageSource =
  /** The agent CLI reported it. */
  | "cli"
  /** The provider's response, read by the adapter. */
  | "provider"
  /** Computed by other means. */
  | "estimated"
  | (string & {});

/** Result of `usage/summary`. */
export interface UsageSummary {
  /** How the rows are grouped. */
  by: UsageGroup;
  /** The groups: days in order, otherwise the most tokens first. */
  rows: UsageRow[];
  /** The totals. */
  total: UsageRow;
  /** The number of damaged or newer lines of the ledger, which the numbers exclude. Default: `0`. */
  unreadLines?: number;
}

/** An adapter in use. */
export interface UsedAdapter {
  /** The agent id. */
  id: string;
  /** The name for people. */
  displayName: string;
  /** The version. */
  version: string;
  /** The executable. */
  path: string;
  /** Where the adapter was found: `adapterDir`, `adapterPath`, `besideHost`, `userFolder`, `path`. */
  origin: string;
  /** The SHA-256 of the executable in hex. */
  sha256: string;
  /** Whether the executable is pinned as trusted. */
  pinned: boolean;
}

/** Payload of `user_message`. */
export interface UserMessage {
  /** The text. */
  text: string;
}

/** The JSON-RPC code of each kind. */
export const ERROR_CODES = {
  /** The line is not JSON. */
  parse_error: -32700,
  /** The line is JSON but not a JSON-RPC 2.0 message. */
  invalid_request: -32600,
  /** The method does not exist. */
  method_not_found: -32601,
  /** The parameters are not valid for the method. */
  invalid_params: -32602,
  /** An internal error of the adapter. */
  internal: -32603,
  /** `$/cancelRequest` cancelled the request. */
  request_cancelled: -32800,
  /** The two sides have no common protocol major. */
  unsupported_protocol: 1001,
  /** `initialize` has not been called. */
  not_initialized: 1002,
  /** `initialize` was called twice. */
  already_initialized: 1003,
  /** `shutdown` was called. */
  shutting_down: 1004,
  /** The adapter does not support an option or a method. */
  capability_unsupported: 1005,
  /** The configuration or an option's value is wrong. */
  config_invalid: 1006,
  /** The agent CLI is not installed. */
  cli_not_found: 1010,
  /** The agent CLI is older than the adapter supports. */
  cli_version_unsupported: 1011,
  /** The agent CLI could not be started. */
  cli_spawn_failed: 1012,
  /** The agent CLI exited without reporting a result. */
  cli_crashed: 1013,
  /** The agent CLI violated its own protocol. */
  cli_protocol: 1014,
  /** No credential exists. */
  auth_missing: 1020,
  /** The credential has expired or was rejected. */
  auth_expired: 1021,
  /** The credential belongs to an account without permission for this. */
  auth_wrong_account: 1022,
  /** The operating system or the agent CLI refused access. */
  permission_denied: 1023,
  /** The provider limits the rate of requests. */
  rate_limited: 1030,
  /** The account's quota is exhausted. */
  quota_exhausted: 1031,
  /** The conversation exceeds the model's context window. */
  context_exceeded: 1032,
  /** The provider does not know the model. */
  model_unknown: 1033,
  /** The prompt is too large for the agent CLI. */
  prompt_too_large: 1034,
  /** The run does not exist. */
  run_unknown: 1040,
  /** A run with this id already exists. */
  run_id_in_use: 1041,
  /** The adapter has reached its maximum number of runs. */
  too_many_runs: 1042,
  /** The agent CLI does not know the session. */
  session_unknown: 1043,
  /** The session is in use. */
  session_busy: 1044,
  /** The approval does not exist or is already resolved. */
  approval_unknown: 1045,
  /** A time limit was reached; `data.which` names it. */
  timeout: 1050,
  /** The provider cannot be reached or returns a server error. */
  network_unreachable: 1051,
  /** The adapter process ended unexpectedly. */
  plugin_crashed: 1052,
  /** The adapter process does not respond. */
  plugin_hung: 1053,
  /** The request cannot work: for example an empty prompt or a missing folder. */
  "_od.usage": 2001,
  /** The agent does not exist, or no agent is available. */
  "_od.agent_unknown": 2002,
  /** The adapter was found but is not trusted or cannot be used. */
  "_od.agent_rejected": 2003,
  /** The host's own files cannot be read or written. */
  "_od.storage": 2004,
  /** The host process that owned the run has ended. */
  "_od.host_died": 2005,
  /** The journal of the run could not be written. */
  "_od.journal_failed": 2006,
  /** The adapter violated the protocol, so the host ended the run. */
  "_od.plugin_protocol": 2007,
  /** The token is missing or wrong. */
  "_od.unauthorized": 2010,
  /** The Host or Origin of the request is not allowed. */
  "_od.forbidden": 2011,
  /** The client calls too often; retry later. */
  "_od.too_many_calls": 2012,
  /** The request is larger than the host accepts. */
  "_od.too_large": 2013,
  /** The path is outside the folders that runs may work in. */
  "_od.path_not_allowed": 2014,
  /** A run is active, so this is not possible now. */
  "_od.run_active": 2020,
  /** The key was used for another task. */
  "_od.key_conflict": 2021,
  /** The queue is full. */
  "_od.queue_full": 2022,
  /** The run is queued, so no agent can receive input. */
  "_od.run_waiting": 2023,
} as const;

/** The methods that a client calls. */
export interface Methods {
  /** Lists the agents immediately from cached information and refreshes outdated entries in the background. */
  "agents/list": { params: ListAgentsParams; result: ListAgentsResult };
  /** Detects the agents again and responds when all are refreshed. */
  "agents/refresh": { params: RefreshAgentsParams; result: ListAgentsResult };
  /** Returns the status of one agent. */
  "agents/get": { params: GetAgentParams; result: AgentStatus };
  /** Sets the active agent, which runs without an agent use. Rejected while a run is active. */
  "agents/setActive": { params: SetActiveAgentParams; result: SetActiveAgentResult };
  /** Lists an agent's models and their efforts. */
  "agents/models": { params: ListAgentModelsParams; result: ListModelsResult };
  /** Returns the quota of an agent's account; null when it cannot be read. */
  "agents/quota": { params: GetAgentQuotaParams; result: Quota | null };
  /** Returns the health of an agent's adapter. */
  "agents/health": { params: GetAgentHealthParams; result: HealthAdapterResult };
  /** Returns which features of a client an agent supports, with reasons for the others. */
  "agents/features": { params: GetAgentFeaturesParams; result: AgentFeatures };
  /** Starts a run or queues it. Two calls with the same key start one run. */
  "runs/start": { params: StartRunParams; result: StartRunResult };
  /** Lists the runs, newest first. */
  "runs/list": { params: ListRunsParams; result: ListRunsResult };
  /** Returns the state of one run. */
  "runs/get": { params: GetRunParams; result: RunInfo };
  /** Waits for the end of a run and returns its result. */
  "runs/result": { params: GetRunResultParams; result: RunResult };
  /** Sends input to a running run. */
  "runs/input": { params: InputRunParams; result: InputRunResult };
  /** Resolves an approval. */
  "runs/respond": { params: RespondRunParams; result: RespondRunResult };
  /** Stops a run and all processes that it started, or removes it from the queue. */
  "runs/cancel": { params: CancelRunParams; result: CancelRunResult };
  /** Removes a finished run; the usage ledger keeps its numbers. */
  "runs/delete": { params: DeleteRunParams; result: DeleteRunResult };
  /** Lists an agent's native sessions on disk. */
  "sessions/list": { params: ListSessionsParams; result: ListSessionsResult };
  /** Reads a native session as unified events. */
  "sessions/read": { params: ReadSessionParams; result: ReadSessionResult };
  /** Returns usage grouped by agent, model, provider, credential or day. */
  "usage/summary": { params: SummarizeUsageParams; result: UsageSummary };
  /** Lists the used, hidden and rejected adapters, with reasons. */
  "adapters/list": { params: ListAdaptersParams; result: ListAdaptersResult };
  /** Pins an executable as trusted, or revokes the trust. */
  "adapters/trust": { params: TrustAdapterParams; result: TrustAdapterResult };
  /** Returns the commands to install an agent CLI and to log in. */
  "adapters/install-hints": { params: ListInstallHintsParams; result: ListInstallHintsResult };
  /** Returns version, limits and load of the host. */
  "host/info": { params: GetHostInfoParams; result: HostStatus };
  /** Shuts the host down: rejects new runs, waits for active runs or cancels them, then exits. */
  "host/shutdown": { params: ShutdownHostParams; result: ShutdownHostResult };
}

/** The notifications. */
export interface Notifications {
  /** Delivers events of an attached run. */
  "runs/event": AttachedEvents;
}

/** The subscriptions of a client, by the method that starts them; its result is the subscription id. */
export interface Subscriptions {
  /** Sends the events of a run from any sequence number at the client's own pace. The last event is `done`. */
  "runs/attach": {
    params: AttachRunParams;
    notification: "runs/event";
    item: RunEvents;
    unsubscribe: "runs/detach";
  };
}

/** A request message. */
export interface Request<Name extends keyof Methods> {
  jsonrpc: "2.0";
  id: string | number;
  method: Name;
  params: Methods[Name]["params"];
}

/** The response to a request: a result or an error, never both. */
export type Response<Name extends keyof Methods> =
  | { jsonrpc: "2.0"; id: string | number | null; result: Methods[Name]["result"] }
  | { jsonrpc: "2.0"; id: string | number | null; error: ErrorObject };

/** A notification message. */
export interface Notification<Name extends keyof Notifications> {
  jsonrpc: "2.0";
  method: Name;
  params: Notifications[Name];
}

/** The event of one type, such as `EventOf<"done">`. */
export type EventOf<Type extends EventType> = Extract<KnownEvent, { type: Type }>;

/** Whether an event is of this version; then `switch (event.type)` narrows its type. */
export function isKnownEvent(event: Event): event is KnownEvent {
  return (EVENT_TYPES as readonly string[]).includes(event.type);
}
