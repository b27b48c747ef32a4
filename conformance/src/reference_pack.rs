//! The embedded fixture pack of the reference adapter, so that `self-test` needs no other file.

/// Every file of the pack: its path and its text.
pub const REFERENCE_PACK: &[(&str, &str)] = &[
    ("auth_expired.json", include_str!("../packs/mutant/auth_expired.json")),
    ("conformance.toml", include_str!("../packs/mutant/conformance.toml")),
    ("steps/approval", include_str!("../packs/mutant/steps/approval")),
    ("steps/auth_fail_run", include_str!("../packs/mutant/steps/auth_fail_run")),
    ("steps/cancel", include_str!("../packs/mutant/steps/cancel")),
    ("steps/context_exceeded", include_str!("../packs/mutant/steps/context_exceeded")),
    ("steps/file_delete", include_str!("../packs/mutant/steps/file_delete")),
    ("steps/file_rename", include_str!("../packs/mutant/steps/file_rename")),
    ("steps/file_write", include_str!("../packs/mutant/steps/file_write")),
    ("steps/fork", include_str!("../packs/mutant/steps/fork")),
    ("steps/input", include_str!("../packs/mutant/steps/input")),
    ("steps/model_unknown", include_str!("../packs/mutant/steps/model_unknown")),
    ("steps/no_cost", include_str!("../packs/mutant/steps/no_cost")),
    ("steps/rate_limit", include_str!("../packs/mutant/steps/rate_limit")),
    ("steps/resume", include_str!("../packs/mutant/steps/resume")),
    ("steps/retry_forever", include_str!("../packs/mutant/steps/retry_forever")),
    ("steps/session_unknown", include_str!("../packs/mutant/steps/session_unknown")),
    ("steps/text", include_str!("../packs/mutant/steps/text")),
    ("steps/thinking", include_str!("../packs/mutant/steps/thinking")),
    ("steps/tool_error", include_str!("../packs/mutant/steps/tool_error")),
    ("steps/tool_ok", include_str!("../packs/mutant/steps/tool_ok")),
    ("steps/tool_open", include_str!("../packs/mutant/steps/tool_open")),
    ("steps/tool_parallel", include_str!("../packs/mutant/steps/tool_parallel")),
    ("steps/unmapped", include_str!("../packs/mutant/steps/unmapped")),
    ("steps/usage", include_str!("../packs/mutant/steps/usage")),
];

#[cfg(test)]
mod tests {
    use super::REFERENCE_PACK;

    fn files(folder: &std::path::Path, top: &std::path::Path, names: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("the pack exists").flatten() {
            if entry.path().is_dir() {
                files(&entry.path(), top, names);
            } else {
                let path = entry.path();
                let name = path.strip_prefix(top).expect("a path below the pack");
                names.push(name.to_string_lossy().replace('\\', "/"));
            }
        }
    }

    #[test]
    fn every_file_of_pack_is_embedded() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("packs/mutant");
        let mut names = Vec::new();
        files(&folder, &folder, &mut names);
        names.sort();
        let mut built_in: Vec<&str> = REFERENCE_PACK.iter().map(|(name, _)| *name).collect();
        built_in.sort_unstable();
        assert_eq!(names, built_in);
    }
}
