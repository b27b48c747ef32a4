//! The start of a run, limits, retries, notices and images.

use anstyle::Style;
use od_protocol::{
    AgentSwitched, Event, ExtensionPhase, Image, ModeChanged, Notice, NoticeLevel, Quota,
    RateLimited, Retry, RunStarted, SessionStarted, Status, TestedVersion,
};

use super::{Block, Pretty, Sign};
use crate::cli::terminal::{BOLD, DIM, PROMPT, WARNING, single_line};
use crate::cli::{format, labels};

const QUIET: Sign = Sign { text: "·", style: DIM, body: DIM };
const WAIT: Sign = Sign { text: "↻", style: WARNING, body: Style::new() };

impl Pretty {
    pub(super) fn run_started(&mut self, started: &RunStarted) {
        self.begin(Block::Header);
        let agent = single_line(&self.headline.agent);
        self.canvas.write(PROMPT, "● ").write(BOLD, &agent);
        let mut facts: Vec<String> = Vec::new();
        facts.extend(started.cli_version.as_deref().map(single_line));
        facts.extend(started.permission_mode.as_ref().map(|mode| format!("mode {mode}")));
        facts.extend(started.credential.as_ref().map(labels::credential));
        if started.tested_version == Some(TestedVersion::Newer) {
            facts.push("newer than tested".to_owned());
        }
        let facts: String = facts.iter().map(|fact| format!(" · {fact}")).collect();
        self.canvas.write(DIM, &single_line(&format!("x{facts}"))[1..]).end_line();
        if started.tested_version == Some(TestedVersion::Older) {
            let text = "this version is older than the tested version";
            self.paragraph("! ", WARNING, text);
        }
    }

    pub(super) fn session_started(&mut self, started: &SessionStarted) {
        self.begin(Block::Header);
        let mut facts: Vec<String> = started.model.iter().cloned().collect();
        facts.push(format!("session {}", started.session_id));
        let line =
            format::fit(&single_line(&facts.join(" · ")), self.canvas.viewport().columns - 2);
        self.canvas.write(DIM, "  ").write(DIM, &line).end_line();
        let failed =
            started.mcp_servers.iter().flatten().filter(|server| server.status == "failed");
        for server in failed {
            self.warning(&format!("MCP server {} did not start", server.name), None);
        }
        self.activity = "waiting for the agent".to_owned();
    }

    pub(super) fn status(&mut self, status: &Status) {
        self.activity = match (status.phase.as_str(), status.detail.as_deref()) {
            ("waiting", Some(until)) => single_line(&format!("waiting {until}")),
            (phase, detail) => single_line(detail.unwrap_or(phase)),
        };
    }

    /// Events that take at most one line.
    pub(super) fn other_event(&mut self, event: &Event) {
        match event {
            Event::Context(context) if context.compacted => {
                self.note(QUIET, "the conversation was compacted to fit the model's window", "");
            }
            Event::Quota(quota) => self.quota(quota),
            Event::RateLimited(limit) => self.rate_limited(limit),
            Event::Retry(retry) => self.retry(retry),
            Event::AgentSwitched(switch) => self.agent_switched(switch),
            Event::Image(image) => self.image(image),
            Event::Skill(skill) if skill.phase == ExtensionPhase::Invoked => {
                self.note(QUIET, &format!("skill {}", skill.name), "");
            }
            Event::Plugin(plugin) if plugin.phase == ExtensionPhase::Invoked => {
                self.note(QUIET, &format!("plugin {}", plugin.name), "");
            }
            Event::ModeChanged(mode) => self.mode_changed(mode),
            Event::Notice(notice) => self.notice(notice),
            Event::Unmapped(unmapped) => {
                self.unmapped.insert(unmapped.native_type.clone(), unmapped.count);
            }
            // A fatal error is printed once, at the end, to stderr.
            Event::Error(error) if !error.fatal => {
                self.warning(&error.message, error.hint.as_deref());
            }
            _ => {}
        }
    }

    pub(super) fn remark(&mut self, text: &str) {
        self.note(WAIT, text, "");
    }

    fn quota(&mut self, quota: &Quota) {
        for window in quota.windows.iter().filter(|window| window.exhausted) {
            let reset = window.resets_at.map(|at| self.reset_at(at)).unwrap_or_default();
            self.warning(&format!("the quota {} is exhausted{reset}", window.kind), None);
        }
    }

    fn rate_limited(&mut self, limit: &RateLimited) {
        let window = limit.window.as_ref().map(|window| format!(" ({window})"));
        let reset = match (limit.resets_at, limit.retry_after_ms) {
            (Some(at), _) => self.reset_at(at),
            (None, Some(delay)) => format!(", retrying in {}", format::duration(delay)),
            (None, None) => String::new(),
        };
        self.note(WAIT, &format!("rate limited{}{reset}", window.unwrap_or_default()), "");
        self.activity = "waiting for the rate limit".to_owned();
    }

    fn reset_at(&self, milliseconds: u64) -> String {
        format!(", resets at {}", format::time(milliseconds, &self.headline.now))
    }

    fn retry(&mut self, retry: &Retry) {
        let of = retry.max_attempts.map(|most| format!(" of {most}")).unwrap_or_default();
        let delay = retry.delay_ms.map(|delay| format!(" in {}", format::duration(delay)));
        let delay = delay.unwrap_or_default();
        let text = format!("retry {}{of}{delay}: {}", retry.attempt, retry.reason);
        // In full: the reason may name the cost so far.
        self.begin(Block::Work);
        self.paragraph("↻ ", WARNING, &text);
        self.activity = "waiting to retry".to_owned();
    }

    /// In full: the user must see which agent continues and why.
    fn agent_switched(&mut self, switch: &AgentSwitched) {
        self.begin(Block::Work);
        let AgentSwitched { from_agent, to_agent, reason, .. } = switch;
        self.paragraph(
            "⇄ ",
            WARNING,
            &format!("{to_agent} takes over from {from_agent}: {reason}"),
        );
        self.headline.agent.clone_from(to_agent);
        self.activity = format!("starting {}", single_line(to_agent));
    }

    fn image(&mut self, image: &Image) {
        let place = match (&image.path, &image.data) {
            (Some(path), _) => path.clone(),
            // Four characters of base64 are three bytes.
            (None, Some(data)) => format::bytes(data.len() as u64 / 4 * 3),
            (None, None) => String::new(),
        };
        self.note(QUIET, &format!("image {} {place}", image.mime), "");
    }

    fn mode_changed(&mut self, mode: &ModeChanged) {
        if let Some(model) = &mode.model {
            self.note(QUIET, &format!("model changed to {model}"), "");
        }
        if let Some(permission_mode) = &mode.permission_mode {
            self.note(QUIET, &format!("permission mode changed to {permission_mode}"), "");
        }
    }

    fn notice(&mut self, notice: &Notice) {
        match notice.level {
            NoticeLevel::Debug => {}
            NoticeLevel::Info => {
                let hint = notice.hint.as_deref().map(|hint| format!(" ({hint})"));
                self.note(QUIET, &format!("{}{}", notice.text, hint.unwrap_or_default()), "");
            }
            _ => self.warning(&notice.text, notice.hint.as_deref()),
        }
    }
}
