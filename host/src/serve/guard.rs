//! Checks the headers of a request. Pure. A web page can make a browser send requests to this machine, and DNS can
//! point a foreign name here; so `Host` and `Origin` must be ours or allowed, and the request needs a token that no
//! page knows.

use std::net::{IpAddr, SocketAddr};

use http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderValue, ORIGIN, SEC_WEBSOCKET_PROTOCOL};
use http::uri::Authority;

use super::refusal::Refusal;
use super::token::Token;
use crate::error::HostError;
use crate::telemetry::metrics::Refusal as Reason;

/// The WebSocket subprotocol of this API.
pub(super) const SUBPROTOCOL: &str = "od.v1";
/// A browser's WebSocket cannot set headers; it sends the token as a subprotocol.
const TOKEN_SUBPROTOCOL: &str = "od.token.";

const HOST_HINT: &str =
    "use the address that `od-host serve` printed, or start it with --allow-host NAME";
const ORIGIN_HINT: &str = "if you trust that page, start od-host serve with --allow-origin ORIGIN";

/// The rules of one server.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) address: SocketAddr,
    pub(super) is_tls: bool,
    pub(super) hosts: Vec<AllowedHost>,
    pub(super) origins: Vec<AllowedOrigin>,
    pub(super) token: Token,
}

/// A further allowed name in `Host`; without a port it matches any port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AllowedHost {
    name: String,
    port: Option<u16>,
}

/// An allowed origin of web pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AllowedOrigin(String);

impl AllowedHost {
    /// Parses `--allow-host`.
    pub(super) fn parse(text: &str) -> Result<Self, HostError> {
        let is_name = |it: &Authority| !it.as_str().contains(['@', '*']);
        let authority = text.parse::<Authority>().ok().filter(is_name);
        let authority = authority.ok_or_else(|| {
            HostError::usage(format!("{text:?} is not a host name")).with_hint(
                "--allow-host expects name or name:port, such as od.example.org; \
                 wildcards are not supported",
            )
        })?;
        Ok(Self { name: name_of(&authority), port: authority.port_u16() })
    }
}

impl AllowedOrigin {
    /// Parses `--allow-origin`.
    pub(super) fn parse(text: &str) -> Result<Self, HostError> {
        let trimmed = text.trim_end_matches('/');
        match split_origin(trimmed) {
            Some(_) => Ok(Self(trimmed.to_ascii_lowercase())),
            None => Err(HostError::usage(format!("{text:?} is not an origin")).with_hint(
                "--allow-origin expects scheme://name[:port], such as http://localhost:5173; \
                 wildcards are not supported",
            )),
        }
    }
}

impl Guard {
    /// `Host` must be our own address or an allowed name, which prevents DNS rebinding.
    pub(super) fn check_host(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let refuse = |text: String| Err(Refusal::forbidden(Reason::Host, text, HOST_HINT));
        let mut hosts = headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return refuse("the request must have exactly one Host header".to_owned());
        };
        match authority(host) {
            Some(authority) if self.is_allowed(&authority) => Ok(()),
            _ => refuse(format!("Host {host:?} is not allowed")),
        }
    }

    /// `Origin`, if present, must be our own or allowed. Returns an allowed foreign one for the CORS headers.
    pub(super) fn check_origin(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, Refusal> {
        let Some(value) = headers.get(ORIGIN) else { return Ok(None) };
        let text = value.to_str().unwrap_or_default().to_ascii_lowercase();
        if self.origins.iter().any(|allowed| allowed.0 == text) {
            return Ok(Some(value.clone()));
        }
        let scheme = if self.is_tls { "https" } else { "http" };
        match split_origin(&text) {
            Some((own, authority)) if own == scheme && self.is_own(&authority) => Ok(None),
            _ => {
                let text = format!("Origin {value:?} is not allowed");
                Err(Refusal::forbidden(Reason::Origin, text, ORIGIN_HINT))
            }
        }
    }

    /// The token must be present as a bearer token or as a WebSocket subprotocol.
    pub(super) fn check_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let offered = bearer(headers).or_else(|| {
            subprotocols(headers).find_map(|name| name.strip_prefix(TOKEN_SUBPROTOCOL))
        });
        match offered {
            Some(offered) if self.token.matches(offered) => Ok(()),
            Some(_) => Err(Refusal::unauthorized("wrong token")),
            None => Err(Refusal::unauthorized("missing token")),
        }
    }

    fn is_allowed(&self, authority: &Authority) -> bool {
        let name = name_of(authority);
        let allowed = |host: &AllowedHost| {
            host.name == name && host.port.is_none_or(|port| Some(port) == authority.port_u16())
        };
        self.is_own(authority) || self.hosts.iter().any(allowed)
    }

    /// Loopback names, the bound address, and any IP address when we are bound to a public address: DNS rebinding
    /// needs a name.
    fn is_own(&self, authority: &Authority) -> bool {
        let default_port = if self.is_tls { 443 } else { 80 };
        if authority.port_u16().unwrap_or(default_port) != self.address.port() {
            return false;
        }
        let name = name_of(authority);
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            Ok(address) => {
                let bound = self.address.ip();
                address.is_loopback() || address == bound || !bound.is_loopback()
            }
            Err(_) => name == "localhost",
        }
    }
}

/// Whether the client offers our subprotocol, which the response must then confirm.
pub(super) fn offers_subprotocol(headers: &HeaderMap) -> bool {
    subprotocols(headers).any(|name| name == SUBPROTOCOL)
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn subprotocols(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter();
    values.filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(',')).map(str::trim)
}

fn authority(value: &HeaderValue) -> Option<Authority> {
    let authority: Authority = value.to_str().ok()?.parse().ok()?;
    (!authority.as_str().contains('@')).then_some(authority)
}

/// The host name in lower case, without a trailing dot.
fn name_of(authority: &Authority) -> String {
    let host = authority.host();
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

fn split_origin(text: &str) -> Option<(&str, Authority)> {
    let (scheme, authority) = text.split_once("://")?;
    let plain = !scheme.is_empty()
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let authority: Authority = authority.parse().ok()?;
    (plain && !authority.as_str().contains('@')).then_some((scheme, authority))
}

#[cfg(test)]
mod tests;
