//! The list of agents as text. Pure.

use od_host::agents::{Agent, Readiness};
use od_host::discover::Discovery;
use od_protocol::adapter::DetectAdapterResult;
use od_protocol::{AuthState, TestedVersion};

use crate::cli::terminal::{BOLD, DIM, FAILURE, PROMPT, SUCCESS, WARNING, paint, single_line};
use crate::cli::{format, labels};

/// The agents and adapters to show.
pub(super) struct List<'a> {
    pub(super) agents: &'a [Agent],
    pub(super) discovery: &'a Discovery,
    pub(super) active: Option<&'a str>,
}

impl List<'_> {
    /// The list, wrapped to this many columns.
    pub(super) fn text(&self, columns: usize) -> String {
        let widths = self.agents.iter().map(|agent| format::width(&agent.id));
        let id_width = widths.max().unwrap_or_default();
        let mut page = Page { text: String::new(), columns, indent: id_width + 4 };
        for agent in self.agents {
            page.agent(agent, id_width, self.active == Some(&agent.id));
        }
        page.rejected(self.discovery);
        page.shadowed(self.discovery);
        page.text
    }
}

struct Page {
    text: String,
    columns: usize,
    indent: usize,
}

impl Page {
    fn agent(&mut self, agent: &Agent, id_width: usize, active: bool) {
        let sign = match agent.readiness() {
            Readiness::Ready => paint(SUCCESS, "✓"),
            Readiness::NotAuthenticated | Readiness::TooOld => paint(FAILURE, "✗"),
            Readiness::NotInstalled | Readiness::AdapterFailed => paint(FAILURE, "✗"),
        };
        let id = paint(BOLD, format!("{:id_width$}", agent.id));
        let name = single_line(&agent.manifest.display_name);
        let summary = summary(agent);
        let active = if active { paint(SUCCESS, " · active") } else { String::new() };
        self.text.push_str(&format!("{sign} {id}  {name}{summary}{active}\n"));
        match &agent.detected {
            Ok(detected) => self.facts(detected, agent),
            Err(error) => self.wrapped("", FAILURE, &error.message),
        }
        if let Some(fix) = agent.fix() {
            self.wrapped("→ ", PROMPT, &fix);
        }
    }

    fn facts(&mut self, detected: &DetectAdapterResult, agent: &Agent) {
        let tested = agent.manifest.cli.version_tested.as_deref().unwrap_or("the tested version");
        match detected.tested_version {
            Some(TestedVersion::Newer) => {
                self.wrapped("! ", WARNING, &format!("newer than {tested}, the tested version"))
            }
            Some(TestedVersion::Older) => {
                self.wrapped("! ", WARNING, &format!("older than {tested}, the tested version"))
            }
            _ => {}
        }
        if detected.installed {
            let login = login(detected, agent);
            self.wrapped("", DIM, &login);
        }
    }

    fn rejected(&mut self, discovery: &Discovery) {
        if discovery.rejected.is_empty() {
            return;
        }
        self.text.push_str(&format!("\n{}\n", paint(BOLD, "Rejected adapters:")));
        self.indent = 4;
        for rejected in &discovery.rejected {
            self.text.push_str(&format!("{} {}\n", paint(FAILURE, "✗"), rejected.path.display()));
            self.wrapped("", DIM, &rejected.reason);
            self.wrapped("→ ", PROMPT, &rejected.fix);
        }
    }

    fn shadowed(&mut self, discovery: &Discovery) {
        if discovery.shadowed.is_empty() {
            return;
        }
        self.text.push_str(&format!("\n{}\n", paint(BOLD, "Hidden by an earlier adapter:")));
        self.indent = 4;
        for shadowed in &discovery.shadowed {
            self.text.push_str(&format!("{} {}\n", paint(WARNING, "!"), shadowed.path.display()));
            self.wrapped("in use: ", DIM, &shadowed.by.display().to_string());
        }
    }

    /// Wrapped and indented lines; the first one starts with `lead`.
    fn wrapped(&mut self, lead: &str, style: anstyle::Style, text: &str) {
        let lead_width = format::width(lead);
        let available = self.columns.saturating_sub(self.indent + lead_width).max(20);
        for (index, line) in format::wrap(&single_line(text), available).iter().enumerate() {
            let lead = if index == 0 { lead.to_owned() } else { " ".repeat(lead_width) };
            let indent = " ".repeat(self.indent);
            self.text.push_str(&format!("{indent}{}\n", paint(style, format!("{lead}{line}"))));
        }
    }
}

/// The version and state after the name.
fn summary(agent: &Agent) -> String {
    let version = agent.detected.as_ref().ok().and_then(|detected| detected.version.as_deref());
    let version = version.map(|version| format!(" {}", single_line(version))).unwrap_or_default();
    match agent.readiness() {
        Readiness::Ready => version,
        Readiness::NotInstalled => paint(FAILURE, " · not installed"),
        Readiness::TooOld => {
            let least = agent.manifest.cli.version_min.as_deref().unwrap_or("a newer version");
            format!("{version}{}", paint(FAILURE, format!(" · too old, needs {least}")))
        }
        Readiness::NotAuthenticated => format!("{version}{}", paint(FAILURE, " · not logged in")),
        Readiness::AdapterFailed => paint(FAILURE, " · adapter failed"),
    }
}

/// The login state and the credential that pays.
fn login(detected: &DetectAdapterResult, agent: &Agent) -> String {
    let auth = &detected.auth;
    let state = match auth.state {
        AuthState::Ok if agent.manifest.auth.methods.is_empty() => "no login needed",
        AuthState::Ok => "logged in",
        AuthState::Missing => "no credential",
        AuthState::Expired => "credential expired",
        _ => "login is checked when it runs",
    };
    let pays = auth.credential.as_ref().map(labels::credential);
    match pays {
        Some(pays) => format!("{state} · {pays}"),
        None => state.to_owned(),
    }
}
