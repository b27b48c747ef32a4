//! PRM: the prompt reaches the agent CLI as it is.

use std::time::Duration;

use od_protocol::ErrorKind;

use super::expectations::{Amount, completed, exact_answer, failed_with, failure, plain_answer};
use crate::bench::{Bench, Setup, perform_on};
use crate::case::{Body, Check, Gate, Level, Tier};
use crate::pack::PromptWay;
use crate::play::Performance;
use crate::plugin::Answer;
use crate::stand_in::{StdinMode, Step};
use crate::verdict::{Failure, Finding, Verdict, ensure, shorten};

/// Longer than one argument of a process may be.
const LONG_BYTES: usize = 200 * 1024;
/// Longer than all arguments of a process together may be, where that is limited.
const HUGE_KIBIBYTES: Amount = Amount { brief: 300, fast: 3072, full: 3072, slow: 12_288 };

/// How long such a prompt may take; speed is not what is asked for.
const HUGE_LIMIT: Duration = Duration::from_secs(60);

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    Check {
        id: "PRM-01",
        level: Level::Must,
        sentence: "a prompt of 200 KB with every kind of character reaches the agent CLI byte for \
                   byte, and never as an argument",
        why: "arguments are visible to every user of the machine and limited in length; a changed \
              prompt is another task",
        gate: Gate::cli_scenario("text"),
        tier: Tier::Fast,
        body: Body::Active(long_prompt),
    },
    Check {
        id: "PRM-02",
        level: Level::Must,
        sentence: "a prompt that looks like a switch, a file, a command or shell code is data",
        why: "people paste anything; a prompt of `--help` must not print the help",
        gate: Gate::cli_scenario("text"),
        tier: Tier::Fast,
        body: Body::Active(prompt_is_data),
    },
    Check {
        id: "PRM-03",
        level: Level::Must,
        sentence: "a prompt of 3 MiB arrives whole, or is refused as prompt_too_large before the \
                   agent CLI is started",
        why: "a prompt that is cut in silence gives an answer to a question nobody asked",
        gate: Gate::cli_scenario("text"),
        tier: Tier::Fast,
        body: Body::Active(huge_prompt),
    },
    Check {
        id: "PRM-04",
        level: Level::Must,
        sentence: "an agent CLI that closes its stdin early does not fail the run by that",
        why: "some agent CLIs read only what they need; their answer is still good",
        gate: Gate::cli_scenario("text"),
        tier: Tier::Fast,
        body: Body::Active(closed_stdin),
    },
];

fn long_prompt(bench: &mut Bench) -> Verdict {
    if way(bench) == PromptWay::Argv {
        return Err(Finding::Skip("this agent CLI takes its prompt as an argument".to_owned()));
    }
    let mark = bench.nonce();
    let mut play = bench.prepare("text")?;
    play.request.prompt.text = prompt_of(&mark, LONG_BYTES);
    let performance = bench.perform(play)?;
    let sent = "run/start with a prompt of 200 KB";
    arrived(&performance, sent)?;
    let arguments = performance.invocation.iter().flat_map(|invocation| &invocation.args);
    let shown = performance.record.of_type("run_started").map(|event| event.value.to_string());
    if let Some(found) = arguments.cloned().chain(shown).find(|text| text.contains(&mark)) {
        let expected = "no part of the prompt in arguments, nor in run_started.argv";
        return Err(failure(&performance.record, expected, shorten(&found, 200), sent));
    }
    Ok(())
}

fn prompt_is_data(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let mark = bench.nonce();
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
        let mut play = bench.prepare("text")?;
        play.request.prompt.text.clone_from(&prompt);
        let cwd = play.request.cwd.clone();
        let performance = bench.perform(play)?;
        let sent = format!("run/start with the prompt {prompt:?}");
        completed(&performance.record, &sent)?;
        let got = bound_prompt(&performance)?;
        // An adapter may put something around it, so that the agent CLI takes it for data.
        if !got.contains(&prompt) {
            let expected = "the agent CLI gets the prompt unchanged";
            return Err(failure(&performance.record, expected, format!("it got {got:?}"), &sent));
        }
        if std::path::Path::new(&cwd).join(&trap).exists() {
            let got = format!("a file {trap} appeared");
            return Err(failure(&performance.record, "nothing of the prompt is run", got, &sent));
        }
    }
    Ok(())
}

fn huge_prompt(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let mark = bench.nonce();
    let mut play = bench.prepare("text")?;
    let kibibytes = HUGE_KIBIBYTES.of(bench);
    play.request.prompt.text = prompt_of(&mark, kibibytes << 10);
    let sent = &format!("run/start with a prompt of {kibibytes} KiB");
    let mut plugin = bench.launch(&Setup::default())?;
    let before = plugin.stand_in.starts().len();
    match plugin.try_begin(&play)? {
        Answer::Error(error) if error.kind() == ErrorKind::PromptTooLarge => {
            let started = plugin.stand_in.starts().len() > before;
            let got = || "the agent CLI was started".to_owned();
            ensure(!started, "a refusal before the agent CLI is started", got)
        }
        refused @ Answer::Error(_) => {
            let expected = "the run is accepted, or refused as prompt_too_large";
            Err(Failure::new(expected, refused.summary()).sent(sent).at(plugin.place()).into())
        }
        Answer::Result(_) => {
            let record = plugin.finish(play.run_id(), HUGE_LIMIT)?;
            let invocation = plugin.stand_in.starts().into_iter().nth(before);
            match invocation {
                Some(invocation) => {
                    arrived(&Performance { play, record, invocation: Some(invocation) }, sent)
                }
                None => failed_with(&record, &[ErrorKind::PromptTooLarge], sent),
            }
        }
    }
}

fn closed_stdin(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let mark = bench.nonce();
    let mut play = bench.prepare("text")?;
    if play.script.terminal {
        let reason = "this agent CLI has a terminal, which cannot be closed from inside";
        return Err(Finding::Skip(reason.to_owned()));
    }
    if play.script.steps.iter().any(|step| matches!(step, Step::Listen { .. })) {
        let reason = "this agent CLI is a server, which is told nothing by its stdin";
        return Err(Finding::Skip(reason.to_owned()));
    }
    if play.script.steps.iter().filter(|step| asks(step)).count() > 1 {
        let reason = "this agent CLI needs its stdin for more than the prompt";
        return Err(Finding::Skip(reason.to_owned()));
    }
    play.script.stdin = StdinMode::Refuse;
    play.script.steps.retain(|step| !asks(step));
    // The adapter has the time to notice, and to draw the wrong conclusion.
    play.script.steps.insert(0, Step::Sleep { ms: 100 });
    // Longer than any pipe takes without a reader, so that writing it must fail.
    play.request.prompt.text = prompt_of(&mark, LONG_BYTES);
    let mut plugin = bench.launch(&Setup::default())?;
    let performance = perform_on(&mut plugin, play)?;
    let sent = "run/start; the agent CLI closed its stdin at once and answered";
    exact_answer(&performance, sent)
}

fn asks(step: &Step) -> bool {
    matches!(step, Step::Expect { .. } | Step::ReadAll { .. })
}

fn way(bench: &Bench) -> PromptWay {
    bench.suite.pack.as_ref().map(|pack| pack.settings.cli.prompt).unwrap_or_default()
}

/// What the agent CLI took for its prompt.
fn bound_prompt(performance: &Performance) -> Result<String, Finding> {
    let invocation = performance.invocation.as_ref().ok_or_else(|| {
        failure(&performance.record, "the agent CLI is started", "it was not", "run/start")
    })?;
    invocation.bound_text("prompt").ok_or_else(|| {
        let text = "the steps of the scenario text do not bind {{?prompt}}";
        Finding::Untestable(text.to_owned())
    })
}

fn arrived(performance: &Performance, sent: &str) -> Verdict {
    completed(&performance.record, sent)?;
    let prompt = &performance.play.request.prompt.text;
    let got = bound_prompt(performance)?;
    if got == *prompt {
        return Ok(());
    }
    let at = got.bytes().zip(prompt.bytes()).take_while(|(one, other)| one == other).count();
    let expected = format!("the {} bytes of the prompt, unchanged", prompt.len());
    let got = format!("{} bytes that differ from byte {at} on", got.len());
    Err(failure(&performance.record, expected, got, sent))
}

/// A prompt of at least so many bytes with every kind of character that text can have.
fn prompt_of(mark: &str, bytes: usize) -> String {
    let piece = format!(
        "{mark} plain, \"quoted\", 'single', \\n, tab\t, größer, 漢字, 🦜👩‍👩‍👧, \u{2028}\u{85}\u{feff}, {{}}[]%$`\r\n"
    );
    piece.repeat(bytes / piece.len() + 1)
}
