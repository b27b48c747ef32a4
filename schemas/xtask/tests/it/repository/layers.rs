//! The layers inside host, sdk and conformance: a module imports only modules of lower layers.
//!
//! The `//!` of each `lib.rs` lists the layers, the bottom first, in a section `# Layers` with lines such as
//! ``//! 1. `error`, `home`: plain values and files``.

use std::collections::BTreeMap;

use super::work_tree::{assert_none, read, rust_files};

#[test]
fn host_modules_import_only_lower_layers() {
    check_crate("host");
}

#[test]
fn sdk_modules_import_only_lower_layers() {
    check_crate("sdk");
}

#[test]
fn conformance_modules_import_only_lower_layers() {
    check_crate("conformance");
}

fn check_crate(folder: &str) {
    let source = format!("{folder}/src/");
    let files: Vec<(String, String)> = rust_files()
        .into_iter()
        .filter(|file| file.starts_with(&source))
        .map(|file| (file.clone(), read(&file)))
        .collect();
    assert_none("imports that the layers forbid", violations(&source, &files));
}

/// The layer of each module, by the list in `lib.rs`.
type Layers = BTreeMap<String, usize>;

/// All violations of one crate. `files` are paths and texts, `source` is the folder of `lib.rs` with a final slash.
fn violations(source: &str, files: &[(String, String)]) -> Vec<String> {
    let root = format!("{source}lib.rs");
    let Some((_, lib)) = files.iter().find(|(path, _)| *path == root) else {
        return vec![format!("{root} is missing")];
    };
    let layers = match parse_layers(lib) {
        Ok(layers) => layers,
        Err(problem) => return vec![format!("{root}: {problem}")],
    };
    let modules = declared_modules(lib);
    let mut found = Vec::new();
    for module in modules.iter().filter(|module| !layers.contains_key(*module)) {
        found.push(format!("{root}: module `{module}` is in no layer"));
    }
    for module in layers.keys().filter(|module| !modules.contains(module)) {
        found.push(format!("{root}: layer lists `{module}`, which is not a module"));
    }
    let reexports = reexports(lib, &modules);
    for (path, text) in files.iter().filter(|(path, _)| !is_exempt(source, path)) {
        found.extend(file_violations(source, path, text, &layers, &reexports));
    }
    found
}

/// Roots of crates and files of tests may import everything.
fn is_exempt(source: &str, path: &str) -> bool {
    let inner = path.strip_prefix(source).unwrap_or(path);
    let is_root = matches!(inner, "lib.rs" | "main.rs") || inner.starts_with("bin/");
    is_root || inner.ends_with("/tests.rs") || inner.contains("/tests/")
}

fn file_violations(
    source: &str,
    path: &str,
    text: &str,
    layers: &Layers,
    reexports: &BTreeMap<String, String>,
) -> Vec<String> {
    let module_path = module_path(source, path);
    let Some(own) = module_path.first() else { return Vec::new() };
    let Some(own_layer) = layers.get(own) else { return Vec::new() };
    imports(text, module_path.len())
        .into_iter()
        .filter_map(|(line, name)| {
            let module = if layers.contains_key(&name) { &name } else { reexports.get(&name)? };
            let layer = layers.get(module)?;
            let is_forbidden = module != own && layer >= own_layer;
            is_forbidden.then(|| {
                format!(
                    "{path}:{line}: `{own}` (layer {own_layer}) imports `{module}` (layer {layer})"
                )
            })
        })
        .collect()
}

/// `a/b.rs` and `a/b/mod.rs` are the module `a::b`.
fn module_path(source: &str, path: &str) -> Vec<String> {
    let inner = path.strip_prefix(source).unwrap_or(path).trim_end_matches(".rs");
    let inner = inner.strip_suffix("/mod").unwrap_or(inner);
    inner.split('/').map(str::to_owned).collect()
}

/// Reads the section `# Layers`; each module must be listed once.
fn parse_layers(lib: &str) -> Result<Layers, String> {
    let mut lines = lib.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    if !lines.any(|line| line == "# Layers") {
        return Err("the documentation has no section \"# Layers\"".to_owned());
    }
    let mut layers = Layers::new();
    let mut expected = 1;
    for line in lines.take_while(|line| !line.starts_with('#')) {
        let Some(rest) = line.strip_prefix(&format!("{expected}. ")) else {
            if line.starts_with(|first: char| first.is_ascii_digit()) {
                return Err(format!("expected layer {expected}: {line}"));
            }
            continue;
        };
        for module in layer_modules(rest).ok_or_else(|| format!("cannot read layer: {line}"))? {
            if layers.insert(module.to_owned(), expected).is_some() {
                return Err(format!("`{module}` is listed twice"));
            }
        }
        expected += 1;
    }
    match layers.is_empty() {
        true => Err("the section \"# Layers\" lists no layer".to_owned()),
        false => Ok(layers),
    }
}

/// The modules of ``a`, `b`: description``.
fn layer_modules(mut text: &str) -> Option<Vec<&str>> {
    let mut modules = Vec::new();
    loop {
        let (module, rest) = text.strip_prefix('`')?.split_once('`')?;
        modules.push(module);
        if rest.starts_with(':') {
            return Some(modules);
        }
        text = rest.strip_prefix(", ")?;
    }
}

/// The top-level modules that are not for tests only.
fn declared_modules(lib: &str) -> Vec<String> {
    code_lines(lib)
        .into_iter()
        .filter_map(|(_, line)| {
            let declaration = line.trim().strip_suffix(';')?;
            let (before, module) = declaration.split_once("mod ")?;
            let is_visibility = before.is_empty() || before.starts_with("pub");
            is_visibility.then(|| module.to_owned())
        })
        .collect()
}

/// Which module each name comes from that `lib.rs` exports again.
fn reexports(lib: &str, modules: &[String]) -> BTreeMap<String, String> {
    let code: String = code_lines(lib).into_iter().map(|(_, line)| line + "\n").collect();
    let mut names = BTreeMap::new();
    for statement in code.split(';').filter_map(|part| part.split("use ").nth(1)) {
        let Some((module, rest)) = statement.split_once("::") else { continue };
        if !modules.iter().any(|known| known == module) {
            continue;
        }
        for name in rest.split([',', '{', '}']).filter_map(|part| part.rsplit("::").next()) {
            let name = name.rsplit(" as ").next().unwrap_or(name).trim();
            names.insert(name.to_owned(), module.to_owned());
        }
    }
    names
}

/// The lines of code with their numbers: without comments, and without what is compiled for tests only.
fn code_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines = text.lines().enumerate();
    let mut code = Vec::new();
    while let Some((index, line)) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            skip_item(&mut lines);
            continue;
        }
        let line = line.split("//").next().unwrap_or_default();
        code.push((index + 1, line.to_owned()));
    }
    code
}

/// Skips the item after an attribute: up to the semicolon of its first line, or to the brace that closes it.
fn skip_item<'a>(lines: &mut impl Iterator<Item = (usize, &'a str)>) {
    let Some((_, first)) = lines.find(|(_, line)| !line.trim().starts_with("#[")) else { return };
    if first.trim_end().ends_with(['{', '(', '[']) {
        let indent: String = first.chars().take_while(|character| *character == ' ').collect();
        lines.find(|(_, line)| {
            line.strip_prefix(&indent).is_some_and(|rest| rest.starts_with(['}', ')', ']']))
        });
    }
}

/// Every name that a file takes from the root of its crate, with its line. `depth` is the number of `super::` that
/// lead from the file to the root.
fn imports(text: &str, depth: usize) -> Vec<(usize, String)> {
    let mut code = String::new();
    let mut starts = Vec::new();
    for (number, line) in code_lines(text) {
        starts.push((code.len(), number));
        code += &line;
        code.push('\n');
    }
    let line_at = |position: usize| {
        let index = starts.partition_point(|(start, _)| *start <= position);
        starts[index - 1].1
    };
    let root_paths = ["crate::".to_owned(), "super::".repeat(depth)];
    let mut names = Vec::new();
    for root_path in root_paths {
        for (position, _) in code.match_indices(&root_path) {
            let is_path = |character: char| character.is_alphanumeric() || "_:".contains(character);
            if code[..position].ends_with(is_path) {
                continue;
            }
            let after = position + root_path.len();
            names.extend(
                first_names(&code, after).into_iter().map(|(at, name)| (line_at(at), name)),
            );
        }
    }
    names
}

/// The name at a position, or the first name of each entry of a `{…}` group there.
fn first_names(code: &str, position: usize) -> Vec<(usize, String)> {
    let name_at = |start: usize| {
        let rest = &code[start..];
        let is_name = |character: char| character.is_alphanumeric() || character == '_';
        let end = rest.find(|character| !is_name(character)).unwrap_or(rest.len());
        (end > 0 && !rest.starts_with("super::")).then(|| (start, rest[..end].to_owned()))
    };
    if !code[position..].starts_with('{') {
        return name_at(position).into_iter().collect();
    }
    let mut names = Vec::new();
    let mut depth = 0;
    let mut starts_entry = false;
    for (offset, character) in code[position..].char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        match (depth, character) {
            (0, _) => break,
            (1, '{' | ',') => starts_entry = true,
            (_, space) if space.is_whitespace() => {}
            _ if starts_entry => {
                names.extend(name_at(position + offset));
                starts_entry = false;
            }
            _ => {}
        }
    }
    names
}

const EXAMPLE_LIB: &str = "\
//! An example.
//!
//! # Layers
//! 1. `error`, `home`: plain values and files
//! 2. `journal`: events on disk
//! 3. `run`: one task per run

pub mod error;
mod home;
pub(crate) mod journal;
mod run;
#[cfg(test)]
mod stage;

pub use run::{Run, RunId};
";

fn check_example(path: &str, text: &str, expected: &[&str]) {
    let files = [("src/lib.rs", EXAMPLE_LIB), (path, text)];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    assert_eq!(violations("src/", &files), expected);
}

#[test]
fn import_of_lower_layer_is_allowed() {
    let text =
        "use crate::{error::Error, journal::{self, Writer}};\nfn f() { crate::home::find() }\n";
    check_example("src/run/task.rs", text, &[]);
    check_example("src/run.rs", "use super::journal;\nuse crate::run::task;\n", &[]);
}

#[test]
fn reversed_import_is_reported_with_line() {
    let text = "//! Doc.\nuse crate::{\n    error::Error,\n    run::Task,\n};\n";
    let expected = ["src/journal.rs:4: `journal` (layer 2) imports `run` (layer 3)"];
    check_example("src/journal.rs", text, &expected);
    let expected = ["src/journal/read.rs:1: `journal` (layer 2) imports `run` (layer 3)"];
    check_example("src/journal/read.rs", "use super::super::run;\n", &expected);
}

#[test]
fn import_of_same_layer_is_reported() {
    let expected = ["src/home.rs:1: `home` (layer 1) imports `error` (layer 1)"];
    check_example("src/home.rs", "use crate::error::Error;\n", &expected);
}

#[test]
fn import_by_reexport_is_reported() {
    let expected = ["src/journal.rs:1: `journal` (layer 2) imports `run` (layer 3)"];
    check_example("src/journal.rs", "use crate::RunId;\n", &expected);
}

#[test]
fn imports_of_tests_are_exempt() {
    let text = "fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::run::Task;\n}\n";
    check_example("src/journal.rs", text, &[]);
    check_example("src/journal/tests.rs", "use crate::run::Task;\n", &[]);
    check_example("src/journal.rs", "// crate::run is a comment\n", &[]);
}

#[test]
fn unlisted_module_is_reported() {
    let lib = EXAMPLE_LIB.replace("mod run;", "mod run;\nmod queue;").replace("`home`", "`cache`");
    let found = violations("src/", &[("src/lib.rs".to_owned(), lib)]);
    let expected = [
        "src/lib.rs: module `home` is in no layer",
        "src/lib.rs: module `queue` is in no layer",
        "src/lib.rs: layer lists `cache`, which is not a module",
    ];
    assert_eq!(found, expected);
}

#[test]
fn missing_layer_section_is_reported() {
    let found = violations("src/", &[("src/lib.rs".to_owned(), "//! Doc.\nmod a;\n".to_owned())]);
    assert_eq!(found, ["src/lib.rs: the documentation has no section \"# Layers\""]);
}
