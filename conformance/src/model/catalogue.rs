//! Replies without an answer of the model: list of models, token counts, recorded requests.

use serde_json::{Value, json};

use super::failure::{Failure, FailureKind};
use super::record::RequestLog;
use super::reply::Reply;
use super::route::OtherRoute;
use super::wire::Wire;

const MODELS: [&str; 2] = ["fake-model", "fake-model-large"];

/// Replies to a request whose body has this many bytes.
pub(super) fn reply(route: &OtherRoute, size: usize, log: &RequestLog) -> Reply {
    let refuse = |wire: Wire, kind| Reply::refusal(wire.refuse(&Failure::of(kind, "")));
    // Tokenizers differ; four bytes per token is close to all of them.
    let tokens = (size / 4).max(1);
    match route {
        OtherRoute::CountTokens(Wire::Gemini) => Reply::json(200, &json!({"totalTokens": tokens})),
        OtherRoute::CountTokens(_) => Reply::json(200, &json!({"input_tokens": tokens})),
        OtherRoute::Models(Wire::Gemini) => Reply::json(200, &gemini_models()),
        OtherRoute::Models(_) => Reply::json(200, &models()),
        OtherRoute::Model(name) => Reply::json(200, &model(name)),
        OtherRoute::Requests => requests(log),
        OtherRoute::Health => Reply::json(200, &json!({"ok": true})),
        OtherRoute::Head => Reply::empty(200),
        OtherRoute::WebSocket => {
            let message = "the fake model supports HTTP only";
            Reply::json(426, &json!({"error": {"message": message, "type": "upgrade_required"}}))
        }
        OtherRoute::WrongMethod(wire) => refuse(*wire, FailureKind::WrongMethod),
        OtherRoute::Unknown(wire) => refuse(*wire, FailureKind::UnknownRoute),
    }
}

fn requests(log: &RequestLog) -> Reply {
    Reply::json(200, &json!({"forgotten": log.dropped(), "requests": log.requests()}))
}

/// One document for several wire formats: clients ignore the fields of others.
fn models() -> Value {
    let data: Vec<Value> = MODELS.iter().map(|name| model(name)).collect();
    json!({
        "object": "list", "data": data, "has_more": false,
        "first_id": MODELS[0], "last_id": MODELS[MODELS.len() - 1], "models": [],
    })
}

fn model(name: &str) -> Value {
    json!({
        "id": name, "object": "model", "type": "model", "display_name": name, "owned_by": "fake",
        "created": 0, "created_at": "2025-01-01T00:00:00Z",
    })
}

fn gemini_models() -> Value {
    let models: Vec<Value> = MODELS
        .iter()
        .map(|name| {
            json!({
                "name": format!("models/{name}"), "displayName": name, "version": "1",
                "inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536,
                "supportedGenerationMethods": ["generateContent", "countTokens"],
            })
        })
        .collect();
    json!({"models": models})
}
