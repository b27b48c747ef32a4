//! The tests of the protocol crate. Tests of the published schemas are in `schemas/xtask`.

mod compatibility;
mod environment;
mod errors;
mod message;
mod versions;

/// A folder of the repository, by its path from the root.
fn repository_folder(path: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}
