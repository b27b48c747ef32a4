//! MAN: the manifest, which is available without starting an agent CLI.

mod circumstances;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::AdapterCheck;
use super::snapshot::Snapshot;
use crate::adapter_client::{CapturedOutput, base_env, run_to_end};
use crate::check::{Gate, active};
use crate::context::{CheckContext, LaunchOptions, initialize};
use crate::fake_cli::FakeCli;
use crate::outcome::{CheckOutcome, Failure, Finding, ensure, fail, shorten};
use crate::process;

const MANIFEST_TIMEOUT: Duration = Duration::from_secs(2);

/// The timeout for an adapter with invalid arguments to exit.
const USAGE_TIMEOUT: Duration = Duration::from_secs(5);

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "MAN-01",
        "`--manifest` prints one JSON document that matches the schema, and exits with 0",
        "a host finds adapters by their manifests and ignores one it cannot read",
        Gate::NONE,
        one_document,
    ),
    active(
        "MAN-02",
        "`--manifest` takes at most 2 s and works with an empty PATH",
        "a host reads twenty manifests at start, possibly from a desktop with a minimal PATH",
        Gate::NONE,
        fast_with_empty_path,
    ),
    active(
        "MAN-03",
        "`--manifest` starts no agent CLI and writes no file",
        "listing adapters must not have side effects",
        Gate::NONE,
        no_side_effects,
    ),
    active(
        "MAN-04",
        "the manifest's id equals the file name after `od-adapter-`, its version is semver, and \
         protocol.min is not above protocol.max",
        "a host refuses an adapter whose id differs from its file name, because it could \
         impersonate another",
        Gate::NONE,
        identity,
    ),
    active(
        "MAN-05",
        "`initialize` returns the same id, version, vendor and capabilities as the manifest",
        "hosts cache manifests; the displayed data must match the actual adapter",
        Gate::NONE,
        equals_initialize,
    ),
    active(
        "MAN-06",
        "`--manifest` prints identical bytes each time; other arguments result in a message on \
         stderr and exit code 2",
        "caches compare bytes, and users start adapters by hand to see what they are",
        Gate::NONE,
        stable_output_and_usage_message,
    )
    .should(),
    active(
        "MAN-07",
        "`--manifest` prints the same bytes in any folder, with stdin closed and without HOME; other \
         arguments result in a message on stderr and exit code 2; the values are consistent",
        "hosts read manifests in minimal environments and trust what they say",
        Gate::NONE,
        same_everywhere,
    ),
];

fn one_document(context: &mut CheckContext) -> CheckOutcome {
    let captured = manifest(context, process::SYSTEM_PATH)?;
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
    context.suite.schema.check_manifest(&document).map_err(|reason| {
        Failure::new("a manifest that matches the schema", reason).sent(sent).into()
    })
}

fn fast_with_empty_path(context: &mut CheckContext) -> CheckOutcome {
    let limit = context.limit(MANIFEST_TIMEOUT);
    let captured = manifest(context, "")?;
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

fn no_side_effects(context: &mut CheckContext) -> CheckOutcome {
    let folder = context.folder("manifest")?;
    let fake_cli = FakeCli::install(
        &folder.join("cli"),
        &context.suite.cli_name(),
        &context.suite.executable,
    )?;
    let home = fresh_home(&folder)?;
    let before = Snapshot::take(&home);
    let env = base_env(&home, &process::search_path(fake_cli.folder()));
    capture(context, &["--manifest"], &env, &home, MANIFEST_TIMEOUT)?;
    if let Some(start) = fake_cli.invocations().first() {
        let got = format!("the agent CLI was started with {:?}", start.args);
        return Err(Failure::new("no process is started", got).sent("--manifest").into());
    }
    let changes = before.changes(&Snapshot::take(&home));
    ensure(changes.is_empty(), "no file is written below HOME or the current folder", || {
        changes.join(", ")
    })
}

fn identity(context: &mut CheckContext) -> CheckOutcome {
    let manifest = context.manifest()?;
    let (wanted, id) =
        (context.suite.adapter_id(), manifest["adapterId"].as_str().unwrap_or_default());
    ensure(id == wanted, format!("adapterId {wanted:?}, as in the file name"), || {
        format!("adapterId {id:?}")
    })?;
    let version = manifest["version"].as_str().unwrap_or_default();
    ensure(
        semver::Version::parse(version).is_ok(),
        "a version such as 1.2.3 or 1.2.3-beta.1+7",
        || format!("version {version:?}"),
    )?;
    let (min, max) = (manifest["protocol"]["min"].as_u64(), manifest["protocol"]["max"].as_u64());
    let fits = min.zip(max).is_some_and(|(min, max)| 1 <= min && min <= max);
    ensure(fits, "1 ≤ protocol.min ≤ protocol.max", || format!("{}", manifest["protocol"]))
}

fn equals_initialize(context: &mut CheckContext) -> CheckOutcome {
    let manifest = context.manifest()?;
    let mut adapter = context.launch_uninitialized()?;
    let result = initialize(&mut adapter, &LaunchOptions::default())?;
    let returned = serde_json::to_value(&result).unwrap_or_default();
    let pairs = [
        ("adapterId", &manifest["adapterId"], &returned["adapter"]["id"]),
        ("version", &manifest["version"], &returned["adapter"]["version"]),
        ("vendor", &manifest["vendor"], &returned["adapter"]["vendor"]),
        ("capabilities", &known_capabilities(&manifest), &returned["capabilities"]),
    ];
    for (name, stated, initialized) in pairs {
        if stated != initialized {
            return Err(adapter.failure(
                format!("{name} as in the manifest: {stated}"),
                format!("{initialized}"),
                "initialize",
            ));
        }
    }
    Ok(())
}

/// Returns the manifest's capabilities as this version of the protocol parses them, so that both
/// sides of the comparison are parsed in the same way.
fn known_capabilities(manifest: &Value) -> Value {
    serde_json::from_value::<od_protocol::Capabilities>(manifest["capabilities"].clone())
        .ok()
        .and_then(|capabilities| serde_json::to_value(capabilities).ok())
        .unwrap_or_default()
}

fn stable_output_and_usage_message(context: &mut CheckContext) -> CheckOutcome {
    let first = manifest(context, process::SYSTEM_PATH)?;
    let second = manifest(context, process::SYSTEM_PATH)?;
    if first.stdout != second.stdout {
        return fail(
            "the same bytes each time",
            format!("{} bytes, then {} different bytes", first.stdout.len(), second.stdout.len()),
        );
    }
    for arguments in [&["--no-such-switch"][..], &[]] {
        let folder = context.folder("usage")?;
        let home = fresh_home(&folder)?;
        let env = base_env(&home, process::SYSTEM_PATH);
        let captured = capture(context, arguments, &env, &home, USAGE_TIMEOUT)?;
        let is_two = captured.status.and_then(|status| status.code()) == Some(2);
        let has_only_stderr = !captured.stderr.is_empty() && captured.stdout.is_empty();
        if !is_two || !has_only_stderr {
            let got = format!(
                "{}, {} bytes on stdout, stderr: {:?}",
                captured.ending(),
                captured.stdout.len(),
                shorten(&captured.stderr_text(), 200)
            );
            let expected = "exit code 2, a message on stderr, nothing on stdout";
            return Err(Failure::new(expected, got).sent(format!("{arguments:?}")).into());
        }
    }
    Ok(())
}

fn same_everywhere(context: &mut CheckContext) -> CheckOutcome {
    circumstances::same_bytes(context)?;
    circumstances::other_arguments(context)?;
    values::consistent(&context.manifest()?)
}

fn manifest(context: &mut CheckContext, path: &str) -> Result<CapturedOutput, Finding> {
    let folder = context.folder("manifest")?;
    let home = fresh_home(&folder)?;
    let env = base_env(&home, path);
    capture(context, &["--manifest"], &env, &home, MANIFEST_TIMEOUT * 2)
}

fn capture(
    context: &mut CheckContext,
    arguments: &[&str],
    env: &BTreeMap<String, String>,
    home: &Path,
    limit: Duration,
) -> Result<CapturedOutput, Finding> {
    let transcript = context.transcript(home.parent().unwrap_or(home))?;
    let captured = run_to_end(&context.suite.adapter, arguments, env, home, context.limit(limit))?;
    captured.write_to(&transcript, arguments);
    Ok(captured)
}

fn fresh_home(folder: &Path) -> Result<PathBuf, Finding> {
    let home = folder.join("home");
    std::fs::create_dir_all(home.join("tmp"))?;
    Ok(home)
}
