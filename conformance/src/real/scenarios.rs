//! What is played with the real agent CLI, and what its adapter must make of it. Runs that are
//! stopped or refused are in `stops`.

use od_protocol::{ApprovalOutcome, RespondRunParams, SessionChoice, SessionMode};

use super::stage::Stage;
use super::stops;
use crate::plugin::RunRecord;
use crate::verdict::{Failure, Finding, Verdict, ensure, shorten};

/// The size of the long prompt; far beyond what an argument or a pipe takes at once.
const LONG_PROMPT: usize = 200 * 1024;

/// How long something that the agent does on its way may take.
const STEP_LIMIT: std::time::Duration = std::time::Duration::from_secs(45);

/// A scenario.
pub struct RealScenario {
    /// Its name.
    pub name: &'static str,
    /// What must be seen, in one sentence.
    pub about: &'static str,
    /// The capabilities it needs.
    pub needs: &'static [&'static str],
    pub(super) play: fn(&mut Stage) -> Verdict,
}

/// Every scenario, in the order in which they are played.
pub const REAL_SCENARIOS: &[RealScenario] = &[
    scenario("plain", "the answer arrives letter for letter", &[], plain),
    scenario("think", "thoughts arrive apart from the answer", &["thinking"], think),
    scenario("unicode", "characters that were cut apart on their way are whole", &[], unicode),
    scenario("long_prompt", "a prompt of 200 KB reaches the model whole", &[], long_prompt),
    scenario("write", "a tool writes a file, and the run says so", &["tools"], write),
    scenario("parallel", "two calls of one answer are told apart", &["tools"], parallel),
    scenario("toolfail", "a tool that fails is told as failed", &["tools"], tool_fails),
    scenario("approval_allow", "an allowed call is made", &["approvals", "tools"], allowed),
    scenario("approval_deny", "a denied call is not made", &["approvals", "tools"], denied),
    scenario("resume", "a session goes on with what was said before", &["resume"], resume),
    scenario("fork", "a copy of a session goes on under its own id", &["fork"], fork),
    scenario("cancel_stream", "an answer is stopped and nothing is left", &[], stops::in_stream),
    scenario(
        "cancel_tool",
        "a running tool is stopped and nothing is left",
        &["tools"],
        stops::in_tool,
    ),
    scenario("r401", "a refused key is told as such", &[], stops::unauthorized),
    scenario("r429", "a rate limit is told as such", &[], stops::rate_limited),
    scenario("ctx400", "a text that is too long is told as such", &[], stops::context_exceeded),
    scenario("drop", "a cut connection doubles no text", &[], stops::dropped),
];

const fn scenario(
    name: &'static str,
    about: &'static str,
    needs: &'static [&'static str],
    play: fn(&mut Stage) -> Verdict,
) -> RealScenario {
    RealScenario { name, about, needs, play }
}

fn plain(stage: &mut Stage) -> Verdict {
    let text = format!("The answer is {}.", stage.nonce());
    let record = stage.play(&format!("SCN:plain TEXT=<{text}>"))?;
    completed(&record)?;
    says_exactly(&record, &text)
}

fn think(stage: &mut Stage) -> Verdict {
    let text = format!("After some thought: {}.", stage.nonce());
    let record = stage.play(&format!("SCN:think TEXT=<{text}>"))?;
    completed(&record)?;
    says_exactly(&record, &text)?;
    let wanted = "Let me think about it: 6*7=42.";
    let thoughts = record.thinking();
    ensure(thoughts == wanted, format!("the thoughts {wanted:?}"), || shown(&record, &thoughts))
}

fn unicode(stage: &mut Stage) -> Verdict {
    let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}";
    let text =
        format!("{family} caf\u{e9} \u{65e5}\u{672c}\u{8a9e} \u{2028} \u{1F680} {}", stage.nonce());
    let record = stage.play(&format!("SCN:unicode TEXT=<{text}>"))?;
    completed(&record)?;
    says_exactly(&record, &text)
}

fn long_prompt(stage: &mut Stage) -> Verdict {
    let text = format!("Read all of it: {}.", stage.nonce());
    let line = format!("{} one line of many, caf\u{e9} \u{1F680}\n", stage.nonce());
    let filler = line.repeat(LONG_PROMPT / line.len() + 1);
    let record = stage.play(&format!("{filler}SCN:plain TEXT=<{text}>"))?;
    completed(&record)?;
    says_exactly(&record, &text)?;
    let wanted = serde_json::to_string(&filler).unwrap_or_default();
    let wanted = wanted.trim_matches('"');
    let has_it = stage.asked().iter().any(|request| request.body.to_string().contains(wanted));
    ensure(has_it, "the whole prompt in a request to the model", || "no request has it".to_owned())
}

fn write(stage: &mut Stage) -> Verdict {
    let (nonce, text) = (stage.nonce(), format!("The file is there: {}.", stage.nonce()));
    let record = stage.play(&tool_prompt(stage, "write", &nonce, &text))?;
    completed(&record)?;
    says_last(&record, &text)?;
    results(&record, &["ok"])?;
    has_file(stage, &nonce)
}

fn parallel(stage: &mut Stage) -> Verdict {
    let (nonce, text) = (stage.nonce(), format!("Both are done: {}.", stage.nonce()));
    let record = stage.play(&tool_prompt(stage, "parallel", &nonce, &text))?;
    completed(&record)?;
    says_last(&record, &text)?;
    results(&record, &["ok", "ok"])?;
    has_file(stage, &nonce)
}

fn tool_fails(stage: &mut Stage) -> Verdict {
    let (nonce, text) = (stage.nonce(), format!("It failed: {}.", stage.nonce()));
    let record = stage.play(&tool_prompt(stage, "toolfail", &nonce, &text))?;
    completed(&record)?;
    says_last(&record, &text)?;
    results(&record, &["error"])
}

fn allowed(stage: &mut Stage) -> Verdict {
    let nonce = stage.nonce();
    let record = decide(stage, &nonce, ApprovalOutcome::AllowOnce)?;
    results(&record, &["ok"])?;
    has_file(stage, &nonce)
}

fn denied(stage: &mut Stage) -> Verdict {
    let nonce = stage.nonce();
    decide(stage, &nonce, ApprovalOutcome::RejectOnce)?;
    let texts = files(stage);
    ensure(texts.is_empty(), "no file after the denial", || shorten(&texts.join(", "), 300))
}

/// Lets the model write a file, and answers the question whether it may.
fn decide(stage: &mut Stage, nonce: &str, outcome: ApprovalOutcome) -> Result<RunRecord, Finding> {
    let text = format!("That was it: {}.", stage.nonce());
    let prompt = tool_prompt(stage, "write", nonce, &text);
    let run_id = stage.start(&prompt)?;
    let asked = stage.plugin.wait_event(&run_id, STEP_LIMIT, "approval_requested", |received| {
        received.type_name() == "approval_requested"
    })?;
    let approval_id = asked.value["approvalId"].as_str().unwrap_or_default().to_owned();
    let answer = RespondRunParams {
        run_id: run_id.clone(),
        approval_id,
        outcome,
        updated_input: None,
        message: None,
        by: None,
    };
    stage.plugin.call(&answer)?;
    let record = stage.finish(&run_id)?;
    completed(&record)?;
    // An agent CLI may stop at a no instead of telling the model.
    if outcome.is_allowed() {
        says_last(&record, &text)?;
    }
    Ok(record)
}

fn resume(stage: &mut Stage) -> Verdict {
    let (first, second) = go_on(stage, SessionMode::Resume)?;
    let (old, new) = (session_id(&first)?, session_id(&second)?);
    ensure(old == new, format!("the session {old}"), || format!("the session {new}"))
}

fn fork(stage: &mut Stage) -> Verdict {
    let (first, second) = go_on(stage, SessionMode::Fork)?;
    let (old, new) = (session_id(&first)?, session_id(&second)?);
    ensure(old != new, "a session of its own", || format!("the old session {new}"))
}

/// Two runs, the second in the session of the first: the model must be told of both.
fn go_on(stage: &mut Stage, mode: SessionMode) -> Result<(RunRecord, RunRecord), Finding> {
    let before = format!("Said before: {}.", stage.nonce());
    let first = stage.play(&format!("SCN:plain TEXT=<{before}>"))?;
    completed(&first)?;
    says_exactly(&first, &before)?;
    let asked_before = stage.asked().len();
    let after = format!("Said after: {}.", stage.nonce());
    let session = SessionChoice { mode, id: Some(session_id(&first)?) };
    let run_id = stage.start_in(&format!("SCN:plain TEXT=<{after}>"), session)?;
    let second = stage.finish(&run_id)?;
    completed(&second)?;
    says_exactly(&second, &after)?;
    let knows = |body: String| body.contains(&before) && body.contains(&after);
    let requests = stage.asked();
    let is_told = requests.iter().skip(asked_before).any(|one| knows(one.body.to_string()));
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
pub(super) fn tool_prompt(stage: &Stage, scenario: &str, nonce: &str, text: &str) -> String {
    format!("SCN:{scenario} NONCE={nonce} CWD=<{}> TEXT=<{text}>", stage.cwd.display())
}

/// The run ended well.
pub(super) fn completed(record: &RunRecord) -> Verdict {
    let status = record.done().map(|done| done.status.to_string()).unwrap_or_default();
    ensure(status == "completed", "done with the status completed", || shown(record, &status))
}

/// All text of the run is this text.
pub(super) fn says_exactly(record: &RunRecord, text: &str) -> Verdict {
    let got = record.text();
    ensure(got == text, format!("the text {text:?}"), || shown(record, &got))
}

/// The last text of the run is this text, and it is there once.
pub(super) fn says_last(record: &RunRecord, text: &str) -> Verdict {
    let got = record.text();
    let is_so = got.ends_with(text) && got.matches(text).count() == 1;
    ensure(is_so, format!("the text ends with {text:?}, once"), || shown(record, &got))
}

pub(super) fn results(record: &RunRecord, wanted: &[&str]) -> Verdict {
    let status = |it: &crate::plugin::Received| it.value["status"].as_str().map(str::to_owned);
    let got: Vec<String> = record.of_type("tool_result").filter_map(status).collect();
    ensure(got == wanted, format!("tool results {wanted:?}"), || shown(record, &format!("{got:?}")))
}

fn has_file(stage: &Stage, nonce: &str) -> Verdict {
    let texts = files(stage);
    let is_there = texts.iter().any(|text| text.contains(nonce));
    ensure(is_there, format!("a file with {nonce} in the run's folder"), || {
        format!("there are {}: {}", texts.len(), shorten(&texts.join(", "), 300))
    })
}

/// The texts of all files in the run's folder.
fn files(stage: &Stage) -> Vec<String> {
    let entries = std::fs::read_dir(&stage.cwd).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path()).filter(|path| path.is_file());
    files.map(|path| std::fs::read_to_string(path).unwrap_or_default()).collect()
}

/// What came, with the events around it.
pub(super) fn shown(record: &RunRecord, got: &str) -> String {
    let errors: Vec<String> = record.errors().into_iter().map(|error| error.message).collect();
    let errors =
        if errors.is_empty() { String::new() } else { format!("; errors: {}", errors.join("; ")) };
    format!("{:?}; the events were: {}{errors}", shorten(got, 300), shorten(&record.summary(), 600))
}
