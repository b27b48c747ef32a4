//! Where a new adapter goes, and whether it becomes a member of a workspace.

use std::path::{Path, PathBuf};

use super::names::Names;
use super::{CommandError, Language, NewArguments};

/// The pattern of workspace members that makes every folder below `adapters/` a crate.
const MEMBERS: &str = "adapters/*";

/// The folder of a new adapter.
pub(super) struct Destination {
    /// Does not exist yet.
    pub(super) folder: PathBuf,
    /// What surrounds it.
    pub(super) placement: Placement,
}

/// What surrounds a new adapter.
pub(super) enum Placement {
    /// A Cargo workspace that includes the folder and has the sdk.
    Workspace,
    /// Nothing. The sdk is the published crate, or in this folder.
    Standalone {
        /// The absolute path of the sdk.
        sdk_path: Option<PathBuf>,
    },
}

impl Destination {
    /// Decides from the arguments and the current folder.
    pub(super) fn choose(arguments: &NewArguments, names: &Names) -> Result<Self, CommandError> {
        let is_rust = arguments.language == Language::Rust;
        let workspace = std::env::current_dir().ok().as_deref().and_then(workspace_above);
        let folder = match (&arguments.into, workspace.filter(|_| is_rust)) {
            (Some(folder), _) => folder.clone(),
            (None, Some(workspace)) => workspace.join("adapters").join(&names.id),
            (None, None) => PathBuf::from(format!("od-adapter-{}", names.id)),
        };
        if folder.exists() {
            let message = format!("{} already exists", folder.display());
            return Err(CommandError::usage(message, "choose another folder with --into"));
        }
        let is_member = is_rust && is_member(&folder);
        if arguments.sdk_path.is_some() && (is_member || !is_rust) {
            return Err(CommandError::usage(
                "--sdk-path is for Rust adapters outside the workspace of the sdk",
                "remove --sdk-path",
            ));
        }
        let placement = if is_member {
            Placement::Workspace
        } else {
            Placement::Standalone { sdk_path: sdk_path(arguments)? }
        };
        Ok(Self { folder, placement })
    }
}

/// Checks `--sdk-path`; the protocol crate is the folder beside it.
fn sdk_path(arguments: &NewArguments) -> Result<Option<PathBuf>, CommandError> {
    let Some(path) = &arguments.sdk_path else { return Ok(None) };
    let is_crate = |folder: &Path| folder.join("Cargo.toml").is_file();
    match path.canonicalize() {
        Ok(path) if is_crate(&path) && is_crate(&path.join("../protocol")) => Ok(Some(path)),
        _ => Err(CommandError::usage(
            format!("{} is not the folder of od-sdk with protocol beside it", path.display()),
            "pass the sdk folder of a checkout: --sdk-path ../od-adapters/sdk",
        )),
    }
}

/// Whether Cargo finds the folder as a member of the workspace above it.
fn is_member(folder: &Path) -> bool {
    let Ok(folder) = std::path::absolute(folder) else { return false };
    let Some(adapters) = folder.parent() else { return false };
    adapters.parent().is_some_and(|root| adapters == root.join("adapters") && is_workspace(root))
}

fn workspace_above(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|folder| is_workspace(folder)).map(Path::to_owned)
}

fn is_workspace(folder: &Path) -> bool {
    let text = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    let manifest: toml::Table = text.parse().unwrap_or_default();
    let members = manifest.get("workspace").and_then(|workspace| workspace.get("members"));
    let mut members = members.and_then(toml::Value::as_array).into_iter().flatten();
    members.any(|member| member.as_str() == Some(MEMBERS))
}
