//! `od-host serve` in a separate process: starts it, calls it, reads its events, stops it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::chapters::Bench;
use super::fake_cli::Script;
use super::raw_websocket::RawWebSocket;
use super::stage::AGENT;

const BUFFER_BYTES: usize = 256 * 1024;

/// A running server, killed on drop.
pub(super) struct Served {
    child: Child,
    /// `127.0.0.1:port`.
    address: String,
    token: String,
    workspace: String,
}

impl Served {
    /// Starts it and waits until it is ready.
    pub(super) fn start(bench: &Bench<'_>) -> anyhow::Result<Self> {
        let (home, workspace) = (bench.stage.home(), bench.stage.workspace());
        let mut child = Command::new(bench.od_host)
            .args(["serve", "--bind", "127.0.0.1:0", "--root"])
            .arg(&workspace)
            .arg("--adapter-dir")
            .arg(&bench.stage.adapter_dir)
            .env("OD_HOME", &home)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start od-host serve")?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let ready: Value = serde_json::from_str(&line).context("od-host serve is not ready")?;
        let url = ready["url"].as_str().context("it has no address")?;
        let address = url.rsplit('/').next().unwrap_or_default().to_owned();
        let token = std::fs::read_to_string(home.join("token"))?.trim().to_owned();
        Ok(Self { child, address, token, workspace: workspace.display().to_string() })
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn websocket(&self) -> anyhow::Result<RawWebSocket> {
        Ok(RawWebSocket::open(self.stream()?, &self.address, &self.token, BUFFER_BYTES)?)
    }

    /// A connection for consecutive calls over HTTP.
    pub(super) fn http(&self) -> anyhow::Result<HttpConnection<'_>> {
        Ok(HttpConnection { served: self, stream: BufReader::new(self.stream()?) })
    }

    /// Starts a run of a script; returns its id.
    pub(super) fn start_run(&self, bench: &Bench<'_>, script: &Script) -> anyhow::Result<String> {
        bench.stage.fake_cli.write_script(script)?;
        let task = json!({"cwd": self.workspace, "prompt": {"text": "go"}});
        let params = json!({"agent": AGENT, "task": task}).to_string();
        let answer: Value = serde_json::from_slice(&self.http()?.call("runs/start", &params)?)?;
        match answer["result"]["runId"].as_str() {
            Some(run_id) => Ok(run_id.to_owned()),
            None => bail!("cannot start a run: {answer}"),
        }
    }

    /// Removes a finished run, because a long journal has a few hundred megabytes.
    pub(super) fn remove(&self, run_id: &str) -> anyhow::Result<()> {
        let params = json!({"runId": run_id}).to_string();
        let answer: Value = serde_json::from_slice(&self.http()?.call("runs/delete", &params)?)?;
        anyhow::ensure!(answer.get("error").is_none(), "cannot remove a run: {answer}");
        Ok(())
    }

    /// Server-sent events of a run over HTTP/1.0, which has no chunk lengths in the body.
    pub(super) fn event_stream(&self, run_id: &str) -> anyhow::Result<BufReader<TcpStream>> {
        let mut stream = self.stream()?;
        let request = format!(
            "GET /runs/{run_id}/events HTTP/1.0\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
            self.address, self.token
        );
        stream.write_all(request.as_bytes())?;
        Ok(BufReader::with_capacity(BUFFER_BYTES, stream))
    }

    fn stream(&self) -> anyhow::Result<TcpStream> {
        let stream = TcpStream::connect(&self.address).context("od-host serve is gone")?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Err(error) = self.child.kill().and_then(|()| self.child.wait()) {
            eprintln!("pipeline: cannot stop od-host serve: {error}");
        }
    }
}

/// An HTTP connection for several calls.
pub(super) struct HttpConnection<'a> {
    served: &'a Served,
    stream: BufReader<TcpStream>,
}

impl HttpConnection<'_> {
    /// Calls a method; returns the body of the response.
    pub(super) fn call(&mut self, method: &str, params: &str) -> anyhow::Result<Vec<u8>> {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let request = format!(
            "POST / HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.served.address,
            self.served.token,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut length = 0;
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            anyhow::ensure!(self.stream.read_line(&mut line)? > 0, "the connection was closed");
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.trim().parse()?;
            }
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer)?;
        Ok(answer)
    }
}
