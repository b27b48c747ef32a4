//! Who pays, on a made-up home.

use od_protocol::{AuthState, AuthStatus, CredentialKind};
use od_sdk::testing::{auth_in, check_auth as check};
use pi_family::omp::auth;

fn auth(files: &[(&str, &str)], env: &[(&str, &str)]) -> AuthStatus {
    auth_in(files, env, auth::auth)
}

#[test]
fn nobody_is_logged_in() {
    let models = "providers:\n  local:\n    baseUrl: http://localhost\n    # apiKey: secret\n";
    let status = auth(&[(".omp/agent/models.yml", models)], &[]);
    assert_eq!(status.state, AuthState::Missing);
    assert!(status.guidance.is_some_and(|guidance| guidance.contains("/login")));
}

#[test]
fn a_key_in_a_variable_comes_first() {
    let models = "providers:\n  mine:\n    apiKey: secret\n";
    let status = auth(&[(".omp/agent/models.yml", models)], &[("OPENAI_API_KEY", "secret")]);
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, "OPENAI_API_KEY")));
}

#[test]
fn a_provider_of_ones_own_has_its_key_in_the_models_file() {
    let yaml = "providers:\n  mine:\n    apiKey: secret\n";
    for models in [yaml, r#"{"providers": {"mine": {"apiKey": "secret"}}}"#] {
        let status = auth(&[(".omp/agent/models.yml", models)], &[]);
        let name = "~/.omp/agent/models.yml";
        check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, name)));
    }
}

#[test]
fn what_is_in_the_database_cannot_be_told() {
    let status = auth(&[(".omp/agent/agent.db", "SQLite format 3")], &[]);
    assert_eq!(status.state, AuthState::Unknown);
    assert!(status.guidance.is_some_and(|guidance| guidance.contains("omp usage")));
}
