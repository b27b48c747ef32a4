//! The values of options as the agent CLI receives them: CAP-05, which `capabilities` lists.

use std::collections::BTreeMap;

use od_protocol::adapter::{DetectAdapterParams, StartRunParams};
use od_protocol::{JsonObject, McpServer, McpTransport, TestedVersion};
use serde_json::json;

use super::capabilities::prepared;
use super::cli_input::CliInput;
use crate::adapter_client::AdapterClient;
use crate::context::{CheckContext, LaunchOptions, initialize};
use crate::outcome::{CheckOutcome, Finding};

/// Compares the option of one capability.
type Probe = fn(&mut CheckContext, &mut AdapterClient) -> CheckOutcome;

/// Words that mark a list of denied tools in the options of agent CLIs.
const DENIAL_WORDS: &[&str] = &["den", "disallow", "exclu", "forbid", "block", "no_tools"];

/// How many characters before a value are searched for such a word.
const CONTEXT_CHARS: usize = 60;

/// Compares what was requested with what the agent CLI receives.
pub(super) fn options_arrive_unchanged(context: &mut CheckContext) -> CheckOutcome {
    detection_declares_all(context)?;
    let mut adapter = context.launch()?;
    let probes: [(&str, Probe); 5] = [
        ("systemPrompt", system_prompt),
        ("addDirs", folders),
        ("toolLists", tool_lists),
        ("mcpServers", servers),
        ("outputSchema", schema),
    ];
    for (capability, probe) in probes {
        if context.suite.declares(capability) {
            probe(context, &mut adapter)?;
        }
    }
    Ok(())
}

fn detection_declares_all(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch_uninitialized()?;
    let declared = initialize(&mut adapter, &LaunchOptions::default())?.capabilities;
    let detected = adapter.call(&DetectAdapterParams::default())?;
    let is_tested = detected.tested_version == Some(TestedVersion::Same);
    let text = |value: &od_protocol::Capabilities| json!(value).to_string();
    let is_same = !is_tested || detected.capabilities == declared;
    let expected = format!("the capabilities of `initialize`: {}", text(&declared));
    let got = text(&detected.capabilities);
    adapter.ensure(is_same, expected, got, "adapter/detect with the tested version")
}

/// Runs with an option and returns what the agent CLI received.
fn received(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    sent: &str,
    change: impl FnOnce(&mut StartRunParams),
) -> Result<CliInput, Finding> {
    let mut prepared = prepared(context)?;
    change(&mut prepared.request);
    CliInput::record(context, adapter, &prepared, sent)
}

fn arrives(adapter: &AdapterClient, input: &CliInput, text: &str, sent: &str) -> CheckOutcome {
    let expected = format!("the agent CLI receives exactly {text:?}");
    adapter.ensure(input.has_text(text), expected, input.summary(), sent)
}

fn arrives_once(adapter: &AdapterClient, input: &CliInput, mark: &str, sent: &str) -> CheckOutcome {
    let count = input.count_passed(mark);
    let expected = format!("{mark} arrives once");
    adapter.ensure(count <= 1, expected, format!("{count} times: {}", input.summary()), sent)
}

fn system_prompt(context: &mut CheckContext, adapter: &mut AdapterClient) -> CheckOutcome {
    let mark = format!("mark{}", context.nonce());
    let text = format!("- {mark}: «ä» 海 \"quoted\" \\ $HOME\n\n  second line  ");
    let sent = format!("run/start with prompt.system {text:?}");
    let system = text.clone();
    let input = received(context, adapter, &sent, |request| request.prompt.system = Some(system))?;
    arrives(adapter, &input, &text, &sent)?;
    arrives_once(adapter, &input, &mark, &sent)
}

fn folders(context: &mut CheckContext, adapter: &mut AdapterClient) -> CheckOutcome {
    let folder = context.folder("given")?;
    let dirs: Vec<String> = ["one dir", "zwei ö"]
        .map(|name| folder.join(format!("{name} {}", context.nonce())))
        .map(|path| path.to_string_lossy().into_owned())
        .to_vec();
    for dir in &dirs {
        std::fs::create_dir(dir)?;
    }
    let sent = format!("run/start with addDirs {dirs:?}");
    let given = dirs.clone();
    let input = received(context, adapter, &sent, |request| request.add_dirs = given)?;
    for dir in &dirs {
        arrives(adapter, &input, dir, &sent)?;
        arrives_once(adapter, &input, dir, &sent)?;
    }
    Ok(())
}

fn tool_lists(context: &mut CheckContext, adapter: &mut AdapterClient) -> CheckOutcome {
    let [allowed, denied] = [(); 2].map(|()| format!("tool{}", context.nonce()));
    let sent = format!("run/start with allowedTools [{allowed}] and deniedTools [{denied}]");
    let lists = (vec![allowed.clone()], vec![denied.clone()]);
    let input = received(context, adapter, &sent, |request| {
        (request.allowed_tools, request.denied_tools) = (Some(lists.0), Some(lists.1));
    })?;
    for tool in [&allowed, &denied] {
        arrives(adapter, &input, tool, &sent)?;
        arrives_once(adapter, &input, tool, &sent)?;
    }
    let is_denial = |tool: &str| {
        let before = input.text_before(tool, CONTEXT_CHARS).to_lowercase();
        let last =
            before.rsplit(['[', '{', '\n']).find(|part| part.chars().any(char::is_alphabetic));
        DENIAL_WORDS.iter().any(|word| last.unwrap_or_default().contains(word))
    };
    let is_swapped = is_denial(&allowed) && !is_denial(&denied);
    let expected = format!("{denied} is denied and {allowed} is allowed");
    adapter.ensure(!is_swapped, expected, input.summary(), sent)
}

fn servers(context: &mut CheckContext, adapter: &mut AdapterClient) -> CheckOutcome {
    let [name, command, argument, variable] = [(); 4].map(|()| format!("mark{}", context.nonce()));
    let server = McpServer {
        name: name.clone(),
        transport: McpTransport::Stdio,
        command: Some(command.clone()),
        args: vec![format!("--{argument}"), "two words".to_owned()],
        env: BTreeMap::from([("CONFORMANCE_SERVER".to_owned(), variable.clone())]),
        url: None,
        headers: BTreeMap::new(),
    };
    let sent = format!("run/start with the MCP server {}", json!(server));
    let input = received(context, adapter, &sent, |request| request.mcp_servers = vec![server])?;
    for text in [name, command, format!("--{argument}"), "two words".to_owned(), variable] {
        arrives(adapter, &input, &text, &sent)?;
    }
    Ok(())
}

fn schema(context: &mut CheckContext, adapter: &mut AdapterClient) -> CheckOutcome {
    let name = format!("mark{}", context.nonce());
    let schema = json!({
        "type": "object",
        "description": "- an answer",
        "properties": {&*name: {"type": "string", "enum": ["a", "b"]}, "list": {
            "type": "array", "items": {"type": "integer"},
        }},
        "required": [&*name, "list"],
        "additionalProperties": false,
    });
    let sent = format!("run/start with outputSchema {schema}");
    let object: Option<JsonObject> = schema.as_object().cloned();
    let input = received(context, adapter, &sent, |request| request.output_schema = object)?;
    let expected = "the agent CLI receives the same schema";
    adapter.ensure(input.has_json(&schema), expected, input.summary(), sent)
}
