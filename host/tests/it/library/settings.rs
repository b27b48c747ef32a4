//! `settings.toml` and the home folder: who may have written them, and how mistakes are reported.

use od_host::{Host, HostError};

use super::stage::Stage;

fn refused(stage: &Stage) -> HostError {
    let error = Host::open(stage.options()).expect_err("it cannot be used");
    assert!(error.hint.is_some(), "{error}");
    error
}

#[test]
fn settings_error_names_file_line_and_key() {
    let stage = Stage::with("x", "good");
    drop(stage.host());
    let file = stage.home().settings_file();
    std::fs::write(&file, "[serve]\nbind = 5\n").expect("settings");
    let error = refused(&stage);
    let expected = format!("cannot use {}: line 2: serve.bind: ", file.display());
    assert!(error.message.starts_with(&expected), "{error}");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("a mode");
    }

    #[test]
    fn writable_settings_file_is_refused() {
        let stage = Stage::with("x", "good");
        drop(stage.host());
        let file = stage.home().settings_file();
        std::fs::write(&file, "[agents.x]\ncliPath = \"/bin/true\"\n").expect("settings");
        for mode in [0o664, 0o646] {
            set_mode(&file, mode);
            let hint = refused(&stage).hint.expect("a hint");
            assert!(hint.ends_with(&format!("chmod go-w {}", file.display())), "{hint}");
        }
        set_mode(&file, 0o644);
        drop(stage.host());
    }

    #[test]
    fn writable_home_folder_is_refused() {
        let stage = Stage::with("x", "good");
        drop(stage.host());
        let home = stage.home();
        let mode = std::fs::metadata(home.root()).expect("a folder").permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "it is private");
        set_mode(home.root(), 0o770);
        let hint = refused(&stage).hint.expect("a hint");
        assert!(hint.contains("chmod go-w") && hint.contains("OD_HOME"), "{hint}");
    }
}
