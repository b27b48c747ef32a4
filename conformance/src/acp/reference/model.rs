//! Requests to the model: one POST of chat completions, whose stream is read event by event.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::entry::MODEL_VARIABLE;
use super::session::Session;

/// A tool call of the model.
#[derive(Debug, Clone, Default)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    /// Its arguments, as JSON text.
    pub(super) arguments: String,
}

/// A piece of a streamed answer.
pub(super) enum Piece<'a> {
    Text(&'a str),
    Thought(&'a str),
}

#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
    /// Its finish reason, as the model reports it.
    pub(super) finish: String,
}

/// Sends a request to the model. If a cancel closes the connection, returns the answer so far.
///
/// # Errors
/// When the model cannot be reached or rejects the request.
pub(super) fn ask(
    session: &Session,
    messages: &[Value],
    tools: &Value,
    on_piece: &mut dyn FnMut(Piece<'_>),
) -> Result<Answer, String> {
    let url = std::env::var(MODEL_VARIABLE)
        .map_err(|_| format!("no model: {MODEL_VARIABLE} is not set"))?;
    let address = url.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let body = json!({"model": "reference", "stream": true, "messages": messages, "tools": tools});
    let body = body.to_string();
    // HTTP/1.0 sends the stream without chunks, up to the end.
    let head = format!(
        "POST /v1/chat/completions HTTP/1.0\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    let failed = |error: std::io::Error| format!("the model at {url} cannot be reached: {error}");
    let mut connection = TcpStream::connect(&address).map_err(failed)?;
    session.stop.set_connection(connection.try_clone().ok());
    let sent =
        connection.write_all(head.as_bytes()).and_then(|()| connection.write_all(body.as_bytes()));
    if let Err(error) = sent
        && !session.stop.is_cancelled()
    {
        return Err(failed(error));
    }
    let answer = read(&mut BufReader::new(connection), on_piece);
    session.stop.set_connection(None);
    answer
}

fn read(reader: &mut impl BufRead, on_piece: &mut dyn FnMut(Piece<'_>)) -> Result<Answer, String> {
    let mut status = String::new();
    let _cut = reader.read_line(&mut status);
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|count| count > 2) {
        line.clear();
    }
    let code = status.split_whitespace().nth(1).unwrap_or("200");
    if code != "200" {
        let mut body = String::new();
        let _cut = reader.read_to_string(&mut body);
        return Err(format!("the model returned {code}: {body}"));
    }
    let mut answer = Answer::default();
    for line in reader.lines().map_while(Result::ok) {
        let event = line.strip_prefix("data: ").and_then(|text| serde_json::from_str(text).ok());
        if let Some(event) = event {
            take(&event, &mut answer, on_piece);
        }
    }
    Ok(answer)
}

fn take(event: &Value, answer: &mut Answer, on_piece: &mut dyn FnMut(Piece<'_>)) {
    let choice = &event["choices"][0];
    let delta = &choice["delta"];
    if let Some(thought) = delta["reasoning_content"].as_str() {
        on_piece(Piece::Thought(thought));
    }
    if let Some(text) = delta["content"].as_str().filter(|text| !text.is_empty()) {
        answer.text.push_str(text);
        on_piece(Piece::Text(text));
    }
    for part in delta["tool_calls"].as_array().into_iter().flatten() {
        let index = part["index"].as_u64().unwrap_or(0) as usize;
        if answer.calls.len() <= index {
            answer.calls.resize(index + 1, Call::default());
        }
        let call = &mut answer.calls[index];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        call.id.push_str(&text(&part["id"]));
        call.name.push_str(&text(&part["function"]["name"]));
        call.arguments.push_str(&text(&part["function"]["arguments"]));
    }
    if let Some(finish) = choice["finish_reason"].as_str() {
        finish.clone_into(&mut answer.finish);
    }
}
