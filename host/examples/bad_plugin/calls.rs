//! Calls outside a run: answers with its process id, exits, or does not answer.

use od_protocol::{ErrorKind, ErrorObject};
use serde_json::{Value, json};

use crate::Mode;
use crate::wire::{answer, forever, refuse};

/// Answers `adapter/health`, and the calls of the capabilities that the mode `answers_calls` declares.
pub(crate) fn answer_call(mode: &Mode, id: &Value, method: &Value) {
    let method = method.as_str().unwrap_or_default();
    match (mode.name.as_str(), method) {
        ("hangs_in_health", "adapter/health") => forever(),
        (_, "adapter/health") => {
            answer(id, &json!({"status": "ok", "message": std::process::id().to_string()}));
        }
        ("answers_calls", "models/list") => {
            let model = std::process::id().to_string();
            answer(id, &json!({"models": [{"id": model}], "source": "static"}));
        }
        ("answers_calls", "quota/get") => {
            eprintln!("the quota was too much");
            std::process::exit(5);
        }
        ("answers_calls", _) => answer(id, &json!({"sessions": []})),
        _ => {
            refuse(id, &ErrorObject::new(ErrorKind::MethodNotFound, format!("no method {method}")))
        }
    }
}
