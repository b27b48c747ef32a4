//! What the specification allows: rules by type, and exceptions with their reason.
//!
//! A fault is forbidden unless a rule or an exception here allows it. An exception names faults by a
//! pattern: `*` is one part of the name, `**` the rest.

use super::fault::{Change, Verdict};
use super::field_changes::{has_default, is_absence};
use super::schema_fields::Field;

/// Decides about a fault by its name, its field and its change.
pub(super) fn verdict(name: &str, field: Option<&Field>, change: Option<&Change>) -> Verdict {
    if let (Some(field), Some(change)) = (field, change)
        && violates_schema(field, change)
    {
        return Verdict::Forbidden;
    }
    if let Some((_, reason)) = ALLOWED.iter().find(|(pattern, _)| matches(pattern, name)) {
        return Verdict::Legal(reason);
    }
    if let Some(reason) = allowed_order(name) {
        return Verdict::Legal(reason);
    }
    let (Some(field), Some(change)) = (field, change) else { return Verdict::Forbidden };
    if name.starts_with("request.") {
        return Verdict::Forbidden;
    }
    if is_absence(change) && !has_default(change) {
        let is_demanded = DEMANDED.iter().any(|(pattern, _)| matches(pattern, name));
        return if is_demanded { Verdict::Forbidden } else { Verdict::Legal(OPTIONAL) };
    }
    let is_text_for_people =
        field.path.last().is_some_and(|last| TEXTS_FOR_PEOPLE.contains(&last.as_str()));
    let keeps_text = matches!(change, Change::Constant(_) | Change::CutLast | Change::KeepFirst);
    let is_absent_text = matches!(change, Change::Empty) && !field.is_required;
    if is_text_for_people && (keeps_text || is_absent_text) {
        return Verdict::Legal("the adapter words texts for people itself");
    }
    Verdict::Forbidden
}

/// A required field is absent, or null is not a value of the field.
fn violates_schema(field: &Field, change: &Change) -> bool {
    match change {
        Change::Drop { .. } => field.is_required,
        Change::Null => !field.is_nullable,
        _ => false,
    }
}

const OPTIONAL: &str = "an optional field may be absent, and null means the same";

/// Fields with a text that the adapter words itself.
const TEXTS_FOR_PEOPLE: [&str; 11] = [
    "description",
    "detail",
    "displayName",
    "guidance",
    "hint",
    "homepage",
    "label",
    "license",
    "message",
    "notes",
    "title",
];

/// Optional fields that a sentence of the specification demands in the scenarios of the suite.
const DEMANDED: &[(&str, &str)] = &[
    ("event.done.sessionId.*", "the native session id, if known"),
    ("event.done.exitCode.*", "absent when a signal ended it"),
    ("event.done.totals.costUsd.*", "the cost, if the agent CLI reported it"),
    ("event.done.totals.usage.*", "the usage of the run, if known"),
    ("event.run_started.cliPath.*", "null when nothing could be started"),
    ("event.run_started.pid.*", "null when nothing could be started"),
    ("event.session_started.parentSessionId.*", "with fork: the session that was copied"),
    ("event.file_change.from.*", "with rename: the old path"),
    ("event.usage.costUsd.*", "costUsd is the value that the CLI reports"),
    ("event.rate_limited.retryAfterMs.*", "the time that the provider names"),
    ("event.rate_limited.resetsAt.*", "when the limit ends, if reported"),
    ("event.error.data.*", "a timeout has `which` in its data"),
    ("error.capability_unsupported.data.*", "data.which names the capability"),
    ("error.capability_unsupported.data.which.*", "data.which names the capability"),
    ("error.unsupported_protocol.data.*", "it responds with data.supported"),
    ("error.unsupported_protocol.data.supported.*", "it responds with data.supported"),
    ("result.adapter/detect.path.*", "the executable that a run would start"),
    ("result.adapter/detect.version.*", "the version that the agent CLI reports"),
    ("result.adapter/detect.meetsMin.*", "null when the version cannot be read"),
    ("result.adapter/detect.testedVersion.*", "absent when the version cannot be read"),
    ("result.adapter/detect.configDir.*", "the settings folder, if it exists"),
    ("manifest.capabilities.*.*", "the capabilities of initialize equal those of the manifest"),
    ("result.initialize.capabilities.*.*", "they equal those of the manifest"),
];

/// Events that an adapter sends only if it has something to report.
const OPTIONAL_EVENTS: &[&str] = &[
    "turn_started",
    "turn_ended",
    "status",
    "user_message",
    "tool_input_delta",
    "tool_output_delta",
    "plan",
    "context",
    "quota",
    "image",
    "skill",
    "plugin",
    "mode_changed",
    "notice",
];

/// Events that report a state or a fact, which a second event repeats.
const REPEATABLE_EVENTS: &[&str] = &[
    "session_started",
    "status",
    "plan",
    "context",
    "quota",
    "mode_changed",
    "heartbeat",
    "rate_limited",
    "retry",
    "file_change",
    "image",
    "skill",
    "plugin",
    "notice",
    "user_message",
];

/// Events that are useless at the end of a run.
const TIMELY_EVENTS: &[&str] = &[
    "run_started",
    "message_started",
    "text_delta",
    "thinking_started",
    "thinking_delta",
    "tool_call_started",
    "tool_input_delta",
    "tool_call_ready",
    "tool_output_delta",
    "tool_result",
    "approval_requested",
    "input_requested",
    "subagent_started",
    "unmapped",
    "heartbeat",
];

/// Events that the next event may depend on.
const LEADING_EVENTS: &[&str] = &[
    "run_started",
    "message_started",
    "text_delta",
    "thinking_started",
    "thinking_delta",
    "tool_call_started",
    "tool_input_delta",
    "tool_call_ready",
    "tool_output_delta",
    "approval_requested",
    "subagent_started",
    "usage",
    "error",
];

/// The rules for whole events.
fn allowed_order(name: &str) -> Option<&'static str> {
    let (event_type, change) = name.strip_prefix("event.")?.split_once('.')?;
    let is = |list: &[&str]| list.contains(&event_type);
    match change {
        "drop" if is(OPTIONAL_EVENTS) => Some("no sentence says when this event is sent"),
        "repeat" if is(REPEATABLE_EVENTS) => Some("no sentence limits this event to one report"),
        "hold_back" if !is(TIMELY_EVENTS) => Some("no sentence says how early this event is sent"),
        "swap_with_next" if !is(LEADING_EVENTS) => Some("no sentence orders it before the next"),
        _ => None,
    }
}

/// Further changes that the specification allows, or that no host can notice.
const ALLOWED: &[(&str, &str)] = &[
    ("event.approval_requested.summary.cut_last", "the adapter words texts for people itself"),
    ("event.approval_requested.options.reversed", "no sentence orders the options"),
    ("event.approval_requested.options.[].id.**", "the adapter names the options itself"),
    ("event.session_started.tools.reversed", "no sentence orders the tools"),
    ("event.session_started.mcpServers.reversed", "no sentence orders the servers"),
    ("event.unmapped.sample.cut_last", "a sample is shortened anyway"),
    ("event.rate_limited.source.**", "a name without defined values"),
    ("event.status.phase.**", "a name without defined values"),
    ("event.notice.code.**", "a name without defined values"),
    ("event.notice.text.**", "the adapter words texts for people itself"),
    ("error.*.data.details.**", "further details without a defined content"),
    ("error.*.data.hint.**", "an optional text for people"),
    ("event.error.hint.**", "an optional text for people"),
    ("result.adapter/health.details.**", "details without a defined content"),
    ("result.adapter/detect.evidence.drop", "an adapter chooses what it checks"),
    ("result.adapter/detect.evidence.empty", "an adapter chooses what it checks"),
    ("result.adapter/detect.evidence.drop_last", "an adapter chooses what it checks"),
    ("result.adapter/detect.evidence.reversed", "an adapter chooses what it checks"),
    ("result.adapter/detect.evidence.[].signal.*", "an adapter chooses what it checks"),
    ("result.adapter/detect.evidence.[].subject.*", "an adapter chooses what it checks"),
    ("result.adapter/detect.capabilities.usage.cost.*", "detection may report fewer"),
    ("result.adapter/detect.capabilities.effort.levels.*", "detection may report fewer"),
    ("result.adapter/detect.capabilities.permissionModes.modes.*", "detection may report fewer"),
    ("result.adapter/detect.guidance.**", "an optional text for people"),
    ("result.adapter/detect.auth.guidance.**", "an optional text for people"),
    ("result.initialize.revision.**", "for people, never compared"),
    ("result.models/list.models.[].name.*", "the adapter words texts for people itself"),
    ("result.models/list.models.reversed", "no sentence orders the models"),
    ("manifest.description.**", "nothing else describes the adapter"),
    ("manifest.homepage.**", "nothing else describes the adapter"),
    ("manifest.license.**", "nothing else describes the adapter"),
    ("manifest.signature.**", "no policy checks it yet"),
    ("manifest.conformance.**", "a claim, which the suite tests instead"),
    ("manifest.pluginFormats.**", "the manifest is the only source"),
    ("manifest.skills.**", "the manifest is the only source"),
    ("manifest.configSchema.**", "the manifest is the only source"),
    ("manifest.requirements.bins.**", "the manifest is the only source"),
    ("manifest.requirements.platforms.**", "the manifest is the only source"),
    ("manifest.cli.install.**", "the manifest is the only source"),
    ("manifest.cli.names.**", "the manifest is the only source"),
    ("manifest.cli.transport.**", "the manifest is the only source"),
    ("manifest.cli.versionTested.**", "the manifest is the only source"),
    ("manifest.auth.files.**", "the manifest is the only source"),
    ("manifest.auth.methods.**", "the manifest is the only source"),
    ("manifest.auth.loginCommand.**", "the manifest is the only source"),
    ("request.initialize.host.**", "an adapter may ignore the name of the host"),
    ("request.initialize.protocol.revision.**", "for people, never compared"),
    ("request.initialize.config.options.**", "the reference adapter has no options of its own"),
    ("request.initialize.config.stateDir.**", "an adapter may store nothing"),
    ("request.run/start.adapterOptions.**", "the reference adapter has no options of its own"),
    ("request.run/start.policy.ask.**", "parrot requests approval of everything"),
    ("request.run/start.policy.shellAllow.**", "parrot requests approval of everything"),
    ("request.run/start.effort.low_as_medium", "only the agent CLI knows the names of its levels"),
    ("request.run/start.effort.high_as_max", "only the agent CLI knows the names of its levels"),
    ("request.run/cancel.reason.**", "for the log only"),
    ("request.run/respond.message.**", "parrot accepts no reason of a denial"),
    ("request.adapter/detect.refresh.**", "the reference adapter caches nothing"),
];

fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = name.split('.');
    for expected in pattern.split('.') {
        if expected == "**" {
            return true;
        }
        match parts.next() {
            Some(part) if expected == "*" || expected == part => {}
            _ => return false,
        }
    }
    parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::catalogue;
    use super::*;

    #[test]
    fn every_exception_matches_a_fault() {
        let names: Vec<String> = catalogue().into_iter().map(|fault| fault.name).collect();
        for (pattern, _) in ALLOWED.iter().chain(DEMANDED) {
            assert!(names.iter().any(|name| matches(pattern, name)), "{pattern}");
        }
        for event_type in
            [OPTIONAL_EVENTS, REPEATABLE_EVENTS, TIMELY_EVENTS, LEADING_EVENTS].concat()
        {
            assert!(names.contains(&format!("event.{event_type}.drop")), "{event_type}");
        }
    }

    #[test]
    fn absence_is_legal_unless_a_sentence_demands_it() {
        let faults = catalogue();
        let check = |name: &str, is_forbidden: bool| {
            let fault = faults.iter().find(|fault| fault.name == name);
            let verdict = fault.unwrap_or_else(|| panic!("{name}")).verdict;
            assert_eq!(verdict == Verdict::Forbidden, is_forbidden, "{name}");
        };
        check("event.done.status.drop", true);
        check("event.done.exitCode.drop", true);
        check("event.done.signal.drop", false);
        check("event.status.phase.drop", true);
        check("manifest.cli.names.reversed", false);
        check("event.done.totals.textBytes.drop", true);
        check("event.status.drop", false);
        check("event.text_delta.drop", true);
        check("event.error.message.constant", false);
        check("event.error.message.empty", true);
        check("request.run/start.env.drop", true);
        check("request.run/start.cwd.cut_last", true);
    }
}
