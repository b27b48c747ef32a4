//! The scenarios of the fake model. `prompt` selects one.

use super::failure::FailureKind;

/// How the fake model answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    /// A short answer.
    Plain,
    /// Thoughts, then a short answer.
    Think,
    /// One call of the tool that writes files.
    Write,
    /// One call of the tool that runs commands.
    Shell,
    /// A tool call that fails.
    ToolFail,
    /// One patch.
    Patch,
    /// Two tool calls in one answer.
    Parallel,
    /// Two rounds: a command, then a file.
    Multi,
    /// A command that takes a minute.
    Sleep,
    /// One call of the tool that starts a sub-agent.
    Subagent,
    /// A call of a tool that does not exist.
    BadTool,
    /// A call of the tool that the prompt names.
    CallTool,
    /// Text with characters split between writes.
    Unicode,
    /// Four hundred lines.
    Long,
    /// An answer that ends at the token limit.
    MaxTokens,
    /// An answer stopped by the content filter.
    Refusal,
    /// An answer without any text.
    Empty,
    /// Only a text from the prompt.
    Nonce,
    /// One fragment of text per second, for a minute.
    Slow,
    /// Two fragments of text, then silence.
    Stall,
    /// Headers, then silence.
    Hang,
    /// The connection is closed during the stream.
    Drop,
    /// The connection is closed before the first byte, every time.
    DropAll,
    /// One event of the stream is not JSON.
    Malformed,
    /// The stream ends with an error of this kind.
    StreamError(FailureKind),
    /// The first two tries fail, the third succeeds.
    Flaky,
    /// An answer with headers about nearly exhausted limits.
    RateLimitHeaders,
    /// The request is refused.
    Refuse(FailureKind),
}

/// A scenario with its name in prompts.
#[derive(Debug, Clone, Copy)]
pub struct ScenarioEntry {
    /// The name after `SCN:` in a prompt.
    pub name: &'static str,
    /// The scenario.
    pub scenario: Scenario,
    /// A short description.
    pub about: &'static str,
}

/// All scenarios, in the order of the documentation.
pub const SCENARIOS: &[ScenarioEntry] = &[
    entry("plain", Scenario::Plain, "a short answer"),
    entry("think", Scenario::Think, "thoughts, then a short answer"),
    entry("nonce", Scenario::Nonce, "repeats TEXT=…, NONCE=… or the word after SCN:nonce"),
    entry("unicode", Scenario::Unicode, "text with characters split between writes"),
    entry("long", Scenario::Long, "four hundred lines"),
    entry("empty", Scenario::Empty, "an answer without any text"),
    entry("maxtok", Scenario::MaxTokens, "ends at the token limit"),
    entry("refusal", Scenario::Refusal, "stopped by the content filter"),
    entry("write", Scenario::Write, "writes hello.txt"),
    entry("shell", Scenario::Shell, "runs a command that succeeds"),
    entry("toolfail", Scenario::ToolFail, "runs a command that fails with 3"),
    entry("patch", Scenario::Patch, "adds hello.txt with a patch tool, if there is one"),
    entry("parallel", Scenario::Parallel, "a command and a file in one answer"),
    entry("multi", Scenario::Multi, "a command, then in the next round a file"),
    entry("sleep", Scenario::Sleep, "runs a command that sleeps 60 s"),
    entry("subagent", Scenario::Subagent, "starts a sub-agent"),
    entry("badtool", Scenario::BadTool, "calls a tool that does not exist"),
    entry("call_<name>", Scenario::CallTool, "calls the tool of that name"),
    entry("slow", Scenario::Slow, "one fragment of text per second, for a minute"),
    entry("stall", Scenario::Stall, "two fragments of text, then silence"),
    entry("hang", Scenario::Hang, "headers, then silence"),
    entry("drop", Scenario::Drop, "closes the connection after two fragments of text"),
    entry("dropall", Scenario::DropAll, "closes the connection before the first byte"),
    entry("malformed", Scenario::Malformed, "one event of the stream is not JSON"),
    entry("sseerr", Scenario::StreamError(FailureKind::Overloaded), "overload error in the stream"),
    entry(
        "ctxsse",
        Scenario::StreamError(FailureKind::ContextOverflow),
        "context overflow error in the stream",
    ),
    entry("flaky", Scenario::Flaky, "two tries of a prompt fail with 500, the third succeeds"),
    entry("rlhdr", Scenario::RateLimitHeaders, "an answer with headers about limits"),
    entry("r400", Scenario::Refuse(FailureKind::BadRequest), "400"),
    entry("r401", Scenario::Refuse(FailureKind::Unauthorized), "401"),
    entry("r403", Scenario::Refuse(FailureKind::Forbidden), "403"),
    entry("r404", Scenario::Refuse(FailureKind::UnknownModel), "404, the model is unknown"),
    entry("r429", Scenario::Refuse(FailureKind::RateLimited), "429, retry after 1 s"),
    entry("r429long", Scenario::Refuse(FailureKind::RateLimitedLong), "429, retry after an hour"),
    entry("r429bare", Scenario::Refuse(FailureKind::RateLimitedBare), "429 without retry-after"),
    entry("quota", Scenario::Refuse(FailureKind::Quota), "429, the quota is used up"),
    entry("r500", Scenario::Refuse(FailureKind::ServerError), "500"),
    entry("r529", Scenario::Refuse(FailureKind::Overloaded), "529, elsewhere 503: overloaded"),
    entry("ctx400", Scenario::Refuse(FailureKind::ContextOverflow), "400, context overflow"),
];

const fn entry(name: &'static str, scenario: Scenario, about: &'static str) -> ScenarioEntry {
    ScenarioEntry { name, scenario, about }
}

impl Scenario {
    /// The scenario of this name, with any tool name after `call_`.
    pub fn named(name: &str) -> Option<Self> {
        if name.starts_with("call_") {
            return Some(Self::CallTool);
        }
        SCENARIOS.iter().find(|entry| entry.name == name).map(|entry| entry.scenario)
    }

    /// Whether it needs tools; without tools in the request the answer is plain.
    pub fn wants_tools(self) -> bool {
        matches!(
            self,
            Self::Write
                | Self::Shell
                | Self::ToolFail
                | Self::Patch
                | Self::Parallel
                | Self::Multi
                | Self::Sleep
                | Self::Subagent
                | Self::BadTool
                | Self::CallTool
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for (index, entry) in SCENARIOS.iter().enumerate() {
            assert_eq!(Scenario::named(entry.name), Some(entry.scenario), "{}", entry.name);
            assert!(SCENARIOS[index + 1..].iter().all(|other| other.name != entry.name));
        }
        assert_eq!(Scenario::named("nothing"), None);
    }
}
