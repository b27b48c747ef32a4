//! Files of this crate in its executable: packs and templates.

/// Paths and texts of files, relative to one folder.
pub type Files = &'static [(&'static str, &'static str)];

/// Embeds files of a folder of this crate as [`Files`].
macro_rules! embedded_files {
    ($folder:literal: $($path:literal)+) => {
        &[$((
            $path,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $folder, "/", $path)),
        )),+]
    };
}

pub(crate) use embedded_files;

/// Asserts that every file below a folder of this crate is embedded, except the listed ones.
#[cfg(test)]
#[track_caller]
pub(crate) fn assert_complete(folder: &str, files: Files, except: &[&str]) {
    use std::path::Path;
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut folders = vec![top.clone()];
    let mut found = Vec::new();
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("a readable folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&top).expect("a path below the folder");
                found.push(name.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found.retain(|name| !except.contains(&name.as_str()));
    found.sort();
    let mut embedded: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    embedded.sort_unstable();
    assert_eq!(found, embedded, "{folder}");
}
