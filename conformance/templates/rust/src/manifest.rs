//! What `--manifest` prints: constants only.

use od_protocol::{Capabilities, Manifest, Marker, UsageCapability};
use od_sdk::manifest::{self, Introduction, Versions};

/// The oldest version of `my-agent` that works.
const MINIMUM_VERSION: &str = "1.0.0";
/// The version of the recordings.
const TESTED_VERSION: &str = "1.2.3";

/// The manifest.
pub fn manifest() -> Manifest {
    let introduction = Introduction {
        adapter_id: "my-agent",
        display_name: "My Agent",
        version: env!("CARGO_PKG_VERSION"),
        description: "runs my-agent and reads its JSON lines",
        homepage: None,
    };
    let versions = Versions { min: MINIMUM_VERSION, tested: TESTED_VERSION };
    // Add how the CLI is installed: `manifest::install("any", "npm", "npm install -g my-agent")`.
    let cli = manifest::cli("my-agent", versions, &[]);
    Manifest { capabilities: capabilities(), ..introduction.manifest(cli) }
}

/// Declare only what the mapper shows: the suite tests each capability.
fn capabilities() -> Capabilities {
    Capabilities {
        run: Some(Marker {}),
        text_deltas: Some(Marker {}),
        tools: Some(Marker {}),
        usage: Some(UsageCapability { cost: true }),
        ..Capabilities::default()
    }
}
