//! `od-host capabilities`: what an agent can do with the agent CLI that is installed here.

use clap::Args;
use od_host::{ExitStatus, Host, HostError};
use od_protocol::{Capabilities, DetectAdapterParams};
use serde_json::{Value, json};

use crate::cli::print::{print, print_json, print_remark, table, table_text};
use crate::cli::suggest::connect;

const EXAMPLES: &str = "\
Examples:
  od-host capabilities -a claude-code
  od-host capabilities -a demo --json | jq .capabilities.resume";

/// What each capability gives a person, in the order of the specification.
const MEANINGS: [(&str, &str); 27] = [
    ("run", "od-host run"),
    ("input", "od-host input: say something while it works"),
    ("approvals", "asks before it acts"),
    ("models", "od-host models, run -m"),
    ("quota", "tells what is left of an allowance"),
    ("sessions", "lists and reads its own sessions"),
    ("resume", "run --resume"),
    ("fork", "run --fork"),
    ("effort", "run --effort"),
    ("thinkingBudget", "takes a number of thinking tokens"),
    ("thinking", "shows its thoughts"),
    ("tools", "shows its tool calls"),
    ("textDeltas", "shows text while it is written"),
    ("fileChanges", "reports the files it changes"),
    ("usage", "counts tokens"),
    ("subagents", "shows its helpers"),
    ("systemPrompt", "run --system"),
    ("attachments", "takes files with the prompt"),
    ("images", "takes pictures with the prompt"),
    ("skills", "takes folders of skills"),
    ("addDirs", "may work in further folders"),
    ("toolLists", "run --allow-tool, --deny-tool"),
    ("permissionModes", "run --permission-mode"),
    ("policy", "keeps rules for shell and network"),
    ("mcpServers", "takes MCP servers for a run"),
    ("outputSchema", "gives its answer as JSON of a given shape"),
    ("maxTurns", "stops after so many turns"),
];

/// The arguments of `capabilities`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The agent
    #[arg(short, long, value_name = "ID")]
    agent: String,
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

/// # Errors
/// When there is no such agent, or its adapter does not answer.
pub(crate) async fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
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
        print_remark("the agent CLI is not installed: od-host agents says how to get it");
    }
    Ok(ExitStatus::Completed)
}

fn text(declared: &Capabilities, here: &Capabilities) -> String {
    let (declared, here) = (json!(declared), json!(here));
    let mut table = table(&["", "CAPABILITY", "WHAT IT GIVES", "DETAILS"]);
    for (name, meaning) in MEANINGS {
        let (sign, details) = match (declared.get(name), here.get(name)) {
            (_, Some(details)) => ("✓", details_text(details)),
            (Some(_), None) => ("✗", "not with this version".to_owned()),
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
        Value::Bool(true) => Some(words_of(name)),
        Value::Array(items) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            Some(items.join(" "))
        }
        other => Some(format!("{} {other}", words_of(name))),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// `sameCwdOnly` → `same cwd only`.
fn words_of(name: &str) -> String {
    let mut words = String::new();
    for character in name.chars() {
        if character.is_uppercase() {
            words.push(' ');
        }
        words.extend(character.to_lowercase());
    }
    words
}
