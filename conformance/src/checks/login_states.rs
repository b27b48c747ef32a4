//! DET: empty variables and damaged files are no login.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use od_protocol::adapter::DetectAdapterResult;
use od_protocol::{AuthState, CredentialKind};
use serde_json::Value;

use super::AdapterCheck;
use super::detection::detect;
use crate::adapter_client::AdapterClient;
use crate::check::{Gate, active};
use crate::context::{CheckContext, LaunchOptions, initialize};
use crate::outcome::{CheckOutcome, Finding};
use crate::pack::Values;

/// The checks of this file.
pub const CHECKS: &[AdapterCheck] = &[active(
    "DET-11",
    "an empty variable and an empty, truncated or malformed login file are not a valid login, and \
     `auth.credential` names a variable or file that exists",
    "users see that they are logged in, and every run fails",
    Gate::cli_scenario("auth_missing"),
    only_real_logins,
)];

/// How a login file is damaged.
type Damage = fn(&str) -> Vec<u8>;

const DAMAGES: &[(&str, Damage)] = &[
    ("empty", |_| Vec::new()),
    ("cut in half", |text| match serde_json::from_str::<Value>(text) {
        Ok(_) => text.trim().as_bytes()[..text.trim().len() / 2].to_vec(),
        Err(_) => Vec::new(),
    }),
    ("an empty JSON object", |_| b"{}".to_vec()),
    ("not text", |_| vec![0, 1, 0xff, 0xfe, b'{', 0x80]),
];

fn only_real_logins(context: &mut CheckContext) -> CheckOutcome {
    let without = LaunchOptions { scenario: Some("auth_missing"), ..LaunchOptions::default() };
    let mut adapter = context.launch_with(&without)?;
    let (missing, _) = detect(&mut adapter)?;
    if missing.auth.state == AuthState::Ok {
        let reason = "DET-05: a missing login is reported as valid";
        return Err(Finding::Blocked(reason.to_owned()));
    }
    credential_exists(&adapter, &missing, &BTreeMap::new(), "no login")?;
    empty_variables(context, missing.auth.state)?;
    let files = login_files(context)?;
    for (damage, change) in DAMAGES.iter().filter(|_| !files.is_empty()) {
        let options = LaunchOptions { initialize: false, ..without.clone() };
        let mut adapter = context.launch_with(&options)?;
        for (name, text) in &files {
            write(&adapter.home.join(name), &change(text))?;
        }
        initialize(&mut adapter, &options)?;
        let (result, value) = detect(&mut adapter)?;
        if result.auth.state == AuthState::Ok {
            let names: Vec<&String> = files.keys().collect();
            let sent = format!("adapter/detect; the login files {names:?} are {damage}");
            let got = format!("auth {}", value["auth"]);
            return Err(adapter.failure("an auth.state other than ok", got, sent));
        }
    }
    valid_login(context)
}

fn empty_variables(context: &mut CheckContext, expected: AuthState) -> CheckOutcome {
    let manifest = context.suite.manifest.as_ref();
    let declared = manifest.map(|manifest| manifest.auth.env.clone()).unwrap_or_default();
    let of_pack = context.suite.pack()?.settings.auth.env.keys().cloned();
    let names: BTreeSet<String> = declared.into_iter().chain(of_pack).collect();
    if names.is_empty() {
        return Ok(());
    }
    let env: BTreeMap<String, String> =
        names.iter().map(|name| (name.clone(), String::new())).collect();
    let scenario = Some("auth_missing");
    let options = LaunchOptions { scenario, env: env.clone(), ..LaunchOptions::default() };
    let mut adapter = context.launch_with(&options)?;
    let (result, value) = detect(&mut adapter)?;
    if result.auth.state != expected {
        let sent = format!("adapter/detect; these variables are set to an empty text: {names:?}");
        let expected = format!("auth.state {expected}, as without the variables");
        return Err(adapter.failure(expected, format!("auth {}", value["auth"]), sent));
    }
    credential_exists(&adapter, &result, &env, "empty variables")
}

fn valid_login(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let (result, _) = detect(&mut adapter)?;
    let env = context.suite.pack()?.settings.auth.env.clone();
    credential_exists(&adapter, &result, &env, "the pack's valid login")
}

/// Fails if `auth.credential` names a variable that is not set or a file that does not exist.
fn credential_exists(
    adapter: &AdapterClient,
    result: &DetectAdapterResult,
    env: &BTreeMap<String, String>,
    login: &str,
) -> CheckOutcome {
    let Some(credential) = &result.auth.credential else { return Ok(()) };
    let name = credential.name.as_str();
    let is_variable = !name.is_empty()
        && name.chars().all(|one| one.is_ascii_uppercase() || one.is_ascii_digit() || one == '_');
    let file = match name.strip_prefix("~/") {
        Some(below_home) => Some(adapter.home.join(below_home)),
        None => Some(Path::new(name).to_owned()).filter(|path| path.is_absolute()),
    };
    let exists = match file {
        Some(file) => file.exists(),
        // Other names are those of plans and helpers.
        None => !is_variable || env.get(name).is_some_and(|value| !value.is_empty()),
    };
    if exists || credential.kind == CredentialKind::None {
        return Ok(());
    }
    let expected = "auth.credential names a variable or file that exists, or is absent";
    let sent = format!("adapter/detect with {login}");
    Err(adapter.failure(expected, format!("{name:?}, which does not exist"), sent))
}

/// Returns the login files that the pack and the manifest know, by their path below HOME.
pub(super) fn login_files(context: &mut CheckContext) -> Result<BTreeMap<String, String>, Finding> {
    let folder = context.suite.work.clone();
    let values = Values::fresh(context.random(), &folder);
    let pack = context.suite.pack()?;
    let manifest = context.suite.manifest.as_ref();
    let declared = manifest.map(|manifest| manifest.auth.files.clone()).unwrap_or_default();
    let declared = declared.iter().filter_map(|file| file.strip_prefix("~/"));
    let mut files: BTreeMap<String, String> =
        declared.map(|name| (name.to_owned(), String::new())).collect();
    for scenario in [Some("auth_expired"), None] {
        files.extend(pack.launch_environment(scenario, &values).home);
    }
    Ok(files)
}

/// Writes a file and the folders above it.
pub(super) fn write(file: &Path, bytes: &[u8]) -> CheckOutcome {
    if let Some(parent) = file.parent() {
        std::fs::create_dir_all(parent)?;
    }
    Ok(std::fs::write(file, bytes)?)
}
