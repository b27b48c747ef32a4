//! Damaged output: how it is made, what an adapter does about it, and the smallest damage that
//! still does harm. No check lives here.

use std::collections::BTreeMap;
use std::time::Duration;

use od_protocol::DoneStatus;
use rand::RngExt;
use rand::rngs::StdRng;
use serde_json::Value;

use super::expectations::{
    Amount, RUN_LIMIT, after_last_question, ending, output_steps, still_answers,
};
use crate::bench::{Bench, Setup};
use crate::play::Play;
use crate::plugin::Plugin;
use crate::shrink::{Effort, smallest};
use crate::stand_in::{Script, Step};
use crate::verdict::{Failure, Finding, shorten};

/// How much is tried to make a damage smaller.
const TRIES: Amount = Amount { brief: 120, fast: 300, full: 400, slow: 1_000 };
/// How long that may take.
const SHRINK_TIME: Duration = Duration::from_secs(30);
/// How long a run is waited for then; longer than that it hangs.
const SHORT_LIMIT: Duration = Duration::from_secs(3);
/// How long a plugin that has closed its stdout may take to exit.
const EXIT_LIMIT: Duration = Duration::from_secs(2);
/// How much of a damaged line is shown.
const SHOWN_BYTES: usize = 400;

/// A line of output with other bytes than the agent CLI would print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Damage {
    /// Which step prints it.
    pub(super) step: usize,
    /// What it prints instead, line end included.
    pub(super) bytes: Vec<u8>,
}

/// What an adapter did that it must not do.
#[derive(Debug, Clone)]
pub(super) struct Trouble {
    /// Tells one kind from another: a smaller damage must do the same harm.
    kind: &'static str,
    expected: String,
    got: String,
}

/// A plugin that runs are tried on; one that was harmed is replaced.
pub(super) struct Lab {
    plugin: Option<Plugin>,
    /// Rules that runs without damage break too; they have their own checks.
    excused: Vec<&'static str>,
}

impl Lab {
    pub(super) const fn new() -> Self {
        Self { plugin: None, excused: Vec::new() }
    }

    /// Plays something undamaged and gives the verdict; what rules it breaks is excused.
    pub(super) fn control(
        &mut self,
        bench: &mut Bench,
        play: &Play,
    ) -> Result<Option<DoneStatus>, Finding> {
        let plugin = self.plugin(bench)?;
        let play = again(bench, play, play.script.clone());
        plugin.begin(&play)?;
        let record = plugin.finish(play.run_id(), RUN_LIMIT)?;
        let broken = plugin.inbox.broken_rules();
        self.excused.extend(broken.iter().map(|(rule, _)| *rule));
        Ok(record.done().map(|done| done.status))
    }

    /// Plays something: the run must end, with this verdict where one is given, and the adapter
    /// must still be there.
    pub(super) fn trouble(
        &mut self,
        bench: &mut Bench,
        play: &Play,
        script: Script,
        trial: Trial,
    ) -> Result<Option<Trouble>, Finding> {
        let play = again(bench, play, script);
        let plugin = self.plugin(bench)?;
        let trouble = tried(plugin, &play, trial)?;
        let broken = plugin.inbox.broken_rules();
        let is_new = |(rule, _): &&(&'static str, Failure)| !self.excused.contains(rule);
        let rule = trial.verdict.and_then(|_| broken.iter().find(is_new));
        Ok(trouble.or_else(|| {
            rule.map(|(rule, failure)| Trouble {
                kind: rule,
                expected: format!("{rule} holds: {}", failure.expected),
                got: failure.got.clone(),
            })
        }))
    }

    /// The failure for a damage that does harm, made as small as possible.
    pub(super) fn reduced(
        &mut self,
        bench: &mut Bench,
        case: &Case<'_>,
        trouble: Trouble,
    ) -> Finding {
        // Whatever it was, this process is no longer trusted, and its transcript is the one to read.
        let harmed = self.plugin.take();
        let mut effort = Effort::new(TRIES.of(bench), bench.limit(SHRINK_TIME));
        let small = self.shrink(bench, case, trouble.kind, &mut effort);
        let told = case.words(bench.suite.seed, &small, effort.spent());
        let failure = Failure::new(trouble.expected, trouble.got).sent(told.clone());
        match harmed.or_else(|| self.plugin.take()) {
            Some(plugin) => failure.at(plugin.remark(&told)).into(),
            None => failure.into(),
        }
    }

    fn shrink(
        &mut self,
        bench: &mut Bench,
        case: &Case<'_>,
        kind: &'static str,
        effort: &mut Effort,
    ) -> Small {
        let mut small = Small { damages: case.damages.clone(), others: case.undamaged() };
        let mut fails = |damages: &[Damage], others: &[usize]| {
            let script = case.script(damages, others);
            let trial = Trial { limit: SHORT_LIMIT, ..case.trial };
            let found = self.trouble(bench, case.play, script, trial);
            if !matches!(found, Ok(None)) {
                self.plugin = None;
            }
            matches!(found, Ok(Some(found)) if found.kind == kind)
        };
        let Small { damages, others } = &mut small;
        // A verdict is compared with that of the whole output without the one line.
        if case.trial.verdict.is_none() {
            *damages = smallest(damages, effort, |fewer| fails(fewer, others));
            *others = smallest(others, effort, |fewer| fails(damages, fewer));
        }
        for index in 0..damages.len() {
            let whole = damages[index].bytes.clone();
            let bytes = smallest(&whole, effort, |fewer| {
                let mut tried = damages.clone();
                tried[index].bytes = fewer.to_vec();
                case.is_still_damaged(&tried[index]) && fails(&tried, others)
            });
            damages[index].bytes = bytes;
        }
        small
    }

    fn plugin(&mut self, bench: &mut Bench) -> Result<&mut Plugin, Finding> {
        let is_there = self.plugin.as_mut().is_some_and(Plugin::is_running);
        if !is_there {
            self.plugin = Some(bench.launch(&Setup::default())?);
        }
        self.plugin.as_mut().ok_or_else(|| Finding::Suite("no plugin to try on".to_owned()))
    }
}

/// How a damaged run is judged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trial {
    /// How long it may take.
    pub(super) limit: Duration,
    /// How it must end; `None` means anyhow.
    pub(super) verdict: Option<DoneStatus>,
}

/// A damaged run that did harm.
pub(super) struct Case<'a> {
    pub(super) play: &'a Play,
    pub(super) damages: Vec<Damage>,
    pub(super) round: usize,
    pub(super) trial: Trial,
}

/// What is left of a damage.
struct Small {
    damages: Vec<Damage>,
    /// The undamaged lines that are printed besides.
    others: Vec<usize>,
}

impl Case<'_> {
    /// The whole output with its damages.
    pub(super) fn damaged(&self) -> Script {
        self.script(&self.damages, &self.undamaged())
    }

    /// Every line that may be changed and is not.
    fn undamaged(&self) -> Vec<usize> {
        let is_damaged = |step: &usize| self.damages.iter().any(|damage| damage.step == *step);
        changeable(&self.play.script).into_iter().filter(|step| !is_damaged(step)).collect()
    }

    /// The output with these damages; of the other lines only these.
    fn script(&self, damages: &[Damage], others: &[usize]) -> Script {
        let original = &self.play.script;
        let lines = changeable(original);
        let steps = original.steps.iter().enumerate().filter_map(|(index, step)| {
            if let Some(damage) = damages.iter().find(|damage| damage.step == index) {
                return Some(Step::OutBytes { bytes: damage.bytes.clone() });
            }
            let was_damaged = self.damages.iter().any(|damage| damage.step == index);
            let stays = !lines.contains(&index) || others.contains(&index) || was_damaged;
            stays.then(|| step.clone())
        });
        Script { steps: steps.collect(), ..original.clone() }
    }

    /// Where a verdict is compared the line must stay one that nobody can read.
    fn is_still_damaged(&self, damage: &Damage) -> bool {
        self.trial.verdict.is_none() || is_unreadable(&damage.bytes)
    }

    fn words(&self, seed: u64, small: &Small, tries: usize) -> String {
        let lines = changeable(&self.play.script);
        let place =
            |step: usize| lines.iter().position(|line| *line == step).map_or(0, |at| at + 1);
        let shown = small.damages.iter().map(|damage| {
            let bytes = shorten(&damage.bytes.escape_ascii().to_string(), SHOWN_BYTES);
            format!("line {}: `{bytes}`", place(damage.step))
        });
        let shown: Vec<String> = shown.collect();
        let shown = if shown.is_empty() { "no damage at all".to_owned() } else { shown.join(", ") };
        let others: Vec<String> =
            small.others.iter().map(|step| place(*step).to_string()).collect();
        let others = match others.as_slice() {
            [] => "alone".to_owned(),
            others => format!("besides the undamaged lines {}", others.join(" ")),
        };
        format!(
            "run/start of text; the smallest damage that does it, {others}, is {shown} (of {} lines; seed \
             {seed}, round {}, {tries} tries to make it smaller)",
            lines.len(),
            self.round
        )
    }
}

/// The lines that may be changed at will: those after everything the agent CLI waits for.
pub(super) fn changeable(script: &Script) -> Vec<usize> {
    output_steps(script, after_last_question(script))
}

/// Changes a few bytes of a line in one of the usual ways.
pub(super) fn damage(random: &mut StdRng, bytes: &mut Vec<u8>) {
    for _ in 0..random.random_range(1..5_u32) {
        if bytes.is_empty() {
            return;
        }
        let at = random.random_range(0..bytes.len());
        match random.random_range(0..6_u32) {
            0 => bytes[at] = random.random(),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, random.random()),
            3 => bytes.truncate(at),
            4 => {
                let tail = bytes[at..].to_vec();
                bytes.extend(tail);
            }
            _ => bytes[at] ^= 1 << random.random_range(0..8_u32),
        }
    }
}

/// Whether no reader, however lenient about spaces and characters, finds a message in this.
pub(super) fn is_unreadable(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let is_space = |c: char| c.is_whitespace() || c.is_control();
    let is_message = |line: &str| {
        serde_json::from_str::<Value>(line.trim_matches(is_space))
            .is_ok_and(|value| value.is_object())
    };
    !text.split('\n').any(is_message) && !is_message(&text)
}

/// The verdict of the run without each of these lines.
pub(super) fn verdicts_without(
    lab: &mut Lab,
    bench: &mut Bench,
    play: &Play,
    lines: &[usize],
) -> Result<BTreeMap<usize, DoneStatus>, Finding> {
    let mut verdicts = BTreeMap::new();
    for line in lines {
        let mut without = play.clone();
        without.script.steps.remove(*line);
        if let Some(status) = lab.control(bench, &without)? {
            verdicts.insert(*line, status);
        }
    }
    Ok(verdicts)
}

/// The same play as a run of its own.
fn again(bench: &mut Bench, play: &Play, script: Script) -> Play {
    let mut play = Play { script, ..play.clone() };
    play.script.let_go();
    play.request.run_id = format!("run-{}", bench.nonce());
    play
}

/// Whether the plugin is gone; one that has closed its stdout gets the time to go.
fn has_exited(plugin: &mut Plugin) -> bool {
    let limit = if plugin.inbox.ended { EXIT_LIMIT } else { Duration::ZERO };
    plugin.wait_exit(limit).is_some()
}

fn tried(plugin: &mut Plugin, play: &Play, trial: Trial) -> Result<Option<Trouble>, Finding> {
    let trouble = |kind, expected: &str, got: String| {
        Ok(Some(Trouble { kind, expected: expected.to_owned(), got }))
    };
    let goes_on = "the adapter goes on";
    plugin.begin(play)?;
    let ended = plugin.finish(play.run_id(), trial.limit);
    if has_exited(plugin) {
        let how = ending(&plugin.run(play.run_id()));
        return trouble("exit", goes_on, format!("it has exited; {how}"));
    }
    let record = match ended {
        Ok(record) => record,
        Err(Finding::Fail(failure)) => {
            return trouble("hang", &failure.expected, failure.got.clone());
        }
        Err(other) => return Err(other),
    };
    if let Err(Finding::Fail(failure)) = still_answers(plugin, "ping") {
        return match has_exited(plugin) {
            true => trouble("exit", goes_on, "it has exited".to_owned()),
            false => trouble("silence", &failure.expected, failure.got.clone()),
        };
    }
    let status = record.done().map(|done| done.status);
    match trial.verdict {
        Some(wanted) if status != Some(wanted) => {
            let expected = format!("`done` with status {wanted}, as without the damaged line");
            trouble("verdict", &expected, ending(&record))
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_unreadable_only_when_no_reader_could_read_it() {
        for line in ["{\"t\":\"end\"", "", "7", "[{}]", "{\"t\":\"en\nd\"}", "}{"] {
            assert!(is_unreadable(line.as_bytes()), "{line:?}");
        }
        for line in ["{}", " {\"a\":1}\r\n", "\u{b}{}\u{1c}", "x\n{}\ny"] {
            assert!(!is_unreadable(line.as_bytes()), "{line:?}");
        }
        assert!(!is_unreadable(b"{\"a\":\"\xff\"}"));
    }
}
