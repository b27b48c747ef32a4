//! An agent CLI that is hard to kill, for the host's tests: it uses the format of the demo agent, starts a process in its
//! own session, and ignores the end of its stdin and the exit of its parent.
//!
//! A number at the end of the prompt (`say 200`) sets how many words it writes, one per millisecond. With `bare` in the
//! prompt the process that it starts gets no environment.

use std::io::{BufRead, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

const CHILD: &str = "--child";
const CHILD_LIFETIME: Duration = Duration::from_secs(3600);
const WORD_INTERVAL: Duration = Duration::from_millis(1);

static STOPPED: AtomicBool = AtomicBool::new(false);

fn main() {
    if std::env::args().any(|argument| argument == CHILD) {
        #[cfg(unix)]
        rustix::process::setsid().expect("its own session");
        std::thread::sleep(CHILD_LIFETIME);
        return;
    }
    let Some(Ok(first)) = std::io::stdin().lock().lines().next() else { return };
    let order: Value = serde_json::from_str(&first).expect("an order");
    std::thread::spawn(read_stdin);
    write_line(
        &json!({"type": "hello", "session": "s1", "model": "demo-1", "cwd": "", "tools": []}),
    );
    write_line(&json!({"type": "turn", "turn": "turn-1"}));
    let prompt = order["text"].as_str().unwrap_or_default();
    start_child(prompt.contains("bare"));
    for number in 0..word_count(prompt) {
        if STOPPED.load(Ordering::Relaxed) {
            return write_line(&json!({"type": "bye", "reason": "stopped"}));
        }
        write_line(&json!({"type": "text", "id": "m", "text": format!("word {number} ")}));
        std::thread::sleep(WORD_INTERVAL);
    }
    write_line(&json!({"type": "said", "id": "m"}));
    write_line(&json!({"type": "usage", "input": 1, "output": 2, "cost": 0.0}));
    write_line(&json!({"type": "turn_end", "turn": "turn-1"}));
    write_line(&json!({"type": "bye", "reason": "done"}));
}

/// The number of words that the prompt requests.
fn word_count(prompt: &str) -> u32 {
    prompt.rsplit(' ').next().and_then(|word| word.parse().ok()).unwrap_or(10)
}

fn read_stdin() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if line.contains("\"stop\"") {
            STOPPED.store(true, Ordering::Relaxed);
        }
    }
}

#[expect(clippy::zombie_processes, reason = "the process must outlive its parent")]
fn start_child(bare: bool) {
    let exe = std::env::current_exe().expect("the path of this program");
    let mut command = Command::new(exe);
    if bare {
        command.env_clear();
    }
    command.arg(CHILD).stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(Stdio::null()).spawn().expect("a child");
}

/// Writes a line. Continues when nothing reads it.
fn write_line(message: &Value) {
    let line = format!("{message}\n");
    drop(std::io::stdout().write_all(line.as_bytes()));
}
