// The OD adapter protocol, version 1, as TypeScript types.
// Generated from schemas/v1/schema.json and methods.json: do not edit.
//
// Where a type allows null, it means the same as absent. An open set of words is
// `"a" | "b" | (string & {})`: a later version may send others, so keep a default branch.

export const PROTOCOL_MAJOR = 1;

/** Settings for this adapter. */
export interface AdapterConfig {
  /** The agent CLI to use, exactly: no fallback to PATH. This one rule makes third-party conformance possible. */
  cliPath?: string | null;
  /** What the manifest's `configSchema` describes. */
  options?: Record<string, unknown>;
  /** A folder for the adapter's own caches; absent means: keep nothing. */
  stateDir?: string | null;
}

/** Who answers. */
export interface AdapterInfo {
  /** The id: the file name after `od-adapter-`. */
  id: string;
  /** The adapter's own version. */
  version: string;
  /** Who ships it. */
  vendor: string;
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

/** How one logs in. */
export interface AuthInfo {
  /** Variables that carry a credential. The host passes them on where policy allows. Default: `[]`. */
  env?: string[];
  /** Files that carry one, `~` for the home folder. Default: `[]`. */
  files?: string[];
  /** What to type to log in. */
  loginCommand?: string | null;
  /** `oauth`, `api_key`, …; empty means none is needed. Default: `[]`. */
  methods?: string[];
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

/** Parameters of the notification `$/cancelRequest`. */
export interface CancelRequestParams {
  /** The id of the request; it still gets a response. */
  id: unknown;
}

/** Parameters of `run/cancel`. */
export interface CancelRunParams {
  /** The run. */
  runId: string;
  /** How long the agent CLI may take to stop politely; absent means 2000, 0 means at once. */
  graceMs?: number | null;
  /** Why, for the log. */
  reason?: string | null;
}

/** Result of `run/cancel`. */
export interface CancelRunResult {
  /** The run was there and is being stopped. An unknown or finished run is `false`, no error. */
  accepted: boolean;
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

/** The agent CLI. */
export interface CliInfo {
  /** The executable's names, the best first. */
  names: string[];
  /** How the adapter talks to it. */
  transport: CliTransport;
  /** How one installs it. Default: `[]`. */
  install?: InstallMethod[];
  /** The oldest version that works. */
  versionMin?: string | null;
  /** The version the adapter was tested with. */
  versionTested?: string | null;
}

/** How the adapter talks to the agent CLI. An unknown word is read as a pipe. */
export type CliTransport =
  /** Lines over stdin and stdout. */
  | "stdio"
  /** JSON-RPC over stdin and stdout. */
  | "json_rpc"
  /** The Agent Client Protocol. */
  | "acp"
  /** A local HTTP server. */
  | "http"
  /** A terminal. */
  | "pty"
  /** Part of the adapter itself. */
  | "embedded"
  | (string & {});

/** Which requirement set an adapter claims. */
export interface ConformanceInfo {
  /** The set, such as `1.0`. */
  requirements: string;
  /** Where the fixture pack is, relative to the adapter's source. */
  fixtures?: string | null;
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

/** Parameters of `adapter/detect`. */
export interface DetectAdapterParams {
  /** Look again instead of trusting a cache; slow status commands of the agent CLI may run. Default: `false`. */
  refresh?: boolean;
}

/** Result of `adapter/detect`. "Not installed" is a result, not an error. */
export interface DetectAdapterResult {
  /** The agent CLI is there. */
  installed: boolean;
  /** The state of the login. */
  auth: AuthStatus;
  /** What works with the installed version: a part of what `initialize` declared. */
  capabilities: Capabilities;
  /** The agent CLI's settings folder, when it exists. */
  configDir?: string | null;
  /** What was looked at. Default: `[]`. */
  evidence?: Evidence[];
  /** What to type to install or upgrade. */
  guidance?: string | null;
  /** At least the minimum; null when the version cannot be read. */
  meetsMin?: boolean | null;
  /** The file that a run would start. */
  path?: string | null;
  /** Where it reads skills from, when it does. */
  skillsDir?: string | null;
  /** Against the version tested with; absent when the version cannot be read. */
  testedVersion?: TestedVersion | null;
  /** Its version, as it states it. */
  version?: string | null;
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

/** One variable of the environment. */
export interface EnvRequirement {
  /** Its name. */
  name: string;
  /** It works without. Default: `false`. */
  optional?: boolean;
  /** Its value is never shown. Default: `false`. */
  secret?: boolean;
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

/** Parameters of `quota/get`. */
export type GetQuotaParams = Record<string, unknown>;

/** Result of `quota/get`; null when the account has none that can be read. */
export interface GetQuotaResult {
  /** The windows. */
  windows: QuotaWindow[];
  /** A run started now would be refused. */
  rateLimited: boolean;
  /** The first moment that helps, in milliseconds since 1970. */
  earliestResetAt?: number | null;
}

/** What the next agent is told of what has happened. An unknown word is the prompt only. */
export type Handover =
  /** The prompt alone, as if nothing had happened. */
  | "prompt"
  /** The prompt, and before it what the agent before has said and done. */
  | "transcript"
  | (string & {});

/** Parameters of `adapter/health`. */
export type HealthAdapterParams = Record<string, unknown>;

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

/** What the host can do. A marker is an object; absent means unsupported. */
export interface HostCapabilities {
  /** Somebody answers `approval_requested`; without it the adapter never asks and denies. */
  approvals?: Marker | null;
}

/** Who calls. */
export interface HostInfo {
  /** Its name. */
  name: string;
  /** Its version. */
  version: string;
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

/** Parameters of `initialize`. The shape is frozen for all majors. */
export interface InitializeParams {
  /** The majors the host speaks. */
  protocol: ProtocolRange;
  /** Who calls. */
  host: HostInfo;
  /** What the host can do. Default: `{}`. */
  capabilities?: HostCapabilities;
  /** Settings for this adapter. Default: `{}`. */
  config?: AdapterConfig;
  /** The host's process; when it is gone the adapter stops. Absent means: watch stdin only. */
  hostPid?: number | null;
  /** Limits of the host's reader. Default: `{"maxLineBytes":16777216}`. */
  limits?: Limits;
  /** Custom data. */
  _meta?: Record<string, unknown> | null;
}

/** Result of `initialize`. The shape is frozen for all majors. */
export interface InitializeResult {
  /** The highest major both sides speak. */
  protocol: number;
  /** Who answers. */
  adapter: AdapterInfo;
  /** What it can do, as in the manifest. */
  capabilities: Capabilities;
  /** The revision of the specification the adapter follows. */
  revision?: string | null;
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

/** Parameters of `run/input`. */
export interface InputRunParams {
  /** The run. */
  runId: string;
  /** What to say. */
  text: string;
  /** Only while this turn runs; otherwise refused. */
  expectedTurn?: string | null;
}

/** Result of `run/input`. */
export interface InputRunResult {
  /** What became of it. */
  outcome: InputOutcome;
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

/** Limits of the host's reader. */
export interface Limits {
  /** The longest line it takes. A larger payload is shortened with `truncated`. Default: `16777216`. */
  maxLineBytes?: number;
}

/** Parameters of `models/list`. */
export type ListModelsParams = Record<string, unknown>;

/** Result of `models/list`. */
export interface ListModelsResult {
  /** The models; ids are unique. */
  models: Model[];
  /** Where the list comes from. */
  source: ModelsSource;
  /** The one the agent CLI is set to. */
  current?: string | null;
}

/** Parameters of `sessions/list`. */
export interface ListSessionsParams {
  /** Only sessions of this folder. */
  cwd?: string | null;
  /** At most so many, the newest first; absent means 50. */
  limit?: number | null;
}

/** Result of `sessions/list`. */
export interface ListSessionsResult {
  /** The newest first. */
  sessions: SessionSummary[];
}

/** The manifest. A host accepts any minor of a known major. */
export interface Manifest {
  /** `major.minor` of this document's own shape. */
  manifestVersion: string;
  /** The file name after `od-adapter-`. */
  adapterId: string;
  /** For people. */
  displayName: string;
  /** The adapter's own version (semver). */
  version: string;
  /** Who ships it. */
  vendor: string;
  /** The protocol majors it speaks. */
  protocol: ProtocolRange;
  /** What it can do at best; `adapter/detect` may narrow it. */
  capabilities: Capabilities;
  /** The agent CLI it drives. */
  cli: CliInfo;
  /** How one logs in. */
  auth: AuthInfo;
  /** A JSON Schema of `initialize.config.options` and `run/start.adapterOptions`. */
  configSchema?: Record<string, unknown> | null;
  /** Which requirement set it claims and where its fixtures are. */
  conformance?: ConformanceInfo | null;
  /** In one sentence. Default: `""`. */
  description?: string;
  /** Where to read more. */
  homepage?: string | null;
  /** SPDX. */
  license?: string | null;
  /** Plugin formats the agent CLI loads. Default: `[]`. */
  pluginFormats?: string[];
  /** What it needs. Default: `{"bins":[],"env":[],"platforms":[]}`. */
  requirements?: Requirements;
  /** A detached signature of the executable; null means unsigned. */
  signature?: string | null;
  /** How skills reach the agent. */
  skills?: SkillsInfo | null;
  /** Custom data. */
  _meta?: Record<string, unknown> | null;
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

/** Parameters of `ping`. */
export type PingParams = Record<string, unknown>;

/** Result of `ping`. */
export type PingResult = Record<string, unknown>;

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
export interface ReadSessionsParams {
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

/** What the adapter needs. */
export interface Requirements {
  /** Other programs it needs. Default: `[]`. */
  bins?: string[];
  /** Further variables it reads or the agent CLI wants. Default: `[]`. */
  env?: EnvRequirement[];
  /** Where it works: `linux`, `macos`, `windows`; empty means everywhere. Default: `[]`. */
  platforms?: string[];
}

/** Parameters of `run/respond`. */
export interface RespondRunParams {
  /** The run that asked. */
  runId: string;
  /** The approval, as in `approval_requested`. */
  approvalId: string;
  /** The decision. */
  outcome: ApprovalOutcome;
  /** Who decided; absent means a person. */
  by?: ApprovalResolver | null;
  /** What to tell the agent about a denial. */
  message?: string | null;
  /** The tool's input as the person edited it; absent means unchanged. Needs the capability `approvals.editInput`. */
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
  /** Which one, from 1. */
  attempt: number;
  /** Why, in the agent CLI's words. */
  reason: string;
  /** How long until then; absent means not stated. */
  delayMs?: number | null;
  /** How many there will be at most; absent means not stated. */
  maxAttempts?: number | null;
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

/** Parameters of `shutdown`. */
export interface ShutdownParams {
  /** How long open runs may take to stop politely; absent means 2000. */
  graceMs?: number | null;
}

/** Result of `shutdown`, sent after every run has ended. */
export type ShutdownResult = Record<string, unknown>;

/** How skills reach the agent. An unknown word is read as prompt injection. */
export type SkillStrategy =
  /** The agent CLI reads a folder of skills. */
  | "native"
  /** The text of a skill is put into the prompt. */
  | "prompt"
  /** A file is placed where the agent looks. */
  | "file"
  | (string & {});

/** How skills reach the agent. */
export interface SkillsInfo {
  /** The way. */
  strategy: SkillStrategy;
  /** Folders the agent CLI reads, `~` for the home folder. Default: `[]`. */
  dirs?: string[];
}

/** Parameters of `run/start`. An option the adapter cannot honour is `capability_unsupported` before any process starts, never silently dropped. */
export interface StartRunParams {
  /** Chosen by the host, unique for this adapter process. */
  runId: string;
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

/** Result of `run/start`, sent on acceptance; everything else arrives as events. */
export interface StartRunResult {
  /** The run. */
  runId: string;
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
} as const;

/** What the host calls, by method. */
export interface Methods {
  /** Agrees on a protocol major and hands over the configuration. */
  "initialize": { params: InitializeParams; result: InitializeResult };
  /** Answers at once, also while runs flood. */
  "ping": { params: PingParams; result: PingResult };
  /** Says how the adapter feels, also when the agent CLI hangs. */
  "adapter/health": { params: HealthAdapterParams; result: HealthAdapterResult };
  /** Finds the agent CLI, its version and login: read-only, local and fast. */
  "adapter/detect": { params: DetectAdapterParams; result: DetectAdapterResult };
  /** Lists models and their efforts. */
  "models/list": { params: ListModelsParams; result: ListModelsResult };
  /** Reads what is left of an allowance; null when that cannot be read. */
  "quota/get": { params: GetQuotaParams; result: GetQuotaResult | null };
  /** Lists native sessions on disk. */
  "sessions/list": { params: ListSessionsParams; result: ListSessionsResult };
  /** Reads a native session as unified events. */
  "sessions/read": { params: ReadSessionsParams; result: ReadSessionsResult };
  /** Starts a run; answered on acceptance, everything else arrives as events. */
  "run/start": { params: StartRunParams; result: StartRunResult };
  /** Says something to a live run. */
  "run/input": { params: InputRunParams; result: InputRunResult };
  /** Answers an approval. */
  "run/respond": { params: RespondRunParams; result: RespondRunResult };
  /** Stops a run with everything it started. */
  "run/cancel": { params: CancelRunParams; result: CancelRunResult };
  /** Stops every run, then answers. */
  "shutdown": { params: ShutdownParams; result: ShutdownResult };
}

/** What gets no answer, by method. */
export interface Notifications {
  /** Says what happened in a run. */
  "run/event": RunEventParams;
  /** Gives a request up; it still gets a response. */
  "$/cancelRequest": CancelRequestParams;
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
