//! The fake CLI as an HTTP server: accepts requests, sends replies and events.

use std::time::{Duration, Instant};

use serde_json::json;

use super::http::{EventStream, PendingRequest, Responder, event_frame, event_frames};
use super::invocation::Entry;
use super::pattern::{Bindings, fill};
use super::route::{Access, Pairs, Route};
use super::script::{Delivery, Handler, Outlet, Step, When};
use super::script_runner::{EXPECT_LIMIT, ScriptRunner, StepOutcome};

/// After its last step a server exits when no request arrives for this time.
const IDLE_SERVER_LIFETIME: Duration = Duration::from_secs(1);

/// Requests and streams of the server.
#[derive(Debug, Default)]
pub(super) struct HttpState {
    is_open: bool,
    /// The required `Authorization` header.
    authorization: Option<String>,
    /// Requests that no step or handler has accepted.
    pending: Vec<PendingRequest>,
    /// Accepted requests without a reply, the newest last.
    accepted: Vec<Responder>,
    streams: Vec<EventStream>,
    last_request_at: Option<Instant>,
}

impl ScriptRunner {
    pub(super) fn listen(&mut self, access: Option<&Access>) -> StepOutcome {
        match access.map(Access::header).transpose() {
            Ok(authorization) => self.http_state.authorization = authorization,
            Err(reason) => {
                return self.fail(format!("{reason}, so no request could be authorized"));
            }
        }
        let port = self.inputs.listen()?;
        self.http_state.is_open = true;
        let url = format!("http://127.0.0.1:{port}");
        self.bind(Bindings::from([
            ("port".to_owned(), json!(port)),
            ("url".to_owned(), json!(url)),
        ]))?;
        Ok(None)
    }

    /// Queues a request, or refuses one that is not authorized.
    pub(super) fn accept_request(&mut self, pending: PendingRequest) -> std::io::Result<()> {
        self.http_state.last_request_at = Some(Instant::now());
        let wanted = self.http_state.authorization.as_deref();
        if wanted.is_none() || pending.request.header("authorization") == wanted {
            self.http_state.pending.push(pending);
            return Ok(());
        }
        let why = "lacks the Authorization header that `listen` requires";
        self.refuse(pending, 401, why)
    }

    /// Waits for a request and accepts it.
    pub(super) fn expect_request(&mut self, route: &Route) -> StepOutcome {
        let deadline = Instant::now() + EXPECT_LIMIT;
        let route = route.filled(&self.bindings);
        self.record_wait(Some(format!("the request {route}")))?;
        loop {
            let mut pending = self.http_state.pending.iter().enumerate();
            let found =
                pending.find_map(|(index, pending)| Some((index, route.fit(&pending.request)?)));
            if let Some((index, bound)) = found {
                self.accept(index, bound)?;
                return self.record_wait(None).map(|()| None);
            }
            if let Some(code) = self.handle_requests()? {
                return Ok(Some(code));
            }
            if Instant::now() >= deadline {
                return self.fail(format!("no request matches {route}"));
            }
            if let Some(code) = self.receive(deadline)? {
                return Ok(Some(code));
            }
        }
    }

    /// Runs the handlers of all pending requests, and refuses requests that no step can accept.
    pub(super) fn handle_requests(&mut self) -> StepOutcome {
        while let Some((index, bound, handler)) = self.request_handler() {
            self.accept(index, bound)?;
            if let Some(code) = self.run_handler(&handler.steps)? {
                return Ok(Some(code));
            }
            if handler.is_polite_stop() {
                self.recorder.record(&Entry::Ended)?;
            }
        }
        while let Some(index) =
            self.http_state.pending.iter().position(|pending| !self.is_expected(pending))
        {
            let pending = self.http_state.pending.remove(index);
            self.refuse(pending, 404, "matches neither `on request` nor `expect-request`")?;
        }
        Ok(None)
    }

    /// The first pending request that has a handler.
    fn request_handler(&self) -> Option<(usize, Bindings, Handler)> {
        self.http_state.pending.iter().enumerate().find_map(|(index, pending)| {
            self.script.handlers.iter().find_map(|handler| match &handler.when {
                When::Request(route) => {
                    let bound = route.filled(&self.bindings).fit(&pending.request)?;
                    Some((index, bound, handler.clone()))
                }
                When::Signal(_) | When::Stdin(_) => None,
            })
        })
    }

    /// Whether a step of the script may still accept the request.
    fn is_expected(&self, pending: &PendingRequest) -> bool {
        self.script.steps.iter().any(|step| match step {
            Step::ExpectRequest { route } => {
                route.loosened(&self.bindings).fit(&pending.request).is_some()
            }
            _ => false,
        })
    }

    fn accept(&mut self, index: usize, bound: Bindings) -> std::io::Result<()> {
        let pending = self.http_state.pending.remove(index);
        self.http_state.accepted.push(pending.responder);
        self.bind(bound)
    }

    fn refuse(&mut self, pending: PendingRequest, status: u16, why: &str) -> std::io::Result<()> {
        let request = &pending.request;
        let reason = format!("{} {} {why}", request.method, request.target);
        let body = json!({"error": format!("the fake CLI: {reason}")}).to_string();
        self.recorder.record(&Entry::Refused { reason })?;
        // A client that has disconnected needs no reply.
        drop(pending.responder.reply(status, &[], &body, &Delivery::default()));
        Ok(())
    }

    /// Replies to the request that was accepted last.
    pub(super) fn reply(&mut self, status: u16, headers: &[(String, String)], body: &str) {
        let body = fill(body, &self.bindings);
        let headers = self.filled(headers);
        if let Some(responder) = self.http_state.accepted.pop() {
            // A client that has disconnected needs no reply.
            drop(responder.reply(status, &headers, &body, &self.script.delivery));
        }
    }

    /// Replies to the request that was accepted last with a stream that stays open.
    pub(super) fn stream(&mut self, headers: &[(String, String)]) {
        let headers = self.filled(headers);
        let opened = self.http_state.accepted.pop().map(|responder| responder.stream(&headers));
        self.http_state.streams.extend(opened.and_then(Result::ok));
    }

    fn filled(&self, headers: &[(String, String)]) -> Pairs {
        let fill_one =
            |(name, value): &(String, String)| (name.clone(), fill(value, &self.bindings));
        headers.iter().map(fill_one).collect()
    }

    /// Prints a line or sends an event.
    pub(super) fn print_text(&mut self, text: &str, end: &str) -> StepOutcome {
        match &self.outlet {
            Outlet::Stdout => self.print((text.to_owned() + end).as_bytes()).map(|()| None),
            Outlet::Events { name } => {
                let frame = event_frame(name.as_deref(), text.as_bytes(), end);
                self.send(&frame)
            }
        }
    }

    pub(super) fn print_bytes(&mut self, bytes: &[u8]) -> StepOutcome {
        match &self.outlet {
            Outlet::Stdout => self.print(bytes).map(|()| None),
            Outlet::Events { name } => {
                let frames = event_frames(name.as_deref(), bytes);
                self.send(&frames)
            }
        }
    }

    /// Sends to every open stream; waits for one if none is open.
    fn send(&mut self, frames: &[u8]) -> StepOutcome {
        if self.http_state.streams.is_empty() {
            self.record_wait(Some("a client that opens an event stream".to_owned()))?;
            if let Some(code) = self
                .wait(EXPECT_LIMIT, |script_runner| !script_runner.http_state.streams.is_empty())?
            {
                return Ok(Some(code));
            }
            if self.http_state.streams.is_empty() {
                return self.fail("no client opened an event stream".to_owned());
            }
            self.record_wait(None)?;
        }
        let delivery = &self.script.delivery;
        self.http_state.streams.retain_mut(|stream| stream.send(frames, delivery).is_ok());
        Ok(None)
    }

    /// Serves requests after the last step until none arrives any more.
    pub(super) fn serve_until_idle(&mut self) -> StepOutcome {
        let since = Instant::now();
        while self.http_state.is_open {
            let quiet_since = self.http_state.last_request_at.map_or(since, |last| last.max(since));
            let left = IDLE_SERVER_LIFETIME.saturating_sub(quiet_since.elapsed());
            if left.is_zero() {
                break;
            }
            if let Some(code) = self.wait(left, |_| false)? {
                return Ok(Some(code));
            }
        }
        Ok(None)
    }
}
