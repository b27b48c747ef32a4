//! Renders a template and values to a script.

use serde_json::Value;

use super::error::PackError;
use super::http_steps;
use super::steps::{Keyword, Node, Template};
use super::values::Values;
use crate::fake_cli::pattern::{Bindings, fill, fill_value};
use crate::fake_cli::{Handler, Outlet, Pairs, Route, Script, Step, When};

/// Fills the placeholders of a template; those that the fake CLI binds remain.
///
/// # Errors
/// When a placeholder is neither a value of the suite nor bound in the file.
pub(super) fn render(template: &Template, values: &Values) -> Result<Script, PackError> {
    let mut renderer = Renderer { template, script: Script::default() };
    let steps = renderer.nodes(&template.nodes, values, &values.single)?;
    renderer.script.steps = without_repeats(steps);
    Ok(renderer.script)
}

struct Renderer<'a> {
    template: &'a Template,
    script: Script,
}

impl Renderer<'_> {
    fn nodes(
        &mut self,
        nodes: &[Node],
        values: &Values,
        bindings: &Bindings,
    ) -> Result<Vec<Step>, PackError> {
        let mut steps = Vec::new();
        for node in nodes {
            match node {
                Node::Step { line, keyword, rest } => {
                    self.check_names(*line, rest, bindings)?;
                    steps.extend(self.outlet(*keyword, rest));
                    steps.extend(self.step(*keyword, rest, bindings));
                }
                Node::Each { list, nodes } => {
                    steps.extend(self.each(list, nodes, values, bindings)?);
                }
                Node::On { line, when, nodes } => {
                    self.check_names(*line, when, bindings)?;
                    let handler_steps = self.nodes(nodes, values, bindings)?;
                    self.handler(when, handler_steps, bindings);
                }
            }
        }
        Ok(steps)
    }

    fn each(
        &mut self,
        list: &str,
        nodes: &[Node],
        values: &Values,
        bindings: &Bindings,
    ) -> Result<Vec<Step>, PackError> {
        let items = if list == "deltas" { &values.deltas } else { &values.thinking_deltas };
        let mut steps = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let mut inner = bindings.clone();
            inner.insert("text".to_owned(), item.as_str().into());
            inner.insert("index".to_owned(), index.into());
            steps.extend(self.nodes(nodes, values, &inner)?);
        }
        Ok(steps)
    }

    /// Returns the outlet step that an output step needs.
    fn outlet(&self, keyword: Keyword, rest: &str) -> Option<Step> {
        let outlet = match keyword {
            Keyword::Out => Outlet::Stdout,
            Keyword::Sse => http_steps::event(rest).0,
            _ => return None,
        };
        Some(Step::Through { outlet })
    }

    fn step(&mut self, keyword: Keyword, rest: &str, bindings: &Bindings) -> Option<Step> {
        let text = fill(rest, bindings);
        let trimmed = text.trim().to_owned();
        Some(match keyword {
            Keyword::Out => Step::out(text),
            Keyword::Sse => Step::out(fill(http_steps::event(rest).1, bindings)),
            Keyword::Listen => {
                Step::Listen { access: http_steps::access(rest).unwrap_or_default() }
            }
            Keyword::ExpectRequest => Step::ExpectRequest { route: route(rest, bindings) },
            Keyword::Reply => reply(rest, bindings)?,
            Keyword::Stream => {
                Step::Stream { headers: headers(http_steps::stream(rest).ok()?, bindings) }
            }
            Keyword::Err => Step::Err { text },
            Keyword::Expect => Step::Expect { pattern: pattern(rest, bindings) },
            Keyword::ReadAll => Step::ReadAll { bind: (!trimmed.is_empty()).then_some(trimmed) },
            Keyword::Sleep => Step::Sleep { ms: trimmed.parse().unwrap_or_default() },
            Keyword::Gate => Step::Gate { name: trimmed },
            Keyword::Hang => Step::Hang,
            Keyword::Write => {
                let (path, contents) = rest.split_once(' ').unwrap_or_default();
                Step::WriteFile { path: fill(path, bindings), contents: fill(contents, bindings) }
            }
            Keyword::Spawn => Step::Spawn,
            Keyword::Exit => Step::Exit { code: trimmed.parse().unwrap_or_default() },
            Keyword::Die => Step::Die { signal: trimmed },
            Keyword::Ignore => {
                self.script.ignored_signals.push(trimmed);
                return None;
            }
        })
    }

    fn handler(&mut self, when: &str, steps: Vec<Step>, bindings: &Bindings) {
        let when = match when.split_once(' ') {
            Some(("stdin", text)) => When::Stdin(pattern(text, bindings)),
            Some(("request", text)) => When::Request(route(text, bindings)),
            Some((_, signal)) => When::Signal(signal.trim().to_owned()),
            None => return,
        };
        self.script.handlers.push(Handler { when, steps: without_repeats(steps) });
    }

    fn check_names(&self, line: usize, text: &str, bindings: &Bindings) -> Result<(), PackError> {
        let Some(name) = unknown_name(text, bindings, &self.template.bound) else { return Ok(()) };
        let known: Vec<&str> = bindings.keys().map(String::as_str).collect();
        let message = format!("unknown placeholder {name:?}; available: {}", known.join(", "));
        Err(PackError::at(&self.template.file, line, message))
    }
}

/// Returns the first placeholder that is neither a value of the suite nor bound by a pattern.
pub(super) fn unknown_name<'a>(
    text: &'a str,
    bindings: &Bindings,
    bound: &[String],
) -> Option<&'a str> {
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        rest = &rest[start + 2..];
        let name = rest[..rest.find("}}")?].trim();
        let is_own = name == "*" || name.starts_with('?') || !is_name(name);
        let is_bound = bound.iter().any(|bound| bound == name);
        if !is_own && !is_bound && !bindings.contains_key(name) {
            return Some(name);
        }
    }
    None
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Removes each outlet that equals the previous one.
fn without_repeats(steps: Vec<Step>) -> Vec<Step> {
    let mut last = Outlet::default();
    let is_new = |step: &Step| match step {
        Step::Through { outlet } => std::mem::replace(&mut last, outlet.clone()) != *outlet,
        _ => true,
    };
    steps.into_iter().filter(is_new).collect()
}

fn route(text: &str, bindings: &Bindings) -> Route {
    http_steps::route(text).unwrap_or_default().filled(bindings)
}

fn reply(text: &str, bindings: &Bindings) -> Option<Step> {
    let reply = http_steps::reply(text).ok()?;
    Some(Step::Reply {
        status: reply.status,
        headers: headers(reply.headers, bindings),
        body: fill(&reply.body, bindings),
    })
}

fn headers(headers: Pairs, bindings: &Bindings) -> Pairs {
    headers.into_iter().map(|(name, value)| (name, fill(&value, bindings))).collect()
}

/// Fills the placeholders of a pattern. A placeholder that is the whole string becomes the value.
fn pattern(text: &str, bindings: &Bindings) -> Value {
    let mut value = serde_json::from_str(text.trim()).unwrap_or(Value::Null);
    fill_value(&mut value, bindings);
    value
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::super::steps::parse;
    use super::*;

    fn values() -> Values {
        let single = [("text", json!("ab")), ("cost", json!(0.5)), ("nonce", json!("n"))];
        let single = single.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Values { single, deltas: vec!["a\"".to_owned(), "b".to_owned()], thinking_deltas: vec![] }
    }

    fn rendered(text: &str) -> Script {
        let template = parse(Path::new("x.steps"), text).expect("the file can be parsed");
        render(&template, &values()).expect("every placeholder is known")
    }

    #[test]
    fn pieces_are_repeated_escaped_and_numbered() {
        let text = "{{#each deltas}}\nout {\"t\":\"{{text}}\",\"i\":{{index}}}\n{{/each}}\n";
        let expected = [Step::out(r#"{"t":"a\"","i":0}"#), Step::out(r#"{"t":"b","i":1}"#)];
        assert_eq!(rendered(text).steps, expected);
    }

    #[test]
    fn outlet_step_appears_only_on_change() {
        let text = "listen\nout at {{url}}\n{{#each deltas}}\nsse {\"t\":\"{{text}}\"}\n{{/each}}\nout end\n";
        let events = Outlet::Events { name: None };
        let expected = [
            Step::Listen { access: None },
            Step::out("at {{url}}"),
            Step::Through { outlet: events },
            Step::out(r#"{"t":"a\""}"#),
            Step::out(r#"{"t":"b"}"#),
            Step::Through { outlet: Outlet::Stdout },
            Step::out("end"),
        ];
        assert_eq!(rendered(text).steps, expected);
    }

    #[test]
    fn handlers_ignored_signals_and_bound_names() {
        let text = "ignore SIGTERM\n\
                    expect {\"id\":\"{{?id}}\",\"n\":\"{{nonce}}\",\"c\":\"{{cost}}\"}\n\
                    out {\"id\":{{id}}}\n\
                    on stdin {\"stop\":true}\n  exit 4\nend\n\
                    on signal SIGINT\nend\n";
        let script = rendered(text);
        assert_eq!(script.ignored_signals, ["SIGTERM"]);
        let pattern = json!({"id": "{{?id}}", "n": "n", "c": 0.5});
        assert_eq!(script.steps, [Step::Expect { pattern }, Step::out(r#"{"id":{{id}}}"#)]);
        assert_eq!(script.handlers[0].when, When::Stdin(json!({"stop": true})));
        assert_eq!(script.handlers[0].steps, [Step::Exit { code: 4 }]);
        assert_eq!(script.handlers[1].when, When::Signal("SIGINT".to_owned()));
    }
}
