//! Finds unknown members and unknown enum values in parameters, by the OpenRPC document. `_meta` is allowed in every
//! object, and vendors may add error kinds. Types, ranges and missing members are left to serde.

use od_protocol::api::HOST_ERROR_KINDS;
use serde_json::{Map, Value};

/// Custom data is allowed in every object.
const META: &str = "_meta";
/// The one enum that vendors may extend.
const ERROR_KIND_TYPE: &str = "ErrorKind";
/// How much of an unknown value or name is quoted.
const MAX_QUOTED_CHARS: usize = 60;

/// What is wrong with the parameters.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// The parameter, such as `task.session.mode`; empty for all of them.
    pub(super) path: String,
    pub(super) text: String,
}

impl From<serde_path_to_error::Error<serde_json::Error>> for Problem {
    fn from(error: serde_path_to_error::Error<serde_json::Error>) -> Self {
        let path = error.path().to_string();
        let path = if path == "." { String::new() } else { path };
        let reason = error.inner().to_string();
        if let Some(name) = reason.strip_prefix("missing field `") {
            let path = join(&path, name.trim_end_matches('`'));
            return Self { text: format!("{path} is missing"), path };
        }
        let text = match reason.rsplit_once(", expected ") {
            Some((_, expected)) => format!("{path} must be {}", describe(expected)),
            None => format!("{path}: {reason}"),
        };
        Self { path, text }
    }
}

/// Checks parameters against a type of the document.
pub(super) fn check(document: &Value, type_name: &str, params: &Value) -> Result<(), Problem> {
    let types = &document["components"]["schemas"];
    Position { types, path: String::new() }.check(&types[type_name], type_name, params)
}

struct Position<'a> {
    types: &'a Value,
    path: String,
}

impl Position<'_> {
    fn check(&self, schema: &Value, type_name: &str, value: &Value) -> Result<(), Problem> {
        if let Some(reference) = schema["$ref"].as_str() {
            let type_name = reference.rsplit('/').next().unwrap_or_default();
            return self.check(&self.types[type_name], type_name, value);
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            return self.check_choices(choices, type_name, value);
        }
        match value {
            Value::Array(items) if schema.get("items").is_some() => {
                let at = |index| Self { path: format!("{}[{index}]", self.path), ..*self };
                let mut items = items.iter().enumerate();
                items.try_for_each(|(index, item)| at(index).check(&schema["items"], "", item))
            }
            Value::Object(members) => self.check_members(schema, members),
            // serde would read an array as the members of an object in their order.
            Value::Array(_) if schema["type"] == "object" => Err(self.not_an_object()),
            _ => Ok(()),
        }
    }

    /// The choices are a type or null, or the known values of an enum.
    fn check_choices(
        &self,
        choices: &[Value],
        type_name: &str,
        value: &Value,
    ) -> Result<(), Problem> {
        let known: Vec<&str> = choices.iter().filter_map(|it| it["const"].as_str()).collect();
        if known.is_empty() {
            let other = choices.iter().find(|choice| choice["type"] != "null");
            return match (value, other) {
                (Value::Null, _) | (_, None) => Ok(()),
                (value, Some(schema)) => self.check(schema, "", value),
            };
        }
        match value.as_str() {
            Some(given) if !known.contains(&given) => {
                if type_name == ERROR_KIND_TYPE && is_vendor_kind(given) {
                    return Ok(());
                }
                let (path, known, given) = (&self.path, known.join(", "), shorten(given));
                Err(self.problem(format!("{path} must be one of {known}, not {given:?}")))
            }
            _ => Ok(()),
        }
    }

    fn check_members(&self, schema: &Value, members: &Map<String, Value>) -> Result<(), Problem> {
        let no_members = Map::new();
        let known = schema["properties"].as_object().unwrap_or(&no_members);
        for (name, value) in members {
            let member = Self { path: join(&self.path, &shorten(name)), ..*self };
            match known.get(name).or_else(|| schema.get("additionalProperties")) {
                Some(schema) => member.check(schema, "", value)?,
                None if name == META || schema["type"] != "object" => {}
                None => return Err(member.unknown(known)),
            }
        }
        Ok(())
    }

    fn unknown(&self, known: &Map<String, Value>) -> Problem {
        let names: Vec<&str> = known.keys().map(String::as_str).collect();
        let allowed = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        self.problem(format!("unknown parameter {:?}; allowed: {allowed}", self.path))
    }

    fn not_an_object(&self) -> Problem {
        let path = if self.path.is_empty() { "params" } else { &self.path };
        self.problem(format!("{path} must be an object"))
    }

    fn problem(&self, text: String) -> Problem {
        Problem { path: self.path.clone(), text }
    }
}

/// Whether it is a `_vendor.kind`, or one of the host's own `_od.` kinds.
fn is_vendor_kind(text: &str) -> bool {
    match text.strip_prefix('_').and_then(|text| text.split_once('.')) {
        Some(("od", _)) => HOST_ERROR_KINDS.iter().any(|kind| kind.kind == text),
        Some((vendor, kind)) => !vendor.is_empty() && !kind.is_empty(),
        None => false,
    }
}

/// serde's name of a type, in terms of JSON.
fn describe(expected: &str) -> &str {
    match expected {
        "u32" => "a whole number from 0 to 4294967295",
        "u8" | "u16" | "u64" | "usize" => "a whole number",
        "i64" | "i32" => "an integer",
        "f32" | "f64" => "a number",
        "a borrowed string" => "a string",
        "a sequence" => "an array",
        "a map" => "an object",
        text if text.starts_with("struct ") => "an object",
        text => text,
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn shorten(text: &str) -> String {
    text.chars().take(MAX_QUOTED_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use od_protocol::api;
    use serde::de::DeserializeOwned;
    use serde_json::json;

    use super::super::{DOCUMENT, parse};
    use super::*;

    /// The error of parameters: their path and the text after the method's name.
    fn problem<P: DeserializeOwned + std::fmt::Debug>(
        type_name: &str,
        params: Value,
    ) -> (String, String) {
        let error = parse::<P>("m", type_name, Some(&params.to_string())).expect_err("an error");
        let data = error.data.expect("data");
        assert!(data.hint.is_some(), "{data:?}");
        let text = error.message.strip_prefix("m: ").expect("the method").to_owned();
        (data.which.unwrap_or_default(), text)
    }

    fn list_runs(params: Value) -> (String, String) {
        problem::<api::ListRunsParams>("ListRunsParams", params)
    }

    fn start_run(member: &str, value: Value) -> (String, String) {
        let mut task = json!({"cwd": "/x", "prompt": {"text": "go"}});
        task[member] = value;
        problem::<api::StartRunParams>(api::START_RUN.params, json!({ "task": task }))
    }

    #[test]
    fn unknown_enum_value_lists_known_ones() {
        let by = json!({"by": "banana"});
        let (path, text) = problem::<api::SummarizeUsageParams>("SummarizeUsageParams", by);
        assert_eq!(path, "by");
        let expected = "by must be one of agent, model, provider, credential, day, not \"banana\"";
        assert_eq!(text, expected);
        assert_eq!(list_runs(json!({"state": "banana"})).0, "state");
        assert_eq!(start_run("session", json!({"mode": "resum"})).0, "task.session.mode");
        assert_eq!(start_run("effort", json!("huge")).0, "task.effort");
    }

    #[test]
    fn error_kinds_of_vendors_are_allowed() {
        let check = |kind: &str| check(&DOCUMENT, "RetryPolicy", &json!({"on": [kind]}));
        for kind in ["rate_limited", "_acme.busy", "_od.host_died"] {
            assert_eq!(check(kind), Ok(()), "{kind}");
        }
        for kind in ["banana", "_od.banana", "_acme."] {
            assert_eq!(check(kind).expect_err(kind).path, "on[0]");
        }
    }

    #[test]
    fn unknown_member_lists_the_allowed_ones() {
        let features =
            |params| problem::<api::GetAgentFeaturesParams>("GetAgentFeaturesParams", params);
        let (path, text) = features(json!({"skills": [{"name": "s", "requires": ["x"]}]}));
        assert_eq!(path, "skills[0].requires");
        assert_eq!(text, "unknown parameter \"skills[0].requires\"; allowed: capabilities, name");
        let (path, text) = features(json!({"skills": [{"name": "s"}]}));
        assert_eq!(path, "skills[0].capabilities");
        assert_eq!(text, "skills[0].capabilities is missing");
        let info = problem::<api::GetHostInfoParams>("GetHostInfoParams", json!({"verbose": true}));
        assert_eq!(info.1, "unknown parameter \"verbose\"; allowed: none");
    }

    #[test]
    fn wrong_type_names_the_right_one() {
        for (params, expected) in [
            (json!({"limit": "5"}), "limit must be a whole number from 0 to 4294967295"),
            (json!({"limit": 1.5}), "limit must be a whole number from 0 to 4294967295"),
            (json!({"limit": -1}), "limit must be a whole number from 0 to 4294967295"),
            (json!({"state": 5}), "state must be a string"),
            (json!([5]), "params must be an object"),
        ] {
            assert_eq!(list_runs(params).1, expected);
        }
        assert_eq!(start_run("env", json!({"A": 1})).1, "task.env.A must be a string");
        assert_eq!(start_run("prompt", json!("go")).1, "task.prompt must be an object");
        assert_eq!(start_run("prompt", json!(["go"])).1, "task.prompt must be an object");
    }

    #[test]
    fn valid_parameters_pass() {
        let params = json!({
            "agent": null, "approvals": true, "_meta": {"x": 1},
            "retry": {"on": ["rate_limited"], "maxAttempts": 2},
            "fallback": {"agents": ["y"], "handover": "prompt"},
            "task": {
                "cwd": "/x", "prompt": {"text": "go", "_meta": {}}, "session": {"mode": "new"},
                "adapterOptions": {"any": [{"thing": 1.5}]}, "env": {"A": "1"}, "policy": null,
                "mcpServers": [{"name": "m", "transport": "stdio", "args": ["a"]}],
            },
        });
        let text = params.to_string();
        let start = parse::<api::StartRunParams>("m", api::START_RUN.params, Some(&text));
        assert_eq!(start.map(|params| params.task.cwd), Ok("/x".into()));
        assert!(parse::<api::ListRunsParams>("m", "ListRunsParams", None).is_ok());
    }

    #[test]
    fn every_method_has_its_type_in_the_document() {
        let methods = api::METHODS.iter().map(|method| method.params);
        for name in methods.chain([api::ATTACH_RUN.params]) {
            assert_eq!(DOCUMENT["components"]["schemas"][name]["type"], "object", "{name}");
        }
    }
}
