//! `conformance real-all --profile acp-agent`: how an agent CLI is checked as an ACP agent, and the
//! Markdown table of the results.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::CommandError;
use crate::check::Status;
use crate::pack::{RealAcpSettings, Settings};
use crate::process;

/// The lines around the table.
const BEGIN: &str = "<!-- table of `conformance real-all --profile acp-agent`: begin -->";
const END: &str = "<!-- table of `conformance real-all --profile acp-agent`: end -->";

/// The statuses that are listed with their checks.
const LISTED: [Status; 4] = [Status::Fail, Status::Blocked, Status::Warn, Status::Advice];

/// An agent CLI that implements the Agent Client Protocol.
pub(super) struct AcpCandidate {
    /// The file name of its executable.
    executable: String,
    arguments: Vec<String>,
    env: BTreeMap<String, String>,
    home: BTreeMap<String, String>,
    auth_method: Option<String>,
}

impl AcpCandidate {
    /// Reads the `[real.acp]` table; `None` without one.
    pub(super) fn from_settings(settings: &Settings) -> Option<Self> {
        let real = settings.real.as_ref()?;
        let RealAcpSettings { args, env, home, auth_method } = real.acp.clone()?;
        let joined = |usual: &BTreeMap<String, String>, more: BTreeMap<String, String>| {
            usual.clone().into_iter().chain(more).collect()
        };
        Some(Self {
            executable: settings.cli.name.clone()?,
            arguments: args,
            env: joined(&real.env, env),
            home: joined(&real.home, home),
            auth_method,
        })
    }

    /// Adds the arguments of `conformance run` and writes the files of the agent's home folder.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(super) fn add_arguments(
        &self,
        command: &mut Command,
        executables: &Path,
        home: &Path,
    ) -> std::io::Result<()> {
        if home.exists() {
            std::fs::remove_dir_all(home)?;
        }
        std::fs::create_dir_all(home)?;
        for (name, text) in &self.home {
            let file = home.join(name);
            std::fs::create_dir_all(file.parent().unwrap_or(home))?;
            std::fs::write(file, text)?;
        }
        command.args(["--profile", "acp-agent", "--home"]).arg(home);
        for (name, text) in &self.env {
            command.args(["--env", &format!("{name}={text}")]);
        }
        if let Some(method) = &self.auth_method {
            command.args(["--auth-method", method]);
        }
        command.arg("--").arg(executables.join(process::executable_name(&self.executable)));
        command.args(&self.arguments);
        Ok(())
    }
}

/// Returns the Markdown table of these JSON reports.
pub(super) fn table(reports: &[&Value]) -> String {
    let mut text = "| agent | result | pass | fail | warn | advice | skip | not passed |\n\
                    |---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for report in reports {
        let name = |member: &str| report[member].as_str().unwrap_or_default();
        let result = if report["conformant"] == true { "conforms" } else { "does not conform" };
        let count = |status: Status| report["counts"][status.as_str()].as_u64().unwrap_or(0);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} {} | {result} | {} | {} | {} | {} | {} | {} |",
            name("adapterId"),
            name("adapterVersion"),
            count(Status::Pass),
            count(Status::Fail) + count(Status::Blocked),
            count(Status::Warn),
            count(Status::Advice),
            count(Status::Skip),
            not_passed(report)
        );
    }
    text
}

/// Lists the checks that did not pass, by status.
fn not_passed(report: &Value) -> String {
    let ids = |status: Status| -> Vec<&str> {
        let results = report["results"].as_array().into_iter().flatten();
        let with_status = results.filter(|result| result["status"] == status.as_str());
        with_status.filter_map(|it| it["id"].as_str()?.strip_prefix("ACP-")).collect()
    };
    let listed = LISTED.iter().map(|status| (status.as_str(), ids(*status)));
    let parts = listed.filter(|(_, ids)| !ids.is_empty());
    let parts: Vec<String> =
        parts.map(|(status, ids)| format!("{status}: {}", ids.join(", "))).collect();
    parts.join("; ")
}

/// Replaces the table between the markers of a file.
///
/// # Errors
/// When the file cannot be read or written, or has no markers.
pub(super) fn write_table(file: &Path, table: &str) -> Result<(), CommandError> {
    let failed = |error: std::io::Error| {
        CommandError::suite(format!("could not update {}: {error}", file.display()))
    };
    let text = std::fs::read_to_string(file).map_err(failed)?;
    let replaced = replace_table(&text, table).ok_or_else(|| {
        let message = format!("{} has no table of ACP agents", file.display());
        CommandError::usage(message, format!("add the lines {BEGIN:?} and {END:?}"))
    })?;
    std::fs::write(file, replaced).map_err(failed)
}

fn replace_table(text: &str, table: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{table}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn table_replaces_text_between_markers() {
        let report = json!({
            "adapterId": "parrot", "adapterVersion": "1.2", "conformant": false,
            "counts": {"pass": 7, "fail": 1, "advice": 2, "skip": 0},
            "results": [
                {"id": "ACP-HS-01", "status": "pass"},
                {"id": "ACP-SES-08", "status": "fail"},
                {"id": "ACP-SHU-03", "status": "advice"},
                {"id": "ACP-SHU-05", "status": "advice"},
            ],
        });
        let row = "| parrot 1.2 | does not conform | 7 | 1 | 0 | 2 | 0 \
                   | fail: SES-08; advice: SHU-03, SHU-05 |\n";
        let table = table(&[&report]);
        assert!(table.ends_with(row), "{table}");
        let text = format!("above\n{BEGIN}\nold\n{END}\nbelow\n");
        let replaced = replace_table(&text, &table).expect("markers");
        assert_eq!(replaced, format!("above\n{BEGIN}\n{table}{END}\nbelow\n"));
        assert_eq!(replace_table("no markers", &table), None);
    }
}
