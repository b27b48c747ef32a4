//! A session that was used a moment ago is not loaded over ACP: the CLI would lose it.

use std::fs;
use std::path::Path;

use od_adapter_gemini_cli::GeminiCli;
use od_adapter_gemini_cli::sessions::rest_ms;
use od_protocol::{ErrorKind, Prompt, SessionChoice, SessionMode, StartRunParams};
use od_sdk::{Adapter, Install, Machine};
use tempfile::TempDir;

const ID: &str = "0de67ac6-d50f-4c02-93de-4c26396d463e";
/// 2026-11-16T05:04:00Z.
const BEGAN: u64 = 1_794_805_440_000;

fn chat(config_dir: &Path, name: &str) {
    let chats = config_dir.join("tmp/project/chats");
    fs::create_dir_all(&chats).expect("a folder");
    fs::write(chats.join(name), "{}\n").expect("a file");
}

#[test]
fn a_session_rests_for_the_minute_its_file_is_named_after() {
    let home = TempDir::new().expect("a scratch home");
    let rest = |now| rest_ms(home.path(), ID, now);
    assert_eq!(rest(BEGAN), None, "there is no such session");
    chat(home.path(), "session-2026-11-16T05-04-0de67ac6.jsonl");
    chat(home.path(), "session-2026-11-16T05-05-ffffffff.jsonl");
    chat(home.path(), "session-2026-11-16T05-02-0de67ac6.jsonl");
    chat(home.path(), "notes.txt");
    assert_eq!(rest(BEGAN + 12_000), Some(48_000));
    assert_eq!(rest(BEGAN + 60_000), None);
}

#[test]
fn too_soon_is_an_error_with_the_time_to_wait() {
    let home = TempDir::new().expect("a scratch home");
    chat(&home.path().join(".gemini"), "session-2999-01-01T00-00-0de67ac6.jsonl");
    let machine = Machine { home: home.path().to_owned(), ..Machine::default() };
    let session = SessionChoice { mode: SessionMode::Resume, id: Some(ID.to_owned()) };
    let prompt = Prompt { text: "hello".to_owned(), ..Prompt::default() };
    let talk = StartRunParams { session, prompt, ..StartRunParams::default() };
    let install = Install { host_answers_approvals: true, ..Install::default() };
    let error = GeminiCli.invocation_on(&machine, &talk, &install).expect_err("it is too soon");
    assert_eq!(error.kind(), ErrorKind::SessionBusy);
    let one_shot = StartRunParams { permission_mode: Some("yolo".to_owned()), ..talk };
    GeminiCli.invocation_on(&machine, &one_shot, &install).expect("one shot goes on in the file");
}
