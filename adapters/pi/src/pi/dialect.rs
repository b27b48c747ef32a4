//! How Pi differs from the other CLIs of its family: values only.

use crate::Dialect;

/// Pi. Versions are those of the changelog; 0.73.1 was the last of the old package.
pub const DIALECT: Dialect = Dialect {
    id: "pi",
    login_hint: "start `pi` and type /login, or set ANTHROPIC_API_KEY",
    install_command: "npm install -g @earendil-works/pi-coding-agent",
    config_dir_variable: "PI_CODING_AGENT_DIR",
    config_dir: ".pi/agent",
    fixed_args: &[],
    json_args: &[],
    quiet_env: &[("PI_SKIP_VERSION_CHECK", "1")],
    resume_flag: "--session",
    session_id_flag: Some(("--session-id", "0.76.0")),
    skill_flag: Some("--skill"),
    add_dir_flag: None,
    deny_tools_flag: Some(("--exclude-tools", "0.77.0")),
    permission_flag: None,
    // The first version with `agent_settled`.
    rpc_since: Some("0.80.4"),
    max_since: Some("0.80.6"),
    hides_retries: false,
    // Only the user's own templates, skills and extensions start with a slash.
    literal_prompt: None,
    approval_choices: None,
};
