//! DET: versions of the agent CLI are compared as numbers.

use std::cmp::Ordering;

use od_protocol::TestedVersion;
use od_protocol::adapter::DetectAdapterResult;
use serde_json::Value;

use super::AdapterCheck;
use super::detection::{detect, with_circumstances};
use crate::adapter_client::AdapterClient;
use crate::check::{Gate, active};
use crate::context::{CheckContext, LaunchOptions, initialize};
use crate::fake_cli::Script;
use crate::outcome::{CheckOutcome, Finding, shorten};
use crate::pack::{LaunchEnvironment, Values};

/// The checks of this file.
pub const CHECKS: &[AdapterCheck] = &[active(
    "DET-10",
    "`version` is the version that the agent CLI states, `meetsMin` and `testedVersion` compare it \
     number by number, and both are absent when no version can be read",
    "compared as text, version 10 is older than version 9, and users are sent to upgrade",
    Gate { cli: true, ..Gate::NONE },
    numeric_order,
)];

/// Additions to a version number that do not change its order.
const DECORATIONS: &[(&str, &str)] = &[("v", ""), ("", "-beta.1"), ("", "+build.5")];

/// Version texts without a version.
const UNREADABLE: &[&str] = &["", "unknown"];

fn numeric_order(context: &mut CheckContext) -> CheckOutcome {
    let stated = StatedVersion::of_pack(context)?;
    let manifest = context.suite.manifest.as_ref();
    let min = manifest.and_then(|manifest| numbers(manifest.cli.version_min.as_deref()?));
    let tested = manifest.and_then(|manifest| numbers(manifest.cli.version_tested.as_deref()?));
    let mut versions: Vec<Vec<u64>> =
        min.iter().chain(&tested).flat_map(|boundary| versions_around(boundary)).collect();
    versions.sort();
    versions.dedup();
    let bounds = Bounds { min, tested };
    for version in &versions {
        let text = join(version);
        let (adapter, result, value) = stated.detect_with(context, &text)?;
        let is_reported = result.version.as_deref() == Some(text.as_str());
        if !is_reported {
            let expected = format!("version {text:?}, which the agent CLI states");
            return Err(wrong(&adapter, &text, expected, &value));
        }
        bounds.agree(&adapter, version, &text, &result, &value)?;
    }
    for (before, after) in DECORATIONS {
        let Some(version) = versions.last() else { break };
        let text = format!("{before}{}{after}", join(version));
        let (adapter, result, value) = stated.detect_with(context, &text)?;
        if result.version.as_ref().is_some_and(|found| !found.contains(&join(version))) {
            let expected = format!("a version that contains {}, or none", join(version));
            return Err(wrong(&adapter, &text, expected, &value));
        }
        bounds.agree(&adapter, version, &text, &result, &value)?;
    }
    for text in UNREADABLE {
        let (adapter, result, value) = stated.detect_with(context, text)?;
        if result.meets_min.is_some() || result.tested_version.is_some() {
            let expected = "neither meetsMin nor testedVersion, since there is no version";
            return Err(wrong(&adapter, text, expected.to_owned(), &value));
        }
    }
    Ok(())
}

/// The versions of the manifest.
struct Bounds {
    min: Option<Vec<u64>>,
    tested: Option<Vec<u64>>,
}

impl Bounds {
    /// Fails if `meetsMin` or `testedVersion` is present and wrong.
    fn agree(
        &self,
        adapter: &AdapterClient,
        version: &[u64],
        text: &str,
        result: &DetectAdapterResult,
        value: &Value,
    ) -> CheckOutcome {
        let meets = self.min.as_ref().map(|min| compare(version, min).is_ge());
        if let (Some(expected), Some(found)) = (meets, result.meets_min)
            && expected != found
        {
            let min = join(self.min.as_deref().unwrap_or_default());
            let expected = format!("meetsMin {expected}: the minimum is {min}");
            return Err(wrong(adapter, text, expected, value));
        }
        let order = self.tested.as_ref().map(|tested| match compare(version, tested) {
            Ordering::Less => TestedVersion::Older,
            Ordering::Equal => TestedVersion::Same,
            Ordering::Greater => TestedVersion::Newer,
        });
        if let (Some(expected), Some(found)) = (order, result.tested_version)
            && expected != found
        {
            let tested = join(self.tested.as_deref().unwrap_or_default());
            let expected = format!("testedVersion {expected}: {tested} was tested");
            return Err(wrong(adapter, text, expected, value));
        }
        Ok(())
    }
}

/// The version that the pack states, in the output of `--version` or in files.
pub(super) struct StatedVersion {
    number: String,
    environment: LaunchEnvironment,
}

impl StatedVersion {
    /// Reads it from the pack.
    ///
    /// # Errors
    /// Skip if the pack states none.
    pub(super) fn of_pack(context: &mut CheckContext) -> Result<Self, Finding> {
        let folder = context.suite.work.clone();
        let values = Values::fresh(context.random(), &folder);
        let pack = context.suite.pack()?;
        let environment = pack.launch_environment(None, &values);
        let in_text = pack.settings.cli.version.as_deref().and_then(version_in);
        let in_files = || environment.files.values().find_map(|text| version_in(text));
        let number = in_text
            .or_else(in_files)
            .ok_or_else(|| Finding::Skip("the pack states no version".to_owned()))?;
        Ok(Self { number, environment })
    }

    /// The number alone.
    pub(super) fn number(&self) -> &str {
        &self.number
    }

    /// Returns a version that is newer in its last number.
    pub(super) fn newer_by(&self, difference: u64) -> String {
        let mut version = numbers(&self.number).unwrap_or_default();
        version.iter_mut().last().into_iter().for_each(|last| *last += difference);
        join(&version)
    }

    /// Makes the fake CLI state another version, in its output and in its files.
    pub(super) fn state(&self, adapter: &AdapterClient, version: &str) -> CheckOutcome {
        let replaced = |text: &str| text.replace(&self.number, version);
        for (name, text) in &self.environment.files {
            std::fs::write(adapter.fake_cli.folder().join(name), replaced(text))?;
        }
        let mut probes = self.environment.probes.clone();
        for probe in probes.iter_mut().filter(|probe| probe.args == ["--version"]) {
            probe.stdout = replaced(&probe.stdout);
        }
        Ok(adapter.fake_cli.load_script(&Script { probes, ..Script::default() })?)
    }

    fn detect_with(
        &self,
        context: &mut CheckContext,
        version: &str,
    ) -> Result<(AdapterClient, DetectAdapterResult, Value), Finding> {
        let mut adapter = context.launch_uninitialized()?;
        self.state(&adapter, version)?;
        initialize(&mut adapter, &LaunchOptions::default())?;
        let (result, value) = detect(&mut adapter).map_err(|finding| {
            with_circumstances(finding, &format!("a CLI of the version {version:?}"))
        })?;
        Ok((adapter, result, value))
    }
}

fn wrong(adapter: &AdapterClient, text: &str, expected: String, value: &Value) -> Finding {
    let got = format!(
        "version {}, meetsMin {}, testedVersion {} in {}",
        value["version"],
        value["meetsMin"],
        value["testedVersion"],
        shorten(&value.to_string(), 200)
    );
    adapter.failure(expected, got, format!("adapter/detect; the agent CLI states {text:?}"))
}

/// Returns a boundary, an older version, and versions whose order as text is the opposite.
fn versions_around(boundary: &[u64]) -> Vec<Vec<u64>> {
    let mut versions = vec![boundary.to_vec()];
    if let Some(index) = boundary.iter().position(|number| *number > 0) {
        let mut older = vec![999; boundary.len()];
        older[..=index].copy_from_slice(&boundary[..=index]);
        older[index] -= 1;
        versions.push(older);
    }
    let candidates = boundary.iter().enumerate().flat_map(|(index, number)| {
        let digits = u32::try_from(number.to_string().len()).unwrap_or(1);
        // One digit more is newer, and nines with one digit less are older.
        [10_u64.saturating_pow(digits), 10_u64.saturating_pow(digits - 1) - 1].map(|other| {
            let mut version = boundary.to_vec();
            version[index] = other;
            version
        })
    });
    let is_opposite = |version: &Vec<u64>| {
        let as_text = join(version).cmp(&join(boundary));
        compare(version, boundary) == as_text.reverse() && as_text.is_ne()
    };
    versions.extend(candidates.filter(is_opposite));
    versions
}

fn numbers(text: &str) -> Option<Vec<u64>> {
    text.split('.').map(|part| part.parse().ok()).collect()
}

fn join(version: &[u64]) -> String {
    version.iter().map(u64::to_string).collect::<Vec<_>>().join(".")
}

fn compare(one: &[u64], other: &[u64]) -> Ordering {
    let at = |version: &[u64], index: usize| version.get(index).copied().unwrap_or(0);
    let indexes = 0..one.len().max(other.len());
    indexes
        .map(|index| at(one, index).cmp(&at(other, index)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Returns the first version number in a text.
fn version_in(text: &str) -> Option<String> {
    let is_part = |character: char| character.is_ascii_digit() || character == '.';
    text.split(|character| !is_part(character))
        .map(|word| word.trim_matches('.'))
        .find(|word| word.contains('.'))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_versions_differ_as_text() {
        let texts = |boundary: &[u64]| -> Vec<String> {
            versions_around(boundary).iter().map(|version| join(version)).collect()
        };
        assert_eq!(texts(&[2, 0, 0]), ["2.0.0", "1.999.999", "10.0.0"]);
        assert_eq!(texts(&[1, 18, 0]), ["1.18.0", "0.999.999", "1.100.0", "1.9.0"]);
        assert!(texts(&[10, 2, 0]).contains(&"9.2.0".to_owned()));
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(compare(&[1, 10], &[1, 9]).is_gt());
        assert!(compare(&[1, 0], &[1, 0, 0]).is_eq());
        assert_eq!(version_in("parrot v2.4.1 (build 77)").as_deref(), Some("2.4.1"));
    }
}
