//! ACP-WIRE: rules over every line an agent prints; `watch` looks after them.

use super::rule;
use crate::case::{Check, Gate, Level};

pub(super) const CHECKS: &[Check] = &[
    rule(
        "ACP-WIRE-01",
        Level::Must,
        "prints nothing on stdout but JSON-RPC 2.0 messages in UTF-8, one a line",
        "a banner, a log line or a stray print breaks the connection in most editors",
        Gate::NONE,
    ),
    rule(
        "ACP-WIRE-02",
        Level::Must,
        "answers each request once, and nothing that was not asked",
        "a second answer resolves somebody else's request or crashes the client",
        Gate::NONE,
    ),
    rule(
        "ACP-WIRE-03",
        Level::Must,
        "names only sessions that exist in what it sends",
        "an update of an unknown session is shown nowhere, or in the wrong window",
        Gate::NONE,
    ),
    rule(
        "ACP-WIRE-04",
        Level::Must,
        "sends updates with the members that their kind asks for",
        "typed clients drop what they cannot read, so the user never sees it",
        Gate::NONE,
    ),
    rule(
        "ACP-WIRE-05",
        Level::Should,
        "sends only kinds of updates that version 1 knows, or such that start with an underscore",
        "clients written against the schema refuse the whole message",
        Gate::NONE,
    ),
];
