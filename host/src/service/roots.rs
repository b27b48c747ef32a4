//! Which paths a client may use: every path of a task must be below a root after links are resolved. What an agent does
//! with its own tools is limited by its permissions, not here.

use std::ffi::OsString;
use std::io::ErrorKind as IoErrorKind;
use std::path::{Component, Path, PathBuf};

use etcetera::BaseStrategy;
use od_protocol::TaskSpec;
use od_protocol::api::PATH_NOT_ALLOWED;
use od_protocol::{ErrorKind, ImageInput};

use crate::error::HostError;

/// The extension of a file that an earlier run wrote, so that a run may append to it.
const TRACE_EXTENSION: &str = "trace";

/// The folders that runs may work in, with links resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    folders: Vec<PathBuf>,
    /// The home folder of the host, with its token and settings.
    excluded: Option<PathBuf>,
}

impl Roots {
    /// These folders and everything below them.
    ///
    /// # Errors
    /// When a path does not exist or is not a folder.
    pub fn new<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> Result<Self, HostError> {
        let resolve = |folder: P| {
            let folder = folder.as_ref();
            let refuse = |why: String| {
                HostError::usage(format!("cannot use {} as a root: {why}", folder.display()))
                    .with_hint("use an existing folder: --root DIR")
            };
            match folder.canonicalize() {
                Ok(resolved) if resolved.is_dir() => Ok(resolved),
                Ok(_) => Err(refuse("it is not a folder".to_owned())),
                Err(error) => Err(refuse(error.to_string())),
            }
        };
        let folders = folders.into_iter().map(resolve).collect::<Result<_, _>>()?;
        Ok(Self { folders, excluded: None })
    }

    /// Excludes a folder below a root; a root inside that folder stays allowed.
    #[must_use]
    pub(super) fn without(self, folder: &Path) -> Self {
        Self { excluded: folder.canonicalize().ok(), ..self }
    }

    /// The user's home folder: it contains projects, and no files of the system or of other users.
    ///
    /// # Errors
    /// When it is unknown or does not exist.
    pub fn of_user() -> Result<Self, HostError> {
        let strategy = etcetera::choose_base_strategy().map_err(|error| {
            HostError::usage(format!("the home folder of the user is unknown: {error}"))
                .with_hint("set the folders that runs may work in: --root DIR")
        })?;
        Self::new([strategy.home_dir()])
    }

    /// The folders.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Checks every path of a task.
    ///
    /// # Errors
    /// `_od.path_not_allowed` for the first path that is not allowed.
    pub fn check(&self, task: &TaskSpec) -> Result<(), HostError> {
        self.check_path("cwd", &task.cwd)?;
        let images = task.prompt.images.iter().filter_map(|image: &ImageInput| image.path.as_ref());
        let named = [
            ("addDirs", &task.add_dirs),
            ("skills", &task.skills),
            ("prompt.attachments", &task.prompt.attachments),
        ];
        for (member, paths) in named {
            paths.iter().try_for_each(|path| self.check_path(member, path).map(drop))?;
        }
        for path in images {
            self.check_path("prompt.images", path)?;
        }
        match &task.trace_path {
            Some(path) => check_trace(&self.check_path("tracePath", path)?),
            None => Ok(()),
        }
    }

    /// Checks one path and returns it with links resolved.
    fn check_path(&self, member: &str, path: &str) -> Result<PathBuf, HostError> {
        let refuse = |why: &str| {
            let text = format!("{member} {path:?} {why}");
            HostError::protocol(ErrorKind::from_wire(PATH_NOT_ALLOWED), text).with_hint(self.hint())
        };
        let path = Path::new(path);
        if !path.is_absolute() {
            return Err(refuse("is not absolute"));
        }
        let resolved =
            resolve(path).map_err(|error| refuse(&format!("cannot be used: {error}")))?;
        let is_excluded =
            |path: &Path| self.excluded.as_ref().is_some_and(|excluded| path.starts_with(excluded));
        let mut roots = self.folders.iter().filter(|root| resolved.starts_with(root)).peekable();
        if roots.peek().is_none() {
            return Err(refuse("is outside the folders that runs may work in"));
        }
        if is_excluded(&resolved) && !roots.any(|root| is_excluded(root)) {
            return Err(refuse("is in the home folder of the host"));
        }
        Ok(resolved)
    }

    fn hint(&self) -> String {
        let folders: Vec<String> =
            self.folders.iter().map(|folder| folder.display().to_string()).collect();
        format!("allowed: {}; `od-host serve --root DIR` allows another folder", folders.join(", "))
    }
}

/// Resolves all links. The last components may not exist yet.
fn resolve(path: &Path) -> std::io::Result<PathBuf> {
    let mut missing: Vec<OsString> = Vec::new();
    let mut existing = path;
    loop {
        match existing.canonicalize() {
            Ok(mut resolved) => {
                resolved.extend(missing.iter().rev());
                return Ok(resolved);
            }
            Err(error) if error.kind() == IoErrorKind::NotFound => {
                // A dangling link: a later write would create its target, which may be anywhere.
                if existing.symlink_metadata().is_ok() {
                    return Err(error);
                }
                let Some(Component::Normal(name)) = existing.components().next_back() else {
                    return Err(error); // `..` below a folder that does not exist.
                };
                missing.push(name.to_owned());
                existing = existing.parent().ok_or(error)?;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Adapters append to the trace, so an existing file must be empty or named `*.trace`.
fn check_trace(path: &Path) -> Result<(), HostError> {
    let Ok(metadata) = path.metadata() else { return Ok(()) };
    let is_trace = path.extension().is_some_and(|extension| extension == TRACE_EXTENSION);
    if metadata.is_file() && (metadata.len() == 0 || is_trace) {
        return Ok(());
    }
    let text = format!("tracePath {} exists and is not a trace", path.display());
    Err(HostError::protocol(ErrorKind::from_wire(PATH_NOT_ALLOWED), text)
        .with_hint("use a new file, or an existing file whose name ends in .trace"))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixture {
        scratch: tempfile::TempDir,
        roots: Roots,
    }

    impl Fixture {
        /// `in/` is the root, `out/` is beside it.
        fn new() -> Self {
            let scratch = tempfile::tempdir().expect("a scratch folder");
            for name in ["in", "out"] {
                std::fs::create_dir(scratch.path().join(name)).expect("a folder");
            }
            let roots = Roots::new([scratch.path().join("in")]).expect("a root");
            Self { scratch, roots }
        }

        fn path(&self, path: &str) -> String {
            self.scratch.path().join(path).display().to_string()
        }

        fn write(&self, path: &str, content: &str) {
            std::fs::write(self.scratch.path().join(path), content).expect("a file");
        }

        fn task(&self) -> TaskSpec {
            TaskSpec { cwd: self.path("in"), ..TaskSpec::default() }
        }

        fn allows(&self, task: &TaskSpec) -> bool {
            match self.roots.check(task) {
                Ok(()) => true,
                Err(error) => {
                    assert_eq!(error.failure.as_str(), PATH_NOT_ALLOWED);
                    assert!(error.hint.is_some(), "{error}");
                    false
                }
            }
        }
    }

    #[test]
    fn only_folders_below_root_are_allowed() {
        let fixture = Fixture::new();
        let allows = |cwd: String| fixture.allows(&TaskSpec { cwd, ..TaskSpec::default() });
        assert!(allows(fixture.path("in")));
        assert!(allows(fixture.path("in/not/there/yet")));
        assert!(allows(fixture.path("out/../in")));
        for bad in ["out", "in/../out", "in-disguise", "in/gone/../../out"] {
            assert!(!allows(fixture.path(bad)), "{bad}");
        }
        for bad in ["", ".", "in", "/"] {
            assert!(!allows(bad.to_owned()), "{bad}");
        }
    }

    #[test]
    fn every_path_member_is_checked() {
        let fixture = Fixture::new();
        let (inside, outside) = (fixture.path("in/x"), fixture.path("out/x"));
        let with = |member: &str, path: &str| {
            let mut task = fixture.task();
            let path = path.to_owned();
            match member {
                "addDirs" => task.add_dirs = vec![path],
                "skills" => task.skills = vec![path],
                "attachments" => task.prompt.attachments = vec![path],
                "images" => {
                    let mime = "image/png".to_owned();
                    task.prompt.images = vec![ImageInput { mime, data: None, path: Some(path) }];
                }
                _ => task.trace_path = Some(path),
            }
            fixture.allows(&task)
        };
        for member in ["addDirs", "skills", "attachments", "images", "tracePath"] {
            assert!(with(member, &inside), "{member}");
            assert!(!with(member, &outside), "{member}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn link_is_checked_by_target() {
        let fixture = Fixture::new();
        let link = |name: &str, target: String| {
            std::os::unix::fs::symlink(target, fixture.path(name)).expect("a link");
        };
        link("in/way-out", fixture.path("out"));
        link("in/nowhere", fixture.path("out/not-yet"));
        link("out/way-in", fixture.path("in"));
        let allows =
            |cwd: &str| fixture.allows(&TaskSpec { cwd: fixture.path(cwd), ..fixture.task() });
        assert!(!allows("in/way-out"));
        assert!(!allows("in/way-out/new"));
        assert!(!allows("in/nowhere"));
        assert!(allows("out/way-in"));
    }

    #[test]
    fn trace_must_be_new_or_trace_file() {
        let fixture = Fixture::new();
        fixture.write("in/notes.txt", "do not touch");
        fixture.write("in/empty.txt", "");
        fixture.write("in/old.trace", "{}");
        let allows = |path: &str| {
            fixture.allows(&TaskSpec { trace_path: Some(fixture.path(path)), ..fixture.task() })
        };
        assert!(allows("in/new.jsonl") && allows("in/empty.txt") && allows("in/old.trace"));
        assert!(!allows("in/notes.txt") && !allows("in"));
    }

    #[test]
    fn home_folder_of_host_is_excluded() {
        let mut fixture = Fixture::new();
        for folder in ["in/host", "in/host/projects"] {
            std::fs::create_dir(fixture.path(folder)).expect("a folder");
        }
        fixture.roots = fixture.roots.clone().without(Path::new(&fixture.path("in/host")));
        let attaches = |fixture: &Fixture, path: &str| {
            let mut task = fixture.task();
            task.prompt.attachments = vec![fixture.path(path)];
            fixture.allows(&task)
        };
        assert!(attaches(&fixture, "in/hosts") && !attaches(&fixture, "in/host/token"));
        assert!(!attaches(&fixture, "in/host/projects/x"));
        let roots =
            Roots::new([fixture.path("in"), fixture.path("in/host/projects")]).expect("roots");
        fixture.roots = roots.without(Path::new(&fixture.path("in/host")));
        assert!(attaches(&fixture, "in/host/projects/x") && !attaches(&fixture, "in/host/token"));
    }

    #[test]
    fn root_must_be_folder() {
        let fixture = Fixture::new();
        fixture.write("file", "");
        for bad in ["gone", "file"] {
            let error = Roots::new([fixture.path(bad)]).expect_err("no root");
            assert!(error.message.contains(bad) && error.hint.is_some(), "{error}");
        }
    }
}
