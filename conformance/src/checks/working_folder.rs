//! ENV: the working folder of a run.

use std::path::Path;

use od_protocol::ErrorKind;

use super::AdapterCheck;
use super::expectations::{completed, plain_answer, refused_with};
use crate::check::{Gate, active};
use crate::context::{CheckContext, execute_on};
use crate::outcome::CheckOutcome;
use crate::process;

/// The checks of this file.
pub const CHECKS: &[AdapterCheck] = &[active(
    "ENV-07",
    "a `cwd` that is relative, empty, a file or not accessible is refused before the agent CLI is \
     started; a link to a folder and a final slash are accepted and lead to exactly that folder",
    "a relative path depends on where the adapter was started, which no host knows",
    Gate::cli_scenario("text"),
    folders,
)];

fn folders(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut adapter = context.launch()?;
    let folder = context.folder("folders")?;
    let (file, closed, link) = (folder.join("file"), folder.join("closed"), folder.join("link"));
    std::fs::write(&file, "a file")?;
    std::fs::create_dir(&closed)?;
    let text = |path: &Path| path.to_string_lossy().into_owned();
    // `home` exists below the adapter's own working folder.
    let mut refused = vec![
        ("home".to_owned(), "is relative to the adapter's own folder"),
        (".".to_owned(), "is relative"),
        (String::new(), "is empty"),
        (text(&file), "is a file"),
    ];
    if cfg!(unix) && !process::is_root() {
        process::set_mode(&closed, 0)?;
        refused.push((text(&closed), "cannot be entered"));
    }
    let kinds = [ErrorKind::ConfigInvalid, ErrorKind::InvalidParams, ErrorKind::PermissionDenied];
    for (cwd, why) in refused {
        let mut request = context.prepare("text")?.request;
        let sent = format!("run/start with the cwd {cwd:?}, which {why}");
        request.cwd = cwd;
        refused_with(&mut adapter, &request, &kinds, &sent)?;
    }
    process::set_mode(&closed, 0o755)?;
    let real = folder.join("real");
    std::fs::create_dir(&real)?;
    let mut accepted = vec![format!("{}/", text(&real))];
    if process::link_folder(&real, &link).is_ok() {
        accepted.push(text(&link));
    }
    for cwd in accepted {
        let mut prepared = context.prepare("text")?;
        let sent = format!("run/start with the cwd {cwd:?}");
        prepared.values.set("cwd", cwd.clone());
        prepared.script = context.suite.script("text", &prepared.values)?;
        prepared.request.cwd = cwd;
        let run = execute_on(&mut adapter, prepared)?;
        completed(&run.record, &sent)?;
        let found = run.started()?.cwd.clone();
        let is_same = Path::new(&found).canonicalize().ok() == real.canonicalize().ok();
        let expected = format!("the agent CLI works in {}", real.display());
        run.record.ensure(is_same, expected, format!("it works in {found}"), &sent)?;
    }
    Ok(())
}
