//! The list of all generated files.

use crate::contract::CONTRACTS;
use crate::files::{GeneratedFile, pretty};
use crate::{
    examples, host_readme, methods_json, openrpc, python, requirements, root_readme, specification,
    types_md, typescript,
};

/// Every generated file with its current text.
pub fn files() -> Vec<GeneratedFile> {
    let mut files = vec![methods_json::file()];
    for contract in CONTRACTS {
        files.extend([
            GeneratedFile::new(contract.file("schema.json"), pretty(&contract.document)),
            GeneratedFile::new(contract.file("openrpc.json"), pretty(&openrpc::generate(contract))),
            GeneratedFile::new(contract.file("types.md"), types_md::generate(contract)),
            GeneratedFile::new(contract.types_ts, typescript::generate(contract)),
            GeneratedFile::new(contract.types_py, python::generate(contract)),
        ]);
        files.extend(examples::files(contract));
    }
    files.extend([
        specification::file(),
        requirements::file(),
        host_readme::file(),
        root_readme::file(),
    ]);
    files
}

/// Describes every file that differs from its generated text.
pub fn stale() -> Vec<String> {
    files().iter().filter_map(GeneratedFile::difference).collect()
}

/// Rewrites every file that is not current and returns their paths.
///
/// # Errors
/// When a file cannot be written.
pub fn write() -> std::io::Result<Vec<String>> {
    let stale: Vec<GeneratedFile> =
        files().into_iter().filter(|file| file.difference().is_some()).collect();
    for file in &stale {
        file.write()?;
    }
    Ok(stale.into_iter().map(|file| file.path).collect())
}
