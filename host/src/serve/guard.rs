//! Who may come in: pure rules over the headers of a request. A web page elsewhere can make a browser
//! send requests to this machine, and a name it owns can point here; so the `Host` must be ours, an
//! `Origin` must be ours or allowed, and a token that no page can know must be shown.

use std::net::{IpAddr, SocketAddr};

use http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderValue, ORIGIN, SEC_WEBSOCKET_PROTOCOL};
use http::uri::Authority;

use super::refusal::Refusal;
use super::token::Token;
use crate::error::HostError;
use crate::telemetry::metrics::Refusal as Reason;

/// The WebSocket subprotocol of this API.
pub(super) const SUBPROTOCOL: &str = "od.v1";
/// A browser's WebSocket cannot send headers of its own; it offers the token as a subprotocol.
const TOKEN_SUBPROTOCOL: &str = "od.token.";

const HOST_HINT: &str =
    "call the address that `od-host serve` printed, or start it with --allow-host NAME";
const ORIGIN_HINT: &str = "start od-host serve with --allow-origin ORIGIN if you trust that page";

/// See the module.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) address: SocketAddr,
    pub(super) secure: bool,
    pub(super) hosts: Vec<AllowedHost>,
    pub(super) origins: Vec<AllowedOrigin>,
    pub(super) token: Token,
}

/// A name that may stand in `Host` besides our own; without a port it fits any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AllowedHost {
    name: String,
    port: Option<u16>,
}

/// A web page's origin that may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AllowedOrigin(String);

impl AllowedHost {
    /// Reads `--allow-host`.
    pub(super) fn parse(text: &str) -> Result<Self, HostError> {
        let is_name = |it: &Authority| !it.as_str().contains(['@', '*']);
        let authority = text.parse::<Authority>().ok().filter(is_name);
        let authority = authority.ok_or_else(|| {
            HostError::usage(format!("{text:?} is no host name")).with_hint(
                "--allow-host takes a name or name:port, such as od.example.org; \
                 there is no word for all of them",
            )
        })?;
        Ok(Self { name: name_of(&authority), port: authority.port_u16() })
    }
}

impl AllowedOrigin {
    /// Reads `--allow-origin`.
    pub(super) fn parse(text: &str) -> Result<Self, HostError> {
        let trimmed = text.trim_end_matches('/');
        match split_origin(trimmed) {
            Some(_) => Ok(Self(trimmed.to_ascii_lowercase())),
            None => Err(HostError::usage(format!("{text:?} is no origin")).with_hint(
                "--allow-origin takes scheme://name[:port], such as http://localhost:5173; \
                 there is no word for all of them",
            )),
        }
    }
}

impl Guard {
    /// The `Host` must be an address or name of ours, so that a name which somebody else points at this
    /// machine is of no use.
    pub(super) fn check_host(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let refuse = |text: String| Err(Refusal::forbidden(Reason::Host, text, HOST_HINT));
        let mut hosts = headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return refuse("the request must have one Host".to_owned());
        };
        match authority(host) {
            Some(authority) if self.is_allowed(&authority) => Ok(()),
            _ => refuse(format!("the Host {host:?} is not allowed")),
        }
    }

    /// An `Origin`, where there is one, must be our own or an allowed one. Gives the one of another site
    /// back, for the headers that let its page read the answer.
    pub(super) fn check_origin(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, Refusal> {
        let Some(value) = headers.get(ORIGIN) else { return Ok(None) };
        let text = value.to_str().unwrap_or_default().to_ascii_lowercase();
        if self.origins.iter().any(|allowed| allowed.0 == text) {
            return Ok(Some(value.clone()));
        }
        let scheme = if self.secure { "https" } else { "http" };
        match split_origin(&text) {
            Some((own, authority)) if own == scheme && self.is_own(&authority) => Ok(None),
            _ => {
                let text = format!("the Origin {value:?} is not allowed");
                Err(Refusal::forbidden(Reason::Origin, text, ORIGIN_HINT))
            }
        }
    }

    /// The token, as a bearer or as a WebSocket's subprotocol.
    pub(super) fn check_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let offered = bearer(headers).or_else(|| {
            subprotocols(headers).find_map(|name| name.strip_prefix(TOKEN_SUBPROTOCOL))
        });
        match offered {
            Some(offered) if self.token.fits(offered) => Ok(()),
            Some(_) => Err(Refusal::unauthorized("the token is wrong")),
            None => Err(Refusal::unauthorized("the token is missing")),
        }
    }

    fn is_allowed(&self, authority: &Authority) -> bool {
        let name = name_of(authority);
        let allowed = |host: &AllowedHost| {
            host.name == name && host.port.is_none_or(|port| Some(port) == authority.port_u16())
        };
        self.is_own(authority) || self.hosts.iter().any(allowed)
    }

    /// Names of loopback, the address we are bound to, and, where we are bound beyond loopback, any
    /// plain address: only names can be pointed elsewhere.
    fn is_own(&self, authority: &Authority) -> bool {
        let usual = if self.secure { 443 } else { 80 };
        if authority.port_u16().unwrap_or(usual) != self.address.port() {
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

/// Whether the client offers our subprotocol and so must be told that it was taken.
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

/// In lower case and without the dot that may end a full name.
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
