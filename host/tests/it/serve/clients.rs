//! The client packages of `schemas/api/examples` against the real host: the same tour with the same result over
//! every face, and no event lost or doubled over connections that break.
//!
//! `make clients` builds the TypeScript package. A language that is not there is told and left out.

mod cutter;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::stage::{ServeProcess, numbers};
use crate::cli::scratch::{Finished, Scratch};
use cutter::Cutter;

const PACKAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../schemas/api/examples");

/// What the tour prints, however it is taken.
const TOUR: &str = "tour.json";

/// A way to run the programs of a package.
struct Package {
    name: &'static str,
    /// The interpreter and what comes before the program.
    interpreter: Vec<String>,
    /// Where the programs lie, and how their names end.
    folder: PathBuf,
    ending: &'static str,
    faces: &'static [&'static str],
}

impl Package {
    /// The packages that can be run here.
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
        // The source tree stays as it is.
        command.env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::null());
        command
    }
}

/// Python 3.11 or later.
fn python() -> Option<Package> {
    let probe = "import sys; assert sys.version_info >= (3, 11); print(sys.executable)";
    let Some(interpreter) = answer("python3", &["-c", probe]) else {
        eprintln!("SKIPPED: the Python client was not tried: python3 3.11 is not installed");
        return None;
    };
    Some(Package {
        name: "python",
        interpreter: vec![interpreter],
        folder: Path::new(PACKAGES).join("python"),
        ending: "py",
        faces: &["websocket", "http", "stdio"],
    })
}

/// Node, and Node with the WebSocket of a browser.
fn typescript() -> Vec<Package> {
    let tests = std::env::current_exe().expect("the path of the tests");
    let target = tests.ancestors().nth(3).expect("target/<profile>/deps/it");
    let folder = target.join("clients/typescript/dist");
    let interpreter = answer("node", &["-p", "process.execPath"]);
    let Some(interpreter) = interpreter.filter(|_| folder.join("tour.js").exists()) else {
        eprintln!("SKIPPED: the TypeScript client was not tried: make clients builds it, with npm");
        return Vec::new();
    };
    let package = |name, switch: Option<&str>, faces| Package {
        name,
        interpreter: [interpreter.as_str()].into_iter().chain(switch).map(str::to_owned).collect(),
        folder: folder.clone(),
        ending: "js",
        faces,
    };
    vec![
        package("typescript", None, &["websocket", "http", "stdio"]),
        package("browser", Some("--experimental-websocket"), &["websocket"]),
    ]
}

/// What a program prints, when it is there and does not fail.
fn answer(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// A machine with the demo agent.
fn machine() -> Scratch {
    let tests = std::env::current_exe().expect("the path of the tests");
    let profile = tests.ancestors().nth(2).expect("target/<profile>/deps/it");
    let demo = profile.join(format!("od-adapter-demo{}", std::env::consts::EXE_SUFFIX));
    assert!(demo.exists(), "{} is missing: cargo build -p od-adapter-demo", demo.display());
    let scratch = Scratch::new();
    let name = demo.file_name().expect("a file");
    std::fs::copy(&demo, scratch.path("adapters").join(name)).expect("the demo adapter");
    scratch
}

#[test]
fn the_tour_is_the_same_over_every_face_and_in_every_language() {
    let host = ServeProcess::start(machine(), &[]);
    for package in Package::all() {
        for face in package.faces {
            let summary = tour(&host, &package, face);
            check_tour(&summary, &format!("{} over {face}", package.name));
        }
    }
}

fn tour(host: &ServeProcess, package: &Package, face: &str) -> String {
    let folder = host.scratch.path("work").join(format!("{}-{face}", package.name));
    std::fs::create_dir(&folder).expect("a folder of its own");
    let mut command = package.command(&host.scratch, "tour");
    command.env("OD_TOKEN", &host.token).arg("--cwd").arg(folder).arg(face);
    if face == "stdio" {
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
fn no_event_is_lost_or_doubled_over_connections_that_break() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let scratch = Scratch::with_adapter("x", "flood 4000");
    let host = ServeProcess::start(scratch, &["--allow-host", &address]);
    let cutter = Cutter::between(listener, host.address());
    let run = host.start_run("go");
    let expected = host.events(&run, 0);
    assert_eq!(expected.len(), 4002);
    for package in Package::all() {
        for face in package.faces.iter().filter(|face| **face != "stdio") {
            let mut command = package.command(&host.scratch, "watch");
            command.env("OD_TOKEN", &host.token).args([face, &*cutter.url(), &run]);
            let stdout = Finished::of(command.output().expect("it starts")).exits_with(0).stdout;
            let events = stdout.lines().map(|line| serde_json::from_str(line).expect("an event"));
            let events: Vec<serde_json::Value> = events.collect();
            assert_eq!(numbers(&events), numbers(&expected), "{} over {face}", package.name);
            assert_eq!(events, expected, "{} over {face}", package.name);
            assert!(cutter.take_cuts() > 1, "{} over {face}: nothing was cut", package.name);
        }
    }
}

#[test]
fn a_wrong_token_is_told_with_its_kind_and_hint() {
    let host = ServeProcess::start(machine(), &[]);
    for package in Package::all() {
        // A browser does not say why a WebSocket was refused.
        for face in ["websocket", "http"].into_iter().filter(|_| package.name != "browser") {
            let mut command = package.command(&host.scratch, "tour");
            command.env("OD_TOKEN", "wrong").args(["--cwd", "/", face, host.url()]);
            let finished = Finished::of(command.output().expect("it starts"));
            finished.fails_with(1, "_od.unauthorized", "Authorization");
        }
    }
}
