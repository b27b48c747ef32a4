//! An adapter that misbehaves on request. The host's tests copy it under the name of an adapter and write its mode into a
//! file beside it (`od-adapter-x.mode`), because a host passes no variables on. Without that file it behaves well.

mod calls;
mod detect;
mod failures;
mod manifest;
mod orphan;
mod run;
mod violations;
mod wire;

use std::io::BufRead;
use std::path::PathBuf;
use std::time::Duration;

use od_protocol::{ErrorKind, ErrorObject, ProtocolRange};
use serde_json::{Value, json};

use wire::{answer, forever, refuse};

fn main() {
    let mode = Mode::read();
    match std::env::args().nth(1).as_deref() {
        Some("--manifest") => manifest::print(&mode),
        Some("--stdio") => serve(&mode),
        Some("--orphan") => orphan::live(),
        _ => {
            eprintln!("bad_plugin is started by the host's tests");
            std::process::exit(2);
        }
    }
}

/// The id of the adapter, and how it misbehaves.
pub(crate) struct Mode {
    exe: PathBuf,
    pub(crate) id: String,
    pub(crate) name: String,
}

impl Mode {
    fn read() -> Self {
        let exe = std::env::current_exe().expect("the path of this program");
        let name = exe.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let id = name.strip_prefix("od-adapter-").unwrap_or("bad").to_owned();
        let mode = std::fs::read_to_string(exe.with_extension("mode")).unwrap_or_default();
        Self { id, name: mode.trim().to_owned(), exe }
    }

    /// A file beside the executable, shared with the test.
    pub(crate) fn file(&self, extension: &str) -> PathBuf {
        self.exe.with_extension(extension)
    }

    /// Counts the starts of runs in a file beside the executable, from 1.
    pub(crate) fn count_start(&self) -> u32 {
        let path = self.file("starts");
        let before: u32 =
            std::fs::read_to_string(&path).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
        std::fs::write(path, (before + 1).to_string()).expect("a file beside this program");
        before + 1
    }
}

fn serve(mode: &Mode) {
    if mode.name == "dies_at_start" {
        eprintln!("cannot find my libraries");
        std::process::exit(9);
    }
    let mut run = run::Run::default();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        let id = message["id"].clone();
        match message["method"].as_str().unwrap_or_default() {
            "initialize" => initialize(mode, &id),
            "ping" => answer(&id, &json!({})),
            "adapter/detect" => detect::detect(mode, &id),
            "adapter/health" | "models/list" | "quota/get" | "sessions/list" => {
                calls::answer_call(mode, &id, &message["method"]);
            }
            "run/start" => run::start(mode, &mut run, &id, &message["params"]),
            "run/input" if mode.name == "leaves" => run.leave(),
            "run/input" => run.input(&id, &message["params"]),
            "run/respond" => run.respond(&id, &message["params"]),
            "run/cancel" => run::cancel(mode, &mut run, &id),
            other => {
                let text = format!("no method {other}");
                refuse(&id, &ErrorObject::new(ErrorKind::MethodNotFound, text));
            }
        }
    }
    if mode.name == "never_exits" {
        forever();
    }
}

fn initialize(mode: &Mode, id: &Value) {
    match mode.name.as_str() {
        "silent" => forever(),
        "refuses_protocol" => {
            let mut error = ErrorObject::new(ErrorKind::UnsupportedProtocol, "upgrade the host")
                .with_hint("upgrade od-host");
            if let Some(data) = &mut error.data {
                data.supported = Some(ProtocolRange { min: 7, max: 7, revision: None });
            }
            refuse(id, &error);
        }
        "malformed_error" => {
            wire::line(&json!({"jsonrpc": "2.0", "id": id, "error": {"oops": true}}).to_string());
        }
        _ => answer(
            id,
            &json!({
                "protocol": 1,
                "adapter": {"id": mode.id, "version": "1.2.3", "vendor": "test"},
                "capabilities": manifest::capabilities(mode),
            }),
        ),
    }
}

pub(crate) const SLEEP_TIME: Duration = Duration::from_secs(3600);
