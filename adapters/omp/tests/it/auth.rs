//! Who pays, on a made-up home.

use std::fs;

use od_adapter_omp::detect;
use od_protocol::{AuthState, AuthStatus, CredentialKind};
use od_sdk::Machine;
use tempfile::TempDir;

/// A home with these files and these variables.
fn auth(files: &[(&str, &str)], env: &[(&str, &str)]) -> AuthStatus {
    let home = TempDir::new().expect("a scratch home");
    let folder = home.path().join(".omp/agent");
    fs::create_dir_all(&folder).expect("a folder");
    for (name, content) in files {
        fs::write(folder.join(name), content).expect("a file");
    }
    let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let machine = Machine { env, home: home.path().to_owned(), ..Machine::default() };
    let status = detect::auth(&machine);
    assert!(!format!("{status:?}").contains("secret"), "a value is shown: {status:?}");
    status
}

fn paying(status: &AuthStatus) -> Option<(CredentialKind, &str)> {
    status.credential.as_ref().map(|found| (found.kind, found.name.as_str()))
}

#[test]
fn nobody_is_logged_in() {
    let models = "providers:\n  local:\n    baseUrl: http://localhost\n    # apiKey: secret\n";
    let status = auth(&[("models.yml", models)], &[]);
    assert_eq!(status.state, AuthState::Missing);
    assert!(status.guidance.is_some_and(|guidance| guidance.contains("/login")));
}

#[test]
fn a_key_in_a_variable_comes_first() {
    let models = "providers:\n  mine:\n    apiKey: secret\n";
    let status = auth(&[("models.yml", models)], &[("OPENAI_API_KEY", "secret")]);
    assert_eq!(status.state, AuthState::Ok);
    assert_eq!(paying(&status), Some((CredentialKind::ApiKey, "OPENAI_API_KEY")));
}

#[test]
fn a_provider_of_ones_own_has_its_key_in_the_models_file() {
    let yaml = "providers:\n  mine:\n    apiKey: secret\n";
    for models in [yaml, r#"{"providers": {"mine": {"apiKey": "secret"}}}"#] {
        let status = auth(&[("models.yml", models)], &[]);
        assert_eq!(status.state, AuthState::Ok, "{models}");
        assert_eq!(paying(&status), Some((CredentialKind::ApiKey, "~/.omp/agent/models.yml")));
    }
}

#[test]
fn what_is_in_the_database_cannot_be_told() {
    let status = auth(&[("agent.db", "SQLite format 3")], &[]);
    assert_eq!(status.state, AuthState::Unknown);
    assert!(status.guidance.is_some_and(|guidance| guidance.contains("omp usage")));
}
