//! A whole adapter in one file: the tutorial of `sdk/README.md`, and what the sdk's own tests
//! drive.
//!
//! The agent CLI it wraps is called `parrot`. It takes the prompt on stdin and prints one JSON
//! object a line: `{"say":"…"}` for a piece of text, `{"end":true}` when it is done.

use std::process::ExitCode;

use od_protocol::adapter::StartRunParams;
use od_protocol::{AuthState, AuthStatus, CliInfo, CliTransport, ErrorObject, Manifest};
use od_sdk::{Adapter, RunOutcome, Install, Invocation, Machine, Mapper, RunOutput};
use serde::Deserialize;

struct Parrot;

impl Adapter for Parrot {
    fn manifest(&self) -> Manifest {
        Manifest {
            display_name: "Parrot".to_owned(),
            cli: CliInfo {
                names: vec!["parrot".to_owned()],
                version_min: None,
                version_tested: Some("1.0.0".to_owned()),
                transport: CliTransport::Stdio,
                install: Vec::new(),
            },
            ..od_sdk::testing::manifest("parrot")
        }
    }

    fn auth(&self, _machine: &Machine) -> AuthStatus {
        AuthStatus {
            state: AuthState::Ok,
            method: None,
            credential: None,
            expires_at: None,
            guidance: None,
        }
    }

    fn invocation(
        &self,
        start_run_params: &StartRunParams,
        _install: &Install,
    ) -> Result<Invocation, ErrorObject> {
        let mut invocation = Invocation::default();
        invocation.arg("--json");
        invocation.stdin = start_run_params.prompt.text.clone().into_bytes();
        Ok(invocation)
    }

    fn mapper(&self, _params: &StartRunParams, _install: &Install) -> Box<dyn Mapper> {
        Box::new(Events)
    }
}

/// One line of the parrot. Fields we do not use are not named.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    say: Option<std::borrow::Cow<'a, str>>,
    #[serde(default)]
    end: bool,
}

struct Events;

impl Mapper for Events {
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        let Ok(line) = serde_json::from_slice::<Line<'_>>(line) else { return };
        if let Some(text) = line.say {
            output.text_delta("answer", &text);
        }
        if line.end {
            output.finish(RunOutcome::COMPLETED);
        }
    }
}

fn main() -> ExitCode {
    od_sdk::serve(Parrot)
}
