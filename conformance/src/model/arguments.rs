//! Fills a tool's arguments from its own schema: values of the scenario by the names of the
//! properties, the rest with the smallest value that the schema allows. `tools` chooses the tool.

use serde_json::{Map, Value, json};

use super::tools::Tool;

/// The purpose of a call.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Intent<'a> {
    /// The command line to run.
    pub(super) command: Option<&'a str>,
    pub(super) path: Option<&'a str>,
    pub(super) content: Option<&'a str>,
    /// The task of a sub-agent.
    pub(super) prompt: Option<&'a str>,
    /// Whether the command may take minutes.
    pub(super) patient: bool,
}

impl<'a> Intent<'a> {
    /// The text for a tool with a single text input.
    pub(super) fn any_text(&self) -> &'a str {
        self.command.or(self.content).or(self.prompt).or(self.path).unwrap_or_default()
    }
}

/// Recursive schemas stop at this depth; deeper ones would fill the memory.
const MAX_SCHEMA_DEPTH: usize = 5;
const COMMAND_TIMEOUT_SECONDS: u64 = 120;

/// The purpose of a property, from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Command,
    Path,
    Content,
    Prompt,
    SubagentType,
    Description,
    Timeout,
    Other,
}

impl Role {
    fn of(key: &str) -> Self {
        let plain: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
        match plain.to_ascii_lowercase().as_str() {
            "command" | "cmd" | "commandline" | "script" => Self::Command,
            "path" | "filepath" | "absolutepath" | "filename" | "file" | "targetfile" => Self::Path,
            "content" | "contents" | "filetext" | "text" | "newcontent" => Self::Content,
            "prompt" | "task" | "message" => Self::Prompt,
            "subagenttype" | "agenttype" | "subagentname" | "agentname" => Self::SubagentType,
            "description" => Self::Description,
            "timeout" | "timeoutms" | "timeoutseconds" | "yieldtimems" => Self::Timeout,
            _ => Self::Other,
        }
    }
}

/// Whether a tool requires a property of a role: `command`, `path` or `content`.
pub(super) fn has_property(tool: &Tool, role: &str) -> bool {
    let wanted = Role::of(role);
    required(&tool.schema).any(|key| Role::of(key) == wanted)
}

pub(super) fn arguments(tool: &Tool, intent: &Intent<'_>) -> Value {
    let Some(properties) = tool.schema["properties"].as_object() else {
        return without_schema(intent);
    };
    let required: Vec<&str> = required(&tool.schema).collect();
    let mut out = Map::new();
    for (key, property) in properties {
        let property = resolve(property, &tool.schema);
        let role = Role::of(key);
        if let Some(value) = value_for_role(role, key, property, tool, intent) {
            out.insert(key.clone(), value);
        } else if required.contains(&key.as_str()) {
            let value = match role {
                Role::Description if is_type(property, "string") => json!("fake tool call"),
                _ => smallest(property, &tool.schema, MAX_SCHEMA_DEPTH),
            };
            out.insert(key.clone(), value);
        }
    }
    Value::Object(out)
}

/// The smallest value that a schema allows.
pub(super) fn example(schema: &Value) -> Value {
    smallest(schema, schema, MAX_SCHEMA_DEPTH)
}

/// The arguments of a provider's built-in tools, which have no schema.
fn without_schema(intent: &Intent<'_>) -> Value {
    match (intent.command, intent.path, intent.content) {
        (Some(command), _, _) => json!({"command": command}),
        (None, Some(path), Some(content)) => {
            json!({"command": "create", "path": path, "file_text": content})
        }
        (None, Some(path), None) => json!({"command": "view", "path": path}),
        (None, None, _) => json!({}),
    }
}

fn value_for_role(
    role: Role,
    key: &str,
    property: &Value,
    tool: &Tool,
    intent: &Intent<'_>,
) -> Option<Value> {
    match role {
        Role::Command => command_value(property, intent),
        Role::Path => intent.path.map(|path| as_declared_type(property, path)),
        Role::Content => intent.content.map(|content| as_declared_type(property, content)),
        Role::Prompt => intent.prompt.map(|prompt| as_declared_type(property, prompt)),
        Role::SubagentType => intent.prompt.map(|_| subagent_type(property, tool)),
        Role::Timeout => intent.patient.then(|| timeout_value(key, property)),
        Role::Description | Role::Other => None,
    }
}

/// A `command` with an enum is an operation of an editor, not a command line.
fn command_value(property: &Value, intent: &Intent<'_>) -> Option<Value> {
    if let Some(verbs) = property["enum"].as_array() {
        let wanted = if intent.content.is_some() { "create" } else { "view" };
        return verbs.iter().find(|verb| *verb == wanted).cloned();
    }
    let command = intent.command?;
    if is_type(property, "array") {
        Some(json!(["bash", "-lc", command]))
    } else {
        Some(json!(command))
    }
}

fn as_declared_type(property: &Value, text: &str) -> Value {
    if is_type(property, "array") { json!([text]) } else { json!(text) }
}

fn subagent_type(property: &Value, tool: &Tool) -> Value {
    if let Some(first) = property["enum"].as_array().and_then(|values| values.first()) {
        return first.clone();
    }
    let description = format!("{} {}", tool.description, property["description"]);
    // Names of general-purpose agents; longer names contain the shorter ones, so they come first.
    const NAMES: [&str; 3] = ["general-purpose", "generalist", "general"];
    json!(NAMES.into_iter().find(|name| description.contains(name)).unwrap_or("generalist"))
}

fn timeout_value(key: &str, property: &Value) -> Value {
    let description = format!("{key} {}", property["description"]).to_ascii_lowercase();
    let milliseconds = description.contains("ms ") || description.contains("millisecond");
    let wanted =
        if milliseconds { COMMAND_TIMEOUT_SECONDS * 1000 } else { COMMAND_TIMEOUT_SECONDS };
    json!(property["maximum"].as_u64().map_or(wanted, |maximum| wanted.min(maximum)))
}

fn smallest(schema: &Value, root: &Value, depth: usize) -> Value {
    let schema = resolve(schema, root);
    if !schema["const"].is_null() {
        return schema["const"].clone();
    }
    if let Some(values) = schema["enum"].as_array() {
        return smallest_of_enum(values);
    }
    if depth == 0 || is_nullable(schema) {
        return Value::Null;
    }
    for union in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = schema[union].as_array().and_then(|choices| choices.first()) {
            return smallest(first, root, depth - 1);
        }
    }
    match kind(schema) {
        "object" => smallest_object(schema, root, depth),
        "array" => smallest_array(schema, root, depth),
        "boolean" => json!(false),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        "null" => Value::Null,
        _ => {
            let length = schema["minLength"].as_u64().unwrap_or(1).clamp(1, 4096);
            json!("x".repeat(usize::try_from(length).unwrap_or(1)))
        }
    }
}

/// A side call that asks for the next speaker gets the user: any other value starts another round.
fn smallest_of_enum(values: &[Value]) -> Value {
    let user = values.iter().find(|value| *value == "user");
    user.or_else(|| values.iter().find(|value| !value.is_null())).cloned().unwrap_or(Value::Null)
}

fn smallest_object(schema: &Value, root: &Value, depth: usize) -> Value {
    let value = |key: &str| smallest(&schema["properties"][key], root, depth - 1);
    Value::Object(required(schema).map(|key| (key.to_owned(), value(key))).collect())
}

fn smallest_array(schema: &Value, root: &Value, depth: usize) -> Value {
    let count = schema["minItems"].as_u64().unwrap_or(0).min(16);
    Value::Array((0..count).map(|_| smallest(&schema["items"], root, depth - 1)).collect())
}

fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut found = schema;
    for _ in 0..MAX_SCHEMA_DEPTH {
        let Some(reference) = found["$ref"].as_str() else { break };
        let pointer = reference.trim_start_matches('#');
        let Some(target) = root.pointer(pointer) else { break };
        found = target;
    }
    found
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The type of a schema in lower case: one wire format uses capitals.
fn kind(schema: &Value) -> &'static str {
    const KINDS: [&str; 7] = ["object", "array", "boolean", "integer", "number", "string", "null"];
    let declared = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        other => other.as_str(),
    };
    let known = declared
        .and_then(|declared| KINDS.into_iter().find(|kind| declared.eq_ignore_ascii_case(kind)));
    known.unwrap_or(if schema["properties"].is_object() { "object" } else { "string" })
}

fn is_type(schema: &Value, wanted: &str) -> bool {
    kind(schema) == wanted
}

fn is_nullable(schema: &Value) -> bool {
    let is_null = |value: &Value| value == "null" || value["type"] == "null";
    [&schema["type"], &schema["anyOf"], &schema["oneOf"]]
        .into_iter()
        .any(|choices| choices.as_array().is_some_and(|choices| choices.iter().any(is_null)))
        || schema["nullable"] == true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tools::ToolForm;

    fn check(schema: Value, intent: Intent<'_>, expected: Value) {
        let tool = Tool {
            name: "odd".to_owned(),
            description: String::new(),
            schema,
            form: ToolForm::Function,
        };
        assert_eq!(arguments(&tool, &intent), expected);
    }

    const SHELL: Intent<'static> =
        Intent { command: Some("ls"), path: None, content: None, prompt: None, patient: false };
    const WRITE: Intent<'static> = Intent {
        command: None,
        path: Some("/w/a"),
        content: Some("hi"),
        prompt: None,
        patient: false,
    };

    #[test]
    fn command_is_text_or_list() {
        let text = json!({"properties": {"command": {"type": "string"}, "cwd": {}}});
        check(text, SHELL, json!({"command": "ls"}));
        let list = json!({"properties": {"command": {"type": "array"}}});
        check(list, SHELL, json!({"command": ["bash", "-lc", "ls"]}));
    }

    #[test]
    fn editor_command_is_create() {
        let schema = json!({"properties": {
            "command": {"type": "string", "enum": ["view", "create"]},
            "path": {"type": "string"},
            "file_text": {"type": "string"},
            "view_range": {"type": "array"}
        }, "required": ["command", "path"]});
        check(schema, WRITE, json!({"command": "create", "path": "/w/a", "file_text": "hi"}));
    }

    #[test]
    fn only_required_properties_are_filled() {
        let schema = json!({
            "properties": {
                "FilePath": {"type": "STRING"},
                "content": {"type": "STRING"},
                "mode": {"$ref": "#/$defs/mode"},
                "note": {"type": ["string", "null"]},
                "deep": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}},
                         "required": ["n"]},
                "tags": {"type": "array", "minItems": 2, "items": {"type": "boolean"}},
                "left_out": {"type": "string"}
            },
            "required": ["FilePath", "content", "mode", "note", "deep", "tags"],
            "$defs": {"mode": {"enum": ["fast", "slow"]}}
        });
        let expected = json!({
            "FilePath": "/w/a", "content": "hi", "mode": "fast", "note": null,
            "deep": {"n": 3}, "tags": [false, false]
        });
        check(schema, WRITE, expected);
    }

    #[test]
    fn recursive_schema_stops() {
        let schema = json!({"properties": {"a": {"$ref": "#"}}, "required": ["a"]});
        assert!(example(&schema).is_object());
        let circle = json!({"$ref": "#"});
        assert_eq!(example(&circle), json!("x"));
    }
}
