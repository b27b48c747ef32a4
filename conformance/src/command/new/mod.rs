//! `conformance new ID --language L`: writes the folder of a new adapter that builds and conforms.

mod destination;
mod names;
mod templates;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{CommandError, EXIT_CONFORMANT};
use crate::console::say;
use destination::{Destination, Placement};
use names::Names;

/// The arguments of `new`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  conformance new acme --language rust
  conformance new acme --language python --into ./acme-adapter
  conformance new acme --language rust --into ./acme-adapter --sdk-path ../od-adapters/sdk")]
pub(super) struct NewArguments {
    /// The adapter id, such as my-agent: the executable becomes od-adapter-my-agent.
    id: String,
    /// The language of the adapter.
    #[arg(long, value_enum)]
    language: Language,
    /// The folder to write; must not exist. Default: adapters/ID for Rust in a workspace with
    /// adapters/*, otherwise ./od-adapter-ID.
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// The folder of the od-sdk crate, for a Rust adapter outside that workspace. Default: the
    /// published crate of this version.
    #[arg(long, value_name = "DIR")]
    sdk_path: Option<PathBuf>,
}

/// The languages with a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    /// A crate on od-sdk.
    Rust,
    /// One executable for Python 3.11, without packages.
    Python,
    /// Sources with TypeScript types that Node 20 runs without a build step.
    Typescript,
}

/// Writes the folder and prints the next commands.
pub(super) fn new(arguments: &NewArguments) -> Result<u8, CommandError> {
    let names = Names::parse(&arguments.id)?;
    let destination = Destination::choose(arguments, &names)?;
    let files = templates::files(arguments.language, &destination.placement, &names);
    write_folder(&destination.folder, &files)?;
    say!("wrote {} files to {}", files.len(), destination.folder.display());
    say!("\nnext:");
    for command in next_commands(arguments.language, &destination, &names) {
        say!("  {command}");
    }
    say!("{} lists the files to change", destination.folder.join("README.md").display());
    if needs_published_sdk(arguments, &destination) {
        let version = env!("CARGO_PKG_VERSION");
        say!("note: this needs od-sdk {version} on crates.io; --sdk-path uses a checkout instead");
    }
    Ok(EXIT_CONFORMANT)
}

fn needs_published_sdk(arguments: &NewArguments, destination: &Destination) -> bool {
    arguments.language == Language::Rust
        && matches!(destination.placement, Placement::Standalone { sdk_path: None })
}

fn next_commands(language: Language, destination: &Destination, names: &Names) -> Vec<String> {
    let executable = format!("od-adapter-{}", names.id);
    let folder = destination.folder.display();
    match (language, &destination.placement) {
        (Language::Rust, Placement::Workspace) => vec![
            format!("cargo build -p {executable}"),
            format!("conformance run target/debug/{executable}"),
            "make generate    # adds the adapter to the generated tables".to_owned(),
        ],
        (Language::Rust, Placement::Standalone { .. }) => vec![
            format!("cd {folder} && cargo build"),
            format!("conformance run target/debug/{executable} --pack conformance"),
        ],
        _ => vec![format!("conformance run {}", destination.folder.join(executable).display())],
    }
}

/// Writes all files, or none: what was written is removed when a file fails.
fn write_folder(folder: &Path, files: &[(String, String)]) -> Result<(), CommandError> {
    let written: std::io::Result<()> = files.iter().try_for_each(|(path, text)| {
        let file = folder.join(path);
        std::fs::create_dir_all(file.parent().unwrap_or(folder))?;
        std::fs::write(&file, text)?;
        if text.starts_with("#!") { make_executable(&file) } else { Ok(()) }
    });
    written.map_err(|error| {
        let message = format!("could not write {}: {error}", folder.display());
        let hint = match std::fs::remove_dir_all(folder) {
            Ok(()) => "choose a folder that can be written with --into",
            Err(_) => "remove it, then choose a folder that can be written with --into",
        };
        CommandError::usage(message, hint)
    })
}

#[cfg(unix)]
fn make_executable(file: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755))
}

/// On Windows the extension of a file decides.
#[cfg(not(unix))]
fn make_executable(_file: &Path) -> std::io::Result<()> {
    Ok(())
}
