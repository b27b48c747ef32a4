//! The login and the credential that pays, in a test home.

use od_protocol::{AuthState, AuthStatus, CredentialKind};
use od_sdk::testing::{auth_in, check_auth as check};
use pi_family::omp::auth;

fn auth(files: &[(&str, &str)], env: &[(&str, &str)]) -> AuthStatus {
    auth_in(files, env, auth::auth)
}

#[test]
fn login_is_missing() {
    let models = "providers:\n  local:\n    baseUrl: http://localhost\n    # apiKey: secret\n";
    let status = auth(&[(".omp/agent/models.yml", models)], &[]);
    assert_eq!(status.state, AuthState::Missing);
    assert!(status.guidance.is_some_and(|guidance| guidance.contains("/login")));
}

#[test]
fn variable_comes_before_models_file() {
    let models = "providers:\n  mine:\n    apiKey: secret\n";
    let status = auth(&[(".omp/agent/models.yml", models)], &[("OPENAI_API_KEY", "secret")]);
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, "OPENAI_API_KEY")));
}

#[test]
fn models_file_can_hold_key() {
    let yaml = "providers:\n  mine:\n    apiKey: secret\n";
    for models in [yaml, r#"{"providers": {"mine": {"apiKey": "secret"}}}"#] {
        let status = auth(&[(".omp/agent/models.yml", models)], &[]);
        let name = "~/.omp/agent/models.yml";
        check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, name)));
    }
}

#[test]
fn login_in_database_is_unknown() {
    let status = auth(&[(".omp/agent/agent.db", "SQLite format 3")], &[]);
    assert_eq!(status.state, AuthState::Unknown);
    assert!(status.guidance.is_some_and(|guidance| guidance.contains("omp usage")));
}
