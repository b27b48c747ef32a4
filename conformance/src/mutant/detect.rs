//! Detection: the agent CLI, its version, its login, its models. Read-only.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use od_protocol::adapter::{DetectAdapterResult, HealthAdapterResult, ListModelsResult};
use od_protocol::{
    AuthState, AuthStatus, Credential, CredentialKind, Evidence, HealthStatus, JsonObject, Marker,
    Model, ModelsSource, TestedVersion,
};
use serde_json::Value;

use super::fault::{Behaviour, Fault};
use super::manifest::{
    AUTH_FILE, AUTH_VARIABLE, CLI_NAME, INSTALL_COMMAND, LOGIN_COMMAND, VERSION_MIN,
    VERSION_TESTED, capabilities,
};
use super::output::now_ms;
use super::{leaks, probe, tree};

/// The agent CLI a run would start: exactly the configured one, or the first on PATH.
pub(super) fn find_cli(behaviour: Behaviour, configured: Option<&str>) -> Option<PathBuf> {
    if let Some(configured) = configured.map(PathBuf::from) {
        if configured.is_file() {
            return Some(configured);
        }
        if !behaviour.has(Fault::DetectPathFallback) {
            return None;
        }
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(crate::process::executable_name(CLI_NAME)))
        .find(|file| is_executable(file))
}

/// Answers `adapter/detect`.
pub(super) fn detect(behaviour: Behaviour, configured: Option<&str>) -> DetectAdapterResult {
    let found = find_cli(behaviour, configured).filter(|file| is_executable(file));
    let version = found.as_deref().and_then(|path| {
        let text = probe::run_probe(behaviour, path, &["--version"])?;
        version_in(&text)
    });
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
    let order = version.as_deref().map(|version| compare(version, VERSION_MIN));
    let meets_min = order.map(|order| order.is_ge() || behaviour.has(Fault::AnyCliVersion));
    DetectAdapterResult {
        installed: found.is_some(),
        meets_min,
        tested_version: version.as_deref().map(tested),
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
    let model = |id: &str| Model {
        id: id.to_owned(),
        name: None,
        default: false,
        context_window: None,
        efforts: None,
    };
    let answer = find_cli(behaviour, configured)
        .and_then(|path| probe::run_probe(behaviour, &path, &["models"]))
        .and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let listed = answer.as_ref().and_then(|answer| answer["models"].as_array());
    let mut ids: Vec<&str> =
        listed.into_iter().flatten().filter_map(|entry| entry["id"].as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    if behaviour.has(Fault::HidesModel) {
        ids.pop();
    }
    if behaviour.has(Fault::DuplicateModels) {
        ids.extend(ids.first().copied());
    }
    match ids.is_empty() {
        false => ListModelsResult {
            models: ids
                .into_iter()
                .map(|id| Model { default: behaviour.has(Fault::ManyDefaults), ..model(id) })
                .chain(leaks::extra_model(behaviour).as_deref().map(model))
                .collect(),
            current: None,
            source: ModelsSource::Live,
        },
        true => ListModelsResult {
            models: vec![model("macaw")],
            current: None,
            source: match behaviour.has(Fault::AlwaysLiveModels) {
                true => ModelsSource::Live,
                false => ModelsSource::Static,
            },
        },
    }
}

/// The credential that a run would use; names only.
pub(super) fn credential(of_run: &BTreeMap<String, String>) -> Option<Credential> {
    let has_key = of_run.contains_key(AUTH_VARIABLE) || std::env::var_os(AUTH_VARIABLE).is_some();
    if has_key {
        let (kind, name) = (CredentialKind::ApiKey, AUTH_VARIABLE.to_owned());
        return Some(Credential { kind, name });
    }
    let file = home().join(AUTH_FILE);
    file.is_file()
        .then(|| Credential { kind: CredentialKind::Subscription, name: format!("~/{AUTH_FILE}") })
}

fn auth(behaviour: Behaviour) -> AuthStatus {
    let key = std::env::var(AUTH_VARIABLE).ok().filter(|key| !key.is_empty());
    let login: Option<Value> = std::fs::read(home().join(AUTH_FILE))
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok());
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
        credential: credential(&BTreeMap::new()),
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

/// The first version in a text.
fn version_in(text: &str) -> Option<String> {
    text.split(|character: char| !character.is_ascii_digit() && character != '.')
        .map(|word| word.trim_matches('.'))
        .find(|word| word.contains('.'))
        .map(str::to_owned)
}

fn tested(version: &str) -> TestedVersion {
    match compare(version, VERSION_TESTED) {
        std::cmp::Ordering::Less => TestedVersion::Older,
        std::cmp::Ordering::Equal => TestedVersion::Same,
        std::cmp::Ordering::Greater => TestedVersion::Newer,
    }
}

/// Compares versions number by number; a missing number is 0.
fn compare(one: &str, other: &str) -> std::cmp::Ordering {
    let numbers = |text: &str| -> Vec<u64> {
        let mut numbers: Vec<u64> = text.split('.').map(|part| part.parse().unwrap_or(0)).collect();
        numbers.resize(4.max(numbers.len()), 0);
        numbers
    };
    numbers(one).cmp(&numbers(other))
}
