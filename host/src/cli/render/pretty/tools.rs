//! Tool calls, file changes, approvals, subagents and plans.

use od_protocol::{
    ApprovalRequested, ApprovalResolved, FileChange, FileOp, Plan, PlanStatus, SubagentStarted,
    SubagentStopped, ToolCallReady, ToolCallStarted, ToolKind, ToolOutputDelta, ToolResult,
    ToolStatus,
};

use super::{Block, Pretty, Sign};
use crate::cli::render::excerpt::{self, Excerpt};
use crate::cli::terminal::{BOLD, DIM, FAILURE, PROMPT, SUCCESS, WARNING, sanitize, single_line};
use crate::cli::{format, labels};

/// A tool call that has not ended.
#[derive(Debug)]
pub(super) struct Call {
    name: String,
    title: String,
    kind: ToolKind,
    nested: bool,
    started: u64,
    /// The spinner shows the newest call.
    pub(super) order: usize,
    last_output: String,
    /// Shown below the result.
    changes: Vec<FileChange>,
}

impl Call {
    /// The title without the name, with which it often starts.
    fn subject(&self) -> &str {
        self.title.strip_prefix(&self.name).unwrap_or(&self.title).trim_start()
    }

    pub(super) fn activity(&self) -> String {
        let label = format!("{} {}", self.name, self.subject());
        match self.last_output.as_str() {
            "" => label.trim_end().to_owned(),
            output => format!("{} · {output}", label.trim_end()),
        }
    }
}

impl Pretty {
    pub(super) fn tool_call_started(&mut self, started: &ToolCallStarted, ts: u64) {
        self.canvas.end_line();
        let server = started.mcp_server.as_deref().filter(|it| !started.name.contains(it));
        let server = server.map(|server| format!("{server}: ")).unwrap_or_default();
        let call = Call {
            name: single_line(&format!("{server}{}", started.name)),
            title: started.title.as_deref().map(|it| self.title(it)).unwrap_or_default(),
            kind: started.kind,
            nested: started.parent_tool_call_id.is_some(),
            started: ts,
            order: self.calls.len(),
            last_output: String::new(),
            changes: Vec::new(),
        };
        self.calls.insert(started.tool_call_id.clone(), call);
        self.is_waiting_for_user = false;
    }

    pub(super) fn tool_call_ready(&mut self, ready: &ToolCallReady) {
        let title = ready.title.as_deref().map(|title| self.title(title));
        let Some(call) = self.calls.get_mut(&ready.tool_call_id) else { return };
        match title {
            Some(title) => call.title = title,
            None if call.title.is_empty() => {
                call.title = excerpt::input_in_one_line(&ready.input);
            }
            None => {}
        }
    }

    pub(super) fn tool_output_delta(&mut self, delta: &ToolOutputDelta) {
        let Some(call) = self.calls.get_mut(&delta.tool_call_id) else { return };
        let clean = sanitize(&delta.text);
        if let Some(line) = clean.lines().rev().find(|line| !line.trim().is_empty()) {
            call.last_output = format::fit(line.trim(), 60);
        }
    }

    pub(super) fn tool_result(&mut self, result: &ToolResult, ts: u64) {
        let Some(call) = self.calls.remove(&result.tool_call_id) else { return };
        let excerpt = excerpt::excerpt_of_output(&result.output, call.kind, result.status);
        let mut remark = String::new();
        if let Some(code) = result.exit_code.filter(|code| *code != 0) {
            remark.push_str(&format!(" · exit {code}"));
        }
        match result.status {
            ToolStatus::Ok | ToolStatus::Error => {}
            ToolStatus::Denied => remark.push_str(" · denied"),
            ToolStatus::Cancelled => remark.push_str(" · cancelled"),
            _ => remark.push_str(" · ended without a result"),
        }
        let spent = ts.saturating_sub(call.started);
        if spent >= 1000 {
            remark.push_str(&format!(" · {}", format::duration(spent)));
        }
        if excerpt.lines.is_empty() && excerpt.omitted_below > 0 {
            remark.push_str(&format!(" · {}", lines(excerpt.omitted_below)));
        }
        self.show_call(&call, result.status, &remark);
        if !excerpt.lines.is_empty() {
            self.show_excerpt(&excerpt);
        }
        call.changes.iter().for_each(|change| self.show_change(change));
        self.activity = "waiting for the agent".to_owned();
    }

    pub(super) fn file_change(&mut self, change: &FileChange) {
        let call = change.tool_call_id.as_ref().and_then(|id| self.calls.get_mut(id));
        match call {
            Some(call) => call.changes.push(change.clone()),
            None => self.show_change(change),
        }
    }

    pub(super) fn approval_requested(&mut self, approval: &ApprovalRequested) {
        self.begin(Block::Question);
        let (lead, summary) = (labels::approval(approval), single_line(&approval.summary));
        self.canvas.write(PROMPT, "? ").write(BOLD, &lead).end_line();
        self.paragraph("  ", PROMPT, &summary);
        if let Some(input) = &approval.input {
            let available = self.canvas.viewport().columns.saturating_sub(4).max(20);
            self.show_excerpt(&excerpt::excerpt_of_input(input, available));
        }
        self.is_waiting_for_user = true;
    }

    pub(super) fn approval_resolved(&mut self, approval: &ApprovalResolved) {
        let (style, text) = labels::resolution(approval);
        self.begin(Block::Answer);
        self.canvas.write(style, "  → ").write(style, &text).end_line();
        self.is_waiting_for_user = false;
    }

    pub(super) fn plan(&mut self, plan: &Plan) {
        let done = plan.entries.iter().filter(|entry| entry.status == PlanStatus::Completed);
        let progress = format!(" · {} of {} done", done.count(), plan.entries.len());
        let sign = Sign { text: "≡", style: PROMPT, body: BOLD };
        if std::mem::replace(&mut self.is_plan_shown, true) {
            let now = plan.entries.iter().find(|entry| entry.status == PlanStatus::InProgress);
            if let Some(entry) = now {
                self.note(sign, &format!("plan: {}", entry.content), &progress);
            }
            return;
        }
        self.note(sign, "plan", &progress);
        for entry in &plan.entries {
            let sign = match entry.status {
                PlanStatus::Completed => Sign { text: "  ✓", style: SUCCESS, body: DIM },
                PlanStatus::InProgress => Sign { text: "  ▸", style: PROMPT, body: BOLD },
                _ => Sign { text: "  ○", style: DIM, body: anstyle::Style::new() },
            };
            self.note_here(sign, &entry.content, "");
        }
    }

    pub(super) fn subagent_started(&mut self, subagent: &SubagentStarted) {
        let sign = Sign { text: "⤷", style: PROMPT, body: anstyle::Style::new() };
        self.note(sign, &subagent.title, " · subagent started");
    }

    pub(super) fn subagent_stopped(&mut self, subagent: &SubagentStopped) {
        let sign = match subagent.status {
            None | Some(ToolStatus::Ok) => Sign { text: "⤷", style: SUCCESS, body: DIM },
            Some(_) => Sign { text: "⤷", style: FAILURE, body: DIM },
        };
        let summary = subagent.summary.as_deref().map(|text| format!(": {text}"));
        let text = format!("{}{}", subagent.title, summary.unwrap_or_default());
        self.note(sign, &text, " · subagent ended");
    }

    fn show_call(&mut self, call: &Call, status: ToolStatus, remark: &str) {
        self.begin(Block::Work);
        let (sign, style) = sign_of_status(status);
        let indent = if call.nested { "  " } else { "" };
        let lead = format!("{indent}{sign} ");
        let name = format::fit(&call.name, 40);
        let used = format::width(&lead) + format::width(&name) + format::width(remark) + 1;
        let available = self.canvas.viewport().columns.saturating_sub(used).max(10);
        let subject = format::fit(call.subject(), available);
        self.canvas.write(style, &lead).write(BOLD, &name);
        if !subject.is_empty() {
            self.canvas.write(anstyle::Style::new(), &format!(" {subject}"));
        }
        self.canvas.write(DIM, remark).end_line();
    }

    fn show_excerpt(&mut self, excerpt: &Excerpt) {
        let available = self.canvas.viewport().columns.saturating_sub(4).max(20);
        if excerpt.omitted_above > 0 {
            let text = format!("… {} above", lines(excerpt.omitted_above));
            self.canvas.write(DIM, "  │ ").write(DIM, &text).end_line();
        }
        for line in &excerpt.lines {
            let line = format::fit(&line.replace('\t', "    "), available);
            self.canvas.write(DIM, "  │ ").write(DIM, line.trim_end()).end_line();
        }
        if excerpt.omitted_below > 0 {
            let text = format!("… {}", format::counted(excerpt.omitted_below as u64, "more line"));
            self.canvas.write(DIM, "  │ ").write(DIM, &text).end_line();
        }
    }

    fn show_change(&mut self, change: &FileChange) {
        let path = self.relative(&change.path);
        let (sign, text) = match change.op {
            FileOp::Create => (Sign { text: "  +", style: SUCCESS, body: SUCCESS }, path),
            FileOp::Delete => (Sign { text: "  -", style: FAILURE, body: FAILURE }, path),
            FileOp::Rename => {
                let from = change.from.as_deref().map(|from| self.relative(from));
                let sign = Sign { text: "  ~", style: WARNING, body: WARNING };
                (sign, format!("{} → {path}", from.unwrap_or_default()))
            }
            _ => (Sign { text: "  ~", style: WARNING, body: WARNING }, path),
        };
        let remark = change.diff.as_deref().map(diff_size).unwrap_or_default();
        self.note(sign, &text, &remark);
    }

    /// A title in one line, with paths relative to the working folder.
    fn title(&self, title: &str) -> String {
        single_line(title).replace(&format!("{}/", self.headline.cwd), "")
    }

    fn relative(&self, path: &str) -> String {
        let below = path.strip_prefix(self.headline.cwd.as_str());
        let below = below.and_then(|rest| rest.strip_prefix(['/', '\\']));
        below.unwrap_or(path).to_owned()
    }
}

fn sign_of_status(status: ToolStatus) -> (&'static str, anstyle::Style) {
    match status {
        ToolStatus::Ok => ("✓", SUCCESS),
        ToolStatus::Error => ("✗", FAILURE),
        ToolStatus::Denied => ("⊘", WARNING),
        _ => ("■", WARNING),
    }
}

fn diff_size(diff: &str) -> String {
    let count = |sign: char, header: &str| {
        diff.lines().filter(|line| line.starts_with(sign) && !line.starts_with(header)).count()
    };
    format!(" · +{} -{}", count('+', "+++"), count('-', "---"))
}

fn lines(count: usize) -> String {
    format::counted(count as u64, "line")
}
