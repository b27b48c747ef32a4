//! For tests of detection: the login in a test home, and that no credential is shown.

use od_protocol::{AuthState, AuthStatus, CredentialKind};

use super::TestHome;
use crate::Machine;

/// Returns the login that an adapter finds in a home with these files and variables.
///
/// # Panics
/// The status contains `secret`, which every credential value of these tests contains.
pub fn auth_in(
    files: &[(&str, &str)],
    env: &[(&str, &str)],
    auth: impl FnOnce(&Machine) -> AuthStatus,
) -> AuthStatus {
    let status = auth(TestHome::new(files, env).machine());
    let shown = format!("{status:?}");
    assert!(!shown.contains("secret"), "a value is shown: {shown}");
    status
}

/// Compares the state of a login and the credential that pays.
///
/// # Panics
/// They differ.
pub fn check_auth(
    status: &AuthStatus,
    state: AuthState,
    credential: Option<(CredentialKind, &str)>,
) {
    assert_eq!(status.state, state, "{status:?}");
    let actual = status.credential.as_ref().map(|found| (found.kind, found.name.as_str()));
    assert_eq!(actual, credential);
}

/// As [`check_auth`], without the kind of the credential.
///
/// # Panics
/// They differ.
pub fn check_auth_name(status: &AuthStatus, state: AuthState, name: Option<&str>) {
    assert_eq!(status.state, state, "{status:?}");
    let actual = status.credential.as_ref().map(|found| found.name.as_str());
    assert_eq!(actual, name);
}
