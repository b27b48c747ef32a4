//! ACP-WIRE: rules for every line of an agent, verified by `acp/invariants.rs`.

use super::AgentCheck;
use crate::check::{Gate, invariant};

pub(super) const CHECKS: &[AgentCheck] = &[
    invariant(
        "ACP-WIRE-01",
        "prints only JSON-RPC 2.0 messages in UTF-8 on stdout, one per line",
        "a banner, a log line or a stray print breaks the connection in most editors",
        Gate::NONE,
    )
    .cites(
        "Transports",
        "The agent MUST NOT write anything to its `stdout` that is not a valid ACP message.",
    ),
    invariant(
        "ACP-WIRE-02",
        "answers each request once, and sends no other responses",
        "a second response resolves another request or crashes the client",
        Gate::NONE,
    )
    .cites("Overview", "Methods: Request-response pairs that expect a result or error"),
    invariant(
        "ACP-WIRE-03",
        "sends messages only for sessions that exist",
        "an update of an unknown session is displayed nowhere, or in the wrong window",
        Gate::NONE,
    )
    .cites("Schema", "The ID of the session this update pertains to."),
    invariant(
        "ACP-WIRE-04",
        "sends updates with the members that their kind requires",
        "typed clients drop what they cannot read, so the user never sees it",
        Gate::NONE,
    )
    .cites(
        "Transports",
        "The agent MUST NOT write anything to its `stdout` that is not a valid ACP message.",
    ),
    invariant(
        "ACP-WIRE-05",
        "sends only update kinds of version 1, or kinds that start with an underscore",
        "clients written against the schema refuse the whole message",
        Gate::NONE,
    )
    .should()
    .cites("Extensibility", "All possible names are reserved for future protocol versions."),
];
