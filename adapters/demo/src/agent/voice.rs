//! How the agent speaks and listens: words out at a human pace, orders in at any time.

use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::native::{FromAgent, ToAgent};

/// Between two words, when the model takes its time.
const WORD_PAUSE: Duration = Duration::from_millis(18);

/// The agent was told to stop, or nobody listens any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stopped;

/// What a person answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub(super) allow: bool,
    pub(super) input: Option<Value>,
    pub(super) message: Option<String>,
}

/// The agent's mouth and ears.
pub(super) struct Voice {
    orders: Receiver<ToAgent>,
    prompts: VecDeque<String>,
    pace: Duration,
    words: u64,
}

impl Voice {
    /// Listens on stdin.
    pub(super) fn new(takes_its_time: bool) -> Self {
        let (sender, orders) = channel();
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines().map_while(Result::ok) {
                match serde_json::from_str::<ToAgent>(&line) {
                    Ok(order) => {
                        if sender.send(order).is_err() {
                            return;
                        }
                    }
                    Err(error) => eprintln!("warning: not an order: {error}"),
                }
            }
        });
        let pace = if takes_its_time { WORD_PAUSE } else { Duration::ZERO };
        Self { orders, prompts: VecDeque::new(), pace, words: 0 }
    }

    /// The first prompt; waits for it.
    pub(super) fn first_prompt(&mut self) -> Option<String> {
        while self.prompts.is_empty() {
            match self.orders.recv() {
                Ok(ToAgent::Say { text }) => self.prompts.push_back(text),
                Ok(ToAgent::Answer { .. }) => {}
                Ok(ToAgent::Stop) | Err(_) => return None,
            }
        }
        self.prompts.pop_front()
    }

    /// A prompt that came while a turn ran.
    pub(super) fn next_prompt(&mut self) -> Result<Option<String>, Stopped> {
        self.pause(Duration::ZERO)?;
        Ok(self.prompts.pop_front())
    }

    /// How many words were said.
    pub(super) fn words(&self) -> u64 {
        self.words
    }

    /// Says one thing.
    pub(super) fn say(&mut self, word: &FromAgent<'_>) -> Result<(), Stopped> {
        let mut line = serde_json::to_vec(word).map_err(|_| Stopped)?;
        line.push(b'\n');
        std::io::stdout().write_all(&line).map_err(|_| Stopped)
    }

    /// Thinks aloud, word by word.
    pub(super) fn think(&mut self, id: &str, text: &str) -> Result<(), Stopped> {
        for piece in text.split_inclusive(' ') {
            self.say(&FromAgent::Think { id: id.into(), text: piece.into() })?;
            self.breathe()?;
        }
        self.say(&FromAgent::Thought { id: id.to_owned() })
    }

    /// Speaks, word by word.
    pub(super) fn speak(&mut self, id: &str, text: &str) -> Result<(), Stopped> {
        for piece in text.split_inclusive(' ') {
            self.say(&FromAgent::Text { id: id.into(), text: piece.into() })?;
            self.breathe()?;
        }
        self.say(&FromAgent::Said { id: id.to_owned() })
    }

    /// Asks and waits for the answer.
    pub(super) fn ask(&mut self, question: &FromAgent<'_>, id: &str) -> Result<Answer, Stopped> {
        self.say(question)?;
        loop {
            match self.orders.recv() {
                Ok(ToAgent::Answer { ask, allow, input, message }) if ask == id => {
                    return Ok(Answer { allow, input, message });
                }
                Ok(ToAgent::Say { text }) => self.prompts.push_back(text),
                Ok(ToAgent::Answer { .. }) => {}
                Ok(ToAgent::Stop) | Err(_) => return Err(Stopped),
            }
        }
    }

    /// Lets time pass with open ears.
    pub(super) fn pause(&mut self, length: Duration) -> Result<(), Stopped> {
        let deadline = Instant::now() + length;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.orders.recv_timeout(left) {
                Ok(ToAgent::Say { text }) => self.prompts.push_back(text),
                Ok(ToAgent::Answer { .. }) => {}
                Ok(ToAgent::Stop) => return Err(Stopped),
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                // Stdin is closed: nobody can say anything any more, so finish what was begun.
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(left);
                    return Ok(());
                }
            }
        }
    }

    fn breathe(&mut self) -> Result<(), Stopped> {
        self.words += 1;
        self.pause(self.pace)
    }
}
