//! Following and controlling a run that another process owns.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use od_host::journal::RunStatus;
use od_protocol::{DoneStatus, InputOutcome, RunEventParams};

use super::stage::{Stage, assert_whole, block_on, example, text, types};

/// Starts a host in a separate process and waits for its first event.
pub(crate) fn other_host(stage: &Stage, prefix: &[&str]) -> (Child, String) {
    let mut words: Vec<String> = prefix.iter().map(|word| (*word).to_owned()).collect();
    words.push(example("run_once").display().to_string());
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).arg(stage.home().root()).arg(stage.adapters()).args(["x", "go"]);
    command.current_dir(stage.work()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().expect("another host");
    let first = read_line(&mut child);
    let first: RunEventParams = serde_json::from_str(&first).expect("an event");
    (child, first.run_id)
}

/// Reads one line byte by byte, so that no byte of the next line is consumed.
pub(crate) fn read_line(child: &mut Child) -> String {
    use std::io::Read;
    let stdout = child.stdout.as_mut().expect("a pipe");
    let mut line = Vec::new();
    let mut byte = [0];
    while stdout.read(&mut byte).expect("a byte") == 1 && byte[0] != b'\n' {
        line.push(byte[0]);
    }
    String::from_utf8(line).expect("UTF-8")
}

/// Reads a run of another process to its end.
pub(crate) async fn attach(host: &od_host::Host, run_id: &str) -> Vec<RunEventParams> {
    let mut reader = host.events(run_id, 0).expect("a reader");
    let mut events = Vec::new();
    while let Some(event) = reader.next().await.expect("an event") {
        events.push(event.parse().expect("a whole event"));
    }
    events
}

#[test]
fn other_process_can_follow_feed_and_cancel() {
    let stage = Stage::with("x", "waits");
    let (mut owner, run_id) = other_host(&stage, &[]);
    block_on(async {
        let host = stage.host();
        assert_eq!(host.find_run(&run_id).expect("a record").status, RunStatus::Running);
        let mut client = host.run_client(&run_id).await.expect("a connection");
        let outcome = client.input("hello".to_owned(), None).await.expect("accepted");
        assert_eq!(outcome, InputOutcome::Steered);
        assert!(client.cancel(Duration::from_secs(1)).await.expect("accepted"));
        let events = attach(&host, &run_id).await;
        assert_whole(&events);
        assert_eq!(types(&events), ["run_started", "text_delta", "user_message", "done"]);
        assert_eq!(text(&events), "waiting");
    });
    assert_eq!(owner.wait().expect("an end").code(), Some(130));
}

#[test]
fn long_socket_path_works() {
    // The address of a socket is limited to about 100 bytes; the path of a run is not.
    let stage = Stage::with("x", "waits");
    let deep = stage.work().join("d".repeat(120));
    let mut options = stage.options();
    options.home = od_host::home::OdHome::at(deep).expect("an absolute path");
    block_on(async {
        let owner = od_host::Host::open(options.clone()).expect("a host");
        let other = od_host::Host::open(options).expect("a host");
        let run = stage.start(&owner).await.expect("a run");
        let mut client = other.run_client(run.id()).await.expect("a connection");
        assert!(client.cancel(Duration::ZERO).await.expect("accepted"));
        assert_eq!(run.wait().await.status, DoneStatus::Cancelled);
    });
}
