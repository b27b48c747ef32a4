//! How oh-my-pi differs from the other CLIs of its family: values only.

use crate::{ApprovalChoices, Dialect};

/// oh-my-pi.
pub const DIALECT: Dialect = Dialect {
    id: "omp",
    login_hint: "start `omp` and type /login, or set ANTHROPIC_API_KEY",
    install_command: "bun install -g @oh-my-pi/pi-coding-agent",
    config_dir_variable: "PI_CODING_AGENT_DIR",
    config_dir: ".omp/agent",
    // A title would cost another request to the model.
    fixed_args: &["--no-title"],
    json_args: &["-p"],
    quiet_env: &[],
    resume_flag: "--resume",
    session_id_flag: None,
    skill_flag: None,
    add_dir_flag: Some("--add-dir"),
    deny_tools_flag: None,
    permission_flag: Some("--approval-mode"),
    rpc_since: None,
    max_since: None,
    // Six retries, about six seconds for each that it reports (recording `r429`).
    hides_retries: true,
    // `prompt` interprets `/model`; this command does not (recording `slash`).
    literal_prompt: Some("abort_and_prompt"),
    approval_choices: Some(ApprovalChoices {
        allow: "Approve",
        deny: "Deny",
        title: "Allow tool: ",
    }),
};
