//! The scenarios of the real agent CLI. Interrupted and refused runs are in `interrupted`.

use od_protocol::adapter::RespondRunParams;
use od_protocol::{ApprovalOutcome, SessionChoice, SessionMode};

use super::interrupted;
use super::scenario_context::ScenarioContext;
use crate::adapter_client::RunRecord;
use crate::outcome::{CheckOutcome, Failure, Finding, ensure, shorten};

/// The size of the long prompt: larger than an argument or a pipe buffer.
const LONG_PROMPT_BYTES: usize = 200 * 1024;

/// The time limit of one step of a run.
const STEP_LIMIT: std::time::Duration = std::time::Duration::from_secs(45);

/// A scenario.
pub struct RealScenario {
    /// Its name.
    pub name: &'static str,
    /// The requirement, in one sentence.
    pub about: &'static str,
    /// The capabilities it needs.
    pub needs: &'static [&'static str],
    pub(super) run: fn(&mut ScenarioContext) -> CheckOutcome,
}

/// All scenarios, in order.
pub const REAL_SCENARIOS: &[RealScenario] = &[
    scenario("plain", "the answer arrives unchanged", &[], plain),
    scenario("think", "thoughts are separate from the answer", &["thinking"], think),
    scenario("unicode", "characters split in transit arrive whole", &[], unicode),
    scenario("long_prompt", "a prompt of 200 KB reaches the model complete", &[], long_prompt),
    scenario("write", "a tool writes a file, and the run reports it", &["tools"], write),
    scenario("parallel", "two tool calls of one answer are separate", &["tools"], parallel),
    scenario("toolfail", "a failed tool is reported as failed", &["tools"], tool_fails),
    scenario("approval_allow", "an allowed tool call runs", &["approvals", "tools"], allowed),
    scenario("approval_deny", "a denied tool call does not run", &["approvals", "tools"], denied),
    scenario("resume", "a resumed session contains the earlier turn", &["resume"], resume),
    scenario("fork", "a forked session continues under its own id", &["fork"], fork),
    scenario(
        "cancel_stream",
        "a cancelled answer stops and leaves no process",
        &[],
        interrupted::in_stream,
    ),
    scenario(
        "cancel_tool",
        "a cancelled tool stops and leaves no process",
        &["tools"],
        interrupted::in_tool,
    ),
    scenario("r401", "a refused key is an authentication error", &[], interrupted::unauthorized),
    scenario("r429", "a rate limit is reported as rate_limited", &[], interrupted::rate_limited),
    scenario(
        "ctx400",
        "a text that is too long is reported as context_exceeded",
        &[],
        interrupted::context_exceeded,
    ),
    scenario("drop", "an interrupted connection duplicates no text", &[], interrupted::dropped),
];

const fn scenario(
    name: &'static str,
    about: &'static str,
    needs: &'static [&'static str],
    run: fn(&mut ScenarioContext) -> CheckOutcome,
) -> RealScenario {
    RealScenario { name, about, needs, run }
}

fn plain(context: &mut ScenarioContext) -> CheckOutcome {
    let text = format!("The answer is {}.", context.nonce());
    let record = context.run_prompt(&format!("SCN:plain TEXT=<{text}>"))?;
    completed(&record)?;
    has_exact_text(&record, &text)
}

fn think(context: &mut ScenarioContext) -> CheckOutcome {
    let text = format!("After some thought: {}.", context.nonce());
    let record = context.run_prompt(&format!("SCN:think TEXT=<{text}>"))?;
    completed(&record)?;
    has_exact_text(&record, &text)?;
    let wanted = "Let me think about it: 6*7=42.";
    let thoughts = record.thinking();
    ensure(thoughts == wanted, format!("the thoughts {wanted:?}"), || shown(&record, &thoughts))
}

fn unicode(context: &mut ScenarioContext) -> CheckOutcome {
    let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}";
    let text = format!(
        "{family} caf\u{e9} \u{65e5}\u{672c}\u{8a9e} \u{2028} \u{1F680} {}",
        context.nonce()
    );
    let record = context.run_prompt(&format!("SCN:unicode TEXT=<{text}>"))?;
    completed(&record)?;
    has_exact_text(&record, &text)
}

fn long_prompt(context: &mut ScenarioContext) -> CheckOutcome {
    let text = format!("Read all of it: {}.", context.nonce());
    let line = format!("{} one line of many, caf\u{e9} \u{1F680}\n", context.nonce());
    let filler = line.repeat(LONG_PROMPT_BYTES / line.len() + 1);
    let record = context.run_prompt(&format!("{filler}SCN:plain TEXT=<{text}>"))?;
    completed(&record)?;
    has_exact_text(&record, &text)?;
    let wanted = serde_json::to_string(&filler).unwrap_or_default();
    let wanted = wanted.trim_matches('"');
    let has_it =
        context.model_requests().iter().any(|request| request.body.to_string().contains(wanted));
    ensure(has_it, "the whole prompt in a request to the model", || "no request has it".to_owned())
}

fn write(context: &mut ScenarioContext) -> CheckOutcome {
    let (nonce, text) = (context.nonce(), format!("The file is there: {}.", context.nonce()));
    let record = context.run_prompt(&tool_prompt(context, "write", &nonce, &text))?;
    completed(&record)?;
    ends_with_text(&record, &text)?;
    results(&record, &["ok"])?;
    has_file(context, &nonce)
}

fn parallel(context: &mut ScenarioContext) -> CheckOutcome {
    let (nonce, text) = (context.nonce(), format!("Both are done: {}.", context.nonce()));
    let record = context.run_prompt(&tool_prompt(context, "parallel", &nonce, &text))?;
    completed(&record)?;
    ends_with_text(&record, &text)?;
    results(&record, &["ok", "ok"])?;
    has_file(context, &nonce)
}

fn tool_fails(context: &mut ScenarioContext) -> CheckOutcome {
    let (nonce, text) = (context.nonce(), format!("It failed: {}.", context.nonce()));
    let record = context.run_prompt(&tool_prompt(context, "toolfail", &nonce, &text))?;
    completed(&record)?;
    ends_with_text(&record, &text)?;
    results(&record, &["error"])
}

fn allowed(context: &mut ScenarioContext) -> CheckOutcome {
    let nonce = context.nonce();
    let record = decide(context, &nonce, ApprovalOutcome::AllowOnce)?;
    results(&record, &["ok"])?;
    has_file(context, &nonce)
}

fn denied(context: &mut ScenarioContext) -> CheckOutcome {
    let nonce = context.nonce();
    decide(context, &nonce, ApprovalOutcome::RejectOnce)?;
    let texts = files(context);
    ensure(texts.is_empty(), "no file after the denial", || shorten(&texts.join(", "), 300))
}

/// Makes the model write a file, and decides its approval.
fn decide(
    context: &mut ScenarioContext,
    nonce: &str,
    outcome: ApprovalOutcome,
) -> Result<RunRecord, Finding> {
    let text = format!("That was it: {}.", context.nonce());
    let prompt = tool_prompt(context, "write", nonce, &text);
    let run_id = context.start(&prompt)?;
    let approval =
        context.adapter.wait_event(&run_id, STEP_LIMIT, "approval_requested", |received| {
            received.type_name() == "approval_requested"
        })?;
    let approval_id = approval.value["approvalId"].as_str().unwrap_or_default().to_owned();
    let answer = RespondRunParams {
        run_id: run_id.clone(),
        approval_id,
        outcome,
        updated_input: None,
        message: None,
        by: None,
    };
    context.adapter.call(&answer)?;
    let record = context.finish(&run_id)?;
    completed(&record)?;
    // An agent CLI may stop after a denial instead of continuing the turn.
    if outcome.is_allowed() {
        ends_with_text(&record, &text)?;
    }
    Ok(record)
}

fn resume(context: &mut ScenarioContext) -> CheckOutcome {
    let (first, second) = continue_session(context, SessionMode::Resume)?;
    let (old, new) = (session_id(&first)?, session_id(&second)?);
    ensure(old == new, format!("the session {old}"), || format!("the session {new}"))
}

fn fork(context: &mut ScenarioContext) -> CheckOutcome {
    let (first, second) = continue_session(context, SessionMode::Fork)?;
    let (old, new) = (session_id(&first)?, session_id(&second)?);
    ensure(old != new, "a new session", || format!("the old session {new}"))
}

/// Two runs, the second in the session of the first: its request to the model must contain both.
fn continue_session(
    context: &mut ScenarioContext,
    mode: SessionMode,
) -> Result<(RunRecord, RunRecord), Finding> {
    let before = format!("Said before: {}.", context.nonce());
    let first = context.run_prompt(&format!("SCN:plain TEXT=<{before}>"))?;
    completed(&first)?;
    has_exact_text(&first, &before)?;
    let requests_before = context.model_requests().len();
    let after = format!("Said after: {}.", context.nonce());
    let session = SessionChoice { mode, id: Some(session_id(&first)?) };
    let run_id = context.start_in(&format!("SCN:plain TEXT=<{after}>"), session)?;
    let second = context.finish(&run_id)?;
    completed(&second)?;
    has_exact_text(&second, &after)?;
    let knows = |body: String| body.contains(&before) && body.contains(&after);
    let requests = context.model_requests();
    let is_told = requests.iter().skip(requests_before).any(|one| knows(one.body.to_string()));
    ensure(is_told, "the first turn in the second request to the model", || {
        "no request has both turns".to_owned()
    })?;
    Ok((first, second))
}

fn session_id(record: &RunRecord) -> Result<String, Finding> {
    let of_start = record.of_type("session_started").next();
    let id = of_start.and_then(|received| received.value["sessionId"].as_str());
    id.map(str::to_owned).ok_or_else(|| Failure::new("session_started", record.summary()).into())
}

/// A prompt that makes the model call tools.
pub(super) fn tool_prompt(
    context: &ScenarioContext,
    scenario: &str,
    nonce: &str,
    text: &str,
) -> String {
    format!("SCN:{scenario} NONCE={nonce} CWD=<{}> TEXT=<{text}>", context.cwd.display())
}

pub(super) fn completed(record: &RunRecord) -> CheckOutcome {
    let status = record.done().map(|done| done.status.to_string()).unwrap_or_default();
    ensure(status == "completed", "done with the status completed", || shown(record, &status))
}

/// The whole text of the run is this text.
pub(super) fn has_exact_text(record: &RunRecord, text: &str) -> CheckOutcome {
    let got = record.text();
    ensure(got == text, format!("the text {text:?}"), || shown(record, &got))
}

/// The text of the run ends with this text and contains it once.
pub(super) fn ends_with_text(record: &RunRecord, text: &str) -> CheckOutcome {
    let got = record.text();
    let is_so = got.ends_with(text) && got.matches(text).count() == 1;
    ensure(is_so, format!("the text ends with {text:?}, once"), || shown(record, &got))
}

pub(super) fn results(record: &RunRecord, wanted: &[&str]) -> CheckOutcome {
    let status =
        |it: &crate::adapter_client::Received| it.value["status"].as_str().map(str::to_owned);
    let got: Vec<String> = record.of_type("tool_result").filter_map(status).collect();
    ensure(got == wanted, format!("tool results {wanted:?}"), || shown(record, &format!("{got:?}")))
}

fn has_file(context: &ScenarioContext, nonce: &str) -> CheckOutcome {
    let texts = files(context);
    let is_there = texts.iter().any(|text| text.contains(nonce));
    ensure(is_there, format!("a file with {nonce} in the run's folder"), || {
        format!("there are {}: {}", texts.len(), shorten(&texts.join(", "), 300))
    })
}

/// The texts of all files in the run's folder.
fn files(context: &ScenarioContext) -> Vec<String> {
    let entries = std::fs::read_dir(&context.cwd).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path()).filter(|path| path.is_file());
    files.map(|path| std::fs::read_to_string(path).unwrap_or_default()).collect()
}

/// The received value, with a summary of the events.
pub(super) fn shown(record: &RunRecord, got: &str) -> String {
    let errors: Vec<String> = record.errors().into_iter().map(|error| error.message).collect();
    let errors =
        if errors.is_empty() { String::new() } else { format!("; errors: {}", errors.join("; ")) };
    format!("{:?}; the events were: {}{errors}", shorten(got, 300), shorten(&record.summary(), 600))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::REAL_SCENARIO_NAMES;

    #[test]
    fn pack_accepts_exactly_these_scenario_names() {
        let names: Vec<&str> = REAL_SCENARIOS.iter().map(|scenario| scenario.name).collect();
        assert_eq!(names, REAL_SCENARIO_NAMES);
    }
}
