//! ENV: the names and values of the variables that reach the agent CLI.

use std::collections::BTreeMap;

use super::AdapterCheck;
use super::environment::login_variables;
use super::expectations::{completed, plain_answer};
use crate::adapter_client::RunRecord;
use crate::check::{Gate, active};
use crate::context::{CheckContext, LaunchOptions, execute_on};
use crate::fake_cli::Invocation;
use crate::outcome::{CheckOutcome, Finding};

/// The checks of this file.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "ENV-04",
        "names of variables match exactly: a variable whose name only resembles an allowlisted or \
         declared one does not reach the agent CLI",
        "a prefix such as PATH or HTTP_PROXY lets passwords through",
        Gate::cli_scenario("text"),
        exact_names,
    ),
    active(
        "ENV-05",
        "every allowlisted variable that is set reaches the agent CLI with its exact value, one \
         that is not set stays unset, and TERM is dumb and NO_COLOR is 1",
        "without proxies, certificates, time zone or home the agent CLI fails on some machines only",
        Gate::cli_scenario("text"),
        exact_values,
    ),
    active(
        "ENV-06",
        "`run/start.env` has precedence over every other variable, for this run only and with any \
         value",
        "a host selects the account of a run this way",
        Gate::cli_scenario("text"),
        run_has_precedence,
    ),
];

/// Allowlisted variables that no adapter adds by itself.
const UNSET: &[&str] = &[
    "USER",
    "LOGNAME",
    "SHELL",
    "TZ",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
];

fn exact_names(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mark = format!("canary-{}", context.nonce());
    let env = context.suite.look_alikes(&mark);
    let (record, invocation) = run_with(context, env, "run/start")?;
    let leaked: Vec<&String> =
        invocation.env.iter().filter(|(_, value)| value.contains(&mark)).map(|it| it.0).collect();
    let sent = "run/start; the adapter's environment has variables whose names resemble others";
    let expected = "none of these variables reaches the agent CLI";
    record.ensure(leaked.is_empty(), expected, format!("it received {leaked:?}"), sent)
}

fn exact_values(context: &mut CheckContext) -> CheckOutcome {
    let plain = plain_answer(context)?;
    let added =
        UNSET.iter().find(|name| plain.started().is_ok_and(|it| it.env.contains_key(**name)));
    if let Some(name) = added {
        let sent = format!("run/start; {name} is not set in the adapter's environment");
        return Err(plain.record.failure("it stays unset", format!("{name} is set"), &sent));
    }
    let env = allowlisted(context)?;
    let sent = "run/start; the adapter's environment sets allowlisted variables";
    let mut given = env.clone();
    given.insert("TERM".to_owned(), "xterm-256color".to_owned());
    let (record, invocation) = run_with(context, given, sent)?;
    let fixed =
        [("TERM", "dumb"), ("NO_COLOR", "1")].map(|(name, value)| (name.into(), value.into()));
    has_variables(&record, &invocation, env.into_iter().chain(fixed), sent)?;
    has_path(&record, &invocation, sent)
}

/// Returns every kind of allowlisted variable, with values that adapters tolerate.
fn allowlisted(context: &mut CheckContext) -> Result<BTreeMap<String, String>, Finding> {
    let mark = context.nonce();
    let folder = context.folder("certificates")?;
    let certificates = folder.join("certificates.pem");
    std::fs::write(&certificates, "")?;
    let certificates = certificates.to_string_lossy().into_owned();
    let folder = folder.to_string_lossy().into_owned();
    let proxy = format!("http://{mark}.invalid:3128");
    let no_proxy = format!("127.0.0.1,localhost,::1,{mark}.invalid");
    let shared = [
        ("TZ", "Asia/Kathmandu".to_owned()),
        ("LC_ALL", "C.UTF-8".to_owned()),
        ("LC_TIME", format!("de_DE.{mark}")),
        ("XDG_CACHE_HOME", format!("{folder}/cache {mark}")),
        ("XDG_CONFORMANCE", format!("a=b \"c\" 'd' $HOME\nünïcödé 海 {mark}")),
        ("LC_CONFORMANCE", String::new()),
        ("HTTP_PROXY", proxy.clone()),
        ("HTTPS_PROXY", proxy.clone()),
        ("ALL_PROXY", proxy.clone()),
        ("NO_PROXY", no_proxy.clone()),
        ("SSL_CERT_FILE", certificates.clone()),
        ("SSL_CERT_DIR", folder),
        ("NODE_EXTRA_CA_CERTS", certificates.clone()),
        ("REQUESTS_CA_BUNDLE", certificates.clone()),
        ("CURL_CA_BUNDLE", certificates),
    ];
    let unix = [
        ("USER", format!("user-{mark}")),
        ("LOGNAME", format!("user-{mark}")),
        ("SHELL", "/bin/sh".to_owned()),
        ("http_proxy", proxy.clone()),
        ("https_proxy", proxy.clone()),
        ("all_proxy", proxy),
        ("no_proxy", no_proxy),
    ];
    let unix = unix.into_iter().filter(|_| cfg!(unix));
    Ok(shared.into_iter().chain(unix).map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Fails unless PATH contains the folders that the adapter got, in their order.
fn has_path(record: &RunRecord, invocation: &Invocation, sent: &str) -> CheckOutcome {
    let path = invocation.env.get("PATH").cloned().unwrap_or_default();
    let given = crate::process::SYSTEM_PATH;
    let mut found = std::env::split_paths(&path);
    let missing = std::env::split_paths(given).find(|entry| !found.any(|folder| folder == *entry));
    let expected = format!("PATH with the folders {given} in this order");
    record.ensure(missing.is_none(), expected, format!("PATH={path}"), sent)
}

fn run_has_precedence(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mark = context.nonce();
    let upper = mark.to_uppercase();
    let inherited: BTreeMap<String, String> = login_variables(context)
        .into_iter()
        .map(|name| (name, format!("sk-conformance-inherited-{mark}")))
        .chain([("LC_MESSAGES".to_owned(), "C.UTF-8".to_owned())])
        .collect();
    let of_run: BTreeMap<String, String> = inherited
        .keys()
        .map(|name| (name.clone(), format!("sk-conformance-run-{mark}")))
        .chain(
            [("LANG", "C"), ("TERM", "vt100"), ("NO_COLOR", "0")]
                .map(|(name, value)| (name.to_owned(), value.to_owned())),
        )
        .chain([
            (format!("OD_{upper}_EQUALS"), format!("a=b=c {mark}")),
            (format!("OD_{upper}_QUOTES"), format!("  \"x\" 'y' `z` $HOME \\ {mark}  ")),
            (format!("OD_{upper}_LINES"), format!("one\ntwo\r\n\n{mark}\n")),
            (format!("OD_{upper}_UNICODE"), format!("ünïcödé e\u{301} 海 🦜 {mark}")),
            (format!("OD_{upper}_EMPTY"), String::new()),
        ])
        .collect();
    let options = LaunchOptions { env: inherited.clone(), ..LaunchOptions::default() };
    let mut adapter = context.launch_with(&options)?;
    let mut prepared = context.prepare("text")?;
    prepared.request.env.extend(of_run.clone());
    let sent = "run/start with env, whose variables replace inherited ones";
    let run = execute_on(&mut adapter, prepared)?;
    completed(&run.record, sent)?;
    has_variables(&run.record, run.started()?, of_run.clone(), sent)?;

    let prepared = context.prepare("text")?;
    let sent = "run/start without env, after a run with env";
    let run = execute_on(&mut adapter, prepared)?;
    completed(&run.record, sent)?;
    let fixed = [("LANG", "C.UTF-8"), ("TERM", "dumb"), ("NO_COLOR", "1")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    has_variables(&run.record, run.started()?, inherited.into_iter().chain(fixed), sent)?;
    let stayed = run.started()?.env.keys().find(|name| name.contains(&upper));
    let got = format!("{stayed:?} is still set");
    run.record.ensure(stayed.is_none(), "no variable of the earlier run", got, sent)
}

/// Fails unless the agent CLI got each of these variables with exactly this value.
fn has_variables(
    record: &RunRecord,
    invocation: &Invocation,
    expected: impl IntoIterator<Item = (String, String)>,
    sent: &str,
) -> CheckOutcome {
    for (name, value) in expected {
        let found = invocation.env.get(&name);
        let got = found.map_or_else(|| "not set".to_owned(), |found| format!("{found:?}"));
        record.ensure(found == Some(&value), format!("{name} is {value:?}"), got, sent)?;
    }
    Ok(())
}

/// Completes a run of a new adapter with these variables.
fn run_with(
    context: &mut CheckContext,
    env: BTreeMap<String, String>,
    sent: &str,
) -> Result<(RunRecord, Invocation), Finding> {
    let mut adapter = context.launch_with(&LaunchOptions { env, ..LaunchOptions::default() })?;
    let prepared = context.prepare("text")?;
    let run = execute_on(&mut adapter, prepared)?;
    completed(&run.record, sent)?;
    let invocation = run.started()?.clone();
    Ok((run.record, invocation))
}
