//! `codex exec --json`: one prompt on stdin, whole messages on stdout. What it cannot do is refused.

use od_protocol::adapter::StartRunParams;
use od_protocol::{Effort, ErrorKind, ErrorObject, SessionMode};
use od_sdk::start_run::{SystemMode, absolute};
use od_sdk::{Install, Invocation};
use serde_json::Value;

use super::{add_features, flags};
use crate::mode::{self, Mode};
use crate::options::Options;
use crate::requests::session_id;

/// How one prompt is run. Flags come before `resume` and `fork`, which take few of their own
/// (exec recordings `resume_flag_after`, `resume_parent_flags`).
pub(super) fn invocation(
    start_run_params: &StartRunParams,
    install: &Install,
    options: &Options,
) -> Result<Invocation, ErrorObject> {
    refuse(start_run_params, install, options)?;
    let mut invocation =
        Invocation { stdin: prompt(start_run_params).into_bytes(), ..Invocation::default() };
    invocation.args(["exec", "--json"]);
    invocation.known_arg(install, flags::SKIP_GIT_CHECK);
    add_model(&mut invocation, start_run_params, options);
    add_sandbox(&mut invocation, start_run_params, options)?;
    for image in &start_run_params.prompt.images {
        invocation.flag("--image", image.path.as_deref().unwrap_or_default());
    }
    if let Some(schema) = &start_run_params.output_schema {
        let file = invocation.file("schema.json", Value::Object(schema.clone()).to_string());
        invocation.flag("--output-schema", file);
    }
    if options.ephemeral {
        invocation.arg("--ephemeral");
    }
    add_features(&mut invocation, install, options);
    if let Some(id) = session_id(start_run_params)? {
        let is_fork = start_run_params.session.mode == SessionMode::Fork;
        invocation.arg(if is_fork { "fork" } else { "resume" }).arg(id);
    }
    // The prompt is on stdin and nowhere else.
    invocation.arg("-");
    Ok(invocation)
}

fn add_model(invocation: &mut Invocation, start_run_params: &StartRunParams, options: &Options) {
    if let Some(model) = &start_run_params.model {
        invocation.flag("--model", model);
    }
    if let Some(effort) = start_run_params.effort {
        // Which levels a model has is not known here; these every model has.
        let level = if effort == Effort::Max { Effort::High } else { effort };
        invocation.flag("-c", setting("model_reasoning_effort", level.as_str()));
    }
    if let Some(summary) = options.reasoning_summary {
        invocation.flag("-c", setting("model_reasoning_summary", summary.as_str()));
    }
    if let Some(system) = &start_run_params.prompt.system {
        invocation.hidden_flag("-c", setting("developer_instructions", system));
    }
}

fn add_sandbox(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
    options: &Options,
) -> Result<(), ErrorObject> {
    if let Some(mode) = &start_run_params.permission_mode {
        invocation.flag("--sandbox", mode);
    }
    for dir in &start_run_params.add_dirs {
        invocation.flag("--add-dir", absolute(dir, "addDirs")?);
    }
    if let Some(network_access) = options.network_access {
        let setting = format!("sandbox_workspace_write.network_access={network_access}");
        invocation.flag("-c", setting);
    }
    Ok(())
}

/// A setting whose value is text: TOML reads a JSON string as it is meant.
fn setting(name: &str, value: &str) -> String {
    format!("{name}={}", Value::from(value))
}

fn prompt(start_run_params: &StartRunParams) -> String {
    let prompt = &start_run_params.prompt;
    match prompt.attachments.is_empty() {
        true => prompt.text.clone(),
        false => format!("{}\n\nAttached files:\n{}", prompt.text, prompt.attachments.join("\n")),
    }
}

fn refuse(
    start_run_params: &StartRunParams,
    install: &Install,
    options: &Options,
) -> Result<(), ErrorObject> {
    let images = &start_run_params.prompt.images;
    let lacks = |flag: &str| !install.may_have(flag);
    let is_fork = start_run_params.session.mode == SessionMode::Fork;
    let is_old = mode::of_version(install.version.as_deref()) == Mode::Exec;
    let wanted = [
        ("fork", "a fork", is_fork && is_old),
        ("images", "pictures by value", images.iter().any(|image| image.path.is_none())),
        ("images", "pictures", !images.is_empty() && lacks("--image")),
        ("skills", "folders of skills", !start_run_params.skills.is_empty()),
        ("mcpServers", "MCP servers", !start_run_params.mcp_servers.is_empty()),
        ("systemPrompt", "systemMode replace", options.system_mode == SystemMode::Replace),
        ("approvals", "an approval policy", options.approval_policy.is_some()),
        ("addDirs", "further folders", !start_run_params.add_dirs.is_empty() && lacks("--add-dir")),
        (
            "outputSchema",
            "an output schema",
            start_run_params.output_schema.is_some() && lacks("--output-schema"),
        ),
        ("ephemeral", "ephemeral", options.ephemeral && lacks("--ephemeral")),
    ];
    match wanted.into_iter().find(|(_, _, is_wanted)| *is_wanted) {
        None => Ok(()),
        Some((which, what, _)) => Err(ErrorObject::new(
            ErrorKind::CapabilityUnsupported,
            format!("`codex exec` of this version cannot do {what}; newer versions can"),
        )
        .with_which(which)
        .with_hint("npm install -g @openai/codex@latest, or leave the option out")),
    }
}
