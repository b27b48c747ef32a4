//! Options and methods beside a run: CON-05 and CON-06, which `concurrency` lists.

use std::path::Path;

use od_protocol::adapter::{
    DETECT_ADAPTER, DetectAdapterParams, HealthAdapterParams, ListModelsParams,
};
use serde_json::json;

use super::expectations::{
    SHORT_RUN_TIMEOUT, exact_answer, output_steps, plain_answer, still_answers,
};
use super::independent_runs::{begin_witness, continues, one_run_only};
use super::interleaving::GatedRun;
use crate::adapter_client::{AdapterClient, RunRecord};
use crate::context::{CheckContext, CompletedRun};
use crate::fake_cli::{Invocation, ProbeMode};
use crate::outcome::{CheckOutcome, ensure};
use crate::prepared_run::PreparedRun;

/// Gives concurrent and consecutive runs different options.
pub(super) fn options_stay_separate(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut adapter = context.launch()?;
    let mut marks: Vec<String> = Vec::new();
    let mut runs: Vec<(GatedRun, Vec<String>)> = Vec::new();
    for number in 0..3 {
        let mut prepared = context.prepare("text")?;
        let own = match number {
            // The last run has no options: those of the others must not be kept for it.
            2 => Vec::new(),
            _ => add_options(context, &mut prepared),
        };
        if number == 2 {
            finish_runs(&mut adapter, &mut runs, &marks)?;
        }
        let last_line = output_steps(&prepared.script, 0).last().copied().unwrap_or_default();
        let begun = match GatedRun::begin_before(&mut adapter, prepared.clone(), last_line)? {
            Some(begun) => begun,
            None => {
                finish_runs(&mut adapter, &mut runs, &marks)?;
                GatedRun::begin_before(&mut adapter, prepared, last_line)?
                    .ok_or_else(one_run_only)?
            }
        };
        marks.extend(own.clone());
        marks.push(begun.prepared.values.text("nonce"));
        runs.push((begun, own));
    }
    finish_runs(&mut adapter, &mut runs, &marks)
}

/// Adds every option that can carry a mark; returns the marks.
fn add_options(context: &mut CheckContext, prepared: &mut PreparedRun) -> Vec<String> {
    let mark = |context: &mut CheckContext| format!("mark{}", context.nonce());
    let variable = mark(context);
    let mut marks = vec![variable.clone()];
    let name = format!("CONFORMANCE_{}", variable.to_uppercase());
    prepared.request.env.insert(name, variable);
    if context.suite.declares("systemPrompt") {
        let system = mark(context);
        prepared.request.prompt.system = Some(format!("Answer briefly, {system}."));
        marks.push(system);
    }
    marks
}

/// Ends the runs; each agent CLI must have seen its own values and no others.
fn finish_runs(
    adapter: &mut AdapterClient,
    runs: &mut Vec<(GatedRun, Vec<String>)>,
    marks: &[String],
) -> CheckOutcome {
    for (mut run, own) in runs.drain(..) {
        run.open_all(adapter)?;
        let record = adapter.finish(run.run_id(), SHORT_RUN_TIMEOUT)?;
        let sent = format!("run/start of {} beside and after other runs", run.run_id());
        sees_own_values(&run, &own, marks, &run.invocation(adapter), &record, &sent)?;
        session_is_own(&run, &record, &sent)?;
        exact_answer(&CompletedRun { prepared: run.prepared, record, invocation: None }, &sent)?;
    }
    Ok(())
}

fn sees_own_values(
    run: &GatedRun,
    own: &[String],
    marks: &[String],
    invocation: &Invocation,
    record: &RunRecord,
    sent: &str,
) -> CheckOutcome {
    let variables = invocation.env.values();
    let mut received: Vec<String> = invocation.args.iter().chain(variables).cloned().collect();
    received.push(invocation.received_text());
    let has = |mark: &String| received.iter().any(|text| text.contains(mark));
    let nonce = run.prepared.values.text("nonce");
    let is_foreign = |mark: &&String| !own.contains(mark) && **mark != nonce;
    if let Some(mark) = marks.iter().filter(is_foreign).find(|mark| has(mark)) {
        let got = format!("the agent CLI received {mark:?} of another run");
        return Err(record.failure("only the options of this run", got, sent));
    }
    let variable = own.first().filter(|mark| !invocation.env.values().any(|value| value == *mark));
    if let Some(mark) = variable {
        return Err(record.failure(format!("a variable {mark:?}"), "it is missing", sent));
    }
    let cwd = |path: &str| Path::new(path).canonicalize().unwrap_or_default();
    let (wanted, got) = (cwd(&run.prepared.request.cwd), cwd(&invocation.cwd));
    let expected = format!("the working folder {}", wanted.display());
    record.ensure(wanted == got, expected, got.display().to_string(), sent)
}

/// Fails if `done` names another session than `session_started`, which names that of this run.
fn session_is_own(run: &GatedRun, record: &RunRecord, sent: &str) -> CheckOutcome {
    let started = record.of_type("session_started").next();
    let started = started.and_then(|received| received.value["sessionId"].as_str());
    let ended = record.done().and_then(|done| done.session_id);
    let Some(started) = started else { return Ok(()) };
    let wanted = run.prepared.values.text("session_id");
    let is_own = started == wanted || !run.prepared.script_prints(&wanted);
    let expected = format!("the session {wanted}");
    record.ensure(is_own, expected, format!("the session {started}"), sent)?;
    let is_same = ended.as_deref().is_none_or(|ended| ended == started);
    record.ensure(is_same, format!("`done` with session {started}"), format!("{ended:?}"), sent)
}

/// Calls other methods while a run is open, and starts a run while a detection hangs.
pub(super) fn methods_beside_run(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut adapter = context.launch()?;
    let mut run = begin_witness(context, &mut adapter)?.ok_or_else(one_run_only)?;
    let arguments = run.invocation(&adapter).args;
    let starts = |adapter: &AdapterClient| {
        let starts = adapter.fake_cli.starts();
        starts.iter().filter(|start| start.args == arguments).count()
    };
    let before = starts(&adapter);
    adapter.call(&DetectAdapterParams { refresh: true })?;
    adapter.call(&DetectAdapterParams::default())?;
    adapter.call(&HealthAdapterParams {})?;
    still_answers(&mut adapter, "ping while a run is open")?;
    let sent = "adapter/detect, adapter/health and ping while a run is open";
    let started = starts(&adapter) - before;
    ensure(started == 0, format!("{sent}: no agent CLI is started like a run"), || {
        format!("{started} were started with the arguments {arguments:?}")
    })?;
    if context.suite.declares("models") {
        if context.suite.has_scenario("models") {
            adapter.fake_cli.load_script(&context.prepare("models")?.script)?;
        }
        adapter.call(&ListModelsParams {})?;
    }
    continues(&mut adapter, &run, sent)?;
    run.open_all(&adapter)?;
    let record = adapter.finish(run.run_id(), SHORT_RUN_TIMEOUT)?;
    exact_answer(&CompletedRun { prepared: run.prepared, record, invocation: None }, sent)?;
    runs_while_detection_hangs(context, &mut adapter)
}

fn runs_while_detection_hangs(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
) -> CheckOutcome {
    let mut prepared = context.prepare("text")?;
    prepared.script.probe_mode = ProbeMode::Hang;
    adapter.fake_cli.load_script(&prepared.script)?;
    let sent =
        "adapter/detect with refresh while the agent CLI does not answer, then ping and run/start";
    let detection = adapter.ask("adapter/detect", json!({"refresh": true}));
    still_answers(adapter, sent)?;
    let record = adapter.complete_run(&prepared, SHORT_RUN_TIMEOUT)?;
    exact_answer(&CompletedRun { prepared, record, invocation: None }, sent)?;
    adapter.answer(&detection, DETECT_ADAPTER.limit()).map(drop)
}
