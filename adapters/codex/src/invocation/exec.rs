//! The command line of `codex exec --json`. Unsupported options are refused.

use od_protocol::adapter::StartRunParams;
use od_protocol::{Effort, ErrorKind, ErrorObject, SessionMode};
use od_sdk::start_run::{SystemMode, absolute};
use od_sdk::{Install, Invocation};
use serde_json::Value;

use super::{add_disabled_features, flags};
use crate::mode::{self, Mode};
use crate::options::Options;
use crate::requests::session_id;

/// Returns how one prompt is run. Flags precede `resume` and `fork`, which accept only a few
/// (exec recordings `resume_flag_after`, `resume_parent_flags`).
pub(super) fn invocation(
    start_run_params: &StartRunParams,
    install: &Install,
    options: &Options,
) -> Result<Invocation, ErrorObject> {
    refuse_unsupported(start_run_params, install, options)?;
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
    add_disabled_features(&mut invocation, install, options);
    if let Some(id) = session_id(start_run_params)? {
        let is_fork = start_run_params.session.mode == SessionMode::Fork;
        invocation.arg(if is_fork { "fork" } else { "resume" }).arg(id);
    }
    // The prompt is on stdin.
    invocation.arg("-");
    Ok(invocation)
}

fn add_model(invocation: &mut Invocation, start_run_params: &StartRunParams, options: &Options) {
    if let Some(model) = &start_run_params.model {
        invocation.flag("--model", model);
    }
    if let Some(effort) = start_run_params.effort {
        // The levels of the model are unknown here; every model has `high`.
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

/// A setting with a text value. A JSON string is also a TOML string.
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

fn refuse_unsupported(
    start_run_params: &StartRunParams,
    install: &Install,
    options: &Options,
) -> Result<(), ErrorObject> {
    let images = &start_run_params.prompt.images;
    let lacks = |flag: &str| !install.may_have(flag);
    let is_fork = start_run_params.session.mode == SessionMode::Fork;
    let is_old = mode::of_version(install.version.as_deref()) == Mode::Exec;
    let requested = [
        ("fork", "forks", is_fork && is_old),
        ("images", "images by value", images.iter().any(|image| image.path.is_none())),
        ("images", "images", !images.is_empty() && lacks("--image")),
        ("skills", "skills", !start_run_params.skills.is_empty()),
        ("mcpServers", "MCP servers", !start_run_params.mcp_servers.is_empty()),
        ("systemPrompt", "systemMode \"replace\"", options.system_mode == SystemMode::Replace),
        ("approvals", "approvalPolicy", options.approval_policy.is_some()),
        ("addDirs", "addDirs", !start_run_params.add_dirs.is_empty() && lacks("--add-dir")),
        (
            "outputSchema",
            "outputSchema",
            start_run_params.output_schema.is_some() && lacks("--output-schema"),
        ),
        ("ephemeral", "ephemeral", options.ephemeral && lacks("--ephemeral")),
    ];
    match requested.into_iter().find(|(_, _, is_refused)| *is_refused) {
        None => Ok(()),
        Some((which, what, _)) => Err(ErrorObject::new(
            ErrorKind::CapabilityUnsupported,
            format!("`codex exec` of this version does not support {what}"),
        )
        .with_which(which)
        .with_hint("omit the option, or use the app server: npm install -g @openai/codex@latest")),
    }
}
