//! Which server a run talks to: one of its own behind a password made up for it, or one that runs
//! already.

use od_protocol::{ErrorKind, ErrorObject, StartRunParams};
use od_sdk::http::Server;
use od_sdk::start_run::{AdapterOptions, invalid};
use od_sdk::{Install, Machine};

use crate::options::Options;

/// The server's password, for both sides.
pub const PASSWORD_VARIABLE: &str = "OPENCODE_SERVER_PASSWORD";
/// Its user, for both sides.
pub const USER_VARIABLE: &str = "OPENCODE_SERVER_USERNAME";
/// Its user, unless somebody says otherwise.
pub const DEFAULT_USER: &str = "opencode";
/// How the line that names the port goes on after anything.
const LISTENING: &str = "listening on ";

/// The server that runs already, when the run names one. Its login is in the run's environment.
///
/// # Errors
/// `config_invalid` for an address that is none of plain HTTP.
pub fn attached(start_run_params: &StartRunParams) -> Result<Option<Server>, ErrorObject> {
    let Some(url) = Options::lenient(start_run_params).server_url else {
        return Ok(None);
    };
    let host = url.strip_prefix("http://").map(|rest| rest.trim_end_matches('/'));
    let Some(host) = host.filter(|host| !host.is_empty() && !host.contains(['/', '@', ' '])) else {
        return Err(invalid(
            format!("serverUrl {url:?} is no address like http://127.0.0.1:4096"),
            "give host and port; reach a server elsewhere through a tunnel: ssh -L 4096:127.0.0.1:4096 host",
        ));
    };
    let variable = |name: &str| start_run_params.env.get(name).filter(|value| !value.is_empty());
    let user = variable(USER_VARIABLE).map_or(DEFAULT_USER, String::as_str);
    let login = variable(PASSWORD_VARIABLE).map(|password| (user.to_owned(), password.clone()));
    Ok(Some(Server { url: format!("http://{host}"), login }))
}

/// The server that all runs are attached to, when the adapter's options name one.
///
/// # Errors
/// As [`attached`].
pub fn of_machine(machine: &Machine) -> Result<Option<Server>, ErrorObject> {
    attached(&StartRunParams {
        adapter_options: machine.options.clone(),
        env: machine.env.clone(),
        ..StartRunParams::default()
    })
}

/// A server that does not say what it was asked.
pub fn silent(server: &Server, why: &str) -> ErrorObject {
    ErrorObject::new(ErrorKind::NetworkUnreachable, format!("{} {why}", server.url))
        .with_hint(format!("check that it runs: curl {}/global/health", server.url))
}

/// The run's own server, when the line is the one that names its port.
pub fn own(line: &str, install: &Install) -> Option<Server> {
    let (_, url) = line.split_once(LISTENING)?;
    let url = url.split_whitespace().next()?.trim_end_matches('/');
    url.starts_with("http://").then(|| Server {
        url: url.to_owned(),
        login: Some((DEFAULT_USER.to_owned(), install.secret.reveal().to_owned())),
    })
}
