//! Step files: one step per line, parsed into a template with placeholders.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::error::PackError;
use super::http_steps::{self, SERVER_NAMES};
use crate::fake_cli::pattern::bound_names;

/// A step file.
#[derive(Debug, Clone, Default)]
pub(super) struct Template {
    /// The file, for messages.
    pub(super) file: PathBuf,
    pub(super) nodes: Vec<Node>,
    /// The placeholders its patterns bind.
    pub(super) bound: Vec<String>,
}

/// A node of a step file.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Step {
        line: usize,
        keyword: Keyword,
        /// The rest of the line, placeholders included.
        rest: String,
    },
    /// `{{#each list}}` … `{{/each}}`.
    Each {
        /// `deltas` or `thinking_deltas`.
        list: String,
        /// The repeated nodes.
        nodes: Vec<Node>,
    },
    /// `on signal NAME`, `on stdin PATTERN` or `on request ROUTE` … `end`.
    On {
        line: usize,
        /// The trigger, with placeholders.
        when: String,
        /// The nodes it runs.
        nodes: Vec<Node>,
    },
}

impl Node {
    /// Whether the node contains a placeholder.
    pub(super) fn mentions(&self, placeholder: &str) -> bool {
        match self {
            Self::Step { rest, .. } => rest.contains(placeholder),
            Self::Each { nodes, .. } | Self::On { nodes, .. } => {
                nodes.iter().any(|node| node.mentions(placeholder))
            }
        }
    }
}

macro_rules! keywords {
    ($($variant:ident = $text:literal $doc:literal,)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Keyword { $(#[doc = $doc] $variant,)+ }

        impl Keyword {
            fn read(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }

            const ALL: &'static [&'static str] = &[$($text),+];
        }
    };
}

keywords! {
    Out = "out" "A line on stdout.",
    Err = "err" "A line on stderr.",
    Expect = "expect" "Waits for a line on stdin.",
    Listen = "listen" "Serves HTTP.",
    ExpectRequest = "expect-request" "Waits for a request.",
    Reply = "reply" "Answers a request.",
    Stream = "stream" "Answers a request with a stream of events.",
    Sse = "sse" "An event on the streams.",
    ReadAll = "read-all" "Reads stdin to its end.",
    Sleep = "sleep" "Waits.",
    Gate = "gate" "Waits for the suite.",
    Hang = "hang" "Waits forever.",
    Write = "write" "Writes a file.",
    Spawn = "spawn" "Starts a detached process.",
    Ignore = "ignore" "Ignores a signal.",
    Exit = "exit" "Exits.",
    Die = "die" "Ends by a signal.",
}

/// The error for a line that needs a server without one.
pub(super) const NEEDS_LISTEN: &str = "this needs a server; add `listen` before it";

/// Parses a step file.
///
/// # Errors
/// When a line is invalid, with its number.
pub(super) fn parse(file: &Path, text: &str) -> Result<Template, PackError> {
    let mut parser = Parser {
        file,
        lines: text.lines().enumerate().map(|(index, line)| (index + 1, line)).collect(),
        next: 0,
        bound: Vec::new(),
        serves: Serves::default(),
    };
    let nodes = parser.block(None)?;
    parser.check_serves()?;
    Ok(Template { file: file.to_owned(), nodes, bound: parser.bound })
}

struct Parser<'a> {
    file: &'a Path,
    lines: Vec<(usize, &'a str)>,
    next: usize,
    bound: Vec<String>,
    serves: Serves,
}

/// What the file defines about its server so far.
#[derive(Default)]
struct Serves {
    /// Whether the file contains `listen`.
    listens: bool,
    /// The first line that needs it.
    needs_listen: Option<usize>,
    /// How many requests of this block need a reply.
    open: usize,
}

impl Parser<'_> {
    /// Parses up to the line that closes the block, or to the end of the file.
    fn block(&mut self, closing: Option<(&str, usize)>) -> Result<Vec<Node>, PackError> {
        let mut nodes = Vec::new();
        while let Some(&(line, text)) = self.lines.get(self.next) {
            self.next += 1;
            let text = text.trim_start();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if closing.is_some_and(|(keyword, _)| text.trim_end() == keyword) {
                return Ok(nodes);
            }
            nodes.push(self.node(line, text)?);
        }
        match closing {
            None => Ok(nodes),
            Some((keyword, line)) => {
                Err(self.error(line, format!("this block is not closed with `{keyword}`")))
            }
        }
    }

    fn node(&mut self, line: usize, text: &str) -> Result<Node, PackError> {
        if let Some(rest) = text.strip_prefix("{{#each ") {
            let list = rest.trim_end().strip_suffix("}}").unwrap_or_default().trim().to_owned();
            if !["deltas", "thinking_deltas"].contains(&list.as_str()) {
                return Err(
                    self.error(line, "expected {{#each deltas}} or {{#each thinking_deltas}}")
                );
            }
            let nodes = self.block(Some(("{{/each}}", line)))?;
            return Ok(Node::Each { list, nodes });
        }
        if let Some(when) = text.strip_prefix("on ") {
            let when = when.trim().to_owned();
            self.check_when(line, &when)?;
            let nodes = self.handler(line, when.starts_with("request "))?;
            return Ok(Node::On { line, when, nodes });
        }
        let (first, rest) = text.split_once(' ').unwrap_or((text.trim_end(), ""));
        let Some(keyword) = Keyword::read(first) else {
            let known = Keyword::ALL.join(", ");
            return Err(self.error(
                line,
                format!("unknown step {first:?}; available: {known}, on, {{{{#each}}}}"),
            ));
        };
        self.check_rest(line, keyword, rest)?;
        Ok(Node::Step { line, keyword, rest: rest.to_owned() })
    }

    /// Parses the steps of a handler; a request handler must answer the request.
    fn handler(&mut self, line: usize, takes_request: bool) -> Result<Vec<Node>, PackError> {
        let outside = std::mem::replace(&mut self.serves.open, usize::from(takes_request));
        let nodes = self.block(Some(("end", line)))?;
        let unanswered = std::mem::replace(&mut self.serves.open, outside);
        if takes_request && unanswered > 0 {
            let message = "this block does not answer the request; add `reply` or `stream`";
            return Err(self.error(line, message));
        }
        Ok(nodes)
    }

    fn check_when(&mut self, line: usize, when: &str) -> Result<(), PackError> {
        match when.split_once(' ') {
            Some(("signal", name)) if name.starts_with("SIG") => Ok(()),
            Some(("stdin", pattern)) => self.check_pattern(line, pattern),
            Some(("request", route)) => self.check_route(line, route),
            _ => Err(self.error(
                line,
                "expected `on signal SIGINT`, `on stdin PATTERN` or `on request METHOD /path`",
            )),
        }
    }

    fn check_rest(&mut self, line: usize, keyword: Keyword, rest: &str) -> Result<(), PackError> {
        let rest = rest.trim();
        self.check_server_names(line, rest);
        match keyword {
            Keyword::Expect => self.check_pattern(line, rest),
            Keyword::Listen
            | Keyword::ExpectRequest
            | Keyword::Reply
            | Keyword::Stream
            | Keyword::Sse => self.check_serving(line, keyword, rest),
            Keyword::Sleep | Keyword::Exit if rest.parse::<u32>().is_err() => {
                Err(self.error(line, format!("expected a number, not {rest:?}")))
            }
            Keyword::Ignore | Keyword::Die if !rest.starts_with("SIG") => {
                Err(self.error(line, format!("expected a signal such as SIGTERM, not {rest:?}")))
            }
            Keyword::Gate if rest.is_empty() => {
                Err(self.error(line, "the name of the gate is missing"))
            }
            Keyword::Write if !rest.contains(' ') => {
                Err(self.error(line, "`write PATH CONTENTS` needs both"))
            }
            Keyword::ReadAll if !rest.is_empty() => {
                self.bound.push(rest.to_owned());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn check_serving(
        &mut self,
        line: usize,
        keyword: Keyword,
        rest: &str,
    ) -> Result<(), PackError> {
        let wrong = |message: String| PackError::at(self.file, line, message);
        match keyword {
            Keyword::Listen if self.serves.listens => {
                return Err(self.error(line, "`listen` is already used"));
            }
            Keyword::Listen if self.serves.needs_listen.is_some() => return Ok(()),
            Keyword::Listen => {
                http_steps::access(rest).map_err(wrong)?;
                self.serves.listens = true;
                self.bound.extend(SERVER_NAMES.map(str::to_owned));
                return Ok(());
            }
            Keyword::ExpectRequest => {
                self.check_route(line, rest)?;
                self.serves.open += 1;
            }
            Keyword::Reply => drop(http_steps::reply(rest).map_err(wrong)?),
            Keyword::Stream => drop(http_steps::stream(rest).map_err(wrong)?),
            _ => {}
        }
        if matches!(keyword, Keyword::Reply | Keyword::Stream) {
            let message = "no request to answer here; add `expect-request` first";
            let open = self.serves.open.checked_sub(1);
            self.serves.open = open.ok_or_else(|| self.error(line, message))?;
        }
        self.serves.needs_listen.get_or_insert(line);
        Ok(())
    }

    /// The names that a server binds exist only after `listen`.
    fn check_server_names(&mut self, line: usize, rest: &str) {
        let is_used = |name: &str| rest.contains(&format!("{{{{{name}}}}}"));
        let is_bound = |name: &str| self.bound.iter().any(|bound| bound == name);
        if SERVER_NAMES.into_iter().any(|name| is_used(name) && !is_bound(name)) {
            self.serves.needs_listen.get_or_insert(line);
        }
    }

    fn check_route(&mut self, line: usize, text: &str) -> Result<(), PackError> {
        let route = http_steps::route(text).map_err(|message| self.error(line, message))?;
        http_steps::route_names(&route, &mut self.bound);
        self.serves.needs_listen.get_or_insert(line);
        Ok(())
    }

    /// Fails if requests or events are used without a server.
    fn check_serves(&self) -> Result<(), PackError> {
        match self.serves.needs_listen {
            Some(line) if !self.serves.listens => Err(self.error(line, NEEDS_LISTEN)),
            _ => Ok(()),
        }
    }

    fn check_pattern(&mut self, line: usize, pattern: &str) -> Result<(), PackError> {
        let value: Value = serde_json::from_str(pattern)
            .map_err(|error| self.error(line, format!("the pattern is not JSON: {error}")))?;
        bound_names(&value, &mut self.bound);
        Ok(())
    }

    fn error(&self, line: usize, message: impl Into<String>) -> PackError {
        PackError::at(self.file, line, message)
    }
}
