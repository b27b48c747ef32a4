//! MAN: the manifest, everything that is known without starting anything.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::snapshot::Snapshot;
use crate::bench::{Bench, CliPath, Setup, initialize};
use crate::case::{Body, Check, Gate, Level, Tier};
use crate::plugin::{Captured, base_env, run_to_end};
use crate::process;
use crate::stand_in::StandIn;
use crate::verdict::{Failure, Finding, Verdict, ensure, fail, shorten};

/// How long a manifest may take.
const MANIFEST_LIMIT: Duration = Duration::from_secs(2);

/// How long a plugin that is started wrongly may take to say so.
const USAGE_LIMIT: Duration = Duration::from_secs(5);

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    Check {
        id: "MAN-01",
        level: Level::Must,
        sentence: "`--manifest` prints one JSON document that fits the schema, and exits with 0",
        why: "a host lists adapters by their manifests; one it cannot read does not exist for it",
        gate: Gate::NONE,
        tier: Tier::Fast,
        body: Body::Active(one_document),
    },
    Check {
        id: "MAN-02",
        level: Level::Must,
        sentence: "`--manifest` takes at most 2 s and works with an empty PATH",
        why: "a host reads twenty of them when it starts, perhaps from a desktop with a bare PATH",
        gate: Gate::NONE,
        tier: Tier::Fast,
        body: Body::Active(fast_with_empty_path),
    },
    Check {
        id: "MAN-03",
        level: Level::Must,
        sentence: "`--manifest` starts no agent CLI and writes no file",
        why: "looking at a list must not have side effects",
        gate: Gate::NONE,
        tier: Tier::Fast,
        body: Body::Active(no_side_effects),
    },
    Check {
        id: "MAN-04",
        level: Level::Must,
        sentence: "the manifest's id is the file name after `od-adapter-`, its version is semver, \
                   and protocol.min is not above protocol.max",
        why: "a host refuses an adapter whose id differs from its name, since it could pose as another",
        gate: Gate::NONE,
        tier: Tier::Fast,
        body: Body::Active(identity),
    },
    Check {
        id: "MAN-05",
        level: Level::Must,
        sentence: "`initialize` says the same as the manifest: id, version, vendor, capabilities",
        why: "hosts cache manifests; what they show must be what they get",
        gate: Gate::NONE,
        tier: Tier::Fast,
        body: Body::Active(equals_initialize),
    },
    Check {
        id: "MAN-06",
        level: Level::Should,
        sentence: "`--manifest` is byte-identical each time; other arguments get a sentence on \
                   stderr and exit code 2",
        why: "caches compare bytes, and people start plugins by hand to see what they are",
        gate: Gate::NONE,
        tier: Tier::Fast,
        body: Body::Active(stable_and_polite),
    },
];

fn one_document(bench: &mut Bench) -> Verdict {
    let captured = manifest(bench, process::SYSTEM_PATH)?;
    let sent = "--manifest";
    let text = String::from_utf8_lossy(&captured.stdout).into_owned();
    if !captured.status.is_some_and(|status| status.success()) {
        let got =
            format!("{}; stderr: {}", captured.ending(), shorten(&captured.stderr_text(), 300));
        return Err(Failure::new("exit code 0", got).sent(sent).into());
    }
    let document: Value = serde_json::from_slice(&captured.stdout).map_err(|error| {
        let got = format!("{error}: {}", shorten(&text, 300));
        Finding::from(Failure::new("one JSON document on stdout and nothing else", got).sent(sent))
    })?;
    bench
        .suite
        .schema
        .check_manifest(&document)
        .map_err(|reason| Failure::new("a manifest that fits the schema", reason).sent(sent).into())
}

fn fast_with_empty_path(bench: &mut Bench) -> Verdict {
    let limit = bench.limit(MANIFEST_LIMIT);
    let captured = manifest(bench, "")?;
    let sent = "--manifest with PATH=\"\"";
    let good = captured.status.is_some_and(|status| status.success());
    if !good || captured.took > limit {
        let got = format!(
            "{} after {:.2?}; stderr: {}",
            captured.ending(),
            captured.took,
            shorten(&captured.stderr_text(), 300)
        );
        return Err(Failure::new(format!("exit code 0 within {limit:.1?}"), got).sent(sent).into());
    }
    Ok(())
}

fn no_side_effects(bench: &mut Bench) -> Verdict {
    let folder = bench.folder("manifest")?;
    let stand_in =
        StandIn::place(&folder.join("cli"), &bench.suite.cli_name(), &bench.suite.executable)?;
    let home = fresh_home(&folder)?;
    let before = Snapshot::take(&home);
    let env = base_env(&home, &process::search_path(stand_in.folder()));
    capture(bench, &["--manifest"], &env, &home, MANIFEST_LIMIT)?;
    if let Some(start) = stand_in.invocations().first() {
        let got = format!("the agent CLI was started with {:?}", start.args);
        return Err(Failure::new("no process is started", got).sent("--manifest").into());
    }
    let changes = before.changes(&Snapshot::take(&home));
    ensure(changes.is_empty(), "no file is written below HOME or the current folder", || {
        changes.join(", ")
    })
}

fn identity(bench: &mut Bench) -> Verdict {
    let manifest = bench.stated()?;
    let (wanted, id) =
        (bench.suite.adapter_id(), manifest["adapterId"].as_str().unwrap_or_default());
    ensure(id == wanted, format!("adapterId {wanted:?}, as in the file name"), || {
        format!("adapterId {id:?}")
    })?;
    let version = manifest["version"].as_str().unwrap_or_default();
    ensure(is_semver(version), "a version such as 1.2.3 or 1.2.3-beta.1+7", || {
        format!("version {version:?}")
    })?;
    let (min, max) = (manifest["protocol"]["min"].as_u64(), manifest["protocol"]["max"].as_u64());
    let fits = min.zip(max).is_some_and(|(min, max)| 1 <= min && min <= max);
    ensure(fits, "1 ≤ protocol.min ≤ protocol.max", || format!("{}", manifest["protocol"]))
}

fn equals_initialize(bench: &mut Bench) -> Verdict {
    let manifest = bench.stated()?;
    let mut plugin = bench.launch(&Setup { initialize: false, ..Setup::default() })?;
    let result = initialize(&mut plugin, &CliPath::StandIn)?;
    let told = serde_json::to_value(&result).unwrap_or_default();
    let pairs = [
        ("adapterId", &manifest["adapterId"], &told["adapter"]["id"]),
        ("version", &manifest["version"], &told["adapter"]["version"]),
        ("vendor", &manifest["vendor"], &told["adapter"]["vendor"]),
        ("capabilities", &known_capabilities(&manifest), &told["capabilities"]),
    ];
    for (name, stated, said) in pairs {
        if stated != said {
            return Err(Failure::new(
                format!("{name} as in the manifest: {stated}"),
                format!("{said}"),
            )
            .sent("initialize")
            .at(plugin.place())
            .into());
        }
    }
    Ok(())
}

/// The manifest's capabilities as this version of the protocol reads them, so that both sides of
/// the comparison went through the same reading.
fn known_capabilities(manifest: &Value) -> Value {
    serde_json::from_value::<od_protocol::Capabilities>(manifest["capabilities"].clone())
        .ok()
        .and_then(|capabilities| serde_json::to_value(capabilities).ok())
        .unwrap_or_default()
}

fn stable_and_polite(bench: &mut Bench) -> Verdict {
    let first = manifest(bench, process::SYSTEM_PATH)?;
    let second = manifest(bench, process::SYSTEM_PATH)?;
    if first.stdout != second.stdout {
        return fail(
            "the same bytes each time",
            format!("{} bytes, then {} other bytes", first.stdout.len(), second.stdout.len()),
        );
    }
    for arguments in [&["--no-such-switch"][..], &[]] {
        let folder = bench.folder("usage")?;
        let home = fresh_home(&folder)?;
        let env = base_env(&home, process::SYSTEM_PATH);
        let captured = capture(bench, arguments, &env, &home, USAGE_LIMIT)?;
        let is_two = captured.status.and_then(|status| status.code()) == Some(2);
        let is_polite = !captured.stderr.is_empty() && captured.stdout.is_empty();
        if !is_two || !is_polite {
            let got = format!(
                "{}, {} bytes on stdout, stderr: {:?}",
                captured.ending(),
                captured.stdout.len(),
                shorten(&captured.stderr_text(), 200)
            );
            let expected = "exit code 2, a sentence on stderr, nothing on stdout";
            return Err(Failure::new(expected, got).sent(format!("{arguments:?}")).into());
        }
    }
    Ok(())
}

fn manifest(bench: &mut Bench, path: &str) -> Result<Captured, Finding> {
    let folder = bench.folder("manifest")?;
    let home = fresh_home(&folder)?;
    let env = base_env(&home, path);
    capture(bench, &["--manifest"], &env, &home, MANIFEST_LIMIT * 2)
}

fn capture(
    bench: &mut Bench,
    arguments: &[&str],
    env: &BTreeMap<String, String>,
    home: &Path,
    limit: Duration,
) -> Result<Captured, Finding> {
    let transcript = bench.transcript(home.parent().unwrap_or(home))?;
    let captured = run_to_end(&bench.suite.plugin, arguments, env, home, bench.limit(limit))?;
    captured.write_down(&transcript, arguments);
    Ok(captured)
}

fn fresh_home(folder: &Path) -> Result<PathBuf, Finding> {
    let home = folder.join("home");
    std::fs::create_dir_all(home.join("tmp"))?;
    Ok(home)
}

/// `major.minor.patch`, numbers without leading zeros, then `-pre` and `+build` where there are.
fn is_semver(text: &str) -> bool {
    let (text, build) = text.split_once('+').unwrap_or((text, "0"));
    let (core, pre) = text.split_once('-').unwrap_or((text, "0"));
    let is_number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'))
    };
    let is_word = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    core.split('.').count() == 3
        && core.split('.').all(is_number)
        && pre.split('.').all(is_word)
        && build.split('.').all(is_word)
}

#[cfg(test)]
mod tests {
    use super::is_semver;

    #[test]
    fn semver_is_told_from_other_words() {
        for good in ["1.2.3", "0.1.0-beta.1", "1.0.0+build.7", "10.20.30-a-b+c"] {
            assert!(is_semver(good), "{good}");
        }
        for bad in ["", "1.2", "v1.2.3", "01.2.3", "1.2.3-", "1.2.x", "1.2.3.4"] {
            assert!(!is_semver(bad), "{bad}");
        }
    }
}
