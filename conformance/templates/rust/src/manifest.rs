//! The manifest, which `--manifest` prints: constants only.

use od_protocol::{Capabilities, ConformanceInfo, Manifest, Marker, UsageCapability};

/// The oldest version of `my-agent` that works.
const MINIMUM_VERSION: &str = "1.0.0";
/// The version of the recordings.
const TESTED_VERSION: &str = "1.2.3";

/// The manifest.
pub fn manifest() -> Manifest {
    let mut manifest = Manifest::new("my-agent", "My Agent");
    manifest.version = env!("CARGO_PKG_VERSION").to_owned();
    manifest.vendor = "Example Ltd".to_owned();
    manifest.description = "runs my-agent and reads its JSON lines".to_owned();
    manifest.cli.version_min = Some(MINIMUM_VERSION.to_owned());
    manifest.cli.version_tested = Some(TESTED_VERSION.to_owned());
    manifest.capabilities = capabilities();
    manifest.conformance = Some(ConformanceInfo {
        requirements: "1.0".to_owned(),
        fixtures: Some("conformance".to_owned()),
    });
    manifest
}

/// Declare only what the mapper supports: the suite tests each capability.
fn capabilities() -> Capabilities {
    Capabilities {
        run: Some(Marker {}),
        text_deltas: Some(Marker {}),
        tools: Some(Marker {}),
        usage: Some(UsageCapability { cost: true }),
        ..Capabilities::default()
    }
}
