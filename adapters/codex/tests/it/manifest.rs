//! The committed manifest matches the printed one.

use std::path::Path;

use od_sdk::testing::check_manifest;

#[test]
fn committed_manifest_is_current() {
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("manifest.json");
    check_manifest(&committed, env!("CARGO_BIN_EXE_od-adapter-codex"));
}
