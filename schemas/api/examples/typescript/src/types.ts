// The OD host API, version 1, as TypeScript types.
// Generated from schemas/api/v1/schema.json and openrpc.json: do not edit.
//
// Where a type allows null, it means the same as absent. An open set of words is
// `"a" | "b" | (string & {})`: a later version may send others, so keep a default branch.

export const API_MAJOR = 1;

/** Result of `agents/features`. */
export interface AgentFeatures {
  /** The agent. */
  agent: string;
  /** Every feature, then every skill that was asked about. */
  gates: FeatureGate[];
}

/** Why an agent cannot be used right now. */
export interface AgentProblem {
  /** The kind. */
  kind: ErrorKind;
  /** What was tried, on what, why it failed. */
  message: string;
  /** What to type or change now. */
  fix?: string | null;
}

/** One agent: an adapter and what it found on this machine. */
export interface AgentStatus {
  /** What `runs/start.agent` takes. */
  id: string;
  /** For people. */
  displayName: string;
  /** Who makes the adapter. */
  vendor: string;
  /** The adapter's version. */
  adapterVersion: string;
  /** The adapter's executable. */
  adapterPath: string;
  /** A run would be let in, as far as can be told. */
  ready: boolean;
  /** The agent CLI is there and not too old. */
  installed: boolean;
  /** What works with the version that is installed. */
  capabilities: Capabilities;
  /** It is the one that runs without a name get. Default: `false`. */
  active?: boolean;
  /** The state of the login; absent when it could not be looked at. */
  auth?: AuthStatus | null;
  /** The agent CLI's settings folder, when it exists. */
  configDir?: string | null;
  /** When it was looked at, in milliseconds since 1970; absent means never. */
  detectedAt?: number | null;
  /** What was looked at, and what it showed. Default: `[]`. */
  evidence?: Evidence[];
  /** The agent CLI. */
  path?: string | null;
  /** Why it cannot be used right now; absent when it can. */
  problem?: AgentProblem | null;
  /** Where it reads skills from, when it does. */
  skillsDir?: string | null;
  /** It may no longer be so: something it stands on has changed since then, or the last look failed. It is looked at again, at once or after a while. Default: `false`. */
  stale?: boolean;
  /** Against the version the adapter was tested with. */
  testedVersion?: TestedVersion | null;
  /** Its version, as it states it. */
  version?: string | null;
}

/** Payload of `agent_switched`, which only the host sends: the run goes on with another agent, whose own `run_started` (with who pays) follows. */
export interface AgentSwitched {
  /** The agent that failed. */
  fromAgent: string;
  /** The agent that takes over. */
  toAgent: string;
  /** Which attempt of the run this is, from 2. */
  attempt: number;
  /** The kind of error that caused it. */
  errorKind: ErrorKind;
  /** Why, for people. */
  reason: string;
  /** What the next agent is told. */
  handover: Handover;
  /** How much of what happened is handed over, in bytes. Default: `0`. */
  handoverBytes?: number;
}

/** What kind of thing the agent asks to do. */
export type ApprovalCategory =
  /** Run a command. */
  | "execute"
  /** Create, change or delete a file. */
  | "edit"
  /** Read a file outside the allowed folders. */
  | "read"
  /** Reach the network. */
  | "network"
  /** Call a tool of an MCP server. */
  | "mcp"
  /** Anything else. */
  | "other"
  | (string & {});

/** One answer the agent CLI offers. Only offered answers may be given. */
export interface ApprovalOption {
  /** The agent CLI's own name for it. */
  id: string;
  /** What it means. */
  kind: ApprovalOutcome;
  /** A label for a button. */
  label?: string | null;
}

/** What a person (or policy) decided. An unknown word is a denial. */
export type ApprovalOutcome =
  /** Allow this one call. */
  | "allow_once"
  /** Allow this and every like call of the run. */
  | "allow_always"
  /** Deny this one call; the agent goes on. */
  | "reject_once"
  /** Deny this and every like call of the run. */
  | "reject_always"
  | (string & {});

/** Payload of `approval_requested`. */
export interface ApprovalRequested {
  /** Names the question. */
  approvalId: string;
  /** What kind of thing it is. */
  category: ApprovalCategory;
  /** How much harm a wrong answer can do. */
  risk: ApprovalRisk;
  /** One line for people: what exactly would happen. */
  summary: string;
  /** The answers on offer. */
  options: ApprovalOption[];
  /** How long it waits before it is denied; null means without limit. */
  deadlineMs?: number | null;
  /** The input that waits, for a person to see or edit. */
  input?: unknown;
  /** The call that waits. */
  toolCallId?: string | null;
}

/** Payload of `approval_resolved`. */
export interface ApprovalResolved {
  /** The question. */
  approvalId: string;
  /** The decision. */
  outcome: ApprovalOutcome;
  /** Who made it. */
  by: ApprovalResolver;
}

/** Who resolved an approval. An unknown word is read as a policy. */
export type ApprovalResolver =
  /** A person answered. */
  | "user"
  /** A rule answered. */
  | "policy"
  /** Nobody answered before the deadline, so it was denied. */
  | "timeout"
  /** The run was cancelled, or the agent CLI took its question back. */
  | "cancel"
  | (string & {});

/** How much harm a wrong answer can do. An unknown word is high. */
export type ApprovalRisk =
  /** Reads or harmless. */
  | "low"
  /** Changes files below the working folder. */
  | "med"
  /** Runs commands, reaches the network or leaves the working folder. */
  | "high"
  | (string & {});

/** Details of `approvals`. */
export interface ApprovalsCapability {
  /** `run/respond.updatedInput` is honoured. Default: `false`. */
  editInput?: boolean;
}

/** Parameters of `runs/attach`. */
export interface AttachRunsParams {
  /** The run, going on or over. */
  runId: string;
  /** The number of the first event to send; absent means 0, the first. Default: `0`. */
  from?: number;
}

/** Parameters of `runs/event`: what a subscription brings. */
export interface AttachedEvents {
  /** What `runs/attach` answered. */
  subscription: string;
  /** The events. */
  result: RunEvents;
}

/** Whether a run would be let in. */
export type AuthState =
  /** A credential is there and has not run out. */
  | "ok"
  /** There is none. */
  | "missing"
  /** It has run out. */
  | "expired"
  /** It cannot be told without asking the provider. */
  | "unknown"
  | (string & {});

/** The state of the login. */
export interface AuthStatus {
  /** Whether a run would be let in. */
  state: AuthState;
  /** Which credential would pay. */
  credential?: Credential | null;
  /** When it runs out, in milliseconds since 1970. */
  expiresAt?: number | null;
  /** What to type to mend it. */
  guidance?: string | null;
  /** How one is logged in (`oauth`, `api_key`, …). */
  method?: string | null;
}

/** Result of `run/cancel`. */
export interface CancelRunResult {
  /** The run was there and is being stopped. An unknown or finished run is `false`, no error. */
  accepted: boolean;
}

/** Parameters of `runs/cancel`. */
export interface CancelRunsParams {
  /** The run. */
  runId: string;
  /** How long the agent CLI may take to stop politely; absent means 2000, 0 means at once. */
  graceMs?: number | null;
}

/** Everything an adapter declares in its manifest, repeats in `initialize`, and may narrow in `adapter/detect` once it knows which version of the agent CLI is installed. */
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
  /** `run/input` into a live run. */
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
  /** Emits `text_delta` while the model writes, not only whole messages. */
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

/** A file the run changed: the sum of its changes. */
export interface ChangedFile {
  /** The file. */
  path: string;
  /** What happened to it last. */
  op: FileOp;
  /** With `rename`: where it was. */
  from?: string | null;
}

/** Payload of `context`. */
export interface Context {
  /** Tokens in the model's window. */
  usedTokens: number;
  /** The conversation was just shortened. Default: `false`. */
  compacted?: boolean;
  /** How many fit; absent means not stated. */
  maxTokens?: number | null;
}

/** Which credential pays. It names a variable or a file, never a value. */
export interface Credential {
  /** The kind. */
  kind: CredentialKind;
  /** The environment variable, file or plan it comes from. */
  name: string;
}

/** What kind of credential pays for a run. An unknown word is read as other. */
export type CredentialKind =
  /** A subscription the person logged in with. */
  | "subscription"
  /** An API key, billed by use. */
  | "api_key"
  /** A bearer token set by hand. */
  | "token"
  /** A cloud account (Bedrock, Vertex, …). */
  | "cloud"
  /** A helper command that prints a key. */
  | "helper"
  /** Nothing is paid. */
  | "none"
  /** Something else. */
  | "other"
  | (string & {});

/** Parameters of `runs/delete`. */
export interface DeleteRunsParams {
  /** The run; one that is going on is refused. */
  runId: string;
}

/** Result of `runs/delete`. */
export interface DeleteRunsResult {
  /** It was there and is gone. */
  deleted: boolean;
}

/** Payload of `done`. */
export interface Done {
  /** How it ended. */
  status: DoneStatus;
  /** Why the model stopped. */
  stopReason: StopReason;
  /** What the verdict stands on. */
  evidence: DoneEvidence;
  /** From `run/start` to now. */
  durationMs: number;
  /** What came of it. */
  totals: Totals;
  /** With `failed` and `timed_out`: the kind of the fatal `error` before. */
  errorKind?: ErrorKind | null;
  /** The agent CLI's exit code; absent when a signal ended it. */
  exitCode?: number | null;
  /** The native session, when it is known. */
  sessionId?: string | null;
  /** The signal that ended it. */
  signal?: number | null;
}

/** What the verdict stands on. An unknown word is read as the weakest. */
export type DoneEvidence =
  /** The agent CLI's own last message. */
  | "native_result"
  /** The model's stop reason. */
  | "stop_reason"
  /** Only the exit code. */
  | "exit_code"
  /** The adapter or host stopped it. */
  | "watchdog"
  /** A signal ended it. */
  | "signal"
  | (string & {});

/** How a run ended. An unknown word is a failure. */
export type DoneStatus =
  /** The agent CLI itself said that it is done. */
  | "completed"
  /** Something went wrong. */
  | "failed"
  /** It was told to stop. */
  | "cancelled"
  /** A limit of time ran out. */
  | "timed_out"
  | (string & {});

/** How hard a model shall think, the same words for every agent. An unknown word is medium. */
export type Effort =
  /** Little. */
  | "low"
  /** The usual. */
  | "medium"
  /** Much. */
  | "high"
  /** As much as the model can. */
  | "max"
  | (string & {});

/** Details of `effort`. */
export interface EffortCapability {
  /** The levels that can be asked for. Default: `[]`. */
  levels?: Effort[];
}

/** `error.data` of every JSON-RPC error: what programs branch on and people act on. */
export interface ErrorData {
  /** The kind. */
  kind: ErrorKind;
  /** Anything else worth keeping, never a secret. */
  details?: Record<string, unknown> | null;
  /** What to type or change now. */
  hint?: string | null;
  /** The same call may succeed later without a change. Default: `false`. */
  retryable?: boolean;
  /** With `unsupported_protocol`: what the answering side speaks. */
  supported?: ProtocolRange | null;
  /** With `timeout`: which limit; with `capability_unsupported`: which capability; with `invalid_params` of the host's API: which parameter, such as `task.session.mode`. */
  which?: string | null;
}

/** Payload of `error`. */
export interface ErrorEvent {
  /** The kind. */
  kind: ErrorKind;
  /** What was tried, on what, why it failed. */
  message: string;
  /** The run ends because of it. */
  fatal: boolean;
  /** Anything else worth keeping, never a secret. */
  data?: Record<string, unknown> | null;
  /** What to type or change now. */
  hint?: string | null;
  /** The same run may succeed later without a change. Default: `false`. */
  retryable?: boolean;
}

/** What went wrong, as a word to branch on. */
export type ErrorKind =
  /** The line is no JSON. */
  | "parse_error"
  /** The line is JSON but no JSON-RPC 2.0 message. */
  | "invalid_request"
  /** There is no such method. */
  | "method_not_found"
  /** The parameters do not fit the method. */
  | "invalid_params"
  /** The adapter itself failed. */
  | "internal"
  /** `$/cancelRequest` ended the request. */
  | "request_cancelled"
  /** The two sides share no protocol major. */
  | "unsupported_protocol"
  /** `initialize` has not been called. */
  | "not_initialized"
  /** `initialize` was called twice. */
  | "already_initialized"
  /** `shutdown` was called. */
  | "shutting_down"
  /** The adapter cannot honour an option or method. */
  | "capability_unsupported"
  /** The configuration or an option's value is wrong. */
  | "config_invalid"
  /** The agent CLI is not installed. */
  | "cli_not_found"
  /** The agent CLI is older than the adapter can drive. */
  | "cli_version_unsupported"
  /** The agent CLI could not be started. */
  | "cli_spawn_failed"
  /** The agent CLI ended without its own last word. */
  | "cli_crashed"
  /** The agent CLI broke its own protocol. */
  | "cli_protocol"
  /** No credential. */
  | "auth_missing"
  /** The credential has run out or was refused. */
  | "auth_expired"
  /** The credential belongs to an account that may not do this. */
  | "auth_wrong_account"
  /** The operating system or the agent CLI refused access. */
  | "permission_denied"
  /** The provider asks to slow down. */
  | "rate_limited"
  /** The account's allowance is used up. */
  | "quota_exhausted"
  /** The conversation no longer fits the model's window. */
  | "context_exceeded"
  /** The provider does not know the model. */
  | "model_unknown"
  /** The prompt cannot be handed to the agent CLI. */
  | "prompt_too_large"
  /** No such run. */
  | "run_unknown"
  /** A run of that id is there already. */
  | "run_id_in_use"
  /** The adapter runs as many as it can. */
  | "too_many_runs"
  /** The agent CLI does not know the session. */
  | "session_unknown"
  /** The session is in use. */
  | "session_busy"
  /** No such open approval. */
  | "approval_unknown"
  /** A limit of time ran out; `data.which` says which. */
  | "timeout"
  /** The provider cannot be reached or answers with a server error. */
  | "network_unreachable"
  /** The adapter process ended unexpectedly. */
  | "plugin_crashed"
  /** The adapter process no longer answers. */
  | "plugin_hung"
  | (string & {});

/** The JSON-RPC error object. Its shape is frozen for all majors. */
export interface ErrorObject {
  /** The JSON-RPC code of the kind. */
  code: number;
  /** A lowercase text without final dot: what was tried, on what, why it failed. */
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

/** An event of this version; `type` tells them apart. */
export type KnownEvent =
  /** The agent CLI was started; the first event of every run. */
  | ({ type: "run_started" } & RunStarted)
  /** The native session is known. */
  | ({ type: "session_started" } & SessionStarted)
  /** The model's turn begins. */
  | ({ type: "turn_started" } & TurnStarted)
  /** The model's turn is over; more may follow in the same run. */
  | ({ type: "turn_ended" } & TurnEnded)
  /** What the agent is doing right now. */
  | ({ type: "status" } & Status)
  /** Text that a person (or the host) said: the echo of input, or part of a session that is read. */
  | ({ type: "user_message" } & UserMessage)
  /** A message of the agent begins. */
  | ({ type: "message_started" } & MessageStarted)
  /** A piece of a message. */
  | ({ type: "text_delta" } & TextDelta)
  /** A message is complete. */
  | ({ type: "message_stopped" } & MessageStopped)
  /** A message was retried: forget its text. */
  | ({ type: "message_discarded" } & MessageDiscarded)
  /** A thought begins. */
  | ({ type: "thinking_started" } & ThinkingStarted)
  /** A piece of a thought. */
  | ({ type: "thinking_delta" } & ThinkingDelta)
  /** A thought is complete. */
  | ({ type: "thinking_stopped" } & ThinkingStopped)
  /** A tool call begins. */
  | ({ type: "tool_call_started" } & ToolCallStarted)
  /** A piece of the call's input, as raw JSON text. */
  | ({ type: "tool_input_delta" } & ToolInputDelta)
  /** The call's input is complete. */
  | ({ type: "tool_call_ready" } & ToolCallReady)
  /** A piece of the call's output. */
  | ({ type: "tool_output_delta" } & ToolOutputDelta)
  /** The call is over. */
  | ({ type: "tool_result" } & ToolResult)
  /** A file was changed. */
  | ({ type: "file_change" } & FileChange)
  /** The agent waits for a decision. */
  | ({ type: "approval_requested" } & ApprovalRequested)
  /** The decision was made. */
  | ({ type: "approval_resolved" } & ApprovalResolved)
  /** The agent asks the person something. */
  | ({ type: "input_requested" } & InputRequested)
  /** The agent's list of things to do; each one replaces the last. */
  | ({ type: "plan" } & Plan)
  /** A helper of the agent begins; what it does inside is summarised, not forwarded. */
  | ({ type: "subagent_started" } & SubagentStarted)
  /** A helper of the agent is done. */
  | ({ type: "subagent_stopped" } & SubagentStopped)
  /** Tokens and money. */
  | ({ type: "usage" } & Usage)
  /** How full the model's window is. */
  | ({ type: "context" } & Context)
  /** Allowances and their windows. */
  | ({ type: "quota" } & GetQuotaResult)
  /** The provider asks to slow down. */
  | ({ type: "rate_limited" } & RateLimited)
  /** The agent CLI tries again. */
  | ({ type: "retry" } & Retry)
  /** Another agent takes over; only the host sends it. */
  | ({ type: "agent_switched" } & AgentSwitched)
  /** A picture. */
  | ({ type: "image" } & Image)
  /** A skill was loaded or used. */
  | ({ type: "skill" } & Extension)
  /** A plugin was loaded or used. */
  | ({ type: "plugin" } & Extension)
  /** Model or permission mode changed. */
  | ({ type: "mode_changed" } & ModeChanged)
  /** Something a person may want to know. */
  | ({ type: "notice" } & Notice)
  /** The agent CLI said something the adapter does not know: the drift signal. */
  | ({ type: "unmapped" } & Unmapped)
  /** The agent CLI is silent but alive. */
  | ({ type: "heartbeat" } & Heartbeat)
  /** Something went wrong. */
  | ({ type: "error" } & ErrorEvent)
  /** The last event of every run: nothing of it is alive any more. */
  | ({ type: "done" } & Done);

/** What happened: an event of this version or of a later one. */
export type Event = KnownEvent | UnknownEvent;

/** One thing that was looked at, and what it showed. */
export interface Evidence {
  /** What was looked at: `path`, `well_known_dir`, `config_dir`, `env`, `auth_file`, `version`, …. */
  signal: string;
  /** Where: a folder, a file or the name of a variable. Never a value of one. */
  subject: string;
  /** It was there. */
  found: boolean;
  /** More, for people. */
  detail?: string | null;
}

/** Payload of `skill` and `plugin`. */
export interface Extension {
  /** Its name. */
  name: string;
  /** What became of it. */
  phase: ExtensionPhase;
  /** Where it comes from; absent means not stated. */
  source?: string | null;
}

/** What became of a skill or plugin. An unknown word is read as loaded. */
export type ExtensionPhase =
  /** It is there. */
  | "loaded"
  /** It was used. */
  | "invoked"
  | (string & {});

/** Other agents that may take over when one fails. Every switch is an event `agent_switched`. */
export interface FallbackPolicy {
  /** In this order, each at most once. */
  agents: string[];
  /** What the next agent is told; absent means the transcript. */
  handover?: Handover | null;
  /** Only after errors of these kinds; absent means those that another agent may not have: a CLI or login that is missing, a crash, a limit, a provider that cannot be reached. */
  on?: ErrorKind[] | null;
}

/** A feature of an app that an agent may or may not carry. An unknown word is a skill. */
export type Feature =
  /** Click on a part of the result and ask for a change of just that. */
  | "comment_mode"
  /** What the agent's tools do, while they do it. */
  | "tool_feed"
  /** The answer while it is written. */
  | "live_text"
  /** Go on with an interrupted run. */
  | "resume"
  /** Try another way from the same point. */
  | "fork"
  /** Say something to a run that is going on. */
  | "steer"
  /** Ask before the agent does something. */
  | "approvals"
  /** Choose the model. */
  | "model_picker"
  /** Choose how hard it thinks. */
  | "effort_picker"
  /** Show what a run costs. */
  | "cost_meter"
  /** Show what is left of an allowance. */
  | "quota_meter"
  /** Pictures in the prompt. */
  | "images"
  /** Files in the prompt. */
  | "attachments"
  /** The agent's own sessions, listed and read. */
  | "session_history"
  /** A skill of the app. */
  | "skill"
  | (string & {});

/** Whether a feature can be offered. */
export interface FeatureGate {
  /** The feature. */
  feature: Feature;
  /** It can be offered. */
  enabled: boolean;
  /** The capabilities it needs. */
  requires: string[];
  /** What to offer instead, in a sentence to show to a person. */
  instead?: string | null;
  /** Those of them that the agent lacks. Default: `[]`. */
  missing?: string[];
  /** With `skill`: which. */
  name?: string | null;
  /** Why it cannot be offered, in a sentence to show to a person. */
  reason?: string | null;
}

/** Payload of `file_change`. */
export interface FileChange {
  /** The file, absolute. */
  path: string;
  /** What was done to it. */
  op: FileOp;
  /** Who saw it. */
  source: FileChangeSource;
  /** A unified diff, where the agent CLI gives one. */
  diff?: string | null;
  /** With `rename`: its old name. */
  from?: string | null;
  /** The call that did it. */
  toolCallId?: string | null;
  /** The diff was cut. */
  truncated?: Truncated | null;
}

/** Who saw the change. An unknown word is read as observed. */
export type FileChangeSource =
  /** The agent CLI reported it. */
  | "native"
  /** Adapter or host saw it on disk. */
  | "observed"
  | (string & {});

/** What was done to a file. An unknown word is an edit. */
export type FileOp =
  /** It is new. */
  | "create"
  /** It was changed. */
  | "edit"
  /** It is gone. */
  | "delete"
  /** It has another name. */
  | "rename"
  | (string & {});

/** Parameters of `agents/features`. */
export interface GetAgentFeaturesParams {
  /** The agent; absent means the active one. */
  agent?: string | null;
  /** Skills to judge as well. */
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

/** Result of `quota/get`; null when the account has none that can be read. */
export interface GetQuotaResult {
  /** The windows. */
  windows: QuotaWindow[];
  /** A run started now would be refused. */
  rateLimited: boolean;
  /** The first moment that helps, in milliseconds since 1970. */
  earliestResetAt?: number | null;
}

/** Parameters of `runs/get`. */
export interface GetRunParams {
  /** The run. */
  runId: string;
}

/** Parameters of `runs/result`. */
export interface GetRunResultParams {
  /** The run. */
  runId: string;
  /** How long to wait for its end; absent means as long as it takes, 0 means not at all. When the time is over the error is `timeout`; the run goes on. */
  waitMs?: number | null;
}

/** What the next agent is told of what has happened. An unknown word is the prompt only. */
export type Handover =
  /** The prompt alone, as if nothing had happened. */
  | "prompt"
  /** The prompt, and before it what the agent before has said and done. */
  | "transcript"
  | (string & {});

/** Result of `adapter/health`. */
export interface HealthAdapterResult {
  /** In one word. */
  status: HealthStatus;
  /** In one sentence. */
  message: string;
  /** Figures: open runs, versions. Default: `{}`. */
  details?: Record<string, unknown>;
}

/** How the adapter feels. An unknown word is read as degraded. */
export type HealthStatus =
  /** Runs should work. */
  | "ok"
  /** Runs may work. */
  | "degraded"
  /** Runs cannot work. */
  | "unavailable"
  | (string & {});

/** Payload of `heartbeat`, at least every ten seconds of silence. */
export interface Heartbeat {
  /** How long the agent CLI has been silent. */
  silentMs: number;
}

/** An adapter that is hidden by an earlier one of the same name. */
export interface HiddenAdapter {
  /** The agent it is for. */
  id: string;
  /** The executable that is not used. */
  path: string;
  /** The one that is. */
  by: string;
}

/** What the host lets through. */
export interface HostLimits {
  /** Runs at the same time. */
  maxRuns: number;
  /** Runs at the same time of one agent, unless its settings say otherwise. */
  maxRunsPerAgent: number;
  /** Runs that wait. */
  maxQueued: number;
  /** The largest request. */
  maxRequestBytes: number;
  /** Calls of one client in a second. */
  maxCallsPerSecond: number;
}

/** Result of `host/info`. */
export interface HostStatus {
  /** Always `od-host`. */
  name: string;
  /** Its version. */
  version: string;
  /** The major of this API. */
  api: number;
  /** The majors of the adapter protocol. */
  protocol: ProtocolRange;
  /** The host's process. */
  pid: number;
  /** In milliseconds since 1970. */
  startedAt: number;
  /** The host's folder. */
  home: string;
  /** Such as `linux-x86_64`. */
  platform: string;
  /** Runs that are going on in this process. */
  running: number;
  /** Runs that wait. */
  queued: number;
  /** It takes no more runs. */
  draining: boolean;
  /** The folders that runs may work in. */
  roots: string[];
  /** What the host lets through. */
  limits: HostLimits;
}

/** Payload of `image`: by value or by path. */
export interface Image {
  /** Such as `image/png`. */
  mime: string;
  /** Base64. */
  data?: string | null;
  /** A file, absolute. */
  path?: string | null;
}

/** A picture in a prompt: by path or by value. */
export interface ImageInput {
  /** Such as `image/png`. */
  mime: string;
  /** Base64. */
  data?: string | null;
  /** A file, absolute. */
  path?: string | null;
}

/** Details of `input`. */
export interface InputCapability {
  /** Text can reach the turn that is running; otherwise it waits for the next one. Default: `false`. */
  steer?: boolean;
}

/** What became of input. An unknown word is a refusal. */
export type InputOutcome =
  /** It reached the turn that is running. */
  | "steered"
  /** It waits for the next turn of the same run. */
  | "queued"
  /** It cannot be taken. */
  | "refused"
  | (string & {});

/** Payload of `input_requested`. */
export interface InputRequested {
  /** Names the question. */
  questionId: string;
  /** The question. */
  text: string;
  /** What the answer must look like; absent means text. */
  schema?: Record<string, unknown> | null;
}

/** Result of `run/input`. */
export interface InputRunResult {
  /** What became of it. */
  outcome: InputOutcome;
}

/** Parameters of `runs/input`. */
export interface InputRunsParams {
  /** The run. */
  runId: string;
  /** What to say. */
  text: string;
  /** Only while this turn runs; otherwise refused. */
  expectedTurn?: string | null;
}

/** What to type to get an agent. */
export interface InstallHint {
  /** The agent. */
  agent: string;
  /** For people. */
  displayName: string;
  /** The agent CLI is there. */
  installed: boolean;
  /** Ways to install it that work on this platform. */
  install: InstallMethod[];
  /** Where to read more. */
  homepage?: string | null;
  /** What to type to log in. */
  login?: string | null;
}

/** One way to install the agent CLI. */
export interface InstallMethod {
  /** `any`, `linux`, `macos` or `windows`. */
  platform: string;
  /** `npm`, `brew`, `pip`, `script`, …. */
  kind: string;
  /** What to type. */
  command: string;
  /** What to know. */
  notes?: string | null;
}

/** Parameters of `adapters/list`. */
export type ListAdaptersParams = Record<string, unknown>;

/** Result of `adapters/list`. */
export interface ListAdaptersResult {
  /** In the order of their ids. */
  adapters: UsedAdapter[];
  /** Hidden by an earlier one. */
  hidden: HiddenAdapter[];
  /** Passed over. */
  rejected: RejectedAdapter[];
  /** The rule of trust: `path` or `pinned`. */
  policy: string;
}

/** Parameters of `agents/models`. */
export interface ListAgentModelsParams {
  /** The agent. */
  agent: string;
}

/** Parameters of `sessions/list`. */
export interface ListAgentSessionsParams {
  /** The agent. */
  agent: string;
  /** Only sessions of this folder. */
  cwd?: string | null;
  /** At most so many, the newest first; absent means 50. */
  limit?: number | null;
}

/** Parameters of `agents/list`. */
export type ListAgentsParams = Record<string, unknown>;

/** Result of `agents/list` and `agents/refresh`. */
export interface ListAgentsResult {
  /** In the order of their ids. */
  agents: AgentStatus[];
  /** The agent of runs that name none, when one was chosen. */
  active?: string | null;
  /** Some are being looked at again right now: ask once more to see what came of it. Default: `false`. */
  refreshing?: boolean;
}

/** Parameters of `adapters/install-hints`. */
export interface ListInstallHintsParams {
  /** Only this one; absent means all. */
  agent?: string | null;
}

/** Result of `adapters/install-hints`. */
export interface ListInstallHintsResult {
  /** In the order of the agents' ids. */
  hints: InstallHint[];
}

/** Result of `models/list`. */
export interface ListModelsResult {
  /** The models; ids are unique. */
  models: Model[];
  /** Where the list comes from. */
  source: ModelsSource;
  /** The one the agent CLI is set to. */
  current?: string | null;
}

/** Parameters of `runs/list`. */
export interface ListRunsParams {
  /** Only runs of this agent. */
  agent?: string | null;
  /** Only runs older than this one: what `next` said. */
  before?: string | null;
  /** At most so many; absent means 50. */
  limit?: number | null;
  /** Only runs that stand like this. */
  state?: RunState | null;
}

/** Result of `runs/list`. */
export interface ListRunsResult {
  /** The newest first. */
  runs: RunInfo[];
  /** What `before` takes to get the next ones; absent when there are none. */
  next?: string | null;
}

/** Result of `sessions/list`. */
export interface ListSessionsResult {
  /** The newest first. */
  sessions: SessionSummary[];
}

/** A capability without details. */
export type Marker = Record<string, unknown>;

/** An MCP server for a run. */
export interface McpServer {
  /** Its name. */
  name: string;
  /** How it is reached. */
  transport: McpTransport;
  /** Its arguments. */
  args?: string[];
  /** The program, with `stdio`. */
  command?: string | null;
  /** Its variables. */
  env?: Record<string, string>;
  /** Its headers. */
  headers?: Record<string, string>;
  /** The address, otherwise. */
  url?: string | null;
}

/** An MCP server as the agent CLI sees it. */
export interface McpServerStatus {
  /** Its name. */
  name: string;
  /** The agent CLI's own word (`connected`, `failed`, …). */
  status: string;
}

/** How an MCP server is reached. An unknown word is read as a pipe. */
export type McpTransport =
  /** A program's stdin and stdout. */
  | "stdio"
  /** Streamable HTTP. */
  | "http"
  /** The older HTTP with server-sent events. */
  | "sse"
  | (string & {});

/** Payload of `message_discarded`. */
export interface MessageDiscarded {
  /** The message, whose text no longer counts. */
  messageId: string;
}

/** Payload of `message_started`. */
export interface MessageStarted {
  /** Names the message. */
  messageId: string;
}

/** Payload of `message_stopped`. */
export interface MessageStopped {
  /** The message. */
  messageId: string;
}

/** Payload of `mode_changed`. */
export interface ModeChanged {
  /** The model now in use. */
  model?: string | null;
  /** The permission mode now in use. */
  permissionMode?: string | null;
}

/** One model. */
export interface Model {
  /** What `run/start.model` takes. */
  id: string;
  /** In tokens; absent means not stated. */
  contextWindow?: number | null;
  /** Used when a run names none. Default: `false`. */
  default?: boolean;
  /** The efforts it takes; absent means not stated. */
  efforts?: Effort[] | null;
  /** A name for people. */
  name?: string | null;
}

/** Where a list of models comes from. An unknown word is read as static. */
export type ModelsSource =
  /** The agent CLI was asked. */
  | "live"
  /** The adapter's own list. */
  | "static"
  | (string & {});

/** What the agent's tools may reach. An unknown word is none. */
export type NetworkMode =
  /** Nothing. */
  | "none"
  /** What the agent CLI's own rules allow. */
  | "default"
  /** Everything. */
  | "full"
  | (string & {});

/** Payload of `notice`. */
export interface Notice {
  /** How loud. */
  level: NoticeLevel;
  /** A word for programs. */
  code: string;
  /** A sentence for people. */
  text: string;
  /** What to type or change. */
  hint?: string | null;
}

/** How loud a notice is. An unknown word is a warning. */
export type NoticeLevel =
  /** For people who look for a fault. */
  | "debug"
  /** For everybody. */
  | "info"
  /** Something may be wrong. */
  | "warn"
  | (string & {});

/** Where a piece of output comes from. An unknown word is read as stdout. */
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
  /** All of it; each plan replaces the last. */
  entries: PlanEntry[];
}

/** One thing to do. */
export interface PlanEntry {
  /** What. */
  content: string;
  /** How far. */
  status: PlanStatus;
}

/** How far a thing to do is. An unknown word is pending. */
export type PlanStatus =
  /** Not begun. */
  | "pending"
  /** Begun. */
  | "in_progress"
  /** Done. */
  | "completed"
  | (string & {});

/** Rules for approvals, shell and network. They reach the agent CLI in its strictest form. */
export interface Policy {
  /** Categories that always ask. Default: `[]`. */
  ask?: ApprovalCategory[];
  /** What the agent's tools may reach. */
  network?: NetworkMode | null;
  /** Command prefixes that need no approval. Default: `[]`. */
  shellAllow?: string[];
  /** Command prefixes that are refused. Default: `[]`. */
  shellDeny?: string[];
}

/** What to do. */
export interface Prompt {
  /** The text, byte for byte. It is data: `/x`, `@x`, `-x` and `$(x)` mean nothing special. */
  text: string;
  /** Files to read, absolute. */
  attachments?: string[];
  /** Pictures. */
  images?: ImageInput[];
  /** Instructions above the conversation. */
  system?: string | null;
}

/** The majors one side speaks. Minors exist only as capabilities. */
export interface ProtocolRange {
  /** The lowest major. */
  min: number;
  /** The highest major, at least `min`. */
  max: number;
  /** The revision of the specification, for people. */
  revision?: string | null;
}

/** One window of an allowance, such as five hours or a week. */
export interface QuotaWindow {
  /** The provider's own name for it (`five_hour`, `weekly`, …). */
  kind: string;
  /** Nothing is left. */
  exhausted: boolean;
  /** When it starts anew, in milliseconds since 1970; absent means not stated. */
  resetsAt?: number | null;
  /** How much is used, 0 to 100; absent means not stated. */
  usedPercent?: number | null;
}

/** Payload of `rate_limited`. */
export interface RateLimited {
  /** Who says so: `cli`, `provider`. */
  source: string;
  /** When it is over, in milliseconds since 1970, when it is stated. */
  resetsAt?: number | null;
  /** How long to wait, when it is stated. */
  retryAfterMs?: number | null;
  /** Which window ran out, in the provider's words. */
  window?: string | null;
}

/** Parameters of `sessions/read`. */
export interface ReadAgentSessionParams {
  /** The agent. */
  agent: string;
  /** The session. */
  id: string;
  /** Where it ran, for agent CLIs that keep sessions by folder. */
  cwd?: string | null;
}

/** Result of `sessions/read`. */
export interface ReadSessionsResult {
  /** What it is. */
  session: SessionSummary;
  /** What happened, in the words of a run's events; `user_message` included. */
  events: Event[];
  /** Older events were left out to keep the reply under the line limit. Default: `false`. */
  truncated?: boolean;
}

/** Parameters of `agents/refresh`. */
export interface RefreshAgentsParams {
  /** Only this one; absent means all. */
  agent?: string | null;
}

/** A file or folder that was passed over. */
export interface RejectedAdapter {
  /** The executable or folder. */
  path: string;
  /** Which rule it breaks, as a word for programs. */
  rule: string;
  /** Why, for people. */
  reason: string;
  /** What to type or change. */
  fix: string;
  /** The agent it is for, when the file has a proper name. */
  id?: string | null;
  /** Of the executable, in hex, when pinning it would make it usable: what `adapters/trust` takes. */
  sha256?: string | null;
}

/** Result of `run/respond`. */
export type RespondRunResult = Record<string, unknown>;

/** Parameters of `runs/respond`. */
export interface RespondRunsParams {
  /** The run. */
  runId: string;
  /** What `approval_requested` named. */
  approvalId: string;
  /** Yes or no. */
  outcome: ApprovalOutcome;
  /** With no: why, for the agent. */
  message?: string | null;
  /** With yes: the tool's input, changed; absent leaves it as it is. */
  updatedInput?: Record<string, unknown> | null;
}

/** Details of `resume`. */
export interface ResumeCapability {
  /** A session can be resumed only from the folder it was started in. Default: `false`. */
  sameCwdOnly?: boolean;
}

/** Payload of `retry`. */
export interface Retry {
  /** Which one, from 1. */
  attempt: number;
  /** Why, in the agent CLI's words. */
  reason: string;
  /** How long until then; absent means not stated. */
  delayMs?: number | null;
  /** How many there will be at most; absent means not stated. */
  maxAttempts?: number | null;
}

/** Whether the same agent may try again. Every new attempt is an event `retry`. */
export interface RetryPolicy {
  /** The first pause where no reset is stated; it doubles each time. Absent means a second. */
  backoffMs?: number | null;
  /** Attempts of one agent, the first included; absent means 3. */
  maxAttempts?: number | null;
  /** The longest wait for a stated reset; a later one is not waited for. Absent means an hour. */
  maxWaitMs?: number | null;
  /** Only after errors of these kinds; absent means those that pass: a rate limit, a provider that cannot be reached, a crash. */
  on?: ErrorKind[] | null;
}

/** One attempt of a run. */
export interface RunAttempt {
  /** The agent. */
  agent: string;
  /** What kind of credential paid, when it is known. */
  credential?: CredentialKind | null;
  /** Why it was not the last; absent for the last. */
  errorKind?: ErrorKind | null;
  /** The model in use, when it is known. */
  model?: string | null;
  /** What it used, when it is known. */
  usage?: Usage | null;
}

/** Parameters of the notification `run/event`: the envelope of every event. */
export interface RunEventParams {
  /** The run. */
  runId: string;
  /** Starts at 0, no gaps. */
  seq: number;
  /** Milliseconds since 1970, by the adapter's clock. */
  ts: number;
  /** What happened. */
  event: Event;
  /** Custom data. */
  _meta?: Record<string, unknown> | null;
}

/** What `runs/event` brings: one or more events, in order, without a gap. */
export interface RunEvents {
  /** The events, with the run's id and their numbers. After `done` nothing comes. An empty list says that the run is over and has no event of the number that was asked for. */
  events: RunEventParams[];
}

/** How one run stands. */
export interface RunInfo {
  /** The run. */
  runId: string;
  /** The agent that has it now. */
  agent: string;
  /** Where the agent works. */
  cwd: string;
  /** The first line of the prompt, shortened. */
  promptPreview: string;
  /** How it stands. */
  state: RunState;
  /** In milliseconds since 1970. */
  startedAt: number;
  /** How many attempts there were so far, the first included. Default: `0`. */
  attempts?: number;
  /** In milliseconds since 1970; absent while it is going on. */
  endedAt?: number | null;
  /** With `failed` and `timed_out`: what went wrong. */
  errorKind?: ErrorKind | null;
  /** The client's own name for it. */
  key?: string | null;
  /** The model that was asked for. */
  model?: string | null;
  /** Its place in the queue, from 1, while it waits. */
  queuePosition?: number | null;
  /** The native session: what `task.session.id` takes. */
  sessionId?: string | null;
}

/** Result of `runs/result`: what came of a run that is over. */
export interface RunResult {
  /** The run. */
  runId: string;
  /** The agent that had it last. */
  agent: string;
  /** The text of the agent's last message. */
  content: string;
  /** From start to end, the time in the queue excluded. */
  durationMs: number;
  /** The files it changed, by path. */
  files: ChangedFile[];
  /** How it ended. */
  verdict: RunVerdict;
  /** The number of the last event. */
  lastSeq: number;
  /** All attempts, in order; mostly one. */
  attempts: RunAttempt[];
  /** US dollars of all attempts, only when the agent CLIs state them; null means not stated, which is not zero. */
  costUsd?: number | null;
  /** The native session: what `task.session.id` takes. */
  sessionId?: string | null;
  /** What all attempts used together, when it is known. */
  usage?: Usage | null;
}

/** Payload of `run_started`. */
export interface RunStarted {
  /** Its arguments, without the prompt and without secrets. Default: `[]`. */
  argv?: string[];
  /** The file that was started; null when nothing could be. */
  cliPath?: string | null;
  /** Its version; null when unknown. */
  cliVersion?: string | null;
  /** Who pays; null when it cannot be told. */
  credential?: Credential | null;
  /** The agent CLI's own name for the mode; null means its default. */
  permissionMode?: string | null;
  /** Its process; null when nothing could be started. */
  pid?: number | null;
  /** Against the version the adapter was tested with; null when unknown. */
  testedVersion?: TestedVersion | null;
}

/** How a run stands. An unknown word is a failure. */
export type RunState =
  /** It waits for its turn. */
  | "queued"
  /** It is going on. */
  | "running"
  /** The agent itself said that it is done. */
  | "completed"
  /** Something went wrong. */
  | "failed"
  /** It was told to stop. */
  | "cancelled"
  /** A limit of time ran out. */
  | "timed_out"
  | (string & {});

/** What an agent shall do: `run/start` without the run's id. The host's API takes paths below one of its roots only. */
export interface RunTask {
  /** Where the agent works, absolute. */
  cwd: string;
  /** What to do. */
  prompt: Prompt;
  /** What the manifest's `configSchema` describes. */
  adapterOptions?: Record<string, unknown>;
  /** Further folders the agent may work in, absolute. */
  addDirs?: string[];
  /** Tools that need no approval; absent means the agent CLI's own default. */
  allowedTools?: string[] | null;
  /** Tools the agent may not use. */
  deniedTools?: string[] | null;
  /** How hard to think; absent means the agent CLI's own default. */
  effort?: Effort | null;
  /** Variables for the agent CLI, on top of the allowlist. */
  env?: Record<string, string>;
  /** Stop after so many turns of the model. */
  maxTurns?: number | null;
  /** MCP servers for this run. */
  mcpServers?: McpServer[];
  /** The model; absent means the agent CLI's own default. */
  model?: string | null;
  /** The final answer must fit this JSON Schema. */
  outputSchema?: Record<string, unknown> | null;
  /** One of the agent CLI's own modes. */
  permissionMode?: string | null;
  /** Rules for approvals, shell and network. */
  policy?: Policy | null;
  /** A new session, or an old one. Default: `{"mode":"new"}`. */
  session?: SessionChoice;
  /** Folders of skills. */
  skills?: string[];
  /** The same as a number of tokens. */
  thinkingBudgetTokens?: number | null;
  /** Limits of time. Default: `{}`. */
  timeouts?: Timeouts;
  /** A file that gets the agent CLI's raw output. */
  tracePath?: string | null;
  /** Custom data. */
  _meta?: Record<string, unknown> | null;
}

/** How a run ended, and what that stands on. */
export interface RunVerdict {
  /** How it ended. */
  status: DoneStatus;
  /** Why the model stopped. */
  stopReason: StopReason;
  /** What the verdict stands on. */
  evidence: DoneEvidence;
  /** With `failed` and `timed_out`: the kind of error. */
  errorKind?: ErrorKind | null;
  /** What to type or change now. */
  hint?: string | null;
  /** What was tried, on what, why it failed. */
  message?: string | null;
}

/** A new session, or an old one. */
export interface SessionChoice {
  /** Which. */
  mode: SessionMode;
  /** The old session's native id; with `new`, the id to give it where the agent CLI can. */
  id?: string | null;
}

/** Which session a run belongs to. An unknown word is a new one. */
export type SessionMode =
  /** A new one. */
  | "new"
  /** An old one goes on under its own id. */
  | "resume"
  /** A copy of an old one goes on under a new id. */
  | "fork"
  | (string & {});

/** Payload of `session_started`. */
export interface SessionStarted {
  /** The native id: what `resume` takes. */
  sessionId: string;
  /** New, resumed or forked. */
  mode: SessionMode;
  /** Where the agent says it works. */
  cwd?: string | null;
  /** The MCP servers it has. */
  mcpServers?: McpServerStatus[] | null;
  /** The model in use. */
  model?: string | null;
  /** With `fork`: whose copy it is. */
  parentSessionId?: string | null;
  /** The tools it has. */
  tools?: string[] | null;
}

/** One native session. */
export interface SessionSummary {
  /** What `run/start.session.id` takes. */
  id: string;
  /** Where it ran. */
  cwd?: string | null;
  /** The model it last used. */
  model?: string | null;
  /** Its title or first prompt, shortened. */
  title?: string | null;
  /** The last change, in milliseconds since 1970. */
  updatedAt?: number | null;
}

/** Parameters of `agents/setActive`. */
export interface SetActiveAgentParams {
  /** The agent. */
  agent: string;
}

/** Result of `agents/setActive`. */
export interface SetActiveAgentResult {
  /** The agent that is active now. */
  active: string;
  /** What an app can offer with it. */
  features: AgentFeatures;
}

/** Parameters of `host/shutdown`. */
export interface ShutdownHostParams {
  /** How long runs may go on before they are cancelled; absent means as long as the host was told when it was started (`serve --drain`). */
  drainMs?: number | null;
}

/** Result of `host/shutdown`, sent before the host ends. */
export interface ShutdownHostResult {
  /** Runs that are going on or wait; they end or are cancelled. */
  runs: number;
}

/** A skill that an app offers, and what it needs. */
export interface SkillRequirements {
  /** Its name. */
  name: string;
  /** The capabilities it needs, in the words of [`Capabilities`]; none means that every agent will do. */
  capabilities: string[];
}

/** Parameters of `runs/start`: what an agent shall do, and how the host goes about it. */
export interface StartRunsParams {
  /** What to do. */
  task: RunTask;
  /** The agent; absent means the active one, and without one the best that is ready. */
  agent?: string | null;
  /** Somebody answers approvals with `runs/respond`; otherwise the agent is told no. Default: `false`. */
  approvals?: boolean;
  /** Who asks, for a fair queue: clients take turns. Absent means the connection. */
  client?: string | null;
  /** Other agents that may take over; absent means none. */
  fallback?: FallbackPolicy | null;
  /** The client's own name for this run: the same key and task again gives the same run. */
  key?: string | null;
  /** How long the run may wait in the queue; absent means as long as it takes. */
  queueMs?: number | null;
  /** Whether the same agent may try again; absent means no. */
  retry?: RetryPolicy | null;
}

/** Result of `runs/start`. */
export interface StartRunsResult {
  /** The run. */
  runId: string;
  /** The agent it goes to. */
  agent: string;
  /** How it stands. */
  state: RunState;
  /** The run was there already: a call with the same key had started it. Default: `false`. */
  existing?: boolean;
  /** Its place in the queue, from 1, while it waits. */
  queuePosition?: number | null;
}

/** Payload of `status`. */
export interface Status {
  /** A short word: `requesting`, `waiting`, `compacting`, …. */
  phase: string;
  /** More, for people. */
  detail?: string | null;
  /** How long the first token took, when the agent CLI says so. */
  ttftMs?: number | null;
}

/** Why the model stopped (the words of ACP and two of ours). An unknown word is other. */
export type StopReason =
  /** It was done. */
  | "end_turn"
  /** Its answer grew too long. */
  | "max_tokens"
  /** It took too many turns. */
  | "max_turn_requests"
  /** It declined. */
  | "refusal"
  /** It was told to. */
  | "cancelled"
  /** Something went wrong. */
  | "error"
  /** Something else. */
  | "other"
  | (string & {});

/** Payload of `subagent_started`. */
export interface SubagentStarted {
  /** Names the helper. */
  subagentId: string;
  /** What it is for. */
  title: string;
  /** The call that started it. */
  parentToolCallId?: string | null;
}

/** Payload of `subagent_stopped`. */
export interface SubagentStopped {
  /** The helper. */
  subagentId: string;
  /** What it was for. */
  title: string;
  /** The call that started it. */
  parentToolCallId?: string | null;
  /** How it ended. */
  status?: ToolStatus | null;
  /** What it did inside, counted. */
  summary?: string | null;
}

/** Parameters of `usage/summary`. */
export interface SummarizeUsageParams {
  /** What to add up by; absent means the agent. */
  by?: UsageGroup | null;
  /** Only from this time on, in milliseconds since 1970. */
  since?: number | null;
  /** Only before this time, in milliseconds since 1970. */
  until?: number | null;
}

/** The installed version against the one the adapter was tested with. */
export type TestedVersion =
  /** The very same. */
  | "same"
  /** Newer: it should work; report what does not. */
  | "newer"
  /** Older, but not below the minimum. */
  | "older"
  | (string & {});

/** Payload of `text_delta`. */
export interface TextDelta {
  /** The message. */
  messageId: string;
  /** The next piece. */
  text: string;
  /** The piece was cut. */
  truncated?: Truncated | null;
}

/** Payload of `thinking_delta`. */
export interface ThinkingDelta {
  /** The thought. */
  thinkingId: string;
  /** The next piece. */
  text: string;
  /** The piece was cut. */
  truncated?: Truncated | null;
}

/** Payload of `thinking_started`. */
export interface ThinkingStarted {
  /** Names the thought. */
  thinkingId: string;
}

/** Payload of `thinking_stopped`. */
export interface ThinkingStopped {
  /** The thought. */
  thinkingId: string;
}

/** Limits of time; absent means the adapter's default, 0 means none. */
export interface Timeouts {
  /** Of silence; output starts it anew, an open approval stops it. */
  idleMs?: number | null;
  /** Until the agent CLI's first output. */
  startMs?: number | null;
  /** Of the whole run. */
  totalMs?: number | null;
}

/** Payload of `tool_call_ready`. */
export interface ToolCallReady {
  /** The call. */
  toolCallId: string;
  /** All of its input, as the agent CLI states it. */
  input: unknown;
  /** One line for people, now that the input is known. */
  title?: string | null;
  /** The input was cut. */
  truncated?: Truncated | null;
}

/** Payload of `tool_call_started`. */
export interface ToolCallStarted {
  /** Names the call. */
  toolCallId: string;
  /** The agent CLI's own name for the tool. */
  name: string;
  /** What it does. */
  kind: ToolKind;
  /** The MCP server the tool belongs to. */
  mcpServer?: string | null;
  /** The call whose helper makes this one. */
  parentToolCallId?: string | null;
  /** One line for people. */
  title?: string | null;
}

/** Payload of `tool_input_delta`. */
export interface ToolInputDelta {
  /** The call. */
  toolCallId: string;
  /** The next piece of its input, as raw JSON text. */
  text: string;
}

/** What a tool does (ACP's set). An unknown word is other. */
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
  /** Fetches from outside. */
  | "fetch"
  /** Anything else. */
  | "other"
  | (string & {});

/** Payload of `tool_output_delta`. */
export interface ToolOutputDelta {
  /** The call. */
  toolCallId: string;
  /** The next piece of its output. */
  text: string;
  /** Where it comes from; absent means not stated. */
  stream?: OutputStream | null;
  /** The piece was cut. */
  truncated?: Truncated | null;
}

/** Payload of `tool_result`. */
export interface ToolResult {
  /** The call. */
  toolCallId: string;
  /** How it ended. */
  status: ToolStatus;
  /** What it gave: text, or the agent CLI's own structure. */
  output: unknown;
  /** With a command: its exit code. */
  exitCode?: number | null;
  /** The output was cut. */
  truncated?: Truncated | null;
}

/** How a call ended. */
export type ToolStatus =
  /** It worked. */
  | "ok"
  /** It failed. */
  | "error"
  /** It was not allowed. */
  | "denied"
  /** The run was stopped. */
  | "cancelled"
  /** The agent CLI never said. */
  | "unknown"
  | (string & {});

/** What came of a run. */
export interface Totals {
  /** US dollars, when the agent CLI stated them. */
  costUsd?: number | null;
  /** Different files changed. Default: `0`. */
  filesChanged?: number;
  /** Bytes of message text, discarded messages excluded. Default: `0`. */
  textBytes?: number;
  /** Tool calls. Default: `0`. */
  toolCalls?: number;
  /** The run's usage, when it is known. */
  usage?: Usage | null;
}

/** How much of a payload was cut to keep a line under the limit. */
export interface Truncated {
  /** Bytes that were left out. */
  bytes: number;
}

/** Parameters of `adapters/trust`. */
export interface TrustAdaptersParams {
  /** Of the executable, in hex: what `adapters/list` or the file itself says. */
  sha256: string;
  /** False takes it back; absent means true. Default: `true`. */
  trusted?: boolean;
}

/** Result of `adapters/trust`. */
export interface TrustAdaptersResult {
  /** The rule of trust: `path` or `pinned`. With `path` pins are kept but decide nothing. */
  policy: string;
  /** All that are pinned now, in hex. */
  pinned: string[];
}

/** Payload of `turn_ended`. */
export interface TurnEnded {
  /** The turn. */
  turnId: string;
  /** Why it is over. */
  stopReason: StopReason;
}

/** Payload of `turn_started`. */
export interface TurnStarted {
  /** Names the turn; `run/input.expectedTurn` takes it. */
  turnId: string;
}

/** An event of a later version; readers keep and forward it. */
export interface UnknownEvent {
  type: string;
  [field: string]: unknown;
}

/** Payload of `unmapped`. */
export interface Unmapped {
  /** The agent CLI's own name for it. */
  nativeType: string;
  /** The first one seen, shortened and without secrets. */
  sample: string;
  /** How many so far. */
  count: number;
}

/** Payload of the event `usage`: a tick of the meter. */
export interface Usage {
  /** What it covers. */
  scope: UsageScope;
  /** The figures include all earlier ticks of the same scope. */
  cumulative: boolean;
  /** Tokens sent, cached ones excluded. */
  inputTokens: number;
  /** Tokens received, reasoning included. */
  outputTokens: number;
  /** All of the above. */
  totalTokens: number;
  /** Where the figures come from. */
  source: UsageSource;
  /** Tokens read from a cache. Default: `0`. */
  cacheReadTokens?: number;
  /** Tokens written to a cache. Default: `0`. */
  cacheWriteTokens?: number;
  /** US dollars, only when the agent CLI states it; null means not stated, which is not zero. */
  costUsd?: number | null;
  /** The model it was spent on. */
  model?: string | null;
  /** The part of the output that was reasoning; absent means not stated. */
  reasoningTokens?: number | null;
  /** The provider's service tier. */
  serviceTier?: string | null;
}

/** Details of `usage`. */
export interface UsageCapability {
  /** The agent CLI states a price in US dollars. Default: `false`. */
  cost?: boolean;
}

/** What the figures are added up by. An unknown word is the agent. */
export type UsageGroup =
  /** The agent. */
  | "agent"
  /** The model. */
  | "model"
  /** Who runs the model. */
  | "provider"
  /** What kind of credential paid. */
  | "credential"
  /** The day, in the host's time zone. */
  | "day"
  | (string & {});

/** Figures of one group. */
export interface UsageRow {
  /** The agent, model, provider, credential kind or day; empty means not known. */
  group: string;
  /** Runs. */
  runs: number;
  /** Tokens sent, cached ones excluded. */
  inputTokens: number;
  /** Tokens received, reasoning included. */
  outputTokens: number;
  /** Tokens read from a cache. */
  cacheReadTokens: number;
  /** Tokens written to a cache. */
  cacheWriteTokens: number;
  /** All of the above. */
  totalTokens: number;
  /** Runs whose cost is not stated, so not in `costUsd`. */
  runsWithoutCost: number;
  /** US dollars, of the runs whose agent CLI states them; null means that none does. */
  costUsd?: number | null;
}

/** What a usage figure covers. An unknown word is read as one turn. */
export type UsageScope =
  /** One turn of the model. */
  | "turn"
  /** The whole run. */
  | "run"
  /** The whole session, earlier runs included. */
  | "session"
  | (string & {});

/** Where a figure comes from. An unknown word is an estimate. */
export type UsageSource =
  /** The agent CLI stated it. */
  | "cli"
  /** The provider's own reply, read by the adapter. */
  | "provider"
  /** Computed by somebody else. */
  | "estimated"
  | (string & {});

/** Result of `usage/summary`. */
export interface UsageSummary {
  /** What the rows are. */
  by: UsageGroup;
  /** Days in their order, otherwise the most tokens first. */
  rows: UsageRow[];
  /** All of them together. */
  total: UsageRow;
  /** Lines of the ledger that are damaged or of a later version, so not in the figures. Default: `0`. */
  unreadLines?: number;
}

/** An adapter that is used. */
export interface UsedAdapter {
  /** The agent it is for. */
  id: string;
  /** For people. */
  displayName: string;
  /** Its version. */
  version: string;
  /** The executable. */
  path: string;
  /** Where it was found: `adapterDir`, `adapterPath`, `besideHost`, `userFolder`, `path`. */
  origin: string;
  /** Of the executable, in hex. */
  sha256: string;
  /** It is pinned as trusted. */
  pinned: boolean;
}

/** Payload of `user_message`. */
export interface UserMessage {
  /** What was said. */
  text: string;
}

/** The JSON-RPC code of each kind. */
export const ERROR_CODES = {
  /** The line is no JSON. */
  parse_error: -32700,
  /** The line is JSON but no JSON-RPC 2.0 message. */
  invalid_request: -32600,
  /** There is no such method. */
  method_not_found: -32601,
  /** The parameters do not fit the method. */
  invalid_params: -32602,
  /** The adapter itself failed. */
  internal: -32603,
  /** `$/cancelRequest` ended the request. */
  request_cancelled: -32800,
  /** The two sides share no protocol major. */
  unsupported_protocol: 1001,
  /** `initialize` has not been called. */
  not_initialized: 1002,
  /** `initialize` was called twice. */
  already_initialized: 1003,
  /** `shutdown` was called. */
  shutting_down: 1004,
  /** The adapter cannot honour an option or method. */
  capability_unsupported: 1005,
  /** The configuration or an option's value is wrong. */
  config_invalid: 1006,
  /** The agent CLI is not installed. */
  cli_not_found: 1010,
  /** The agent CLI is older than the adapter can drive. */
  cli_version_unsupported: 1011,
  /** The agent CLI could not be started. */
  cli_spawn_failed: 1012,
  /** The agent CLI ended without its own last word. */
  cli_crashed: 1013,
  /** The agent CLI broke its own protocol. */
  cli_protocol: 1014,
  /** No credential. */
  auth_missing: 1020,
  /** The credential has run out or was refused. */
  auth_expired: 1021,
  /** The credential belongs to an account that may not do this. */
  auth_wrong_account: 1022,
  /** The operating system or the agent CLI refused access. */
  permission_denied: 1023,
  /** The provider asks to slow down. */
  rate_limited: 1030,
  /** The account's allowance is used up. */
  quota_exhausted: 1031,
  /** The conversation no longer fits the model's window. */
  context_exceeded: 1032,
  /** The provider does not know the model. */
  model_unknown: 1033,
  /** The prompt cannot be handed to the agent CLI. */
  prompt_too_large: 1034,
  /** No such run. */
  run_unknown: 1040,
  /** A run of that id is there already. */
  run_id_in_use: 1041,
  /** The adapter runs as many as it can. */
  too_many_runs: 1042,
  /** The agent CLI does not know the session. */
  session_unknown: 1043,
  /** The session is in use. */
  session_busy: 1044,
  /** No such open approval. */
  approval_unknown: 1045,
  /** A limit of time ran out; `data.which` says which. */
  timeout: 1050,
  /** The provider cannot be reached or answers with a server error. */
  network_unreachable: 1051,
  /** The adapter process ended unexpectedly. */
  plugin_crashed: 1052,
  /** The adapter process no longer answers. */
  plugin_hung: 1053,
  /** What was asked cannot work as asked: an empty prompt, a folder that is not there. */
  "_od.usage": 2001,
  /** There is no such agent, or none at all. */
  "_od.agent_unknown": 2002,
  /** The adapter was found but may not or cannot be used. */
  "_od.agent_rejected": 2003,
  /** The host's own files cannot be read or written. */
  "_od.storage": 2004,
  /** The host process that owned the run is gone. */
  "_od.host_died": 2005,
  /** The journal of the run could not be written. */
  "_od.journal_failed": 2006,
  /** The adapter broke the protocol, so the run was ended. */
  "_od.plugin_protocol": 2007,
  /** The token is missing or wrong. */
  "_od.unauthorized": 2010,
  /** The Host or Origin of the request is not allowed. */
  "_od.forbidden": 2011,
  /** The client calls too often; wait a little. */
  "_od.too_many_calls": 2012,
  /** The request is larger than the host takes. */
  "_od.too_large": 2013,
  /** The path is outside the folders that runs may work in. */
  "_od.path_not_allowed": 2014,
  /** A run is going on, so this has to wait. */
  "_od.run_active": 2020,
  /** The key was used for another task. */
  "_od.key_conflict": 2021,
  /** No more runs can wait. */
  "_od.queue_full": 2022,
  /** The run waits, so no agent can take what was said. */
  "_od.run_waiting": 2023,
} as const;

/** What an app calls, by method. */
export interface Methods {
  /** Lists the agents at once from what is known; what is stale is looked at again meanwhile. */
  "agents/list": { params: ListAgentsParams; result: ListAgentsResult };
  /** Looks at the agents again and answers when all have been looked at. */
  "agents/refresh": { params: RefreshAgentsParams; result: ListAgentsResult };
  /** Says all that is known of one agent. */
  "agents/get": { params: GetAgentParams; result: AgentStatus };
  /** Makes an agent the one that runs without a name get; refused while a run is going on. */
  "agents/setActive": { params: SetActiveAgentParams; result: SetActiveAgentResult };
  /** Lists an agent's models and their efforts. */
  "agents/models": { params: ListAgentModelsParams; result: ListModelsResult };
  /** Reads what is left of an agent's allowance; null when that cannot be read. */
  "agents/quota": { params: GetAgentQuotaParams; result: GetQuotaResult | null };
  /** Asks an agent's adapter how it feels. */
  "agents/health": { params: GetAgentHealthParams; result: HealthAdapterResult };
  /** Says which features of an app an agent can carry, and why not where it cannot. */
  "agents/features": { params: GetAgentFeaturesParams; result: AgentFeatures };
  /** Starts a run or puts it into the queue; the same key twice starts it once. */
  "runs/start": { params: StartRunsParams; result: StartRunsResult };
  /** Lists the runs, the newest first. */
  "runs/list": { params: ListRunsParams; result: ListRunsResult };
  /** Says how one run stands. */
  "runs/get": { params: GetRunParams; result: RunInfo };
  /** Waits for the end of a run and says what came of it. */
  "runs/result": { params: GetRunResultParams; result: RunResult };
  /** Says something to a run that is going on. */
  "runs/input": { params: InputRunsParams; result: InputRunResult };
  /** Answers an approval. */
  "runs/respond": { params: RespondRunsParams; result: RespondRunResult };
  /** Stops a run with everything it started, or takes it out of the queue. */
  "runs/cancel": { params: CancelRunsParams; result: CancelRunResult };
  /** Removes a run that is over; the usage ledger keeps its figures. */
  "runs/delete": { params: DeleteRunsParams; result: DeleteRunsResult };
  /** Lists an agent's native sessions on disk. */
  "sessions/list": { params: ListAgentSessionsParams; result: ListSessionsResult };
  /** Reads a native session as unified events. */
  "sessions/read": { params: ReadAgentSessionParams; result: ReadSessionsResult };
  /** Adds up what was used: by agent, model, provider, credential or day. */
  "usage/summary": { params: SummarizeUsageParams; result: UsageSummary };
  /** Lists the adapters that are used, hidden and passed over, with the reasons. */
  "adapters/list": { params: ListAdaptersParams; result: ListAdaptersResult };
  /** Pins an executable as trusted, or takes that back. */
  "adapters/trust": { params: TrustAdaptersParams; result: TrustAdaptersResult };
  /** Says what to type to install an agent CLI and to log in. */
  "adapters/install-hints": { params: ListInstallHintsParams; result: ListInstallHintsResult };
  /** Says who answers, and how busy it is. */
  "host/info": { params: GetHostInfoParams; result: HostStatus };
  /** Takes no more runs, lets the ones that go on end or cancels them, and ends the host. */
  "host/shutdown": { params: ShutdownHostParams; result: ShutdownHostResult };
}

/** What gets no answer, by method. */
export interface Notifications {
  /** Brings events of a run that was attached. */
  "runs/event": AttachedEvents;
}

/** What an app subscribes to, by the method that begins it; its result is the subscription's id. */
export interface Subscriptions {
  /** Sends the events of a run from any number on, at the client's own pace; the last is `done`. */
  "runs/attach": {
    params: AttachRunsParams;
    notification: "runs/event";
    item: RunEvents;
    unsubscribe: "runs/detach";
  };
}

/** A request as it stands on the wire. */
export interface Request<Name extends keyof Methods> {
  jsonrpc: "2.0";
  id: string | number;
  method: Name;
  params: Methods[Name]["params"];
}

/** The answer to a request: a result or an error, never both. */
export type Response<Name extends keyof Methods> =
  | { jsonrpc: "2.0"; id: string | number | null; result: Methods[Name]["result"] }
  | { jsonrpc: "2.0"; id: string | number | null; error: ErrorObject };

/** A notification as it stands on the wire. */
export interface Notification<Name extends keyof Notifications> {
  jsonrpc: "2.0";
  method: Name;
  params: Notifications[Name];
}

/** The event of one type, such as `EventOf<"done">`. */
export type EventOf<Type extends EventType> = Extract<KnownEvent, { type: Type }>;

/** Tells the events of this version from those of a later one; then `switch (event.type)` narrows. */
export function isKnownEvent(event: Event): event is KnownEvent {
  return (EVENT_TYPES as readonly string[]).includes(event.type);
}
