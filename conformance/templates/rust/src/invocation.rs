//! `run/start` to a command line. Pure. Options that the manifest does not declare never arrive
//! here: the sdk refuses them.

use od_protocol::adapter::StartRunParams;
use od_sdk::Invocation;

/// The prompt goes to stdin, where it is neither limited in length nor visible to other users.
pub fn invocation(start_run_params: &StartRunParams) -> Invocation {
    Invocation { stdin: start_run_params.prompt.text.clone().into_bytes(), ..Invocation::default() }
}
