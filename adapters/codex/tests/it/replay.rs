//! Replays a recording of the real CLI, with the actions of the host.

use od_adapter_codex::Codex;
use od_protocol::adapter::StartRunParams;
use od_protocol::{Credential, CredentialKind, Effort, JsonObject, SessionChoice, SessionMode};
use od_sdk::testing::{Recording, Replay, replay_with};
use od_sdk::{Adapter, Install};
use serde_json::{Value, json};

use crate::scripted_host;

/// The requests to the app server in the recording.
fn requests(recording: &Recording) -> Vec<Value> {
    let meta = recording.meta();
    let lines = meta["stdin_lines"].as_array().cloned().unwrap_or_default();
    let read = |line: &Value| serde_json::from_str(line[1].as_str()?).ok();
    lines.iter().filter_map(read).collect()
}

fn find<'a>(requests: &'a [Value], method: &str) -> Option<&'a Value> {
    requests.iter().find(|request| request["method"] == method)
}

/// The run that led to the recording.
fn start_run_params(recording: &Recording, requests: &[Value]) -> StartRunParams {
    let arguments = recording.arguments();
    let exec = arguments.iter().any(|argument| argument == "exec");
    let thread = requests.iter().find(|request| {
        request["method"].as_str().is_some_and(|method| method.starts_with("thread/"))
    });
    let has = |name: &str| {
        arguments.iter().any(|argument| argument == name)
            || thread.is_some_and(|thread| thread["method"] == format!("thread/{name}"))
    };
    let mode = match (has("resume"), has("fork")) {
        (true, _) => SessionMode::Resume,
        (_, true) => SessionMode::Fork,
        _ => SessionMode::New,
    };
    let of_thread = thread.and_then(|thread| thread["params"]["threadId"].as_str());
    let is_id = |argument: &&String| argument.len() == 36 && argument.matches('-').count() == 4;
    let of_arguments = || arguments.iter().find(is_id).cloned();
    let id = of_thread.map(str::to_owned).or_else(of_arguments);
    let skills = find(requests, "skills/extraRoots/set").map(|_| "/skills".to_owned());
    let mut adapter_options = JsonObject::new();
    adapter_options.insert("mode".to_owned(), json!(if exec { "exec" } else { "app_server" }));
    StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        effort: find(requests, "model/list").map(|_| Effort::Max),
        session: SessionChoice { mode, id },
        skills: skills.into_iter().collect(),
        adapter_options,
        ..StartRunParams::default()
    }
}

fn install(requests: &[Value]) -> Install {
    let login_methods = ["account/login/start", "account/read"];
    let uses_api_key = login_methods.iter().any(|method| find(requests, method).is_some());
    Install {
        credential: uses_api_key
            .then(|| Credential { kind: CredentialKind::ApiKey, name: "CODEX_API_KEY".to_owned() }),
        host_answers_approvals: true,
        ..Install::default()
    }
}

pub(crate) fn replay(recording: &Recording) -> Replay {
    let requests = requests(recording);
    let has_requests = !requests.is_empty();
    let stdout = recording.read("stdout.jsonl");
    let mut lines = stdout.split('\n');
    let scripted =
        if has_requests { scripted_host::actions(recording.scenario()) } else { Vec::new() };
    let mut actions = scripted.into_iter().peekable();
    let mut mapper = Codex.mapper(&start_run_params(recording, &requests), &install(&requests));
    let replay =
        replay_with(&mut *mapper, stdout.as_bytes(), &recording.exit(), |mapper, output| {
            let line = lines.next().unwrap_or_default();
            if let Some((_, action)) = actions.next_if(|(after, _)| line.contains(after)) {
                action.perform(line, mapper, output);
            }
        });
    assert!(
        actions.peek().is_none(),
        "{}: an action of the host has no line",
        recording.scenario()
    );
    replay
}
