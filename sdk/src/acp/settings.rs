//! Model and mode of a session, and the models it offers. Agents report both either as `models` and
//! `modes` or as `configOptions`.

use od_protocol::adapter::ListModelsResult;
use od_protocol::{Event, ModeChanged, Model, ModelsSource};
use serde::Deserialize;
use serde_json::Value;

use super::native::{ConfigChoice, ConfigOption, SessionResult};
use crate::RunOutput;

/// The session's model and mode.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Current {
    pub(super) model: Option<String>,
    pub(super) mode: Option<String>,
}

impl Current {
    /// The settings in the reply to `session/new`, `load`, `resume` or `fork`.
    pub(super) fn of(session: &SessionResult) -> Self {
        let by_options = Self::of_options(&session.config_options);
        let model = session.models.as_ref().and_then(|models| models.current_model_id.clone());
        let mode = session.modes.as_ref().and_then(|modes| modes.current_mode_id.clone());
        Self { model: model.or(by_options.model), mode: mode.or(by_options.mode) }
    }

    /// The settings in a list of options.
    pub(super) fn of_options(options: &[ConfigOption]) -> Self {
        let value = |category: &str| {
            let option = options.iter().find(|option| is_about(option, category))?;
            option.current_value.as_str().map(str::to_owned)
        };
        Self { model: value("model"), mode: value("mode") }
    }

    /// Stores the changes and emits them.
    pub(super) fn change(&mut self, to: Self, output: &mut RunOutput) {
        let model = to.model.filter(|model| self.model.as_ref() != Some(model));
        let permission_mode = to.mode.filter(|mode| self.mode.as_ref() != Some(mode));
        if model.is_none() && permission_mode.is_none() {
            return;
        }
        self.model = model.clone().or_else(|| self.model.take());
        self.mode = permission_mode.clone().or_else(|| self.mode.take());
        output.event(Event::ModeChanged(ModeChanged { model, permission_mode }));
    }
}

/// The reply to `session/new` in the output of a query.
pub fn session_reply(stdout: &[u8]) -> Option<Value> {
    stdout
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
        .filter_map(|mut message| message.get_mut("result").map(Value::take))
        .find(|result| result.get("sessionId").is_some())
}

/// The models of a session, from the reply to `session/new`; `None` if it lists none.
pub fn models_of(session_reply: &Value) -> Option<ListModelsResult> {
    let session = SessionResult::deserialize(session_reply).ok()?;
    let current = Current::of(&session).model;
    let stated = session.models.into_iter().flat_map(|models| models.available_models);
    let mut offers: Vec<(String, Option<String>)> =
        stated.map(|model| (model.model_id, model.name)).collect();
    if offers.is_empty() {
        let option = session.config_options.iter().find(|option| is_about(option, "model"))?;
        offers = option.options.iter().flat_map(choices).collect();
    }
    let mut models: Vec<Model> = Vec::new();
    for (id, name) in offers {
        if !id.is_empty() && models.iter().all(|model| model.id != id) {
            let default = current.as_ref() == Some(&id);
            models.push(Model { id, name, default, context_window: None, efforts: None });
        }
    }
    (!models.is_empty()).then_some(ListModelsResult { models, current, source: ModelsSource::Live })
}

fn is_about(option: &ConfigOption, category: &str) -> bool {
    option.category.as_deref().unwrap_or(&option.id) == category
}

/// A choice, or the choices of a group.
fn choices(choice: &ConfigChoice) -> Vec<(String, Option<String>)> {
    match &choice.value {
        Some(value) => vec![(value.clone(), choice.name.clone())],
        None => choice.options.iter().flat_map(choices).collect(),
    }
}
