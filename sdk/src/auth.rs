//! What an adapter's `auth` is made of: credentials in variables and files, when they run out, and
//! the answer. Everything here reads local files at most, and no type here can show a secret: what
//! comes out are names, kinds and times.

mod expiry;
mod file;

pub use expiry::{jwt_expiry, millis, now, rfc3339_millis};
pub use file::CredentialFile;

use od_protocol::{AuthInfo, AuthState, AuthStatus, Credential, CredentialKind};

use crate::Machine;

/// A variable that carries a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnvCredential {
    /// Its name.
    pub variable: &'static str,
    /// What kind of credential it is.
    pub kind: CredentialKind,
    /// The method for [`AuthStatus`], such as `api_key`.
    pub method: &'static str,
}

/// The first variable of the list that is set. Give the list in the agent CLI's own order of
/// precedence: it decides who pays.
pub fn env_login(machine: &Machine, credentials: &[EnvCredential]) -> Option<Login> {
    let set = |credential: &&EnvCredential| machine.var(credential.variable).is_some();
    credentials
        .iter()
        .find(set)
        .map(|credential| Login::new(credential.method, credential.kind, credential.variable))
}

/// A credential that was found. It knows where, not what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    /// How one is logged in (`oauth`, `api_key`, …).
    pub method: String,
    /// What pays.
    pub credential: Credential,
    /// When it runs out, in milliseconds since 1970; `None` means never or unknown.
    pub expires_at: Option<u64>,
    /// The agent CLI renews it by itself (there is a refresh token), so running out is no matter.
    pub renewable: bool,
}

impl Login {
    /// A credential that does not run out. `name` is a variable, a file or a plan.
    pub fn new(method: &str, kind: CredentialKind, name: impl Into<String>) -> Self {
        Self {
            method: method.to_owned(),
            credential: Credential { kind, name: name.into() },
            expires_at: None,
            renewable: false,
        }
    }

    /// With the time it runs out.
    #[must_use]
    pub fn expiring(mut self, expires_at: Option<u64>, renewable: bool) -> Self {
        self.expires_at = expires_at;
        self.renewable = renewable;
        self
    }

    /// The answer, at a time in milliseconds since 1970 (see [`now`]).
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

/// Whether a credential with this end lets a run in. The end itself is already too late.
pub fn state(expires_at: Option<u64>, renewable: bool, now: u64) -> AuthState {
    match expires_at {
        Some(expires_at) if expires_at <= now && !renewable => AuthState::Expired,
        _ => AuthState::Ok,
    }
}

/// There is no credential.
pub fn missing(auth_info: &AuthInfo) -> AuthStatus {
    without_credential(AuthState::Missing, guidance(auth_info))
}

/// It cannot be told (a keychain, a file that cannot be read); say why.
pub fn unknown(reason: impl Into<String>) -> AuthStatus {
    without_credential(AuthState::Unknown, Some(reason.into()))
}

/// No credential is needed.
pub fn not_needed() -> AuthStatus {
    without_credential(AuthState::Ok, None)
}

fn without_credential(state: AuthState, guidance: Option<String>) -> AuthStatus {
    AuthStatus { state, method: None, credential: None, expires_at: None, guidance }
}

/// What to type: the login command, or the variable to set.
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
    fn the_first_variable_that_is_set_pays() {
        let paying = |env: &[(&str, &str)]| {
            env_login(&machine(env), CREDENTIALS).map(|login| login.credential.name)
        };
        assert_eq!(paying(&[("X_TOKEN", "t"), ("X_API_KEY", "k")]).as_deref(), Some("X_TOKEN"));
        assert_eq!(paying(&[("X_TOKEN", ""), ("X_API_KEY", "k")]).as_deref(), Some("X_API_KEY"));
        assert_eq!(paying(&[("OTHER", "k")]), None);
    }

    #[test]
    fn an_end_in_the_past_counts_unless_it_renews_itself() {
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
    fn guidance_names_the_command_or_the_variable() {
        assert_eq!(missing(&auth_info()).guidance.as_deref(), Some("x login"));
        let without_command = AuthInfo { login_command: None, ..auth_info() };
        assert_eq!(missing(&without_command).guidance.as_deref(), Some("set X_API_KEY"));
    }
}
