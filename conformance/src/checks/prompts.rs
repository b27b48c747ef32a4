//! PRM: the prompt reaches the agent CLI unchanged.

use std::time::Duration;

use od_protocol::ErrorKind;

use super::AdapterCheck;
use super::expectations::{PerTier, completed, exact_answer, failed_with, plain_answer};
use crate::adapter_client::Answer;
use crate::check::{Gate, active};
use crate::context::{CheckContext, CompletedRun, execute_on};
use crate::fake_cli::{StdinMode, Step};
use crate::outcome::{CheckOutcome, Finding, ensure, shorten, skip_if};
use crate::pack::PromptDelivery;

/// More than one process argument can hold.
const LONG_BYTES: usize = 200 * 1024;
/// More than all process arguments together can hold, where that is limited.
const HUGE_KIBIBYTES: PerTier = PerTier { brief: 300, fast: 3072, full: 3072, slow: 12_288 };

/// The timeout of such a run; this chapter does not measure speed.
const HUGE_PROMPT_TIMEOUT: Duration = Duration::from_secs(60);

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "PRM-01",
        "a prompt of 200 KB with every kind of character reaches the agent CLI byte for byte, and \
         never as an argument",
        "arguments are visible to every user of the machine and limited in length; a changed \
         prompt is another task",
        Gate::cli_scenario("text"),
        long_prompt,
    ),
    active(
        "PRM-02",
        "a prompt that looks like an option, a file, a command or shell code is treated as data",
        "users paste anything; the prompt `--help` must not print the help",
        Gate::cli_scenario("text"),
        prompt_is_data,
    ),
    active(
        "PRM-03",
        "a prompt of 3 MiB arrives complete, or is refused as prompt_too_large before the agent \
         CLI is started",
        "a silently truncated prompt produces an answer to a different question",
        Gate::cli_scenario("text"),
        huge_prompt,
    ),
    active(
        "PRM-04",
        "an agent CLI that closes its stdin early does not fail the run",
        "some agent CLIs read only what they need; their answer is still valid",
        Gate::cli_scenario("text"),
        closed_stdin,
    ),
];

fn long_prompt(context: &mut CheckContext) -> CheckOutcome {
    skip_if(
        prompt_delivery(context) == PromptDelivery::Argv,
        "this agent CLI receives its prompt as an argument",
    )?;
    let mark = context.nonce();
    let mut prepared = context.prepare("text")?;
    prepared.request.prompt.text = prompt_of(&mark, LONG_BYTES);
    let completed_run = context.execute(prepared)?;
    let sent = "run/start with a prompt of 200 KB";
    arrived(&completed_run, sent)?;
    let arguments = completed_run.invocation.iter().flat_map(|invocation| &invocation.args);
    let shown = completed_run.record.of_type("run_started").map(|event| event.value.to_string());
    if let Some(found) = arguments.cloned().chain(shown).find(|text| text.contains(&mark)) {
        let expected = "no part of the prompt in arguments, nor in run_started.argv";
        return Err(completed_run.record.failure(expected, shorten(&found, 200), sent));
    }
    Ok(())
}

fn prompt_is_data(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mark = context.nonce();
    let trap = format!("trap-{mark}");
    let prompts = [
        "-".to_owned(),
        "--help".to_owned(),
        "--version".to_owned(),
        format!("@/etc/hostname {mark}"),
        format!("$(touch {trap}) `touch {trap}` ; touch {trap}"),
        format!("/help {mark}"),
        format!("!touch {trap}"),
        format!("\"double\" 'single' \\back\\slash %s %n {mark}"),
        format!("  leading and trailing {mark} \n"),
    ];
    for prompt in prompts {
        let mut prepared = context.prepare("text")?;
        prepared.request.prompt.text.clone_from(&prompt);
        let cwd = prepared.request.cwd.clone();
        let completed_run = context.execute(prepared)?;
        let sent = format!("run/start with the prompt {prompt:?}");
        completed(&completed_run.record, &sent)?;
        let got = bound_prompt(&completed_run)?;
        // An adapter may wrap the prompt so that the agent CLI treats it as data.
        if !got.contains(&prompt) {
            let expected = "the agent CLI receives the prompt unchanged";
            return Err(completed_run.record.failure(
                expected,
                format!("it received {got:?}"),
                &sent,
            ));
        }
        if std::path::Path::new(&cwd).join(&trap).exists() {
            let got = format!("a file {trap} appeared");
            return Err(completed_run.record.failure(
                "no part of the prompt is executed",
                got,
                &sent,
            ));
        }
    }
    Ok(())
}

fn huge_prompt(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mark = context.nonce();
    let mut prepared = context.prepare("text")?;
    let kibibytes = HUGE_KIBIBYTES.of(context);
    prepared.request.prompt.text = prompt_of(&mark, kibibytes << 10);
    let sent = &format!("run/start with a prompt of {kibibytes} KiB");
    let mut adapter = context.launch()?;
    let before = adapter.fake_cli.starts().len();
    match adapter.try_begin(&prepared)? {
        Answer::Error(error) if error.kind() == ErrorKind::PromptTooLarge => {
            let started = adapter.fake_cli.starts().len() > before;
            let got = || "the agent CLI was started".to_owned();
            ensure(!started, "a refusal before the agent CLI is started", got)
        }
        refused @ Answer::Error(_) => {
            let expected = "the run is accepted, or refused as prompt_too_large";
            Err(adapter.failure(expected, refused.summary(), sent))
        }
        Answer::Result(_) => {
            let record = adapter.finish(prepared.run_id(), HUGE_PROMPT_TIMEOUT)?;
            let invocation = adapter.fake_cli.starts().into_iter().nth(before);
            match invocation {
                Some(invocation) => {
                    arrived(&CompletedRun { prepared, record, invocation: Some(invocation) }, sent)
                }
                None => failed_with(&record, &[ErrorKind::PromptTooLarge], sent),
            }
        }
    }
}

fn closed_stdin(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mark = context.nonce();
    let mut prepared = context.prepare("text")?;
    skip_if(prepared.script.terminal, "this agent CLI uses a terminal, which it cannot close")?;
    if prepared.script.steps.iter().any(|step| matches!(step, Step::Listen { .. })) {
        let reason = "this agent CLI is a server and does not read stdin";
        return Err(Finding::Skip(reason.to_owned()));
    }
    skip_if(
        prepared.script.steps.iter().filter(|step| reads_stdin(step)).count() > 1,
        "this agent CLI needs its stdin for more than the prompt",
    )?;
    prepared.script.stdin = StdinMode::Refuse;
    prepared.script.steps.retain(|step| !reads_stdin(step));
    // Gives the adapter time to notice the closed stdin and to react wrongly.
    prepared.script.steps.insert(0, Step::Sleep { ms: 100 });
    // More than a pipe buffers, so that writing it must fail.
    prepared.request.prompt.text = prompt_of(&mark, LONG_BYTES);
    let mut adapter = context.launch()?;
    let completed_run = execute_on(&mut adapter, prepared)?;
    let sent = "run/start; the agent CLI closed its stdin at once and answered";
    exact_answer(&completed_run, sent)
}

fn reads_stdin(step: &Step) -> bool {
    matches!(step, Step::Expect { .. } | Step::ReadAll { .. })
}

pub(super) fn prompt_delivery(context: &CheckContext) -> PromptDelivery {
    context.suite.pack.as_ref().map(|pack| pack.settings.cli.prompt).unwrap_or_default()
}

/// Returns the prompt that the agent CLI received.
fn bound_prompt(completed_run: &CompletedRun) -> Result<String, Finding> {
    completed_run.started()?.bound_text("prompt").ok_or_else(|| {
        let text = "the steps of the scenario text do not bind {{?prompt}}";
        Finding::Untestable(text.to_owned())
    })
}

pub(super) fn arrived(completed_run: &CompletedRun, sent: &str) -> CheckOutcome {
    completed(&completed_run.record, sent)?;
    let prompt = &completed_run.prepared.request.prompt.text;
    let got = bound_prompt(completed_run)?;
    if got == *prompt {
        return Ok(());
    }
    let at = got.bytes().zip(prompt.bytes()).take_while(|(one, other)| one == other).count();
    let expected = format!("the {} bytes of the prompt, unchanged", prompt.len());
    let got = format!("{} bytes that differ from byte {at} on", got.len());
    Err(completed_run.record.failure(expected, got, sent))
}

/// Builds a prompt of at least this many bytes with every kind of character.
fn prompt_of(mark: &str, bytes: usize) -> String {
    let piece = format!(
        "{mark} plain, \"quoted\", 'single', \\n, tab\t, größer, 漢字, 🦜👩‍👩‍👧, \u{2028}\u{85}\u{feff}, {{}}[]%$`\r\n"
    );
    piece.repeat(bytes / piece.len() + 1)
}
