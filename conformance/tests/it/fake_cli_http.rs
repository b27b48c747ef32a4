//! The fake CLI as an HTTP server, used by a client on a plain socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use od_conformance::fake_cli::{FakeCli, Invocation, Script, Step};
use od_conformance::pack::{Pack, Values};
use od_conformance::script_variants;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::support::CONFORMANCE;

const PASSWORD: &str = "PARROT_PASSWORD";
const STEPS: &str = r#"
listen basic parrot $PARROT_PASSWORD
out parrot listens on {{url}}
on request GET /health
reply 200 {"healthy":true,"port":{{port}}}
end
on request GET /event
stream
sse {"type":"connected"}
end
expect-request POST /session {"title":"{{?title}}"}
reply 201 header:x-title={{title}} {"id":"{{session_id}}"}
expect-request POST /session/{{session_id}}/message?directory={{cwd}} {"parts":[{"text":"{{?prompt}}"}]}
reply 204
{{#each deltas}}
sse {"type":"text","text":"{{text}}"}
{{/each}}
sse event:end {"type":"end"}
"#;

/// A running fake CLI with an HTTP server.
struct Served {
    _folder: tempfile::TempDir,
    fake_cli: FakeCli,
    child: Child,
    values: Values,
    port: u16,
}

impl Served {
    fn start(change: impl Fn(&Script) -> Script) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (script, values) = script_of(folder.path(), STEPS);
        let fake_cli =
            FakeCli::install(&folder.path().join("cli"), "parrot", Path::new(CONFORMANCE))
                .expect("a fake CLI");
        fake_cli.load_script(&change(&script)).expect("a script");
        let mut command = Command::new(fake_cli.executable());
        command.env(PASSWORD, "feather").stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the fake CLI starts");
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("its output");
        BufReader::new(stdout).read_line(&mut line).expect("its address");
        let port = line.trim().rsplit_once(':').expect("a port").1.parse().expect("a number");
        assert_eq!(line.trim_end(), format!("parrot listens on http://127.0.0.1:{port}"));
        Self { _folder: folder, fake_cli, child, values, port }
    }

    fn ask(&self, method: &str, target: &str, body: &str) -> Reply {
        // parrot:feather
        self.ask_as("Basic cGFycm90OmZlYXRoZXI=", method, target, body)
    }

    fn ask_as(&self, authorization: &str, method: &str, target: &str, body: &str) -> Reply {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
        let head = format!(
            "{method} {target} HTTP/1.1\r\nhost: x\r\nauthorization: {authorization}\r\n\
             content-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all((head + body).as_bytes()).expect("it is sent");
        Reply::read(stream)
    }

    /// Opens a session and sends the prompt.
    fn converse(&self, prompt: &str) {
        let session = self.ask("POST", "/session", r#"{"title":"lab","more":1}"#).whole();
        assert_eq!(session.0, 201);
        assert_eq!(session.1, format!(r#"{{"id":"{}"}}"#, self.values.text("session_id")));
        let target = format!(
            "/session/{}/message?directory={}",
            self.values.text("session_id"),
            self.values.text("cwd").replace('/', "%2F")
        );
        let body = serde_json::json!({"parts": [{"type": "text", "text": prompt}]}).to_string();
        assert_eq!(self.ask("POST", &target, &body).whole(), (204, String::new()));
    }

    fn seen(&mut self) -> Invocation {
        self.child.wait().expect("it ends");
        self.fake_cli.starts().pop().expect("it was started")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have exited by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn script_of(folder: &Path, steps: &str) -> (Script, Values) {
    let settings = "[cli]\nprompt = \"rpc\"\n[scenario.text]\nsteps = \"text.steps\"\n";
    std::fs::write(folder.join("conformance.toml"), settings).expect("settings");
    std::fs::write(folder.join("text.steps"), steps).expect("steps");
    let values = Values::fresh(&mut StdRng::seed_from_u64(7), Path::new("/a/b"));
    let pack = Pack::load(folder).expect("a pack");
    (pack.script("text", &values).expect("a script"), values)
}

struct Reply {
    reader: BufReader<TcpStream>,
    head: Vec<String>,
}

impl Reply {
    fn read(stream: TcpStream) -> Self {
        let mut reader = BufReader::new(stream);
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a line of the head");
            match line.trim_end() {
                "" => return Self { reader, head },
                text => head.push(text.to_owned()),
            }
        }
    }

    fn status(&self) -> u16 {
        self.head[0].split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status")
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn whole(mut self) -> (u16, String) {
        let length =
            self.header("content-length").map_or(0, |text| text.parse().expect("a number"));
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).expect("the body");
        (self.status(), String::from_utf8(body).expect("text"))
    }

    /// The chunks of a stream, up to its end or the one that ends with this.
    fn chunks(&mut self, end: &str) -> Vec<Vec<u8>> {
        let mut chunks: Vec<Vec<u8>> = Vec::new();
        let mut all = Vec::new();
        while !all.ends_with(end.as_bytes()) {
            let mut line = String::new();
            if self.reader.read_line(&mut line).unwrap_or(0) == 0 {
                break;
            }
            let length = usize::from_str_radix(line.trim(), 16).expect("a length");
            let mut chunk = vec![0; length + 2];
            self.reader.read_exact(&mut chunk).expect("a chunk");
            chunk.truncate(length);
            all.extend_from_slice(&chunk);
            chunks.push(chunk);
        }
        chunks
    }
}

fn text_of(chunks: &[Vec<u8>]) -> String {
    String::from_utf8(chunks.concat()).expect("text")
}

const END: &str = "event: end\ndata: {\"type\":\"end\"}\n\n";

/// The stream after its first event, from the script.
fn expected(values: &Values) -> String {
    let line = |text: &String| {
        let text = serde_json::Value::from(text.as_str());
        format!("data: {{\"type\":\"text\",\"text\":{text}}}\n\n")
    };
    let said = values.deltas.iter().map(line).collect::<String>();
    format!("data: {{\"type\":\"connected\"}}\n\n{said}{END}")
}

#[test]
fn conversation_is_served_and_recorded() {
    let mut served = Served::start(Script::clone);
    let health = served.ask("GET", "/health", "");
    assert_eq!(health.header("content-type"), Some("application/json"));
    let body = format!(r#"{{"healthy":true,"port":{}}}"#, served.port);
    assert_eq!(health.whole(), (200, body));
    let mut events = served.ask("GET", "/event?since=0", "");
    assert_eq!(events.header("content-type"), Some("text/event-stream"));
    served.converse("größer \"zitiert\"\n");
    let chunks = events.chunks(END);
    assert_eq!(text_of(&chunks), expected(&served.values));
    assert_eq!(chunks.len(), served.values.deltas.len() + 2, "one event is one write");
    let seen = served.seen();
    assert_eq!(seen.bound_text("prompt").as_deref(), Some("größer \"zitiert\"\n"));
    assert_eq!(seen.bound_text("title").as_deref(), Some("lab"));
    assert!(seen.ended && seen.problem().is_none(), "{:?}", seen.problem());
    let targets: Vec<&str> = seen.requests.iter().map(|it| it.target.as_str()).collect();
    assert_eq!(targets[..3], ["/health", "/event?since=0", "/session"]);
    assert!(seen.received_text().contains("größer"), "{}", seen.received_text());
}

#[test]
fn unauthorized_and_unknown_requests_are_refused() {
    let mut served = Served::start(Script::clone);
    let stranger = served.ask_as("Basic eDp5", "GET", "/health", "").whole();
    assert_eq!(stranger.0, 401);
    let unknown = served.ask("GET", "/healthy", "").whole();
    assert_eq!(unknown.0, 404);
    assert!(unknown.1.contains("GET /healthy matches neither"), "{}", unknown.1);
    assert_eq!(served.ask("POST", "/session", r#"{"name":"lab"}"#).whole().0, 404);
    served.child.kill().expect("it is there");
    let problem = served.seen().problem().expect("a problem");
    assert!(problem.contains("Authorization") && problem.contains("/healthy"), "{problem}");
}

#[test]
fn connection_is_reused_for_requests_and_chunks() {
    let served = Served::start(Script::clone);
    let mut stream = TcpStream::connect(("127.0.0.1", served.port)).expect("it listens");
    let head = "host: x\r\nauthorization: Basic cGFycm90OmZlYXRoZXI=\r\n";
    write!(stream, "GET /health HTTP/1.1\r\n{head}\r\n").expect("it is sent");
    assert_eq!(Reply::read(stream.try_clone().expect("a handle")).whole().0, 200);
    let chunks = "7\r\n{\"title\r\n8;x=y\r\n\":\"lab\"}\r\n0\r\nx-trailer: 1\r\n\r\n";
    let request =
        format!("POST /session HTTP/1.1\r\n{head}transfer-encoding: chunked\r\n\r\n{chunks}");
    stream.write_all(request.as_bytes()).expect("it is sent");
    let reply = Reply::read(stream.try_clone().expect("a handle"));
    assert_eq!(reply.header("x-title"), Some("lab"));
    assert_eq!(reply.whole().0, 201);
}

#[test]
fn missing_secret_is_reported() {
    let served = Served::start(Script::clone);
    let output = Command::new(served.fake_cli.executable())
        .env_remove(PASSWORD)
        .stdin(Stdio::null())
        .output()
        .expect("the fake CLI starts");
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("the variable PARROT_PASSWORD is not set"), "{text}");
}

#[test]
fn single_bytes_are_single_chunks() {
    let served = Served::start(script_variants::one_byte_at_a_time);
    let mut events = served.ask("GET", "/event", "");
    served.converse("hello");
    let chunks = events.chunks(END);
    assert!(chunks.iter().all(|chunk| chunk.len() == 1));
    assert_eq!(text_of(&chunks), expected(&served.values));
}

#[test]
fn changed_line_ends_keep_events_intact() {
    let served =
        Served::start(|script| script_variants::crlf(&script_variants::no_final_newline(script)));
    let mut events = served.ask("GET", "/event", "");
    served.converse("hello");
    let text = text_of(&events.chunks(END));
    let wanted = expected(&served.values).replace("\"}\n\n", "\"}\r\n\n");
    let wanted = wanted.replacen("connected\"}\r\n", "connected\"}\n", 1);
    assert_eq!(text, wanted.replace("\"end\"}\r\n", "\"end\"}\n"));
}

#[test]
fn garbage_becomes_separate_events() {
    let intruder = Step::OutBytes { bytes: b"}{\ndata: {}\n\xff\n".to_vec() };
    let served = Served::start(|script| {
        // After the address, which this client reads as the first line.
        let mut variant = script_variants::before_each_line(script, &intruder);
        let first = variant.steps.iter().position(|step| *step == intruder).expect("there");
        variant.steps.remove(first);
        variant
    });
    let mut events = served.ask("GET", "/event", "");
    served.converse("hello");
    let text = events.chunks(END).concat();
    let garbage =
        b": keep-alive\n\ndata: }{\n\ndata: data: {}\n\ndata: \xff\n\ndata: {\"type\":\"text\"";
    let found = text.windows(garbage.len()).filter(|part| *part == garbage).count();
    assert_eq!(found, served.values.deltas.len());
}

#[test]
fn crash_interrupts_the_stream() {
    let crash = [Step::Die { signal: "SIGKILL".to_owned() }];
    // The address, then two fragments.
    let served = Served::start(|script| script_variants::cut_after(script, 3, &crash));
    let mut events = served.ask("GET", "/event", "");
    served.converse("hello");
    let chunks = events.chunks("never");
    assert_eq!(chunks.len(), 3, "{:?}", text_of(&chunks));
}
