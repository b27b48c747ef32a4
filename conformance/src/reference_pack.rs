//! The embedded fixture pack of the reference adapter, so that `self-test` needs no other file.

use crate::embedded::{Files, embedded_files};

/// Every file of the pack.
pub const REFERENCE_PACK: Files = embedded_files!("packs/mutant":
    "auth_expired.json"
    "conformance.toml"
    "sessions/new.jsonl"
    "sessions/old.jsonl"
    "steps/approval"
    "steps/auth_fail_run"
    "steps/cancel"
    "steps/context_exceeded"
    "steps/file_delete"
    "steps/file_rename"
    "steps/file_write"
    "steps/fork"
    "steps/input"
    "steps/model_unknown"
    "steps/no_cost"
    "steps/rate_limit"
    "steps/resume"
    "steps/retry_forever"
    "steps/session_unknown"
    "steps/subagent"
    "steps/text"
    "steps/thinking"
    "steps/tool_error"
    "steps/tool_ok"
    "steps/tool_open"
    "steps/tool_parallel"
    "steps/unmapped"
    "steps/usage"
);

#[cfg(test)]
mod tests {
    #[test]
    fn every_file_of_pack_is_embedded() {
        crate::embedded::assert_complete("packs/mutant", super::REFERENCE_PACK, &[]);
    }
}
