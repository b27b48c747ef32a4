//! PRM: every byte of the prompt reaches the agent CLI once.

use od_protocol::ErrorKind;

use super::AdapterCheck;
use super::expectations::{plain_answer, refused_with};
use super::prompts::{arrived, prompt_delivery};
use crate::adapter_client::Answer;
use crate::check::{Gate, active};
use crate::context::{CheckContext, CompletedRun};
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, shorten};
use crate::pack::PromptDelivery;
use crate::prepared_run::RUN_TIMEOUT;

/// The checks of this file.
pub const CHECKS: &[AdapterCheck] = &[active(
    "PRM-05",
    "line ends, spaces, combining characters, U+FEFF, control characters and lines of the agent \
     CLI's own protocol in a prompt arrive unchanged and once; an empty prompt is config_invalid",
    "a prompt often contains files, logs and output of other programs",
    Gate::cli_scenario("text"),
    exact_bytes,
)];

fn exact_bytes(context: &mut CheckContext) -> CheckOutcome {
    let plain = plain_answer(context)?;
    let own_output = plain.prepared.script.steps.iter().rev().find_map(|step| match step {
        Step::Out { text, .. } => Some(text.clone()),
        _ => None,
    });
    let own_input =
        String::from_utf8_lossy(&plain.started()?.stdin).lines().last().map(str::to_owned);
    let mark = context.nonce();
    let mut prompts = vec![
        format!("{mark}\r\nCR LF\r\nand LF\nand CR\rend"),
        format!("{mark} trailing line ends\n\n\n"),
        format!("\n\n  \t{mark} spaces and line ends around \t \u{a0}\u{2003}\n"),
        format!("{mark} e\u{301} a\u{308} \u{212b} \u{1100}\u{1161} ﬁ ①"),
        format!("\u{feff}{mark} \u{feff}\u{200b}\u{200d}\u{2060}\u{fe0f}"),
        format!("{mark} &amp; &lt;b&gt; %20 \\n \\u0041 ${{HOME}} {{{{nonce}}}} <system>"),
    ];
    if !plain.prepared.script.terminal {
        prompts.push(format!("{mark} \u{1}\u{7}\u{8}\u{b}\u{c}\u{1b}[31m\u{7f}\u{85} end"));
    }
    prompts.extend(own_output.map(|line| format!("{line}\n{mark}")));
    prompts.extend(own_input.map(|line| format!("{mark}\n{line}")));
    for prompt in prompts {
        let mut prepared = context.prepare("text")?;
        prepared.request.prompt.text = prompt;
        let completed_run = context.execute(prepared)?;
        arrived_once(context, &completed_run, &mark)?;
    }
    blank_prompts(context)
}

fn arrived_once(context: &CheckContext, completed_run: &CompletedRun, mark: &str) -> CheckOutcome {
    let prompt = &completed_run.prepared.request.prompt.text;
    let sent = format!("run/start with the prompt {:?}", shorten(prompt, 200));
    arrived(completed_run, &sent)?;
    let invocation = completed_run.started()?;
    let in_arguments = invocation.args.iter().filter(|argument| argument.contains(mark)).count();
    let count = invocation.received_text().matches(mark).count() + in_arguments;
    let got = format!("it received the prompt {count} times");
    completed_run.record.ensure(count == 1, "the agent CLI receives it once", got, &sent)?;
    let shown = completed_run
        .record
        .of_type("run_started")
        .any(|started| started.value["argv"].to_string().contains(mark));
    let is_hidden = !shown || prompt_delivery(context) == PromptDelivery::Argv;
    let expected = "run_started.argv without the prompt";
    completed_run.record.ensure(is_hidden, expected, "it contains the prompt", &sent)
}

/// An empty prompt is refused; one of spaces may be refused or passed on.
fn blank_prompts(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let mut request = context.prepare("text")?.request;
    request.prompt.text = String::new();
    let sent = "run/start with an empty prompt";
    refused_with(&mut adapter, &request, &[ErrorKind::ConfigInvalid], sent)?;
    let mut prepared = context.prepare("text")?;
    prepared.request.prompt.text = " \n\t ".to_owned();
    let sent = "run/start with a prompt of spaces and line ends";
    let before = adapter.fake_cli.starts().len();
    match adapter.try_begin(&prepared)? {
        Answer::Error(error) if error.kind() == ErrorKind::ConfigInvalid => Ok(()),
        refused @ Answer::Error(_) => {
            let expected = "the run is accepted, or refused as config_invalid";
            Err(adapter.failure(expected, refused.summary(), sent))
        }
        Answer::Result(_) => {
            let record = adapter.finish(prepared.run_id(), RUN_TIMEOUT)?;
            let invocation = adapter.fake_cli.starts().into_iter().nth(before);
            arrived(&CompletedRun { prepared, record, invocation }, sent)
        }
    }
}
