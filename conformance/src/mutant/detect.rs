//! Detection: the agent CLI, its version, its login, its models. Read-only.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use od_protocol::adapter::{DetectAdapterResult, HealthAdapterResult, ListModelsResult};
use od_protocol::{
    AuthState, AuthStatus, Credential, CredentialKind, Effort, Evidence, HealthStatus, JsonObject,
    Marker, Model, ModelsSource, TestedVersion,
};
use serde_json::{Value, json};

use super::fault::{Behaviour, Fault};
use super::manifest::{
    AUTH_FILE, AUTH_VARIABLE, CLI_NAME, INSTALL_COMMAND, LOGIN_COMMAND, VERSION_MIN,
    VERSION_TESTED, capabilities,
};
use super::output::now_ms;
use super::{leaks, probe, tree};
use crate::process::executable_name;

/// The maximum size of a login file.
const MAX_LOGIN_BYTES: u64 = 1 << 20;

/// The agent CLI a run would start: exactly the configured one, or the first on PATH.
pub(super) fn find_cli(behaviour: Behaviour, configured: Option<&str>) -> Option<PathBuf> {
    if let Some(configured) = configured.map(PathBuf::from) {
        if configured.is_file() || behaviour.has(Fault::FolderIsCli) && configured.exists() {
            return Some(configured);
        }
        if !behaviour.has(Fault::DetectPathFallback) {
            return None;
        }
    }
    let path = std::env::var_os("PATH")?;
    let folders = if behaviour.has(Fault::SearchesFirstFolder) { 1 } else { usize::MAX };
    std::env::split_paths(&path)
        .take(folders)
        .filter(|folder| folder.is_absolute() || behaviour.has(Fault::SearchesRelativeFolders))
        .filter_map(|folder| std::path::absolute(folder.join(executable_name(CLI_NAME))).ok())
        .find(|file| is_cli(behaviour, file))
}

fn is_cli(behaviour: Behaviour, file: &Path) -> bool {
    is_executable(file)
        || behaviour.has(Fault::FolderIsCli) && file.exists()
        || behaviour.has(Fault::AnyFileIsCli) && file.is_file()
}

/// Answers `adapter/detect`.
pub(super) fn detect(
    behaviour: Behaviour,
    configured: Option<&str>,
    refresh: bool,
) -> DetectAdapterResult {
    static FIRST: OnceLock<DetectAdapterResult> = OnceLock::new();
    if behaviour.has(Fault::DetectsOnce) {
        return FIRST.get_or_init(|| inspect(behaviour, configured, refresh)).clone();
    }
    inspect(behaviour, configured, refresh)
}

fn inspect(behaviour: Behaviour, configured: Option<&str>, refresh: bool) -> DetectAdapterResult {
    let found = find_cli(behaviour, configured).filter(|file| is_cli(behaviour, file));
    let version = found.as_deref().and_then(|path| stated_version(behaviour, path, refresh));
    let version = version.filter(|_| !behaviour.has(Fault::DetectNoVersion));
    if let Some(path) = found.as_deref().filter(|_| behaviour.has(Fault::DetectStartsCli)) {
        // Its answer does not matter.
        let _answer = probe::run_probe(behaviour, path, &["run"]);
    }
    let subject = configured.unwrap_or("PATH").to_owned();
    if behaviour.has(Fault::DetectWritesFile) {
        let _refused = std::fs::write(home().join(".parrot-detected"), "yes");
    }
    let mut capabilities = capabilities();
    if behaviour.has(Fault::DetectWidens) {
        capabilities.quota = Some(Marker {});
    }
    if behaviour.has(Fault::DetectForgets) {
        capabilities.tools = None;
    }
    let order = version.as_deref().map(|version| compare(behaviour, version, VERSION_MIN));
    let meets_min = order
        .map(|order| order.is_ge() || behaviour.has(Fault::AnyCliVersion))
        .or_else(|| behaviour.has(Fault::UnknownMeetsMin).then_some(true));
    DetectAdapterResult {
        installed: found.is_some(),
        meets_min,
        tested_version: version.as_deref().map(|version| tested(behaviour, version)),
        auth: auth(behaviour),
        evidence: vec![Evidence {
            signal: "path".to_owned(),
            subject,
            found: found.is_some(),
            detail: None,
        }],
        path: found.map(|path| path.to_string_lossy().into_owned()),
        version,
        config_dir: Some(home().join(".parrot"))
            .filter(|folder| folder.is_dir())
            .map(|folder| folder.to_string_lossy().into_owned()),
        skills_dir: None,
        capabilities,
        guidance: Some(INSTALL_COMMAND.to_owned()),
    }
}

/// Answers `adapter/health` without starting the agent CLI.
pub(super) fn health(configured: Option<&str>, open_runs: usize) -> HealthAdapterResult {
    let found = find_cli(Behaviour::RIGHT, configured).is_some();
    let (status, message) = match found {
        true => (HealthStatus::Ok, "the agent CLI is there"),
        false => (HealthStatus::Unavailable, "the agent CLI is not installed"),
    };
    let details = JsonObject::from_iter([("openRuns".to_owned(), open_runs.into())]);
    HealthAdapterResult { status, message: message.to_owned(), details }
}

/// Answers `models/list` from the agent CLI, or from a static list.
pub(super) fn models(behaviour: Behaviour, configured: Option<&str>) -> ListModelsResult {
    let answer = find_cli(behaviour, configured)
        .and_then(|path| probe::run_probe(behaviour, &path, &["models"]))
        .and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let listed = answer.as_ref().and_then(|answer| answer["models"].as_array());
    let mut models: Vec<Model> = listed.into_iter().flatten().filter_map(model).collect();
    models.sort_unstable_by(|one, other| one.id.cmp(&other.id));
    models.dedup_by(|one, other| one.id == other.id);
    if behaviour.has(Fault::HidesModel) {
        models.pop();
    }
    if behaviour.has(Fault::ManyDefaults) {
        models.iter_mut().for_each(|model| model.default = true);
    }
    if let Some(id) = leaks::extra_model(behaviour) {
        models.extend(model(&serde_json::json!({"id": id})));
    }
    if behaviour.has(Fault::DuplicateModels) {
        models.extend(models.first().cloned());
    }
    match models.is_empty() {
        false => ListModelsResult {
            models,
            current: answer
                .as_ref()
                .and_then(|answer| answer["current"].as_str())
                .map(str::to_owned),
            source: ModelsSource::Live,
        },
        true => ListModelsResult {
            models: model(&serde_json::json!({"id": "macaw"})).into_iter().collect(),
            current: None,
            source: match behaviour.has(Fault::AlwaysLiveModels) {
                true => ModelsSource::Live,
                false => ModelsSource::Static,
            },
        },
    }
}

fn model(entry: &Value) -> Option<Model> {
    let text = |name: &str| entry[name].as_str().map(str::to_owned);
    let efforts = entry["efforts"]
        .as_array()
        .map(|efforts| efforts.iter().filter_map(Value::as_str).map(Effort::from_wire).collect());
    Some(Model {
        id: text("id")?,
        name: text("name"),
        default: entry["default"] == true,
        context_window: entry["window"].as_u64(),
        efforts,
    })
}

/// The credential that a run would use; names only.
pub(super) fn credential(
    behaviour: Behaviour,
    of_run: &BTreeMap<String, String>,
) -> Option<Credential> {
    let key = of_run.get(AUTH_VARIABLE).cloned().or_else(|| std::env::var(AUTH_VARIABLE).ok());
    let has_key = key.is_some_and(|key| !key.is_empty());
    if has_key || behaviour.has(Fault::NamesUnsetCredential) {
        let (kind, name) = (CredentialKind::ApiKey, AUTH_VARIABLE.to_owned());
        return Some(Credential { kind, name });
    }
    login(behaviour)
        .map(|_| Credential { kind: CredentialKind::Subscription, name: format!("~/{AUTH_FILE}") })
}

/// The login in the home folder: a small file with a token.
fn login(behaviour: Behaviour) -> Option<Value> {
    let file = home().join(AUTH_FILE);
    let is_small = |metadata: Metadata| metadata.is_file() && metadata.len() <= MAX_LOGIN_BYTES;
    if !behaviour.has(Fault::ReadsAnyFile) && !file.metadata().is_ok_and(is_small) {
        return None;
    }
    let login: Result<Value, _> = serde_json::from_slice(&std::fs::read(file).ok()?);
    if login.is_err() && behaviour.has(Fault::DiesOnBadLogin) {
        std::process::exit(1);
    }
    let has_token = |login: &Value| login["token"].as_str().is_some_and(|it| !it.is_empty());
    match login.ok().filter(has_token) {
        None if behaviour.has(Fault::DamagedFileIsLogin) => Some(json!({"token": "damaged"})),
        login => login,
    }
}

fn auth(behaviour: Behaviour) -> AuthStatus {
    static FIRST: OnceLock<AuthStatus> = OnceLock::new();
    if behaviour.has(Fault::KeepsLogin) {
        return FIRST.get_or_init(|| current_auth(behaviour)).clone();
    }
    current_auth(behaviour)
}

fn current_auth(behaviour: Behaviour) -> AuthStatus {
    let key = std::env::var(AUTH_VARIABLE)
        .ok()
        .filter(|key| !key.is_empty() || behaviour.has(Fault::EmptyKeyIsLogin));
    let login = login(behaviour);
    let expires_at = login.as_ref().and_then(|login| login["expiresAt"].as_u64());
    let state = match (&key, &login) {
        _ if behaviour.has(Fault::DetectSaysOk) => AuthState::Ok,
        (Some(_), _) => AuthState::Ok,
        (None, Some(_)) if expires_at.is_some_and(|at| at <= now_ms()) => AuthState::Expired,
        (None, Some(_)) => AuthState::Ok,
        (None, None) => AuthState::Missing,
    };
    let method = match (&key, &login) {
        (Some(_), _) => Some("api_key"),
        (None, Some(_)) => Some("oauth"),
        (None, None) => None,
    };
    let shown = key.or_else(|| Some(login?["token"].as_str()?.to_owned()));
    let guidance = match behaviour.has(Fault::DetectLeaksKey) {
        true => shown.map(|secret| format!("the key is {secret}")),
        false => Some(LOGIN_COMMAND.to_owned()),
    };
    AuthStatus {
        state,
        method: method.map(str::to_owned),
        credential: credential(behaviour, &BTreeMap::new()),
        expires_at,
        guidance,
    }
}

pub(super) fn home() -> PathBuf {
    std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")).unwrap_or_default().into()
}

fn is_executable(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|metadata| tree::is_executable(&metadata))
}

/// The version that the agent CLI states.
fn stated_version(behaviour: Behaviour, path: &Path, refresh: bool) -> Option<String> {
    static KEPT: Mutex<Option<String>> = Mutex::new(None);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if behaviour.has(Fault::KeepsVersionOfPath) && !refresh && kept.is_some() {
        return kept.clone();
    }
    let version = match behaviour.has(Fault::FixedVersion) {
        true => Some(VERSION_TESTED.to_owned()),
        false => {
            probe::run_probe(behaviour, path, &["--version"]).and_then(|text| version_in(&text))
        }
    };
    kept.clone_from(&version);
    version
}

/// The first version in a text.
fn version_in(text: &str) -> Option<String> {
    text.split(|character: char| !character.is_ascii_digit() && character != '.')
        .map(|word| word.trim_matches('.'))
        .find(|word| word.contains('.'))
        .map(str::to_owned)
}

fn tested(behaviour: Behaviour, version: &str) -> TestedVersion {
    match compare(behaviour, version, VERSION_TESTED) {
        std::cmp::Ordering::Less => TestedVersion::Older,
        std::cmp::Ordering::Equal => TestedVersion::Same,
        std::cmp::Ordering::Greater => TestedVersion::Newer,
    }
}

/// Compares versions number by number; a missing number is 0.
fn compare(behaviour: Behaviour, one: &str, other: &str) -> std::cmp::Ordering {
    if behaviour.has(Fault::TextVersions) {
        return one.cmp(other);
    }
    let numbers = |text: &str| -> Vec<u64> {
        let mut numbers: Vec<u64> = text.split('.').map(|part| part.parse().unwrap_or(0)).collect();
        numbers.resize(4.max(numbers.len()), 0);
        numbers
    };
    numbers(one).cmp(&numbers(other))
}
