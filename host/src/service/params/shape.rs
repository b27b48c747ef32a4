//! A value against its type in the OpenRPC document. Knows the few forms of schema that the generator of the document
//! writes. Stricter than the document in two ways, because who asks must hear of a mistake: a set of
//! words is closed, a vendor's kinds of errors excepted, and so is the set of an object's members, `_meta` excepted.

use od_protocol::api::HOST_ERROR_KINDS;
use serde_json::{Map, Value};

/// Where custom data may be in every object.
const META: &str = "_meta";
/// The one set of words that vendors add to.
const ERROR_KINDS: &str = "ErrorKind";
/// What is shown of a word or a name that does not fit.
const SHOWN_CHARACTERS: usize = 60;

/// What does not fit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Misfit {
    /// The parameter, such as `task.session.mode`; empty for all of them.
    pub(super) path: String,
    /// What is wrong with it.
    pub(super) problem: String,
    /// What would fit.
    pub(super) advice: String,
}

/// Holds a value against a type of the document.
pub(super) fn check(document: &Value, type_name: &str, value: &Value) -> Result<(), Misfit> {
    let types = &document["components"]["schemas"];
    Place { types, path: String::new() }.named(type_name, value)
}

/// A place among the parameters.
struct Place<'a> {
    types: &'a Value,
    path: String,
}

impl Place<'_> {
    fn named(&self, type_name: &str, value: &Value) -> Result<(), Misfit> {
        let schema = &self.types[type_name];
        match schema["anyOf"].as_array() {
            Some(words) => self.word(type_name, words, value),
            None => self.value(schema, value),
        }
    }

    fn value(&self, schema: &Value, value: &Value) -> Result<(), Misfit> {
        if let Some(reference) = schema["$ref"].as_str() {
            return self.named(reference.rsplit('/').next().unwrap_or_default(), value);
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            // A value or null is the only choice there is.
            let other = choices.iter().find(|choice| choice["type"] != "null");
            return match (value, other) {
                (Value::Null, _) | (_, None) => Ok(()),
                (value, Some(schema)) => self.value(schema, value),
            };
        }
        let names: Vec<&str> = match &schema["type"] {
            Value::String(name) => vec![name],
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            _ => return Ok(()),
        };
        let fits =
            |name: &&str| *name == kind_of(value) || (*name == "number" && value.is_number());
        if !names.iter().any(fits) {
            let fitting = names.iter().find(|name| **name != "null").copied().unwrap_or("null");
            return Err(self.other_kind(fitting, value));
        }
        match value {
            Value::Number(number) => self.number(schema, number),
            Value::Array(items) => self.items(&schema["items"], items),
            Value::Object(members) => self.members(schema, members),
            _ => Ok(()),
        }
    }

    fn word(&self, type_name: &str, words: &[Value], value: &Value) -> Result<(), Misfit> {
        let Some(text) = value.as_str() else { return Err(self.other_kind("string", value)) };
        let known: Vec<&str> = words.iter().filter_map(|word| word["const"].as_str()).collect();
        if known.contains(&text) || (type_name == ERROR_KINDS && is_vendors(text)) {
            return Ok(());
        }
        let problem = format!("{} cannot be {:?}", self.path, shorten(text));
        Err(self.misfit(problem, format!("it takes {}", listed(&known, "or"))))
    }

    fn number(&self, schema: &Value, number: &serde_json::Number) -> Result<(), Misfit> {
        let (least, most) = (&schema["minimum"], &schema["maximum"]);
        let given = number.as_f64().unwrap_or(f64::NAN);
        let fits = least.as_f64().is_none_or(|least| given >= least)
            && most.as_f64().is_none_or(|most| given <= most);
        if fits {
            return Ok(());
        }
        let problem = format!("{} cannot be {number}", self.path);
        Err(self.misfit(problem, format!("it takes a number from {least} to {most}")))
    }

    fn items(&self, schema: &Value, items: &[Value]) -> Result<(), Misfit> {
        let place = |index: usize| Place { path: format!("{}[{index}]", self.path), ..*self };
        items.iter().enumerate().try_for_each(|(index, item)| place(index).value(schema, item))
    }

    fn members(&self, schema: &Value, members: &Map<String, Value>) -> Result<(), Misfit> {
        let nothing = Map::new();
        let known = schema["properties"].as_object().unwrap_or(&nothing);
        let others = schema.get("additionalProperties");
        for (name, value) in members {
            match (known.get(name), others) {
                (Some(schema), _) | (None, Some(schema)) => {
                    self.below(name).value(schema, value)?
                }
                (None, None) if name == META => {}
                (None, None) => return Err(self.unknown_member(name, known)),
            }
        }
        let mut required =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        match required.find(|name| !members.contains_key(*name)) {
            Some(name) => Err(self.missing_member(name, &known[name])),
            None => Ok(()),
        }
    }

    fn missing_member(&self, name: &str, schema: &Value) -> Misfit {
        let place = self.below(name);
        let about = schema["description"].as_str().unwrap_or_default().trim_end_matches('.');
        place.misfit(format!("{} is missing", place.path), format!("{name} is: {about}"))
    }

    fn unknown_member(&self, name: &str, known: &Map<String, Value>) -> Misfit {
        let name = shorten(name);
        let names: Vec<&str> = known.keys().map(String::as_str).collect();
        let advice = match names.is_empty() {
            true => "nothing is taken there".to_owned(),
            false => format!("there are {}", listed(&names, "and")),
        };
        let problem = match self.path.is_empty() {
            true => format!("there is no {name:?}"),
            false => format!("{} has no {name:?}", self.path),
        };
        self.below(&name).misfit(problem, advice)
    }

    fn other_kind(&self, fitting: &str, value: &Value) -> Misfit {
        let problem = match self.path.is_empty() {
            true => format!("they go by name, in an object, not in {}", in_words(kind_of(value))),
            false => format!("{} cannot be {}", self.path, in_words(kind_of(value))),
        };
        self.misfit(problem, format!("it takes {}", in_words(fitting)))
    }

    fn below(&self, name: &str) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        Self { path: format!("{}{dot}{name}", self.path), ..*self }
    }

    fn misfit(&self, problem: String, advice: String) -> Misfit {
        Misfit { path: self.path.clone(), problem, advice }
    }
}

/// `_vendor.kind`; of our own those that there are.
fn is_vendors(text: &str) -> bool {
    let vendor = text.strip_prefix('_').and_then(|text| text.split_once('.'));
    match vendor {
        Some(("od", _)) => HOST_ERROR_KINDS.iter().any(|kind| kind.kind == text),
        Some((vendor, kind)) => !vendor.is_empty() && !kind.is_empty(),
        None => false,
    }
}

/// The word of JSON Schema for what a value is.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() || number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn in_words(kind: &str) -> &str {
    match kind {
        "boolean" => "true or false",
        "integer" => "a whole number",
        "number" => "a number",
        "string" => "a text",
        "array" => "a list",
        "object" => "an object",
        other => other,
    }
}

fn listed(words: &[&str], last: &str) -> String {
    match words {
        [] => String::new(),
        [word] => (*word).to_owned(),
        [words @ .., word] => format!("{} {last} {word}", words.join(", ")),
    }
}

fn shorten(text: &str) -> String {
    text.chars().take(SHOWN_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::DOCUMENT;
    use super::*;

    fn misfit(type_name: &str, value: Value) -> (String, String) {
        let misfit = check(&DOCUMENT, type_name, &value).expect_err("it does not fit");
        assert!(!misfit.advice.is_empty(), "{misfit:?}");
        (misfit.path, misfit.problem)
    }

    fn task(member: &str, value: Value) -> Value {
        let mut task = json!({"cwd": "/x", "prompt": {"text": "go"}});
        task[member] = value;
        json!({ "task": task })
    }

    #[test]
    fn a_word_that_nobody_knows_is_refused_wherever_it_stands() {
        let refused =
            |path: &str, word: &str| (path.to_owned(), format!("{path} cannot be {word:?}"));
        let list = misfit("ListRunsParams", json!({"state": "banana"}));
        assert_eq!(list, refused("state", "banana"));
        let session = misfit("StartRunsParams", task("session", json!({"mode": "resum"})));
        assert_eq!(session, refused("task.session.mode", "resum"));
        let effort = misfit("StartRunsParams", task("effort", json!("huge")));
        assert_eq!(effort, refused("task.effort", "huge"));
        let kinds = misfit("RetryPolicy", json!({"on": ["rate_limited", "banana"]}));
        assert_eq!(kinds, refused("on[1]", "banana"));
        let own = misfit("RetryPolicy", json!({"on": ["_od.banana"]}));
        assert_eq!(own, refused("on[0]", "_od.banana"));
    }

    #[test]
    fn the_words_there_are_are_told() {
        let error = check(&DOCUMENT, "SummarizeUsageParams", &json!({"by": "banana"}));
        let advice = error.expect_err("no such word").advice;
        assert_eq!(advice, "it takes agent, model, provider, credential or day");
    }

    #[test]
    fn a_member_that_nobody_knows_is_refused_and_a_missing_one_is_named() {
        let skill = json!({"skills": [{"name": "s", "requires": ["teleport"]}]});
        let (path, problem) = misfit("GetAgentFeaturesParams", skill);
        assert_eq!((&*path, &*problem), ("skills[0].requires", "skills[0] has no \"requires\""));
        let (path, problem) = misfit("GetAgentFeaturesParams", json!({"skills": [{"name": "s"}]}));
        let expected = ("skills[0].capabilities", "skills[0].capabilities is missing");
        assert_eq!((&*path, &*problem), expected);
        let (path, problem) = misfit("GetHostInfoParams", json!({"verbose": true}));
        assert_eq!((&*path, &*problem), ("verbose", "there is no \"verbose\""));
    }

    #[test]
    fn other_kinds_of_values_are_refused_in_the_words_of_json() {
        for (value, problem) in [
            (json!({"limit": "5"}), "limit cannot be a text"),
            (json!({"limit": 1.5}), "limit cannot be a number"),
            (json!({"limit": -1}), "limit cannot be -1"),
            (json!({"limit": 4_294_967_296_u64}), "limit cannot be 4294967296"),
            (json!({"state": 5}), "state cannot be a whole number"),
            (json!([5]), "they go by name, in an object, not in a list"),
        ] {
            assert_eq!(misfit("ListRunsParams", value).1, problem);
        }
        let env = misfit("StartRunsParams", task("env", json!({"A": 1})));
        assert_eq!(env.1, "task.env.A cannot be a whole number");
    }

    #[test]
    fn what_fits_passes() {
        let all = json!({
            "agent": null, "approvals": true, "_meta": {"x": 1},
            "retry": {"on": ["rate_limited", "_acme.busy", "_od.host_died"], "maxAttempts": 2},
            "fallback": {"agents": ["y"], "handover": "prompt"},
            "task": {
                "cwd": "/x", "prompt": {"text": "go", "_meta": {}}, "session": {"mode": "new"},
                "adapterOptions": {"any": [{"thing": 1.5}]}, "env": {"A": "1"}, "policy": null,
                "mcpServers": [{"name": "m", "transport": "stdio", "args": ["a"]}],
            },
        });
        assert_eq!(check(&DOCUMENT, "StartRunsParams", &all), Ok(()));
        assert_eq!(check(&DOCUMENT, "ListRunsParams", &json!({})), Ok(()));
    }

    #[test]
    fn every_method_has_its_type_in_the_document() {
        let methods = od_protocol::api::METHODS.iter().map(|method| method.params);
        for name in methods.chain([od_protocol::api::ATTACH_RUNS.params]) {
            assert_eq!(DOCUMENT["components"]["schemas"][name]["type"], "object", "{name}");
        }
    }
}
