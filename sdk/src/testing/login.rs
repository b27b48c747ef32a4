//! For tests of detection: who pays in a made-up home, and that no value of a credential is shown.

use od_protocol::{AuthState, AuthStatus, CredentialKind};

use super::TestHome;
use crate::Machine;

/// What an adapter finds in a home with these files and these variables.
///
/// # Panics
/// The status shows the value of a credential; in these homes every value contains `secret`.
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

/// Compares the state of a login, and the credential that pays.
///
/// # Panics
/// When they differ.
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
/// When they differ.
pub fn check_auth_name(status: &AuthStatus, state: AuthState, name: Option<&str>) {
    assert_eq!(status.state, state, "{status:?}");
    let actual = status.credential.as_ref().map(|found| found.name.as_str());
    assert_eq!(actual, name);
}
