//! The enumerations of protocol version 1, as its schema defines them.

pub(super) const UPDATE_KINDS: &[&str] = &[
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
];

/// Updates that belong to a turn and may not arrive after its end.
pub(super) const TURN_KINDS: &[&str] =
    &["agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"];

pub(super) const STOP_REASONS: &[&str] =
    &["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"];

pub(super) const TOOL_STATUSES: &[&str] = &["pending", "in_progress", "completed", "failed"];

pub(super) const TOOL_KINDS: &[&str] = &[
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "fetch",
    "switch_mode",
    "other",
];

pub(super) const OPTION_KINDS: &[&str] =
    &["allow_once", "allow_always", "reject_once", "reject_always"];
