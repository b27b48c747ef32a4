//! The agent's stdin and stdout: commands in at any time, messages out at reading speed.

use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::native::{FromAgent, ToAgent};

/// Delay between two words of the slow model.
pub(super) const WORD_DELAY: Duration = Duration::from_millis(18);

/// A stop command arrived, or stdout is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stopped;

/// The user's answer to an approval.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub(super) allow: bool,
    pub(super) input: Option<Value>,
    pub(super) message: Option<String>,
}

/// Reads commands on its own thread and writes messages.
pub(super) struct AgentStdio {
    commands: Receiver<ToAgent>,
    prompts: VecDeque<String>,
    word_delay: Duration,
    words_written: u64,
}

impl AgentStdio {
    /// Starts reading stdin.
    pub(super) fn new(word_delay: Duration) -> Self {
        let (sender, commands) = channel();
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines().map_while(Result::ok) {
                match serde_json::from_str::<ToAgent>(&line) {
                    Ok(command) => {
                        if sender.send(command).is_err() {
                            return;
                        }
                    }
                    Err(error) => eprintln!("warning: cannot parse the command: {error}"),
                }
            }
        });
        Self { commands, prompts: VecDeque::new(), word_delay, words_written: 0 }
    }

    /// Waits for the first prompt; `None` when the agent should exit instead.
    pub(super) fn first_prompt(&mut self) -> Option<String> {
        while self.prompts.is_empty() {
            match self.commands.recv() {
                Ok(ToAgent::Say { text }) => self.prompts.push_back(text),
                Ok(ToAgent::Answer { .. }) => {}
                Ok(ToAgent::Stop) | Err(_) => return None,
            }
        }
        self.prompts.pop_front()
    }

    /// Returns the next prompt that arrived during a turn.
    pub(super) fn next_prompt(&mut self) -> Result<Option<String>, Stopped> {
        self.sleep(Duration::ZERO)?;
        Ok(self.prompts.pop_front())
    }

    /// Words written so far.
    pub(super) fn words_written(&self) -> u64 {
        self.words_written
    }

    /// Writes one message.
    pub(super) fn write(&mut self, message: &FromAgent<'_>) -> Result<(), Stopped> {
        let mut line = serde_json::to_vec(message).map_err(|_| Stopped)?;
        line.push(b'\n');
        std::io::stdout().write_all(&line).map_err(|_| Stopped)
    }

    /// Writes a thought word by word.
    pub(super) fn write_thought(&mut self, id: &str, text: &str) -> Result<(), Stopped> {
        for piece in text.split_inclusive(' ') {
            self.write(&FromAgent::Think { id: id.into(), text: piece.into() })?;
            self.delay_word()?;
        }
        self.write(&FromAgent::Thought { id: id.to_owned() })
    }

    /// Writes a message text word by word.
    pub(super) fn write_text(&mut self, id: &str, text: &str) -> Result<(), Stopped> {
        for piece in text.split_inclusive(' ') {
            self.write(&FromAgent::Text { id: id.into(), text: piece.into() })?;
            self.delay_word()?;
        }
        self.write(&FromAgent::Said { id: id.to_owned() })
    }

    /// Requests an approval and waits for the answer.
    pub(super) fn request_approval(
        &mut self,
        request: &FromAgent<'_>,
        id: &str,
    ) -> Result<Answer, Stopped> {
        self.write(request)?;
        loop {
            match self.commands.recv() {
                Ok(ToAgent::Answer { ask, allow, input, message }) if ask == id => {
                    return Ok(Answer { allow, input, message });
                }
                Ok(ToAgent::Say { text }) => self.prompts.push_back(text),
                Ok(ToAgent::Answer { .. }) => {}
                Ok(ToAgent::Stop) | Err(_) => return Err(Stopped),
            }
        }
    }

    /// Waits, unless a stop command arrives.
    pub(super) fn sleep(&mut self, length: Duration) -> Result<(), Stopped> {
        let deadline = Instant::now() + length;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.commands.recv_timeout(left) {
                Ok(ToAgent::Say { text }) => self.prompts.push_back(text),
                Ok(ToAgent::Answer { .. }) => {}
                Ok(ToAgent::Stop) => return Err(Stopped),
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                // Stdin is closed: no command can arrive any more, so the current work is finished.
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(left);
                    return Ok(());
                }
            }
        }
    }

    fn delay_word(&mut self) -> Result<(), Stopped> {
        self.words_written += 1;
        self.sleep(self.word_delay)
    }
}
