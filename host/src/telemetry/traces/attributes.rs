//! Names of span attributes. `gen_ai.*` and `error.type` follow OpenTelemetry's GenAI conventions (version 1.41); `od.*`
//! are the host's own.

pub(super) const OPERATION: &str = "gen_ai.operation.name";
pub(super) const PROVIDER: &str = "gen_ai.provider.name";
pub(super) const AGENT_NAME: &str = "gen_ai.agent.name";
pub(super) const AGENT_ID: &str = "gen_ai.agent.id";
pub(super) const AGENT_VERSION: &str = "gen_ai.agent.version";
pub(super) const AGENT_DESCRIPTION: &str = "gen_ai.agent.description";
pub(super) const CONVERSATION: &str = "gen_ai.conversation.id";
pub(super) const REQUEST_MODEL: &str = "gen_ai.request.model";
pub(super) const RESPONSE_MODEL: &str = "gen_ai.response.model";
pub(super) const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
pub(super) const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub(super) const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub(super) const CACHE_READ_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
pub(super) const CACHE_WRITE_TOKENS: &str = "gen_ai.usage.cache_creation.input_tokens";
pub(super) const REASONING_TOKENS: &str = "gen_ai.usage.reasoning.output_tokens";
pub(super) const TOOL_NAME: &str = "gen_ai.tool.name";
pub(super) const TOOL_CALL: &str = "gen_ai.tool.call.id";
pub(super) const TOOL_TYPE: &str = "gen_ai.tool.type";
pub(super) const TOOL_ARGUMENTS: &str = "gen_ai.tool.call.arguments";
pub(super) const TOOL_RESULT: &str = "gen_ai.tool.call.result";
pub(super) const INPUT_MESSAGES: &str = "gen_ai.input.messages";
pub(super) const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
pub(super) const ERROR_TYPE: &str = "error.type";

pub(super) const RUN: &str = "od.run.id";
pub(super) const STATUS: &str = "od.run.status";
pub(super) const EVIDENCE: &str = "od.run.evidence";
pub(super) const ATTEMPT: &str = "od.attempt";
pub(super) const ATTEMPTS: &str = "od.attempts";
pub(super) const COST: &str = "od.cost_usd";
pub(super) const TOOL_KIND: &str = "od.tool.kind";
pub(super) const TOOL_STATUS: &str = "od.tool.status";
pub(super) const MCP_SERVER: &str = "od.mcp.server";
pub(super) const EXIT_CODE: &str = "od.exit_code";
pub(super) const DROPPED_SPANS: &str = "od.spans_left_out";
