//! Models: from the agent CLI, or from a real server on loopback.

use std::io::{Read, Write};
use std::net::TcpListener;

use od_adapter_opencode_http::OpenCodeHttp;
use od_protocol::{Effort, ErrorKind, ModelsSource};
use od_sdk::{Adapter, Machine};
use serde_json::json;

/// A server that answers each request with what the path asks for.
fn serve(answers: &'static [(&'static str, &'static str)]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut request = [0; 4096];
            let count = stream.read(&mut request).expect("a request");
            let request = String::from_utf8_lossy(&request[..count]).into_owned();
            let answer =
                answers.iter().find(|(path, _)| request.starts_with(&format!("GET {path} ")));
            let body = answer.map_or("<html>", |(_, body)| body);
            let length = body.len();
            let reply = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
            stream.write_all(reply.as_bytes()).expect("a reply");
        }
    });
    url
}

fn machine(url: &str) -> Machine {
    let options = json!({"serverUrl": url}).as_object().cloned().unwrap_or_default();
    Machine { options, ..Machine::default() }
}

#[test]
fn the_server_tells_windows_and_efforts() {
    const PROVIDERS: &str = include_str!("../../recordings/1.18.33/config_providers.json");
    let url =
        serve(&[("/config/providers", PROVIDERS), ("/config", r#"{"model":"fake/fake-thinker"}"#)]);
    let list = OpenCodeHttp.models(&machine(&url)).expect("a list");
    assert_eq!(
        (list.source, list.current.as_deref()),
        (ModelsSource::Live, Some("fake/fake-thinker"))
    );
    let model = list.models.iter().find(|model| model.id == "fake/fake-thinker").expect("a model");
    assert!(model.default);
    assert_eq!(model.context_window, Some(128_000));
    assert_eq!(model.efforts, Some(vec![Effort::High, Effort::Low, Effort::Medium]));
}

#[test]
fn a_home_page_is_no_list() {
    let url = serve(&[]);
    let error = OpenCodeHttp.models(&machine(&url)).expect_err("no list");
    assert_eq!(error.kind(), ErrorKind::NetworkUnreachable);
}
