//! Helpers for an adapter's `auth`: credentials in variables and files, their expiry, and the answer.
//! Reads variables and local files only. No type here can show a secret: the results are names, kinds
//! and times.

mod expiry;
mod file;

pub use expiry::{jwt_expiry, millis, now, rfc3339_millis};
pub use file::CredentialFile;

use od_protocol::{AuthInfo, AuthState, AuthStatus, Credential, CredentialKind};

use crate::Machine;

/// A variable that contains a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnvCredential {
    /// Its name.
    pub variable: &'static str,
    /// The kind of credential.
    pub kind: CredentialKind,
    /// The method for [`AuthStatus`], such as `api_key`.
    pub method: &'static str,
}

/// Returns the first variable of the list that is set. Give the list in the agent CLI's own order of
/// precedence, which decides who pays.
///
/// ```
/// use od_protocol::CredentialKind;
/// use od_sdk::Machine;
/// use od_sdk::auth::{EnvCredential, env_login};
///
/// const KEYS: &[EnvCredential] = &[EnvCredential {
///     variable: "ACME_API_KEY",
///     kind: CredentialKind::ApiKey,
///     method: "api_key",
/// }];
/// let env = [("ACME_API_KEY".to_owned(), "secret".to_owned())].into();
/// let login = env_login(&Machine { env, ..Machine::default() }, KEYS).expect("a login");
/// assert_eq!(login.credential.name, "ACME_API_KEY");
/// ```
pub fn env_login(machine: &Machine, credentials: &[EnvCredential]) -> Option<Login> {
    let set = |credential: &&EnvCredential| machine.var(credential.variable).is_some();
    credentials
        .iter()
        .find(set)
        .map(|credential| Login::new(credential.method, credential.kind, credential.variable))
}

/// A credential that was found: its place, not its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    /// The login method (`oauth`, `api_key`, …).
    pub method: String,
    /// What pays.
    pub credential: Credential,
    /// When it expires, in milliseconds since 1970; `None` means never or unknown.
    pub expires_at: Option<u64>,
    /// The agent CLI renews it (there is a refresh token), so its expiry does not matter.
    pub renewable: bool,
}

impl Login {
    /// Creates a login that does not expire. `name` is a variable, a file or a plan.
    pub fn new(method: &str, kind: CredentialKind, name: impl Into<String>) -> Self {
        Self {
            method: method.to_owned(),
            credential: Credential { kind, name: name.into() },
            expires_at: None,
            renewable: false,
        }
    }

    /// Sets the time it expires.
    #[must_use]
    pub fn expiring(mut self, expires_at: Option<u64>, renewable: bool) -> Self {
        self.expires_at = expires_at;
        self.renewable = renewable;
        self
    }

    /// Returns the answer at a time in milliseconds since 1970 (see [`now`]).
    pub fn status(self, auth_info: &AuthInfo, now: u64) -> AuthStatus {
        let state = state(self.expires_at, self.renewable, now);
        let guidance = (state == AuthState::Expired).then(|| guidance(auth_info)).flatten();
        AuthStatus {
            state,
            method: Some(self.method),
            credential: Some(self.credential),
            expires_at: self.expires_at,
            guidance,
        }
    }
}

/// Returns the state of a credential with this expiry. At the time itself it is expired.
pub fn state(expires_at: Option<u64>, renewable: bool, now: u64) -> AuthState {
    match expires_at {
        Some(expires_at) if expires_at <= now && !renewable => AuthState::Expired,
        _ => AuthState::Ok,
    }
}

/// Returns the answer without a credential.
pub fn missing(auth_info: &AuthInfo) -> AuthStatus {
    without_credential(AuthState::Missing, guidance(auth_info))
}

/// Returns the answer when the login cannot be determined (a keychain, an unreadable file).
pub fn unknown(reason: impl Into<String>) -> AuthStatus {
    without_credential(AuthState::Unknown, Some(reason.into()))
}

/// Returns the answer for an agent CLI that needs no credential.
pub fn not_needed() -> AuthStatus {
    without_credential(AuthState::Ok, None)
}

fn without_credential(state: AuthState, guidance: Option<String>) -> AuthStatus {
    AuthStatus { state, method: None, credential: None, expires_at: None, guidance }
}

/// Returns the login command, or the variable to set.
fn guidance(auth_info: &AuthInfo) -> Option<String> {
    match (&auth_info.login_command, auth_info.env.first()) {
        (Some(command), _) => Some(command.clone()),
        (None, Some(variable)) => Some(format!("set {variable}")),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREDENTIALS: &[EnvCredential] = &[
        EnvCredential { variable: "X_TOKEN", kind: CredentialKind::Token, method: "token" },
        EnvCredential { variable: "X_API_KEY", kind: CredentialKind::ApiKey, method: "api_key" },
    ];

    fn machine(env: &[(&str, &str)]) -> Machine {
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Machine { env: env.collect(), ..Machine::default() }
    }

    fn auth_info() -> AuthInfo {
        AuthInfo {
            env: vec!["X_API_KEY".to_owned()],
            login_command: Some("x login".to_owned()),
            ..AuthInfo::default()
        }
    }

    #[test]
    fn first_set_variable_pays() {
        let paying = |env: &[(&str, &str)]| {
            env_login(&machine(env), CREDENTIALS).map(|login| login.credential.name)
        };
        assert_eq!(paying(&[("X_TOKEN", "t"), ("X_API_KEY", "k")]).as_deref(), Some("X_TOKEN"));
        assert_eq!(paying(&[("X_TOKEN", ""), ("X_API_KEY", "k")]).as_deref(), Some("X_API_KEY"));
        assert_eq!(paying(&[("OTHER", "k")]), None);
    }

    #[test]
    fn expired_login_counts_unless_renewable() {
        let status = |expires_at, renewable, now| {
            Login::new("oauth", CredentialKind::Subscription, "~/.x/auth.json")
                .expiring(expires_at, renewable)
                .status(&auth_info(), now)
        };
        assert_eq!(status(Some(1000), false, 999).state, AuthState::Ok);
        assert_eq!(status(Some(1000), false, 1000).state, AuthState::Expired);
        assert_eq!(status(Some(1000), true, 2000).state, AuthState::Ok);
        assert_eq!(status(None, false, 2000).state, AuthState::Ok);
        assert_eq!(status(Some(1000), false, 1000).guidance.as_deref(), Some("x login"));
        assert_eq!(status(Some(1000), false, 999).guidance, None);
    }

    #[test]
    fn guidance_is_command_or_variable() {
        assert_eq!(missing(&auth_info()).guidance.as_deref(), Some("x login"));
        let without_command = AuthInfo { login_command: None, ..auth_info() };
        assert_eq!(missing(&without_command).guidance.as_deref(), Some("set X_API_KEY"));
    }
}
