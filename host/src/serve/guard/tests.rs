//! Each rule with accepted and rejected headers.

use http::header::HeaderName;
use od_protocol::api;

use super::*;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

fn guard(address: &str) -> Guard {
    Guard {
        address: address.parse().expect("an address"),
        is_tls: false,
        hosts: vec![AllowedHost::parse("od.example.org").expect("a host")],
        origins: vec![AllowedOrigin::parse("http://localhost:5173/").expect("an origin")],
        token: Token::for_test(TOKEN),
    }
}

fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(name, value.parse().expect("a header"));
    }
    headers
}

fn kind<T>(result: Result<T, Refusal>) -> Option<String> {
    result.err().map(|refusal| refusal.error.kind().as_str().to_owned())
}

fn host_is_allowed(guard: &Guard, host: &str) -> bool {
    guard.check_host(&headers(&[(HOST, host)])).is_ok()
}

#[test]
fn own_host_is_allowed() {
    let guard = guard("127.0.0.1:7456");
    let own =
        ["127.0.0.1:7456", "localhost:7456", "LocalHost:7456", "localhost.:7456", "[::1]:7456"];
    for host in own.into_iter().chain(["od.example.org", "od.example.org:8080"]) {
        assert!(host_is_allowed(&guard, host), "{host}");
    }
}

#[test]
fn foreign_host_name_is_refused() {
    let guard = guard("127.0.0.1:7456");
    let foreign = [
        "evil.example:7456",
        "localhost.evil.example:7456",
        "127.0.0.1.evil.example:7456",
        "192.168.0.1:7456",
        "localhost:80",
        "localhost",
        "evil.example@localhost:7456",
        "localhost:7456:7456",
        "",
    ];
    for host in foreign {
        let checked = guard.check_host(&headers(&[(HOST, host)]));
        assert_eq!(kind(checked).as_deref(), Some(api::FORBIDDEN), "{host}");
    }
    assert!(guard.check_host(&HeaderMap::new()).is_err(), "no Host header");
    let two = headers(&[(HOST, "localhost:7456"), (HOST, "evil.example:7456")]);
    assert!(guard.check_host(&two).is_err(), "two Host headers");
}

#[test]
fn public_bind_allows_addresses_not_names() {
    let guard = guard("0.0.0.0:7456");
    assert!(host_is_allowed(&guard, "192.168.0.7:7456"));
    assert!(!host_is_allowed(&guard, "laptop.local:7456"));
    assert!(!host_is_allowed(&guard, "192.168.0.7:80"));
}

#[test]
fn default_port_may_be_omitted() {
    let mut guard = guard("127.0.0.1:80");
    assert!(host_is_allowed(&guard, "localhost"));
    guard.is_tls = true;
    assert!(!host_is_allowed(&guard, "localhost"), "https means port 443");
}

#[test]
fn origin_must_be_own_or_allowed() {
    let guard = guard("127.0.0.1:7456");
    let check = |origin: &str| guard.check_origin(&headers(&[(ORIGIN, origin)]));
    assert_eq!(guard.check_origin(&HeaderMap::new()), Ok(None), "not a browser");
    for own in ["http://127.0.0.1:7456", "http://localhost:7456", "HTTP://LOCALHOST:7456"] {
        assert_eq!(check(own), Ok(None), "{own}");
    }
    let allowed = check("http://localhost:5173").expect("allowed");
    assert_eq!(allowed, Some(HeaderValue::from_static("http://localhost:5173")));
    let foreign = [
        "null",
        "https://evil.example",
        "http://localhost:3000",
        "https://localhost:7456",
        "http://localhost:7456.evil.example",
        "http://od.example.org:7456",
        "http://evil@localhost:7456",
        "file://",
        "",
    ];
    for origin in foreign {
        assert_eq!(kind(check(origin)).as_deref(), Some(api::FORBIDDEN), "{origin}");
    }
}

#[test]
fn token_is_bearer_or_subprotocol() {
    let guard = guard("127.0.0.1:7456");
    let good = [
        (AUTHORIZATION, format!("Bearer {TOKEN}")),
        (AUTHORIZATION, format!("bearer  {TOKEN}")),
        (SEC_WEBSOCKET_PROTOCOL, format!("od.v1, od.token.{TOKEN}")),
        (SEC_WEBSOCKET_PROTOCOL, format!("od.token.{TOKEN},od.v1")),
    ];
    for (name, value) in good {
        assert_eq!(guard.check_token(&headers(&[(name, &value)])), Ok(()), "{value}");
    }
    let bad = [
        (AUTHORIZATION, TOKEN.to_owned()),
        (AUTHORIZATION, "Bearer".to_owned()),
        (AUTHORIZATION, format!("Bearer {TOKEN}x")),
        (AUTHORIZATION, format!("Basic {TOKEN}")),
        (SEC_WEBSOCKET_PROTOCOL, format!("od.v1, {TOKEN}")),
        (SEC_WEBSOCKET_PROTOCOL, "od.v1, od.token.".to_owned()),
    ];
    for (name, value) in bad {
        let refusal = guard.check_token(&headers(&[(name, &value)])).expect_err(&value);
        assert_eq!(refusal.error.kind().as_str(), api::UNAUTHORIZED);
        assert!(!refusal.error.message.contains(TOKEN), "the error must not show the token");
    }
    assert!(guard.check_token(&HeaderMap::new()).is_err());
}

#[test]
fn subprotocol_is_chosen_only_when_offered() {
    let offered = |value: &str| offers_subprotocol(&headers(&[(SEC_WEBSOCKET_PROTOCOL, value)]));
    assert!(offered("od.v1, od.token.x"));
    assert!(!offered("od.v2, od.token.x"));
    assert!(!offers_subprotocol(&HeaderMap::new()));
}

#[test]
fn invalid_option_shows_example() {
    for text in ["*", "null", "localhost:5173", "http://", "http://a@b"] {
        let error = AllowedOrigin::parse(text).expect_err(text);
        assert!(error.hint.is_some_and(|hint| hint.contains("http://localhost:5173")));
    }
    for text in ["*", "*.example.org", "", "http://x", "a b", "x@y"] {
        assert!(AllowedHost::parse(text).is_err(), "{text}");
    }
}
