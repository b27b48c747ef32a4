//! The stand-in as a server: it takes requests, answers them, and sends events.

use std::time::{Duration, Instant};

use serde_json::json;

use super::actor::{Actor, EXPECT_LIMIT, Outcome};
use super::http::{Asked, Caller, EventStream, event_frame, event_frames};
use super::pattern::{Bindings, fill};
use super::route::{Access, Pairs, Route};
use super::script::{Delivery, Handler, Outlet, Step, When};
use super::seen::Entry;

/// How long a server goes on after its last step when nothing more is asked.
const LINGER: Duration = Duration::from_secs(1);

/// What a server has on its desk.
#[derive(Debug, Default)]
pub(super) struct Desk {
    is_open: bool,
    /// What `Authorization` must say.
    authorization: Option<String>,
    /// Requests that nobody has taken.
    waiting: Vec<Asked>,
    /// Requests that were taken and have no answer, the last one last.
    taken: Vec<Caller>,
    streams: Vec<EventStream>,
    last_asked: Option<Instant>,
}

impl Actor {
    /// Starts serving.
    pub(super) fn listen(&mut self, access: Option<&Access>) -> Outcome {
        match access.map(Access::header).transpose() {
            Ok(authorization) => self.desk.authorization = authorization,
            Err(reason) => {
                return self.give_up(format!("{reason}, so nobody could ask this server"));
            }
        }
        let port = self.ears.listen()?;
        self.desk.is_open = true;
        let url = format!("http://127.0.0.1:{port}");
        self.bind(Bindings::from([
            ("port".to_owned(), json!(port)),
            ("url".to_owned(), json!(url)),
        ]))?;
        Ok(None)
    }

    /// Lets a request in, or refuses one without the right to ask.
    pub(super) fn admit(&mut self, asked: Asked) -> std::io::Result<()> {
        self.desk.last_asked = Some(Instant::now());
        let wanted = self.desk.authorization.as_deref();
        if wanted.is_none() || asked.request.header("authorization") == wanted {
            self.desk.waiting.push(asked);
            return Ok(());
        }
        let why = "has not the Authorization that `listen` asks for";
        self.refuse(asked, 401, why)
    }

    /// Waits for a request and takes it.
    pub(super) fn expect_request(&mut self, route: &Route) -> Outcome {
        let deadline = Instant::now() + EXPECT_LIMIT;
        let route = route.filled(&self.bindings);
        self.note_waiting(Some(format!("the request {route}")))?;
        loop {
            let mut waiting = self.desk.waiting.iter().enumerate();
            let found =
                waiting.find_map(|(index, asked)| Some((index, route.fit(&asked.request)?)));
            if let Some((index, bound)) = found {
                self.take(index, bound)?;
                return self.note_waiting(None).map(|()| None);
            }
            if let Some(code) = self.handle_requests()? {
                return Ok(Some(code));
            }
            if Instant::now() >= deadline {
                return self.give_up(format!("no request fits {route}"));
            }
            if let Some(code) = self.hear(deadline)? {
                return Ok(Some(code));
            }
        }
    }

    /// Plays the handlers of all waiting requests, and refuses what nothing will ever take.
    pub(super) fn handle_requests(&mut self) -> Outcome {
        while let Some((index, bound, handler)) = self.request_handler() {
            self.take(index, bound)?;
            if let Some(code) = self.play_handler(&handler.steps)? {
                return Ok(Some(code));
            }
            if handler.is_polite_stop() {
                self.notebook.note(&Entry::Ended)?;
            }
        }
        while let Some(index) = self.desk.waiting.iter().position(|asked| !self.is_expected(asked))
        {
            let asked = self.desk.waiting.remove(index);
            self.refuse(asked, 404, "fits neither `on request` nor `expect-request`")?;
        }
        Ok(None)
    }

    /// The first waiting request that has a handler.
    fn request_handler(&self) -> Option<(usize, Bindings, Handler)> {
        self.desk.waiting.iter().enumerate().find_map(|(index, asked)| {
            self.script.handlers.iter().find_map(|handler| match &handler.when {
                When::Request(route) => {
                    let bound = route.filled(&self.bindings).fit(&asked.request)?;
                    Some((index, bound, handler.clone()))
                }
                When::Signal(_) | When::Stdin(_) => None,
            })
        })
    }

    /// Whether a step of the script may still take it.
    fn is_expected(&self, asked: &Asked) -> bool {
        self.script.steps.iter().any(|step| match step {
            Step::ExpectRequest { route } => {
                route.loosened(&self.bindings).fit(&asked.request).is_some()
            }
            _ => false,
        })
    }

    fn take(&mut self, index: usize, bound: Bindings) -> std::io::Result<()> {
        let asked = self.desk.waiting.remove(index);
        self.desk.taken.push(asked.caller);
        self.bind(bound)
    }

    fn refuse(&mut self, asked: Asked, status: u16, why: &str) -> std::io::Result<()> {
        let request = &asked.request;
        let reason = format!("{} {} {why}", request.method, request.target);
        let body = json!({"error": format!("the stand-in: {reason}")}).to_string();
        self.notebook.note(&Entry::Refused { reason })?;
        // Whoever has gone does not need the answer.
        drop(asked.caller.reply(status, &[], &body, &Delivery::default()));
        Ok(())
    }

    /// Answers the request that was taken last.
    pub(super) fn reply(&mut self, status: u16, headers: &[(String, String)], body: &str) {
        let body = fill(body, &self.bindings);
        let headers = self.filled(headers);
        if let Some(caller) = self.desk.taken.pop() {
            // Whoever has gone does not need the answer.
            drop(caller.reply(status, &headers, &body, &self.script.delivery));
        }
    }

    /// Answers the request that was taken last with a stream that stays open.
    pub(super) fn stream(&mut self, headers: &[(String, String)]) {
        let headers = self.filled(headers);
        let opened = self.desk.taken.pop().map(|caller| caller.stream(&headers));
        self.desk.streams.extend(opened.and_then(Result::ok));
    }

    fn filled(&self, headers: &[(String, String)]) -> Pairs {
        let fill_one =
            |(name, value): &(String, String)| (name.clone(), fill(value, &self.bindings));
        headers.iter().map(fill_one).collect()
    }

    /// Says a line or an event.
    pub(super) fn say(&mut self, text: &str, end: &str) -> Outcome {
        match &self.outlet {
            Outlet::Stdout => self.print((text.to_owned() + end).as_bytes()).map(|()| None),
            Outlet::Events { name } => {
                let frame = event_frame(name.as_deref(), text.as_bytes(), end);
                self.send(&frame)
            }
        }
    }

    /// Says bytes that are no message.
    pub(super) fn say_bytes(&mut self, bytes: &[u8]) -> Outcome {
        match &self.outlet {
            Outlet::Stdout => self.print(bytes).map(|()| None),
            Outlet::Events { name } => {
                let frames = event_frames(name.as_deref(), bytes);
                self.send(&frames)
            }
        }
    }

    /// Sends to every open stream; when there is none, the next one is waited for.
    fn send(&mut self, frames: &[u8]) -> Outcome {
        if self.desk.streams.is_empty() {
            self.note_waiting(Some("somebody who opens a stream of events".to_owned()))?;
            if let Some(code) = self.pass(EXPECT_LIMIT, |actor| !actor.desk.streams.is_empty())? {
                return Ok(Some(code));
            }
            if self.desk.streams.is_empty() {
                return self.give_up("nobody opens a stream of events".to_owned());
            }
            self.note_waiting(None)?;
        }
        let delivery = &self.script.delivery;
        self.desk.streams.retain_mut(|stream| stream.send(frames, delivery).is_ok());
        Ok(None)
    }

    /// After its last step a server goes on until nothing more is asked.
    pub(super) fn linger(&mut self) -> Outcome {
        let since = Instant::now();
        while self.desk.is_open {
            let quiet_since = self.desk.last_asked.map_or(since, |last| last.max(since));
            let left = LINGER.saturating_sub(quiet_since.elapsed());
            if left.is_zero() {
                break;
            }
            if let Some(code) = self.pass(left, |_| false)? {
                return Ok(Some(code));
            }
        }
        Ok(None)
    }
}
