//! The files of `templates/`, built into the executable. Each is a complete adapter called
//! `my-agent`; that name is the placeholder.

use std::path::Path;

use super::Language;
use super::destination::Placement;
use super::names::Names;
use crate::embedded::{Files, embedded_files};

const SHARED: Files = embedded_files!("templates/shared":
    "conformance/cancel.steps"
    "conformance/conformance.toml"
    "conformance/no_cost.steps"
    "conformance/text.steps"
    "conformance/tool_error.steps"
    "conformance/tool_ok.steps"
    "conformance/tool_open.steps"
    "conformance/tool_parallel.steps"
    "conformance/unmapped.steps"
    "conformance/usage.steps"
    "sample-cli/my-agent"
);

const RUST: Files = embedded_files!("templates/rust":
    "README.md"
    "manifest.json"
    "recordings/1.2.3/count_words.events.jsonl"
    "recordings/1.2.3/count_words.meta.json"
    "recordings/1.2.3/count_words.stderr.txt"
    "recordings/1.2.3/count_words.stdout.jsonl"
    "src/adapter.rs"
    "src/events.rs"
    "src/invocation.rs"
    "src/lib.rs"
    "src/main.rs"
    "src/manifest.rs"
    "src/native.rs"
    "tests/it/main.rs"
    "tests/recordings.rs"
);

const PYTHON: Files = embedded_files!("templates/python":
    "README.md"
    "manifest.json"
    "od-adapter-my-agent"
    "recordings/1.2.3/count_words.events.jsonl"
    "recordings/1.2.3/count_words.stdout.jsonl"
    "tests/test_adapter.py"
);

const TYPESCRIPT: Files = embedded_files!("templates/typescript":
    "README.md"
    "manifest.json"
    "od-adapter-my-agent"
    "package.json"
    "recordings/1.2.3/count_words.events.jsonl"
    "recordings/1.2.3/count_words.stdout.jsonl"
    "src/detection.mjs"
    "src/invocation.mjs"
    "src/main.mjs"
    "src/manifest.mjs"
    "src/mapper.mjs"
    "src/processes.mjs"
    "src/run.mjs"
    "src/wire.mjs"
    "tests/adapter.test.mjs"
    "tsconfig.json"
);

const WORKSPACE_CARGO: &str = include_str!("../../../templates/rust/Cargo.toml");
const STANDALONE_CARGO: &str = include_str!("../../../templates/rust/Cargo.standalone.toml");
const PROTOCOL_TYPES: &str = include_str!("../../../../schemas/v1/types.ts");

/// The folder of a workspace member in the Rust template's README.
const MEMBER_FOLDER: &str = "adapters/my-agent/";

/// Path and text of every file of a new adapter.
pub(super) fn files(
    language: Language,
    placement: &Placement,
    names: &Names,
) -> Vec<(String, String)> {
    let (own, generated) = match language {
        Language::Rust => (RUST, Some(("Cargo.toml", cargo_manifest(placement)))),
        Language::Python => (PYTHON, None),
        Language::Typescript => (TYPESCRIPT, Some(("src/types.ts", PROTOCOL_TYPES.to_owned()))),
    };
    let embedded = own.iter().chain(SHARED).map(|(path, text)| (*path, (*text).to_owned()));
    let is_standalone = matches!(placement, Placement::Standalone { .. });
    embedded
        .chain(generated)
        .map(|(path, text)| {
            let text = if is_standalone { text.replace(MEMBER_FOLDER, "") } else { text };
            (names.apply(path), names.apply(&text))
        })
        .collect()
}

fn cargo_manifest(placement: &Placement) -> String {
    let Placement::Standalone { sdk_path } = placement else { return WORKSPACE_CARGO.to_owned() };
    let version = env!("CARGO_PKG_VERSION");
    let source = |folder: &str| match sdk_path {
        Some(sdk) => format!("path = {:?}", path_text(&sdk.join("..").join(folder))),
        None => format!("version = {version:?}"),
    };
    let sdk = source("sdk");
    STANDALONE_CARGO
        .replace("{version}", version)
        .replace("{od-protocol}", &format!("{{ {} }}", source("protocol")))
        .replace("{od-sdk}", &format!("{{ {sdk} }}"))
        .replace("{od-sdk-testing}", &format!("{{ {sdk}, features = [\"testing\"] }}"))
}

fn path_text(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::assert_complete;

    #[test]
    fn every_template_file_is_embedded() {
        assert_complete("templates/shared", SHARED, &[]);
        assert_complete("templates/rust", RUST, &["Cargo.toml", "Cargo.standalone.toml"]);
        assert_complete("templates/python", PYTHON, &[]);
        assert_complete("templates/typescript", TYPESCRIPT, &[]);
    }
}
