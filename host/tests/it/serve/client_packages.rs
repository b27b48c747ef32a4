//! The client packages of `schemas/api/examples` against the real host: the same results over every transport, and
//! every event exactly once over connections that break.
//!
//! `make clients` builds the TypeScript package. A language that is not installed is skipped with a message.

mod flaky_proxy;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::server_process::{ServeProcess, numbers};
use crate::cli::scratch::{Finished, Scratch};
use flaky_proxy::FlakyProxy;

const PACKAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../schemas/api/examples");

/// The expected output of the program `tour`.
const TOUR: &str = "tour.json";

/// A way to run the programs of a package.
struct Package {
    name: &'static str,
    /// The interpreter and its options.
    interpreter: Vec<String>,
    /// The folder and the file extension of the programs.
    folder: PathBuf,
    ending: &'static str,
    transports: &'static [&'static str],
}

impl Package {
    /// The packages that can run here.
    fn all() -> Vec<Self> {
        python().into_iter().chain(typescript()).collect()
    }

    /// A program of the package, on the scratch machine and with its token.
    fn command(&self, scratch: &Scratch, program: &str) -> Command {
        let machine = scratch.command(&[]);
        let mut command = Command::new(&self.interpreter[0]);
        command
            .args(&self.interpreter[1..])
            .arg(self.folder.join(format!("{program}.{}", self.ending)));
        command
            .env_clear()
            .envs(machine.get_envs().filter_map(|(name, value)| Some((name, value?))));
        // Keeps the source tree unchanged.
        command.env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::null());
        command
    }
}

/// Python 3.11 or later.
fn python() -> Option<Package> {
    let probe = "import sys; assert sys.version_info >= (3, 11); print(sys.executable)";
    let Some(interpreter) = output_of("python3", &["-c", probe]) else {
        eprintln!("SKIPPED: the Python client was not tested: python3 3.11 is not installed");
        return None;
    };
    Some(Package {
        name: "python",
        interpreter: vec![interpreter],
        folder: Path::new(PACKAGES).join("python"),
        ending: "py",
        transports: &["websocket", "http", "stdio"],
    })
}

/// Node, and Node with the WebSocket of a browser.
fn typescript() -> Vec<Package> {
    let tests = std::env::current_exe().expect("the path of the tests");
    let target = tests.ancestors().nth(3).expect("target/<profile>/deps/it");
    let folder = target.join("clients/typescript/dist");
    let interpreter = output_of("node", &["-p", "process.execPath"]);
    let Some(interpreter) = interpreter.filter(|_| folder.join("tour.js").exists()) else {
        eprintln!(
            "SKIPPED: the TypeScript client was not tested: `make clients` builds it with npm"
        );
        return Vec::new();
    };
    let package = |name, switch: Option<&str>, transports| Package {
        name,
        interpreter: [interpreter.as_str()].into_iter().chain(switch).map(str::to_owned).collect(),
        folder: folder.clone(),
        ending: "js",
        transports,
    };
    vec![
        package("typescript", None, &["websocket", "http", "stdio"]),
        package("browser", Some("--experimental-websocket"), &["websocket"]),
    ]
}

/// The output of a program that exists and succeeds.
fn output_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// A machine with the demo agent.
fn machine() -> Scratch {
    let scratch = Scratch::new();
    scratch.add_demo();
    scratch
}

#[test]
fn packages_get_same_results_over_every_transport() {
    let host = ServeProcess::start(machine(), &[]);
    for package in Package::all() {
        for transport in package.transports {
            let summary = tour(&host, &package, transport);
            check_tour(&summary, &format!("{} over {transport}", package.name));
        }
    }
}

fn tour(host: &ServeProcess, package: &Package, transport: &str) -> String {
    let folder = host.scratch.path("work").join(format!("{}-{transport}", package.name));
    std::fs::create_dir(&folder).expect("a folder");
    let mut command = package.command(&host.scratch, "tour");
    command.env("OD_TOKEN", &host.token).arg("--cwd").arg(folder).arg(transport);
    if transport == "stdio" {
        let root = host.scratch.path("");
        let own = host.scratch.command(&["serve", "--stdio", "--root"]);
        command.arg(own.get_program()).args(own.get_args()).arg(root);
    } else {
        command.arg(host.url());
    }
    Finished::of(command.output().expect("it starts")).exits_with(0).stdout
}

/// The result is committed, so that a reader sees what to expect; `UPDATE_EXPECT=1` rewrites it.
#[track_caller]
fn check_tour(summary: &str, who: &str) {
    let file = Path::new(PACKAGES).join(TOUR);
    if std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1") {
        return std::fs::write(file, summary).expect("the file can be written");
    }
    let expected = std::fs::read_to_string(file).unwrap_or_default();
    assert_eq!(summary, expected, "{who}");
}

#[test]
fn packages_resume_after_lost_connections() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let scratch = Scratch::with_adapter("x", "flood 4000");
    let host = ServeProcess::start(scratch, &["--allow-host", &address]);
    let proxy = FlakyProxy::start(listener, host.address());
    let run = host.start_run("go");
    let expected = host.events(&run, 0);
    assert_eq!(expected.len(), 4002);
    for package in Package::all() {
        for transport in package.transports.iter().filter(|transport| **transport != "stdio") {
            let mut command = package.command(&host.scratch, "watch");
            command.env("OD_TOKEN", &host.token).args([transport, &*proxy.url(), &run]);
            let stdout = Finished::of(command.output().expect("it starts")).exits_with(0).stdout;
            let events = stdout.lines().map(|line| serde_json::from_str(line).expect("an event"));
            let events: Vec<serde_json::Value> = events.collect();
            assert_eq!(numbers(&events), numbers(&expected), "{} over {transport}", package.name);
            assert_eq!(events, expected, "{} over {transport}", package.name);
            assert!(
                proxy.take_cuts() > 1,
                "{} over {transport}: no connection was cut",
                package.name
            );
        }
    }
}

#[test]
fn packages_report_wrong_token() {
    let host = ServeProcess::start(machine(), &[]);
    for package in Package::all() {
        // A browser does not report why a WebSocket was refused.
        for transport in ["websocket", "http"].into_iter().filter(|_| package.name != "browser") {
            let mut command = package.command(&host.scratch, "tour");
            command.env("OD_TOKEN", "wrong").args(["--cwd", "/", transport, host.url()]);
            let finished = Finished::of(command.output().expect("it starts"));
            finished.fails_with(1, "_od.unauthorized", "Authorization");
        }
    }
}
