//! Selects the server of a run: its own, with a random password, or one that is already running.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorKind, ErrorObject};
use od_sdk::http::Server;
use od_sdk::start_run::{AdapterOptions, invalid};
use od_sdk::{Install, Machine};

use crate::http::options::Options;

/// The variable with the server's password; the server and its clients read it.
pub const PASSWORD_VARIABLE: &str = "OPENCODE_SERVER_PASSWORD";
/// The variable with the server's user name.
pub const USER_VARIABLE: &str = "OPENCODE_SERVER_USERNAME";
/// The default user name.
pub const DEFAULT_USER: &str = "opencode";
/// The text before the address in the line that the server prints when it is ready.
const LISTENING: &str = "listening on ";

/// The running server that `adapterOptions.serverUrl` names, with the login from the run's
/// environment.
///
/// # Errors
/// `config_invalid` for anything but a plain HTTP address.
pub fn attached(start_run_params: &StartRunParams) -> Result<Option<Server>, ErrorObject> {
    let Some(url) = Options::lenient(start_run_params).server_url else {
        return Ok(None);
    };
    let host = url.strip_prefix("http://").map(|rest| rest.trim_end_matches('/'));
    let Some(host) = host.filter(|host| !host.is_empty() && !host.contains(['/', '@', ' '])) else {
        return Err(invalid(
            format!("serverUrl {url:?} is not an address like http://127.0.0.1:4096"),
            "set host and port; reach a remote server through a tunnel: ssh -L 4096:127.0.0.1:4096 host",
        ));
    };
    let variable = |name: &str| start_run_params.env.get(name).filter(|value| !value.is_empty());
    let user = variable(USER_VARIABLE).map_or(DEFAULT_USER, String::as_str);
    let login = variable(PASSWORD_VARIABLE).map(|password| (user.to_owned(), password.clone()));
    Ok(Some(Server { url: format!("http://{host}"), login }))
}

/// The server that all runs are attached to, if the adapter's options name one.
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

/// The error for a server that does not answer a request as expected.
pub fn no_answer(server: &Server, why: &str) -> ErrorObject {
    ErrorObject::new(ErrorKind::NetworkUnreachable, format!("{} {why}", server.url))
        .with_hint(format!("check that it runs: curl {}/global/health", server.url))
}

/// The run's own server, if this line of its output has the address.
pub fn own(line: &str, install: &Install) -> Option<Server> {
    let (_, url) = line.split_once(LISTENING)?;
    let url = url.split_whitespace().next()?.trim_end_matches('/');
    url.starts_with("http://").then(|| Server {
        url: url.to_owned(),
        login: Some((DEFAULT_USER.to_owned(), install.secret.reveal().to_owned())),
    })
}
