//! The values of the list of models: MOD-04, which `models` lists.

use od_protocol::adapter::{ListModelsParams, ListModelsResult};
use od_protocol::{ErrorKind, ModelsSource};
use serde_json::Value;

use super::expectations::{SHORT_RUN_TIMEOUT, model_reached};
use super::models::models_script;
use crate::adapter_client::{AdapterClient, Answer};
use crate::context::CheckContext;
use crate::fake_cli::Script;
use crate::outcome::{CheckOutcome, Finding};

/// How many models the changed list has.
const LISTED_MODELS: usize = 3;

/// Compares the list with what the agent CLI prints.
pub(super) fn list_values(context: &mut CheckContext) -> CheckOutcome {
    let script = models_script(context)?;
    let (mut adapter, list) = list_of(context, &script)?;
    let defaults = list.models.iter().filter(|model| model.default).count();
    let sent = "models/list";
    adapter.ensure(defaults <= 1, "at most one default", format!("{defaults}"), sent)?;
    let again = adapter.call(&ListModelsParams {})?;
    let got = format!("{:?}, then {:?}", ids(&list), ids(&again));
    adapter.ensure(list == again, "the same list twice", got, sent)?;
    if let Some(current) = &list.current {
        let is_empty = current.trim().is_empty();
        adapter.ensure(!is_empty, "a current model, or none", "an empty text", sent)?;
    }
    if list.source == ModelsSource::Live && context.suite.has_cli() {
        follows_cli(context, &script, &list)?;
    }
    unlisted_model_is_not_ignored(context, &mut adapter)
}

fn list_of(
    context: &mut CheckContext,
    script: &Script,
) -> Result<(AdapterClient, ListModelsResult), Finding> {
    let mut adapter = context.launch()?;
    if *script != Script::default() {
        adapter.fake_cli.load_script(script)?;
    }
    let list = adapter.call(&ListModelsParams {})?;
    Ok((adapter, list))
}

fn ids(list: &ListModelsResult) -> Vec<&str> {
    list.models.iter().map(|model| model.id.as_str()).collect()
}

/// Lets the agent CLI print other models; the list must contain each of them.
fn follows_cli(
    context: &mut CheckContext,
    script: &Script,
    list: &ListModelsResult,
) -> CheckOutcome {
    let nonce = context.nonce();
    let changed = list.models.iter().find_map(|model| {
        let new: Vec<String> =
            (0..LISTED_MODELS).map(|number| format!("{}{number}{nonce}", model.id)).collect();
        Some((with_models(script, &model.id, &new)?, new))
    });
    // The form of the list is the agent CLI's own; a list that is not found is not changed.
    let Some((script, new)) = changed else { return Ok(()) };
    let (adapter, list) = list_of(context, &script)?;
    let got = ids(&list);
    let is_complete = new.iter().all(|id| got.contains(&id.as_str()));
    let expected = format!("every model that the agent CLI lists: {new:?}");
    adapter.ensure(is_complete, expected, format!("{got:?} ({})", list.source), "models/list")
}

/// Replaces the list that contains a model by copies of its entry with other ids.
fn with_models(script: &Script, id: &str, new: &[String]) -> Option<Script> {
    let mut changed = script.clone();
    for probe in &mut changed.probes {
        let lines: Vec<String> =
            probe.stdout.lines().map(|line| change_line(line, id, new)).collect();
        let stdout = lines.join("\n") + "\n";
        if new.iter().any(|id| stdout.contains(id.as_str())) {
            probe.stdout = stdout;
        }
    }
    (changed != *script).then_some(changed)
}

fn change_line(line: &str, id: &str, new: &[String]) -> String {
    if line.trim() == id {
        return new.join("\n");
    }
    let Ok(mut value) = serde_json::from_str::<Value>(line) else { return line.to_owned() };
    if change_list(&mut value, id, new) { value.to_string() } else { line.to_owned() }
}

/// Changes the innermost list with an entry that has this id as one of its texts.
fn change_list(value: &mut Value, id: &str, new: &[String]) -> bool {
    match value {
        Value::Object(members) => members.values_mut().any(|member| change_list(member, id, new)),
        Value::Array(items) => {
            if items.iter_mut().any(|item| change_list(item, id, new)) {
                return true;
            }
            let quoted = Value::from(id).to_string();
            let Some(entry) = items.iter().find(|item| has_text(item, id)) else { return false };
            let entry = entry.to_string();
            let copies =
                new.iter().map(|id| entry.replace(&quoted, &Value::from(&**id).to_string()));
            *items = copies.filter_map(|copy| serde_json::from_str(&copy).ok()).collect();
            true
        }
        _ => false,
    }
}

fn has_text(entry: &Value, id: &str) -> bool {
    match entry {
        Value::Object(members) => members.values().any(|value| value == id),
        other => other == id,
    }
}

/// A model that the agent CLI may know although it does not list it.
fn unlisted_model_is_not_ignored(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
) -> CheckOutcome {
    let mut prepared = context.prepare("text")?;
    let model = format!("conformance/model-{}", context.nonce());
    prepared.request.model = Some(model.clone());
    let sent = format!("run/start with model {model:?}, which is not in the list");
    let before = adapter.fake_cli.starts().len();
    match adapter.try_begin(&prepared)? {
        Answer::Error(error) if error.kind() == ErrorKind::ModelUnknown => return Ok(()),
        refused @ Answer::Error(_) => {
            let expected = "the run is accepted, or model_unknown";
            return Err(adapter.failure(expected, refused.summary(), sent));
        }
        Answer::Result(_) => {}
    }
    let record = adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
    let errors = record.errors();
    if errors.iter().any(|error| error.kind == ErrorKind::ModelUnknown) {
        return Ok(());
    }
    let start = adapter.fake_cli.starts().into_iter().nth(before).unwrap_or_default();
    let expected = format!("{model:?} reaches the agent CLI, or model_unknown");
    let got = format!("arguments {:?}", start.args);
    record.ensure(model_reached(&start, &model), expected, got, sent)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn list_gets_copies_with_new_ids() {
        let mut value = json!({"modes": ["a"], "models": [{"id": "m", "n": 1}, {"id": "k"}]});
        let new = ["x".to_owned(), "y".to_owned()];
        assert!(change_list(&mut value, "m", &new));
        assert_eq!(value["models"], json!([{"id": "x", "n": 1}, {"id": "y", "n": 1}]));
        assert_eq!(change_line("m", "m", &new), "x\ny");
        assert_eq!(change_line("other m", "m", &new), "other m");
    }
}
