//! Contents of messages, and kind and title of tools; used by runs and by stored sessions.

use od_protocol::ToolKind;
use serde_json::Value;

use super::native::Block;
use od_sdk::text::first_line;

/// The blocks of a message; a plain text becomes one block.
pub(super) fn blocks(content: Value) -> Vec<Block> {
    match content {
        Value::String(text) => {
            vec![Block { kind: "text".to_owned(), text, ..Block::default() }]
        }
        Value::Array(items) => {
            items.into_iter().filter_map(|item| serde_json::from_value(item).ok()).collect()
        }
        _ => Vec::new(),
    }
}

/// The text of a message.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let texts = items.iter().filter_map(|item| item.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// The kind of a tool, from its name.
pub(super) fn kind(name: &str) -> ToolKind {
    match name {
        "read" | "ls" | "lsp" | "inspect_image" => ToolKind::Read,
        "write" | "edit" | "ast_edit" | "apply_patch" => ToolKind::Edit,
        "bash" | "powershell" | "python" | "eval" | "ssh" | "debug" | "launch" => ToolKind::Execute,
        "grep" | "find" | "glob" | "search" | "ast_grep" => ToolKind::Search,
        "fetch" | "web_search" | "web_fetch" | "browser" => ToolKind::Fetch,
        "task" | "todo" | "todo_write" | "ask" | "checkpoint" | "rewind" => ToolKind::Think,
        _ => ToolKind::Other,
    }
}

/// The title of a call.
pub(super) fn title(name: &str, input: &Value) -> Option<String> {
    let field = |key: &str| input.get(key).and_then(Value::as_str);
    let title = match field("command") {
        Some(command) => command.to_owned(),
        None => {
            let subject = ["path", "pattern", "url", "query", "description"];
            format!("{name} {}", subject.into_iter().find_map(field)?)
        }
    };
    Some(first_line(&title))
}

/// `provider/model`, the form that `--model` accepts.
pub(super) fn model_id(provider: &str, id: &str) -> String {
    match provider {
        "" => id.to_owned(),
        provider => format!("{provider}/{id}"),
    }
}
