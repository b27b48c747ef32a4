//! A whole adapter in one file: the example of `sdk/README.md`, which the sdk's own tests run.
//!
//! The agent CLI is called `parrot`. It reads the prompt on stdin and prints one JSON object per
//! line: `{"say":"…"}` for a piece of text, `{"end":true}` when it is done.

use std::borrow::Cow;
use std::process::ExitCode;

use od_protocol::adapter::StartRunParams;
use od_protocol::{AuthStatus, ErrorObject, Manifest};
use od_sdk::start_run::{self, AdapterOptions};
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper, RunOutcome, RunOutput, auth};
use serde::Deserialize;
use serde_json::json;

struct Parrot;

impl Adapter for Parrot {
    fn manifest(&self) -> Manifest {
        let mut manifest = Manifest::new("parrot", "Parrot");
        manifest.cli.version_min = Some("1.0.0".to_owned());
        manifest.cli.version_tested = Some("1.2.0".to_owned());
        manifest.config_schema = Some(start_run::schema(json!({
            "loud": { "type": "boolean", "default": false, "description": "print in capitals" },
        })));
        manifest
    }

    fn auth(&self, _machine: &Machine) -> AuthStatus {
        auth::not_needed()
    }

    fn invocation(
        &self,
        start_run_params: &StartRunParams,
        _install: &Install,
    ) -> Result<Invocation, ErrorObject> {
        let options = Options::strict(start_run_params)?;
        let mut invocation = Invocation::default();
        invocation.arg("--json");
        if options.loud {
            invocation.arg("--loud");
        }
        invocation.stdin = start_run_params.prompt.text.clone().into_bytes();
        Ok(invocation)
    }

    fn mapper(&self, _params: &StartRunParams, _install: &Install) -> Box<dyn Mapper> {
        Box::new(Events)
    }
}

/// The adapter's own options, from `run/start.adapterOptions` or `[agents.parrot] options`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Options {
    loud: bool,
}

impl AdapterOptions for Options {
    const ADAPTER_ID: &'static str = "parrot";
}

/// One line of the parrot. Fields that are not used are not named.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    say: Option<Cow<'a, str>>,
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
