//! The models named in settings and variables. Qwen Code itself has no list: it accepts any name
//! that the provider knows.

use od_protocol::adapter::ListModelsResult;
use od_protocol::{Model, ModelsSource};
use od_sdk::Machine;
use od_sdk::auth::CredentialFile;

use crate::detect::{self, KEY_LOGINS};

/// Variables that name a model, in order of precedence.
const MODEL_VARIABLES: &[&str] =
    &["OPENAI_MODEL", "QWEN_MODEL", "GEMINI_MODEL", "GOOGLE_MODEL", "ANTHROPIC_MODEL"];
/// Qwen Code's default when none is configured.
const DEFAULT_MODEL: &str = "qwen3-coder-plus";

/// Returns the configured models.
pub fn list(machine: &Machine) -> ListModelsResult {
    let settings = detect::settings(machine);
    let current = current(machine, settings.as_ref());
    let mut ids: Vec<String> = current.iter().cloned().collect();
    ids.extend(settings.iter().flat_map(provider_models));
    ids.extend(MODEL_VARIABLES.iter().filter_map(|name| machine.var(name)).map(str::to_owned));
    if ids.is_empty() {
        ids.push(DEFAULT_MODEL.to_owned());
    }
    let mut models: Vec<Model> = Vec::new();
    for id in ids {
        if models.iter().all(|model| model.id != id) {
            models.push(Model {
                default: current.as_ref() == Some(&id),
                name: None,
                context_window: None,
                efforts: None,
                id,
            });
        }
    }
    ListModelsResult { models, current, source: ModelsSource::Static }
}

fn current(machine: &Machine, settings: Option<&CredentialFile>) -> Option<String> {
    let by_settings = settings.and_then(|file| file.plain_text("/model/name"));
    let by_variables = MODEL_VARIABLES.iter().find_map(|name| machine.var(name));
    by_settings.or(by_variables).map(str::to_owned)
}

fn provider_models(settings: &CredentialFile) -> Vec<String> {
    let mut ids = Vec::new();
    for login in KEY_LOGINS {
        let place = format!("/modelProviders/{}", login.auth_type);
        let places = (0..settings.count(&place)).map(|index| format!("{place}/{index}/id"));
        ids.extend(places.filter_map(|place| settings.plain_text(&place).map(str::to_owned)));
    }
    ids
}
