//! An adapter that is bad on request: the host's tests copy it under an adapter's name and put the word
//! for how it should misbehave into a file beside it (`od-adapter-x.mode`), because a host passes no
//! variable on. Without that file it is a good one.

mod detect;
mod manifest;
mod orphan;
mod scenes;
mod talk;
mod troubles;
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

/// Who it pretends to be, and how it misbehaves.
pub(crate) struct Mode {
    exe: PathBuf,
    pub(crate) id: String,
    pub(crate) word: String,
}

impl Mode {
    fn read() -> Self {
        let exe = std::env::current_exe().expect("the path of this program");
        let name = exe.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let id = name.strip_prefix("od-adapter-").unwrap_or("bad").to_owned();
        let word = std::fs::read_to_string(exe.with_extension("mode")).unwrap_or_default();
        Self { id, word: word.trim().to_owned(), exe }
    }

    /// A file beside it, by which a test and it talk to each other.
    pub(crate) fn file(&self, extension: &str) -> PathBuf {
        self.exe.with_extension(extension)
    }

    /// Which start of a run this is, from 1, by a file beside this program.
    pub(crate) fn count_start(&self) -> u32 {
        let path = self.file("starts");
        let before: u32 =
            std::fs::read_to_string(&path).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
        std::fs::write(path, (before + 1).to_string()).expect("a file beside this program");
        before + 1
    }
}

fn serve(mode: &Mode) {
    if mode.word == "dies_at_start" {
        eprintln!("cannot find my libraries");
        std::process::exit(9);
    }
    let mut scene = scenes::Scene::default();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        let id = message["id"].clone();
        match message["method"].as_str().unwrap_or_default() {
            "initialize" => initialize(mode, &id),
            "ping" => answer(&id, &json!({})),
            "adapter/detect" => detect::detect(mode, &id),
            "adapter/health" | "models/list" | "quota/get" | "sessions/list" => {
                talk::answer_call(mode, &id, &message["method"]);
            }
            "run/start" => scenes::start(mode, &mut scene, &id, &message["params"]),
            "run/input" if mode.word == "leaves" => scene.leave(),
            "run/input" => scene.input(&id, &message["params"]),
            "run/respond" => scene.respond(&id, &message["params"]),
            "run/cancel" => scenes::cancel(mode, &mut scene, &id),
            other => {
                let text = format!("no method {other}");
                refuse(&id, &ErrorObject::new(ErrorKind::MethodNotFound, text));
            }
        }
    }
    if mode.word == "never_exits" {
        forever();
    }
}

fn initialize(mode: &Mode, id: &Value) {
    match mode.word.as_str() {
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

pub(crate) const LONG: Duration = Duration::from_secs(3600);
