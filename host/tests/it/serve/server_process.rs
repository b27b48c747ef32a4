//! `od-host serve` in a scratch home, and helpers to call it.
//!
//! ```ignore
//! let host = ServeProcess::with_adapter("x", "good");
//! let run = host.start_run("go");
//! assert_eq!(host.events(&run, 0).len(), 4);
//! ```

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use jsonrpsee::ws_client::{HeaderMap, WsClient, WsClientBuilder};
use serde_json::{Value, json};

use crate::cli::scratch::Scratch;

/// Ends a test that hangs.
const TIMEOUT: Duration = Duration::from_secs(50);

/// `od-host serve` on a free port. Killed when it is dropped.
pub(crate) struct ServeProcess {
    child: Child,
    /// Its folders.
    pub(crate) scratch: Arc<Scratch>,
    arguments: Vec<String>,
    /// The line that it printed when it was ready.
    pub(crate) ready: Value,
    pub(crate) token: String,
}

impl ServeProcess {
    /// Starts it with one adapter in this mode.
    pub(crate) fn with_adapter(id: &str, mode: &str) -> Self {
        Self::start(Scratch::with_adapter(id, mode), &[])
    }

    /// Starts it on this machine with further arguments. Runs may work anywhere in the machine's folder.
    pub(crate) fn start(scratch: impl Into<Arc<Scratch>>, arguments: &[&str]) -> Self {
        let scratch = scratch.into();
        let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
        let (child, ready) = launch(&scratch, &arguments);
        let token = read(&scratch.path("od/token")).trim().to_owned();
        Self { child, scratch, arguments, ready, token }
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it is ours");
        self.child.wait().expect("an end");
    }

    /// Starts the next host in the same home, on another port.
    pub(crate) fn restart(&mut self) {
        (self.child, self.ready) = launch(&self.scratch, &self.arguments);
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn url(&self) -> &str {
        self.ready["url"].as_str().expect("an address")
    }

    /// `127.0.0.1:port`.
    pub(crate) fn address(&self) -> &str {
        self.url().rsplit('/').next().expect("an address")
    }

    /// Everything it has written to stderr.
    pub(crate) fn log(&self) -> String {
        read(&self.scratch.path("serve.log"))
    }

    /// Sends it a signal.
    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).expect("a signal");
    }

    /// Waits until it exits; the exit code.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().expect("an end").code()
    }

    /// A call over HTTP: the result, or the error object.
    pub(crate) fn call(&self, method: &str, params: Value) -> Result<Value, Value> {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let (status, mut answer) = self.post(call.to_string());
        assert_eq!((status, &answer["id"]), (200, &json!(1)), "{answer}");
        match answer.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(answer["result"].take()),
        }
    }

    /// Posts a body to `/`: the status and the reply.
    pub(crate) fn post(&self, body: impl AsRef<[u8]>) -> (u16, Value) {
        let request = agent()
            .post(self.url())
            .header("Authorization", format!("Bearer {}", self.token))
            .header("Content-Type", "application/json");
        let mut response = request.send(body.as_ref()).expect("a reply");
        let status = response.status().as_u16();
        let text = response.body_mut().read_to_string().expect("a text");
        (status, serde_json::from_str(&text).unwrap_or_else(|_| panic!("not JSON: {text}")))
    }

    /// `GET`, with the token and further headers: the status and the body.
    pub(crate) fn get(&self, path: &str, headers: &[(&str, &str)]) -> (u16, String) {
        let mut response = self.open(path, headers);
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(u64::MAX).read_to_string();
        (status, body.expect("a text"))
    }

    /// As `get`, before the body is read.
    pub(crate) fn open(
        &self,
        path: &str,
        headers: &[(&str, &str)],
    ) -> ureq::http::Response<ureq::Body> {
        let mut request = agent()
            .get(format!("{}{path}", self.url()))
            .header("Authorization", format!("Bearer {}", self.token));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.call().expect("a reply")
    }

    /// Starts a run of the adapter `x`; its id.
    pub(crate) fn start_run(&self, prompt: &str) -> String {
        let result = self.call("runs/start", self.task(prompt)).expect("a run");
        result["runId"].as_str().expect("an id").to_owned()
    }

    /// Parameters of `runs/start` for the adapter `x`.
    pub(crate) fn task(&self, prompt: &str) -> Value {
        task(&self.scratch, prompt)
    }

    /// The events of a run to its end, over SSE.
    pub(crate) fn events(&self, run_id: &str, from: u64) -> Vec<Value> {
        let (status, text) = self.get(&format!("/runs/{run_id}/events?from={from}"), &[]);
        assert_eq!(status, 200, "{text}");
        let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        data.map(|data| serde_json::from_str(data).expect("an envelope")).collect()
    }

    /// The lines of an event stream as they arrive, without headers.
    pub(crate) fn follow(&self, run_id: &str) -> impl Iterator<Item = String> + use<> {
        let mut stream = self.stream();
        let request = format!(
            "GET /runs/{run_id}/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
             Connection: close\r\n\r\n",
            self.address(),
            self.token
        );
        stream.write_all(request.as_bytes()).expect("the host listens");
        let lines = BufReader::new(stream).lines().map(|line| line.expect("a line"));
        lines.skip_while(|line| !line.is_empty())
    }

    /// Waits until a run has ended; its final state.
    pub(crate) fn wait_for_end(&self, run_id: &str) -> Value {
        self.events(run_id, 0);
        self.call("runs/get", json!({"runId": run_id})).expect("a run")
    }

    /// Sends raw bytes, for requests that no library would send. Returns the whole response.
    pub(crate) fn raw(&self, request: &str) -> String {
        let mut stream = self.stream();
        stream.write_all(request.as_bytes()).expect("the host listens");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("a reply");
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// A plain connection.
    pub(crate) fn stream(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address()).expect("the host listens");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a limit");
        stream
    }

    /// A WebSocket client with the token.
    pub(crate) async fn websocket(&self) -> WsClient {
        let mut headers = HeaderMap::new();
        let bearer = format!("Bearer {}", self.token).parse().expect("a header");
        headers.insert("authorization", bearer);
        let url = self.ready["websocketUrl"].as_str().expect("an address");
        WsClientBuilder::default().set_headers(headers).build(url).await.expect("a WebSocket")
    }
}

impl Drop for ServeProcess {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            self.kill();
        }
    }
}

/// Starts it and waits until it is ready.
fn launch(scratch: &Scratch, arguments: &[String]) -> (Child, Value) {
    let root = scratch.path("");
    let root = root.to_str().expect("a path of UTF-8");
    let mut command = scratch.command(&["serve", "--bind", "127.0.0.1:0", "--root", root]);
    let log = scratch.path("serve.log");
    let stderr = std::fs::File::options().create(true).append(true).open(&log).expect("a log");
    command.args(arguments).stdout(Stdio::piped()).stderr(stderr);
    let mut child = command.spawn().expect("od-host starts");
    let mut line = String::new();
    let stdout = child.stdout.take().expect("a pipe");
    BufReader::new(stdout).read_line(&mut line).expect("the ready line");
    let ready = serde_json::from_str(&line)
        .unwrap_or_else(|_| panic!("not ready: {line:?}\n{}", read(&log)));
    (child, ready)
}

/// `od-host serve --stdio`: lines in, lines out.
pub(crate) struct StdioProcess {
    child: Child,
    /// Dropped to end the session.
    pub(crate) stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    /// Its folders.
    pub(crate) scratch: Arc<Scratch>,
}

impl StdioProcess {
    pub(crate) fn start(scratch: impl Into<Arc<Scratch>>) -> Self {
        let scratch = scratch.into();
        let root = scratch.path("");
        let root = root.to_str().expect("a path of UTF-8");
        let mut command = scratch.command(&["serve", "--stdio", "--root", root]);
        let log = std::fs::File::create(scratch.path("serve.log")).expect("a log");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().expect("od-host starts");
        let lines = read_lines(child.stdout.take().expect("a pipe"));
        Self { stdin: child.stdin.take(), child, lines, scratch }
    }

    /// Sends a line.
    pub(crate) fn send(&mut self, line: &str) {
        self.send_bytes(line.as_bytes());
    }

    /// Sends bytes as a line.
    pub(crate) fn send_bytes(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().expect("still open");
        stdin.write_all(&[line, b"\n"].concat()).expect("the host reads");
    }

    /// Sends a call.
    pub(crate) fn request(&mut self, id: u64, method: &str, params: &Value) {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&call.to_string());
    }

    /// The next line.
    pub(crate) fn next(&self) -> Value {
        self.lines.recv_timeout(TIMEOUT).expect("a line")
    }

    /// Sends a call and waits for its reply, when no other message is pending.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        self.request(1, method, params);
        let mut answer = self.next();
        assert_eq!(answer["id"], json!(1), "{answer}");
        match answer.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(answer["result"].take()),
        }
    }

    /// Waits until the host exits; the exit code.
    pub(crate) fn wait(mut self) -> Option<i32> {
        self.child.wait().expect("an end").code()
    }

    /// Closes stdin and waits; the remaining messages and the exit code.
    pub(crate) fn end(mut self) -> (Vec<Value>, Option<i32>) {
        drop(self.stdin.take());
        let code = self.child.wait().expect("an end").code();
        (self.lines.iter().collect(), code)
    }
}

fn read_lines(stdout: ChildStdout) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            let line = line.expect("UTF-8");
            let value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
            if sender.send(value).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Parameters of `runs/start` for the adapter `x`.
pub(crate) fn task(scratch: &Scratch, prompt: &str) -> Value {
    let cwd = scratch.path("work").display().to_string();
    json!({"agent": "x", "task": {"cwd": cwd, "prompt": {"text": prompt}}})
}

/// The numbers of events.
pub(crate) fn numbers(events: &[Value]) -> Vec<u64> {
    events.iter().map(|event| event["seq"].as_u64().expect("a number")).collect()
}

/// The kind of an error.
pub(crate) fn kind(error: &Value) -> &str {
    error["data"]["kind"].as_str().unwrap_or_else(|| panic!("no kind in {error}"))
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(TIMEOUT))
        .build();
    config.new_agent()
}

fn read(path: &std::path::Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
