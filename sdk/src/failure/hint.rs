//! What a person can do about a failure.

use od_protocol::{Credential, CredentialKind, ErrorKind};

use super::FailureRules;

/// The hint of a kind: the CLI's own, or the default.
pub(super) fn hint(
    kind: &ErrorKind,
    rules: &FailureRules,
    credential: Option<&Credential>,
) -> Option<String> {
    if let Some((_, hint)) = rules.hints.iter().find(|(own, _)| own == kind) {
        return Some((*hint).to_owned());
    }
    let hint = match kind {
        ErrorKind::AuthMissing => rules.login.to_owned(),
        ErrorKind::AuthExpired => refused_login(rules, credential),
        ErrorKind::AuthWrongAccount => {
            "choose another model, or log in to an account that may use it".to_owned()
        }
        ErrorKind::RateLimited => "wait, then start the run again or resume it".to_owned(),
        ErrorKind::QuotaExhausted => {
            "wait for the reset, add credit, or use another account".to_owned()
        }
        ErrorKind::ContextExceeded => {
            "start a new session, or shorten the prompt and its attachments".to_owned()
        }
        ErrorKind::ModelUnknown => format!("choose one of `od-host models -a {}`", rules.adapter_id),
        ErrorKind::SessionUnknown => {
            "a session can be resumed only from the folder it was started in: use its cwd, or start a new one".to_owned()
        }
        ErrorKind::SessionBusy => "choose another session id, or resume the session".to_owned(),
        ErrorKind::NetworkUnreachable => {
            format!("try again; check the connection and {}", rules.base_url)
        }
        ErrorKind::CliVersionUnsupported | ErrorKind::CliSpawnFailed
            if !rules.install.is_empty() =>
        {
            format!("install the tested version: {}", rules.install)
        }
        _ => return None,
    };
    Some(hint)
}

/// A key can only be replaced; a subscription can be renewed.
fn refused_login(rules: &FailureRules, credential: Option<&Credential>) -> String {
    match credential {
        Some(credential) if credential.kind != CredentialKind::Subscription => {
            format!("{} was refused: set a valid one{}", credential.name, rules.refused_suffix)
        }
        _ if rules.login_again.is_empty() => rules.login.to_owned(),
        _ => rules.login_again.to_owned(),
    }
}
