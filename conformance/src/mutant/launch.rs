//! `run/start` to a process of the agent CLI: options, arguments, environment, folder.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorKind, ErrorObject, NetworkMode, SessionMode};

use super::detect;
use super::fault::{Behaviour, Fault};
use super::manifest::{AUTH_VARIABLE, INSTALL_COMMAND};
use super::{kept_state, options, ownership, tree};

/// The inherited variables that the agent CLI gets.
const PASSED_VARIABLES: [&str; 22] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "TZ",
    "TMPDIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "SystemRoot",
];
/// The fault truncates longer prompts.
const TRUNCATED_PROMPT_BYTES: usize = 1 << 18;

/// A started agent CLI.
pub(super) struct Launched {
    pub(super) child: Child,
    pub(super) path: PathBuf,
    pub(super) arguments: Vec<String>,
}

/// Starts the agent CLI.
pub(super) fn launch(
    behaviour: Behaviour,
    cli_path: Option<&str>,
    params: &StartRunParams,
) -> Result<Launched, ErrorObject> {
    if !behaviour.has(Fault::DropsOptions) {
        options::refuse_undeclared(behaviour, params)?;
    }
    refuse_switch_values(behaviour, params)?;
    options::refuse_mode(params)?;
    options::refuse_empty_prompt(behaviour, params)?;
    let cwd = folder(behaviour, Path::new(&params.cwd))?;
    let path = detect::find_cli(behaviour, cli_path).ok_or_else(|| {
        let pending_approvals = cli_path.unwrap_or("parrot");
        let text = format!("agent CLI {pending_approvals} not found");
        let error = ErrorObject::new(ErrorKind::CliNotFound, text);
        match behaviour.has(Fault::NoHints) {
            true => error,
            false => error.with_hint(INSTALL_COMMAND),
        }
    })?;
    let arguments = arguments(behaviour, params);
    let mut command = Command::new(&path);
    command.args(&arguments).current_dir(cwd);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if !behaviour.has(Fault::LeakEnv) {
        command.env_clear();
    }
    command.envs(environment(behaviour, &params.env));
    tree::own_group(&mut command);
    match ownership::spawn(&mut command) {
        Ok(child) => Ok(Launched { child, path, arguments }),
        Err(error) => Err(spawn_failure(behaviour, &path, &error)),
    }
}

/// The first line on stdin.
pub(super) fn prompt_line(behaviour: Behaviour, params: &StartRunParams) -> Vec<u8> {
    let normalized = match behaviour.has(Fault::NormalizesLineEnds) {
        true => params.prompt.text.replace("\r\n", "\n"),
        false => params.prompt.text.clone(),
    };
    let mut text = normalized.as_str();
    if behaviour.has(Fault::TrimsPrompt) {
        text = text.trim();
    }
    if behaviour.has(Fault::PromptWithoutByteOrderMark) {
        text = text.trim_start_matches('\u{feff}');
    }
    if behaviour.has(Fault::PromptIsCommand) {
        text = text.trim_start_matches(['/', '@', '-']);
    }
    if behaviour.has(Fault::CutsLongPrompt) && text.len() > TRUNCATED_PROMPT_BYTES {
        let cut = (0..=TRUNCATED_PROMPT_BYTES).rev().find(|cut| text.is_char_boundary(*cut));
        text = &text[..cut.unwrap_or(0)];
    }
    let mut line = options::requested_options(behaviour, params);
    line.insert("t".to_owned(), "prompt".into());
    line.insert("text".to_owned(), text.into());
    let mut line = serde_json::Value::Object(line).to_string().into_bytes();
    line.push(b'\n');
    line
}

/// The variables an agent CLI gets; also used for probes.
pub(super) fn environment(
    behaviour: Behaviour,
    of_run: &BTreeMap<String, String>,
) -> BTreeMap<OsString, OsString> {
    let inherited = std::env::vars_os()
        .filter(|(name, value)| passes(behaviour, &name.to_string_lossy(), value));
    let mut variables: BTreeMap<OsString, OsString> = inherited.collect();
    let term = std::env::var_os("TERM").filter(|_| behaviour.has(Fault::KeepsTerm));
    variables.insert("TERM".into(), term.unwrap_or_else(|| "dumb".into()));
    variables.insert("NO_COLOR".into(), "1".into());
    if behaviour.has(Fault::SetsUser) {
        variables.entry("USER".into()).or_insert_with(|| "parrot".into());
    }
    for (name, value) in of_run.iter().filter(|_| !behaviour.has(Fault::DropsRunEnv)) {
        let is_known = variables.contains_key(OsStr::new(name));
        if !(is_known && behaviour.has(Fault::RunEnvLoses)) {
            variables.insert(name.into(), value.into());
        }
    }
    keep(behaviour, &mut variables, of_run);
    variables
}

/// Whether an inherited variable passes.
fn passes(behaviour: Behaviour, name: &str, value: &OsStr) -> bool {
    let is_allowed = |allowed: &&str| {
        *allowed == name
            || behaviour.has(Fault::AllowsPrefixes) && name.starts_with(allowed)
            || behaviour.has(Fault::IgnoresCase) && allowed.eq_ignore_ascii_case(name)
    };
    let is_dropped = behaviour.has(Fault::DropsEmptyVariables) && value.is_empty()
        || behaviour.has(Fault::DropsLowercaseProxies) && name.ends_with("_proxy");
    let is_declared = name == AUTH_VARIABLE && !behaviour.has(Fault::DropsAuthEnv);
    let is_prefixed = name.starts_with("LC_") || name.starts_with("XDG_");
    (PASSED_VARIABLES.iter().any(is_allowed) || is_prefixed || is_declared) && !is_dropped
}

/// The fault: adds the variables of earlier runs.
fn keep(
    behaviour: Behaviour,
    variables: &mut BTreeMap<OsString, OsString>,
    of_run: &BTreeMap<String, String>,
) {
    static KEPT: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    if behaviour.has(Fault::RunEnvStays) {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(of_run.clone());
        variables.extend(kept.iter().map(|(name, value)| (name.into(), value.into())));
    }
}

/// Refuses values that look like switches.
fn refuse_switch_values(behaviour: Behaviour, params: &StartRunParams) -> Result<(), ErrorObject> {
    let is_switch = |value: &&str| value.is_empty() || value.starts_with('-');
    let model = params.model.as_deref().filter(|_| !behaviour.has(Fault::HostileModel));
    if let Some(model) = model.filter(is_switch) {
        let text = format!("{model:?} is not the name of a model");
        return Err(ErrorObject::new(ErrorKind::ModelUnknown, text)
            .with_hint("`models/list` lists the models"));
    }
    let session = params.session.id.as_deref();
    let needs_id =
        params.session.mode != SessionMode::New && !behaviour.has(Fault::ResumeNeedsNoId);
    if session.is_none() && needs_id {
        let text = format!("session mode {} needs the id of a session", params.session.mode);
        return Err(ErrorObject::new(ErrorKind::ConfigInvalid, text)
            .with_hint("`sessions/list` lists the sessions"));
    }
    match session.filter(|id| is_switch(id) && !behaviour.has(Fault::HostileSession)) {
        Some(id) => {
            let text = format!("{id:?} is not the id of a session");
            Err(ErrorObject::new(ErrorKind::SessionUnknown, text)
                .with_hint("`sessions/list` lists the sessions"))
        }
        None => Ok(()),
    }
}

fn folder(behaviour: Behaviour, cwd: &Path) -> Result<PathBuf, ErrorObject> {
    if behaviour.has(Fault::WrongCwd) {
        return Ok(cwd.parent().unwrap_or(cwd).to_owned());
    }
    let is_folder = cwd.is_dir() || behaviour.has(Fault::FileIsCwd) && cwd.exists();
    if is_folder && (cwd.is_absolute() || behaviour.has(Fault::RelativeCwd)) {
        return Ok(cwd.to_owned());
    }
    if behaviour.has(Fault::SpawnsWithoutCwd) {
        return Ok(std::env::temp_dir());
    }
    Err(ErrorObject::new(
        ErrorKind::ConfigInvalid,
        format!("the working folder {} is not an absolute path of a folder", cwd.display()),
    )
    .with_hint("create the folder, or pass another one"))
}

fn arguments(behaviour: Behaviour, params: &StartRunParams) -> Vec<String> {
    let mut arguments = vec!["run".to_owned()];
    let model = params.model.as_ref().filter(|model| {
        !behaviour.has(Fault::DropsUnlistedModel) || ["macaw", "kea"].contains(&model.as_str())
    });
    if let Some(model) = model {
        let end = if behaviour.has(Fault::RenamesModel) { "-latest" } else { "" };
        arguments.extend(["--model".to_owned(), format!("{model}{end}")]);
    }
    match (params.session.mode, &params.session.id) {
        (SessionMode::Resume, Some(_)) if behaviour.has(Fault::ResumesLast) => {
            arguments.extend(["--resume".to_owned(), "last".to_owned()]);
        }
        (_, None) => {
            let previous = kept_state::previous_session(behaviour);
            arguments.extend(previous.into_iter().flat_map(|id| ["--resume".to_owned(), id]));
        }
        (mode, Some(id)) => {
            let option = match mode {
                SessionMode::Resume => "--resume",
                SessionMode::Fork => "--fork",
                _ => "--session",
            };
            let is_odd = |c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c);
            let id = match behaviour.has(Fault::CleansSessionId) {
                true => id.replace(is_odd, ""),
                false => id.clone(),
            };
            if !behaviour.has(Fault::HostileSession) {
                arguments.push(option.to_owned());
            }
            arguments.push(id);
        }
    }
    // `parrot` asks for approval of everything else, so only denials are passed.
    let policy = params.policy.as_ref().filter(|_| !behaviour.has(Fault::DropsPolicy));
    for denied in policy.iter().flat_map(|policy| &policy.shell_deny) {
        arguments.extend(["--deny".to_owned(), denied.clone()]);
    }
    for allowed in policy.iter().flat_map(|policy| &policy.shell_allow) {
        if behaviour.has(Fault::AllowsDenied) {
            arguments.extend(["--allow".to_owned(), allowed.clone()]);
        }
    }
    let is_closed = policy.is_some_and(|policy| policy.network == Some(NetworkMode::None));
    if is_closed && !behaviour.has(Fault::OpenNetwork) {
        arguments.push("--offline".to_owned());
    }
    if behaviour.has(Fault::PromptInArgv) {
        arguments.extend(["--prompt".to_owned(), params.prompt.text.clone()]);
    }
    arguments
}

fn spawn_failure(behaviour: Behaviour, path: &Path, error: &std::io::Error) -> ErrorObject {
    if behaviour.has(Fault::UntypedSpawnFailure) {
        return ErrorObject::new(ErrorKind::Internal, "something went wrong");
    }
    ErrorObject::new(
        ErrorKind::CliSpawnFailed,
        format!("could not start {}: {error}", path.display()),
    )
    .with_hint("check that the file is an executable of this platform")
}
