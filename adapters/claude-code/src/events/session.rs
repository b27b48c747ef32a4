//! Session, turns, permission mode, compaction, hooks, plugins and skills.

use od_protocol::{
    Context, Event, Extension, ExtensionPhase, ModeChanged, NoticeLevel, SessionChoice, SessionMode,
};
use od_sdk::RunOutput;
use od_sdk::stream_json::Block;
use od_sdk::turns::Turns;
use serde_json::Value;

use super::{notice, status};
use crate::native::{Init, Plugin, SystemLine};

/// Skills of every installation of 2.1.197 or 2.1.325: they get no event (recording `plain`).
const BUILT_IN_SKILLS: &[&str] = &[
    "deep-research",
    "update-config",
    "verify",
    "debug",
    "code-review",
    "simplify",
    "batch",
    "fewer-permission-prompts",
    "loop",
    "claude-api",
    "run",
    "run-skill-generator",
    "dataviz",
    "doctor",
    "workflow-authoring",
    "plugin-authoring",
];
/// Suffix of the source of a plugin that is part of the CLI.
const BUILT_IN_PLUGIN_SUFFIX: &str = "@builtin";

/// The session and its turns.
#[derive(Debug)]
pub(super) struct Session {
    mode: SessionMode,
    parent: Option<String>,
    id: Option<String>,
    model: Option<String>,
    permission_mode: Option<String>,
    /// The turns.
    pub(super) turns: Turns,
    /// The CLI has printed a line, so it also reads stdin.
    pub(super) is_ready: bool,
    /// The CLI reports when it is idle (2.1.76 does not).
    pub(super) reports_state: bool,
}

impl Session {
    pub(super) fn new(choice: &SessionChoice) -> Self {
        let is_fork = choice.mode == SessionMode::Fork;
        Self {
            mode: choice.mode,
            parent: choice.id.clone().filter(|_| is_fork),
            id: None,
            model: None,
            permission_mode: None,
            turns: Turns::default(),
            is_ready: false,
            reports_state: false,
        }
    }

    /// `system/init` is repeated at every turn; the session starts only once.
    pub(super) fn on_init(&mut self, init: Init, output: &mut RunOutput) {
        if self.id.as_deref() == Some(&init.common.session_id) {
            self.change_mode(init.common.model, init.permission_mode, output);
        } else {
            self.start(init, output);
        }
        self.turns.ensure(output);
    }

    fn start(&mut self, init: Init, output: &mut RunOutput) {
        self.id = Some(init.common.session_id.clone());
        self.model.clone_from(&init.common.model);
        self.permission_mode = init.permission_mode;
        output.event(init.common.session_started(self.mode, self.parent.clone()));
        let is_built_in = |plugin: &Plugin| {
            plugin.source.as_ref().is_some_and(|source| source.ends_with(BUILT_IN_PLUGIN_SUFFIX))
        };
        for plugin in init.plugins.into_iter().filter(|plugin| !is_built_in(plugin)) {
            output.event(Event::Plugin(Extension {
                name: plugin.name,
                phase: ExtensionPhase::Loaded,
                source: plugin.source,
            }));
        }
        for skill in init.skills.iter().filter(|skill| !BUILT_IN_SKILLS.contains(&skill.as_str())) {
            output.event(skill_event(skill, ExtensionPhase::Loaded));
        }
    }

    /// `system/status`: the current phase, or a new permission mode.
    pub(super) fn on_status(&mut self, system: &SystemLine, output: &mut RunOutput) {
        if system.permission_mode.is_some() {
            self.change_mode(None, system.permission_mode.clone(), output);
        }
        if let Some(phase) = &system.status {
            self.turns.ensure(output);
            output.event(status(phase));
        }
    }

    fn change_mode(
        &mut self,
        model: Option<String>,
        permission_mode: Option<String>,
        output: &mut RunOutput,
    ) {
        let model = model.filter(|model| self.model.as_ref() != Some(model));
        let permission_mode =
            permission_mode.filter(|mode| self.permission_mode.as_ref() != Some(mode));
        if model.is_none() && permission_mode.is_none() {
            return;
        }
        if model.is_some() {
            self.model.clone_from(&model);
        }
        if permission_mode.is_some() {
            self.permission_mode.clone_from(&permission_mode);
        }
        output.event(Event::ModeChanged(ModeChanged { model, permission_mode }));
    }
}

/// The CLI compacted the conversation.
pub(super) fn on_compaction(system: &SystemLine, output: &mut RunOutput) {
    let metadata = system.compact_metadata.as_ref();
    output.event(Event::Context(Context {
        used_tokens: metadata.and_then(|metadata| metadata.post_tokens).unwrap_or_default(),
        max_tokens: None,
        compacted: true,
    }));
}

/// A hook of the user's settings ran.
pub(super) fn on_hook(system: &SystemLine, output: &mut RunOutput) {
    let name = system.hook_name.as_deref().unwrap_or("a hook");
    let code = system.exit_code.map_or_else(|| "unknown".to_owned(), |code| code.to_string());
    output.event(notice(NoticeLevel::Debug, "hook", format!("{name} ended with exit code {code}")));
}

/// The model invokes a skill.
pub(super) fn on_skill_call(block: &Block, output: &mut RunOutput) {
    if block.name == "Skill"
        && let Some(skill) = block.input.get("skill").and_then(Value::as_str)
    {
        output.event(skill_event(skill, ExtensionPhase::Invoked));
    }
}

/// The skill of a plugin is named `plugin:skill`.
fn skill_event(name: &str, phase: ExtensionPhase) -> Event {
    let source = name.split_once(':').map(|(plugin, _)| plugin.to_owned());
    Event::Skill(Extension { name: name.to_owned(), phase, source })
}
