//! Texts that adapters damage, and the check that sends them everywhere (TXT-01).

use super::expectations::{answer_of, completed, exact_answer, plain_answer};
use super::native_output::{lines, prints_json, texts_in};
use crate::adapter_client::RunRecord;
use crate::context::CheckContext;
use crate::fake_cli::Script;
use crate::outcome::{CheckOutcome, Finding, shorten};
use crate::prepared_run::PreparedRun;

/// The size of a text in one piece.
const LONG_PIECE_BYTES: usize = 300_000;

/// Texts that a line of plain text can contain too.
const SAMPLES: &[&str] = &[
    // Decomposed and composed accents; a normalisation changes one of them.
    "e\u{301}e\u{301} é A\u{30a} Å \u{1100}\u{1161} 가 ﬁ ㎏",
    // U+FEFF inside a text, joiners, variation selectors, directions, private use.
    "a\u{feff}b \u{1f469}\u{200d}\u{1f4bb} \u{915}\u{94d}\u{200c}\u{937} ❤\u{fe0f} \u{200f}x\u{200e} \u{e000}\u{f8ff}",
    "non\u{a0}breaking soft\u{ad}hyphen zero\u{200b}width ideographic\u{3000}space",
    // What looks like markup, an escape or a placeholder.
    "&amp;&lt;b&gt;&#39;&quot;&nbsp; <b>x</b> <!-- x --> </think> <think> <|im_end|>",
    "%20%C3%A9+a+b \\n \\t \\u0041 \\\\ \\\" \\x41 $HOME `id` $(id) {0} %s %(x)s",
    "[31mred[0m [1;32m ^[[0m \\e[31m \\033[0m",
    "data: {\"x\":1} event: done id: 1 retry: 5 [DONE] null NaN None undefined",
    "{\"type\":\"end\"} {\"a\":[1,{\"b\":\"c\"}]} ```json {} ``` ~~~ # x | - [ ]",
    "“quoted” ‘x’ … – — „tief“ 1,234.50 ₹ İıŞş ß ẞ ſ ΣΑΣ σας",
    "\u{10fffd}\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} 𠮷 👨‍👩‍👧‍👦 e\u{20dd}",
];

/// Texts that need JSON: line ends, leading and trailing space, control characters.
const JSON_SAMPLES: &[&str] = &[
    "\u{feff}at the start",
    "one\r\ntwo\r\n",
    "three\rfour\r",
    "\nfive\n\n",
    "  \tsix\t  ",
    "",
    " ",
    "\n",
    "\u{2028}\u{2029}\u{85}\u{b}\u{c}",
    "```rust\nfn main() {}\n```\n",
    "event: end\ndata: {\"type\":\"end\"}\n\n",
    "\r\n",
    "end\u{2028}\n",
];

/// Fails if any text differs in a single byte from what the agent CLI printed.
pub(super) fn byte_for_byte(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let plain = context.prepare("text")?;
    let is_json = prints_json(&plain.script, &plain.values);
    let pieces = pieces(context, &plain.script, is_json);
    exact_pieces(context, pieces.clone(), "run/start; the agent CLI printed unusual texts")?;
    if let Some(piece) = pieces.into_iter().find(|piece| piece.ends_with('\n')) {
        let sent = format!("run/start; the agent CLI printed {piece:?} and another piece");
        let last = context.nonce();
        exact_pieces(context, vec![piece, last], &sent)?;
    }
    let long = long_text(context);
    let sent = format!("run/start; the agent CLI printed {} bytes in one piece", long.len());
    exact_pieces(context, vec![long], &sent)?;
    thoughts(context, is_json)?;
    tool_texts(context, is_json)
}

/// Runs the plain answer with these pieces and compares the text.
fn exact_pieces(context: &mut CheckContext, pieces: Vec<String>, sent: &str) -> CheckOutcome {
    let prepared = answer_of(context, "text", pieces)?;
    let completed_run = context.execute(prepared)?;
    exact_answer(&completed_run, sent)
}

/// Returns the samples, each with a nonce, and one that looks like a line of the agent CLI.
fn pieces(context: &mut CheckContext, script: &Script, is_json: bool) -> Vec<String> {
    let own_line = lines(script)
        .map(|(_, line)| line)
        .filter(|line| !line.contains("{{") && line.len() < 2000)
        .last()
        .map(|line| if is_json { format!("\n{line}\n") } else { line.to_owned() });
    let plain = SAMPLES.iter().map(|sample| (*sample).to_owned()).chain(own_line);
    let plain: Vec<String> =
        plain.map(|sample| format!("{} {sample} {} ", context.nonce(), context.nonce())).collect();
    if !is_json {
        return plain;
    }
    let bare = JSON_SAMPLES.iter().map(|sample| (*sample).to_owned());
    let marked: Vec<String> =
        bare.clone().map(|sample| format!("{sample}{}{sample}", context.nonce())).collect();
    bare.chain(plain).chain(marked).collect()
}

fn long_text(context: &mut CheckContext) -> String {
    let piece = format!("{} größer e\u{301} 漢字 🦜\t", context.nonce());
    piece.repeat(LONG_PIECE_BYTES / piece.len() + 1)
}

fn thoughts(context: &mut CheckContext, is_json: bool) -> CheckOutcome {
    if !context.suite.declares("thinking") || !context.suite.has_scenario("thinking") {
        return Ok(());
    }
    let mut prepared = context.prepare("thinking")?;
    let pieces = pieces(context, &prepared.script, is_json);
    let expected = pieces.concat();
    prepared.values.set("thinking", expected.clone());
    prepared.values.thinking_deltas = pieces;
    let sent = "run/start of the scenario thinking with unusual thoughts";
    let record = execute_changed(context, prepared)?;
    let got = record.thinking();
    let at = got.bytes().zip(expected.bytes()).take_while(|(one, other)| one == other).count();
    let shown = |text: &str| {
        let bytes = &text.as_bytes()[at.min(text.len())..];
        shorten(&String::from_utf8_lossy(bytes), 60)
    };
    let wanted = format!(
        "exactly the {} bytes of the thoughts, {:?} at {at}",
        expected.len(),
        shown(&expected)
    );
    record.ensure(got == expected, wanted, format!("{} bytes, {:?}", got.len(), shown(&got)), sent)
}

/// Sends the samples as the command and the output of a tool call.
fn tool_texts(context: &mut CheckContext, is_json: bool) -> CheckOutcome {
    if !context.suite.declares("tools") || !context.suite.has_scenario("tool_ok") {
        return Ok(());
    }
    let mut prepared = context.prepare("tool_ok")?;
    let text = pieces(context, &prepared.script, is_json).concat();
    let (command, output) = match is_json {
        true => {
            let (start, end) = (context.nonce(), context.nonce());
            let command =
                format!("printf  '%s\\n'  \"é e\u{301}\" \\\n\t&& echo '{start}'  &amp; # ");
            (command, format!("  \r\n{text}{end}\r\n\n "))
        }
        false => (prepared.values.text("tool_command"), text.trim().to_owned()),
    };
    prepared.values.set("tool_command", command.clone());
    prepared.values.set("tool_output", output.clone());
    let sent = "run/start of the scenario tool_ok with an unusual command and output";
    let record = execute_changed(context, prepared)?;
    completed(&record, sent)?;
    let has = |name: &'static str, member: &str, matches: &dyn Fn(&str) -> bool| {
        let record = &record;
        let mut values = record.of_type(name).map(|received| received.value[member].clone());
        values.any(|value| texts_in(&value).into_iter().any(matches))
    };
    let expected = format!("a `tool_call_ready` with exactly the command {command:?}");
    let got = || shown(&record, "tool_call_ready", "input");
    record.ensure(
        has("tool_call_ready", "input", &|text| text == command),
        expected,
        got(),
        sent,
    )?;
    let expected = format!("a `tool_result` with exactly the output {output:?}");
    let got = shown(&record, "tool_result", "output");
    record.ensure(has("tool_result", "output", &|text| text.contains(&output)), expected, got, sent)
}

fn shown(record: &RunRecord, name: &'static str, member: &str) -> String {
    let values = record.of_type(name).map(|received| received.value[member].to_string());
    let values: Vec<String> = values.map(|value| shorten(&value, 3000)).collect();
    format!("{} `{name}`: {}", values.len(), values.join(", "))
}

fn execute_changed(
    context: &mut CheckContext,
    mut prepared: PreparedRun,
) -> Result<RunRecord, Finding> {
    prepared.script = context.suite.script(&prepared.scenario, &prepared.values)?;
    context.execute(prepared).map(|completed_run| completed_run.record)
}
