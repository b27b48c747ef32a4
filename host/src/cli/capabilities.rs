//! `od-host capabilities`: the capabilities that the adapter declares, and what it reports for the installed agent CLI.

use clap::Args;
use od_host::{ExitStatus, Host, HostError};
use od_protocol::Capabilities;
use od_protocol::adapter::DetectAdapterParams;
use serde_json::{Value, json};

use crate::cli::arguments::InspectArguments;
use crate::cli::print::{print, print_json, print_remark, table, table_text};
use crate::cli::suggest::connect;

const EXAMPLES: &str = "\
Examples:
  od-host capabilities -a demo
  od-host capabilities -a demo --json | jq .capabilities.resume";

/// What each capability allows, in the order of the specification.
const DESCRIPTIONS: [(&str, &str); 27] = [
    ("run", "od-host run"),
    ("input", "od-host input: send input during a run"),
    ("approvals", "requests approvals"),
    ("models", "od-host models, run -m"),
    ("quota", "reports the remaining quota"),
    ("sessions", "lists and reads its own sessions"),
    ("resume", "run --resume"),
    ("fork", "run --fork"),
    ("effort", "run --effort"),
    ("thinkingBudget", "accepts a thinking token budget"),
    ("thinking", "reports its thinking"),
    ("tools", "reports tool calls"),
    ("textDeltas", "streams text"),
    ("fileChanges", "reports the files it changes"),
    ("usage", "reports token usage"),
    ("subagents", "reports subagents"),
    ("systemPrompt", "run --system"),
    ("attachments", "accepts files with the prompt"),
    ("images", "accepts images with the prompt"),
    ("skills", "accepts skill folders"),
    ("addDirs", "works in additional folders"),
    ("toolLists", "run --allow-tool, --deny-tool"),
    ("permissionModes", "run --permission-mode"),
    ("policy", "enforces shell and network rules"),
    ("mcpServers", "accepts MCP servers for a run"),
    ("outputSchema", "returns JSON that follows a schema"),
    ("maxTurns", "limits the number of turns"),
];

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    inspect: InspectArguments,
}

pub(crate) async fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let arguments = &arguments.inspect;
    let plugin = connect(host, &arguments.agent).await?;
    let declared = plugin.initialized().capabilities.clone();
    let detected = plugin.call(DetectAdapterParams::default()).await;
    plugin.close().await;
    let detected = detected?;
    if arguments.json {
        print_json(&json!({
            "agent": arguments.agent,
            "installed": detected.installed,
            "version": detected.version,
            "declared": declared,
            "capabilities": detected.capabilities,
        }))?;
        return Ok(ExitStatus::Completed);
    }
    print(&text(&declared, &detected.capabilities))?;
    if !detected.installed {
        print_remark("the agent CLI is not installed; `od-host agents` shows how to install it");
    }
    Ok(ExitStatus::Completed)
}

fn text(declared: &Capabilities, detected: &Capabilities) -> String {
    let (declared, detected) = (json!(declared), json!(detected));
    let mut table = table(&["", "CAPABILITY", "ALLOWS", "DETAILS"]);
    for (name, meaning) in DESCRIPTIONS {
        let (sign, details) = match (declared.get(name), detected.get(name)) {
            (_, Some(details)) => ("✓", details_text(details)),
            (Some(_), None) => ("✗", "not with the installed version".to_owned()),
            (None, None) => ("✗", String::new()),
        };
        table.add_row([sign, name, meaning, &details]);
    }
    table_text(&table)
}

/// `{"steer":true}` → `steer`; `{"levels":["low","high"]}` → `levels low high`.
fn details_text(details: &Value) -> String {
    let Value::Object(members) = details else { return String::new() };
    let words = members.iter().filter_map(|(name, value)| match value {
        Value::Bool(false) | Value::Null => None,
        Value::Bool(true) => Some(split_words(name)),
        Value::Array(items) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            Some(items.join(" "))
        }
        other => Some(format!("{} {other}", split_words(name))),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// `sameCwdOnly` → `same cwd only`.
fn split_words(name: &str) -> String {
    let mut words = String::new();
    for character in name.chars() {
        if character.is_uppercase() {
            words.push(' ');
        }
        words.extend(character.to_lowercase());
    }
    words
}
