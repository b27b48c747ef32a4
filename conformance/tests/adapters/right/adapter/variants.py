"""The legal variants: names, and what each changes. A flag that is absent has the value of PLAIN."""

PLAIN = {
    # Text and other payloads
    "chunks": "native",          # native | characters (at the beginning of a run) | all-characters
                                 # | whole (one delta per message, without the capability)
    "tool_input_deltas": False,  # `tool_input_delta` before `tool_call_ready`
    "tool_output_deltas": False,
    # The form of lines
    "key_order": None,           # None | "reversed" | "sorted"
    "spaces": False,
    "escapes": None,             # None | "non_ascii" | "all": \u escapes in every text
    "line_end": "\n",
    "meta": False,               # vendor data under `_meta` in every message
    "unknown_fields": False,     # fields of a later version, at every depth
    "unknown_events": False,     # events and notifications of a later version and of a vendor
    "padding_bytes": 0,          # vendor data that makes the lines of `run_started` and `done` long
    # Ids
    "ids": "named",              # named | numbers | uuids | long | unicode | shared (the same ids in every namespace)
    "own_tool_ids": False,
    # Time
    "response_delay_ms": 0,
    "start_delay_ms": 0,
    "batch_ms": 0,
    "busy_share": 0.0,           # the share of the time in which nothing is written
    "heartbeat_ms": 5000,
    "clock_step_ms": 1,          # `ts` changes only this often
    # Events
    "extra_events": False,       # status, notice, turns, context, plan, mode_changed
    "optional_fields": "some",   # some | none | all
    "early_message": False,      # `message_started` before there is text
    "early_usage": False,        # `usage` where the agent CLI prints it, not before `done`
    "evidence": "native_result",  # of a completed run: native_result | stop_reason
    "stop_evidence": None,       # of a cancelled run: None (what happened) | watchdog
    "fail_stop_reason": "error",  # error | other
    # Methods and capabilities
    "max_runs": 64,
    "steer": False,
    "edit_input": False,
    "always_options": False,     # also offers allow_always and reject_always
    "static_models": False,
    "capabilities": "all",       # all | few | run
    "error_data": "some",        # some | none (where the code is sufficient) | all
    "stderr": False,
}

VARIANTS = {
    "plain": {},
    "characters": {"chunks": "characters"},
    "all-characters": {"chunks": "all-characters"},
    "whole-messages": {"chunks": "whole"},
    "tool-deltas": {"tool_input_deltas": True, "tool_output_deltas": True},
    "reversed-keys": {"key_order": "reversed"},
    "spaced-json": {"key_order": "sorted", "spaces": True, "line_end": "\r\n"},
    "escaped": {"escapes": "all"},
    "escaped-non-ascii": {"escapes": "non_ascii", "line_end": "\r\n"},
    "meta": {"meta": True},
    "later-version": {"unknown_fields": True, "unknown_events": True},
    "long-lines": {"padding_bytes": 3 << 20},
    "number-ids": {"ids": "numbers", "own_tool_ids": True},
    "uuid-ids": {"ids": "uuids", "own_tool_ids": True},
    "long-ids": {"ids": "long", "own_tool_ids": True},
    "unicode-ids": {"ids": "unicode", "own_tool_ids": True},
    "shared-ids": {"ids": "shared", "own_tool_ids": True},
    "slow-responses": {"response_delay_ms": 200},
    "slow-start": {"start_delay_ms": 1000},
    "batched": {"batch_ms": 50, "clock_step_ms": 50},
    "busy": {"busy_share": 0.75},
    "heartbeats": {"heartbeat_ms": 1000},
    "extra-events": {"extra_events": True, "early_message": True, "early_usage": True},
    "no-optional-fields": {"optional_fields": "none", "error_data": "none"},
    "all-optional-fields": {"optional_fields": "all", "error_data": "all", "extra_events": True},
    "other-evidence": {"evidence": "stop_reason", "stop_evidence": "watchdog", "fail_stop_reason": "other"},
    "one-run": {"max_runs": 1},
    "steering": {"steer": True, "edit_input": True, "always_options": True, "extra_events": True},
    "static-models": {"static_models": True},
    "few-capabilities": {"capabilities": "few"},
    "run-only": {"capabilities": "run", "chunks": "whole"},
    "stderr": {"stderr": True},
}

# What `make test` runs: each flag in one of three.
MIXTURES = {
    "mixture-1": {"chunks": "characters", "ids": "unicode", "own_tool_ids": True, "meta": True, "extra_events": True,
                  "escapes": "all", "line_end": "\r\n", "key_order": "reversed", "optional_fields": "all",
                  "error_data": "all", "steer": True, "edit_input": True, "always_options": True, "stderr": True,
                  "tool_input_deltas": True, "tool_output_deltas": True, "early_usage": True, "early_message": True,
                  "padding_bytes": 1 << 20, "heartbeat_ms": 1000},
    "mixture-2": {"chunks": "whole", "ids": "shared", "own_tool_ids": True, "optional_fields": "none",
                  "error_data": "none", "max_runs": 1, "response_delay_ms": 200, "spaces": True,
                  "key_order": "sorted",
                  "evidence": "stop_reason", "stop_evidence": "watchdog", "fail_stop_reason": "other",
                  "static_models": True},
    "mixture-3": {"unknown_fields": True, "unknown_events": True, "ids": "long", "batch_ms": 50, "clock_step_ms": 50,
                  "busy_share": 0.5, "start_delay_ms": 700, "escapes": "non_ascii", "capabilities": "few"},
}


class Variant:
    """The flags of one variant as attributes."""
    def __init__(self, name):
        flags = {**VARIANTS, **MIXTURES}[name]
        unknown = flags.keys() - PLAIN.keys()
        if unknown:
            raise ValueError(f"variant {name} has unknown flags: {sorted(unknown)}")
        self.name = name
        self.__dict__.update({**PLAIN, **flags})
