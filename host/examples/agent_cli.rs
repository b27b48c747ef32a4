//! An agent CLI that is hard to be rid of, for the host's tests: it speaks the demo agent's words, starts a process in
//! a session of its own, and takes no notice of the end of its stdin or of its parent.
//!
//! `say 200` in the prompt makes it say two hundred words, one each millisecond; with `bare` in it the process that
//! it starts inherits no environment.

use std::io::{BufRead, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

const CHILD: &str = "--child";
const LONG: Duration = Duration::from_secs(3600);
const PACE: Duration = Duration::from_millis(1);

static STOPPED: AtomicBool = AtomicBool::new(false);

fn main() {
    if std::env::args().any(|argument| argument == CHILD) {
        #[cfg(unix)]
        rustix::process::setsid().expect("a session of its own");
        std::thread::sleep(LONG);
        return;
    }
    let Some(Ok(first)) = std::io::stdin().lock().lines().next() else { return };
    let order: Value = serde_json::from_str(&first).expect("an order");
    std::thread::spawn(listen);
    say(&json!({"type": "hello", "session": "s1", "model": "demo-1", "cwd": "", "tools": []}));
    say(&json!({"type": "turn", "turn": "turn-1"}));
    let prompt = order["text"].as_str().unwrap_or_default();
    start_child(prompt.contains("bare"));
    for number in 0..words(prompt) {
        if STOPPED.load(Ordering::Relaxed) {
            return say(&json!({"type": "bye", "reason": "stopped"}));
        }
        say(&json!({"type": "text", "id": "m", "text": format!("word {number} ")}));
        std::thread::sleep(PACE);
    }
    say(&json!({"type": "said", "id": "m"}));
    say(&json!({"type": "usage", "input": 1, "output": 2, "cost": 0.0}));
    say(&json!({"type": "turn_end", "turn": "turn-1"}));
    say(&json!({"type": "bye", "reason": "done"}));
}

/// How many words the prompt asks for.
fn words(prompt: &str) -> u32 {
    prompt.rsplit(' ').next().and_then(|word| word.parse().ok()).unwrap_or(10)
}

fn listen() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if line.contains("\"stop\"") {
            STOPPED.store(true, Ordering::Relaxed);
        }
    }
}

#[expect(clippy::zombie_processes, reason = "leaving it behind is the point")]
fn start_child(bare: bool) {
    let exe = std::env::current_exe().expect("the path of this program");
    let mut command = Command::new(exe);
    if bare {
        command.env_clear();
    }
    command.arg(CHILD).stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(Stdio::null()).spawn().expect("a child");
}

/// Nobody who listens is no reason to stop.
fn say(word: &Value) {
    let line = format!("{word}\n");
    drop(std::io::stdout().write_all(line.as_bytes()));
}
