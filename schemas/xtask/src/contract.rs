//! The two contracts that are published: between host and adapter, and between an app and the host.
//! All generators work on one of them; what differs between the two is a value here.

use std::sync::LazyLock;

use od_protocol::adapter::{CANCEL_REQUEST, METHODS, RUN_EVENT};
use od_protocol::api::{self, HOST_ERROR_KINDS, SUBSCRIPTIONS, Subscription};
use od_protocol::{ErrorKind, Method, PROTOCOL_MAJOR};
use serde_json::Value;

use crate::message_types::{ADAPTER_TYPES, API_TYPES, MessageType};
use crate::schema_json;

/// All that the generators need to know of one contract.
pub struct Contract {
    /// Where its files are, from the repository's root.
    folder: &'static str,
    /// Its TypeScript types, from the repository's root.
    pub types_ts: &'static str,
    /// Its Python types, from the repository's root.
    pub types_py: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// The name and value of the constant for its major.
    pub major: (&'static str, u32),
    /// `$id` of the schema.
    pub id: &'static str,
    /// What the schema describes.
    pub about_schema: &'static str,
    /// Who answers, and where.
    pub about_methods: &'static str,
    /// Who calls.
    pub caller: &'static str,
    /// The files that say the same to programs.
    pub sources: &'static str,
    /// Its page for people, from the repository's root.
    pub specification: &'static str,
    /// The types in its schema.
    pub types: &'static [MessageType],
    /// What can be called.
    pub methods: &'static [Method],
    /// What can be subscribed to.
    pub subscriptions: &'static [Subscription],
    /// What gets no answer.
    pub notifications: &'static [Notification],
    /// The kinds of errors that may be answered.
    pub errors: fn() -> Vec<ErrorRow>,
    /// Those of them that have their examples here.
    pub own_errors: fn() -> Vec<ErrorRow>,
    /// Its schema.
    pub document: LazyLock<Value>,
}

/// A notification: its name, the side that sends it, its parameters' type and what it is for.
pub struct Notification {
    pub name: &'static str,
    pub sender: &'static str,
    pub params: &'static str,
    pub summary: &'static str,
}

/// A kind of error, its JSON-RPC code and what it means.
pub struct ErrorRow {
    pub kind: &'static str,
    pub code: i32,
    pub summary: &'static str,
}

/// Both contracts.
pub static CONTRACTS: [&Contract; 2] = [&ADAPTER, &API];

/// Between the host and an `od-adapter-*` executable.
pub static ADAPTER: Contract = Contract {
    folder: "schemas/v1",
    types_ts: "schemas/v1/types.ts",
    types_py: "schemas/v1/types.py",
    title: "OD adapter protocol",
    major: ("PROTOCOL_MAJOR", PROTOCOL_MAJOR),
    id: "urn:odap:1",
    about_schema: "Every message between a host and an od-adapter-* executable. Validate a message \
        against the definition of its name; methods.json says which method takes which.",
    about_methods: "What an od-adapter-* executable answers on its stdin and stdout, one JSON-RPC \
        2.0 message a line.",
    caller: "the host",
    sources: "schemas/v1/schema.json and methods.json",
    specification: "protocol/README.md",
    types: ADAPTER_TYPES,
    methods: METHODS,
    subscriptions: &[],
    notifications: &[
        Notification {
            name: RUN_EVENT,
            sender: "adapter",
            params: "RunEventParams",
            summary: "Says what happened in a run.",
        },
        Notification {
            name: CANCEL_REQUEST,
            sender: "host",
            params: "CancelRequestParams",
            summary: "Gives a request up; it still gets a response.",
        },
    ],
    errors: protocol_errors,
    own_errors: protocol_errors,
    document: LazyLock::new(|| schema_json::generate(&ADAPTER)),
};

/// Between an app and `od-host serve`.
pub static API: Contract = Contract {
    folder: "schemas/api/v1",
    // In the client packages themselves: each of them can be copied as it is.
    types_ts: "schemas/api/examples/typescript/src/types.ts",
    types_py: "schemas/api/examples/python/od_host_client/types.py",
    title: "OD host API",
    major: ("API_MAJOR", api::API_MAJOR),
    id: "urn:od-host-api:1",
    about_schema: "Every message between an app and od-host serve. Validate a message against the \
        definition of its name; openrpc.json says which method takes which.",
    about_methods: "What od-host serve answers, over WebSocket, HTTP (POST, one call a request) or \
        its stdin and stdout (one JSON-RPC 2.0 message a line). Over HTTP the events of a run come \
        from GET /runs/{runId}/events?from=SEQ as server-sent events.",
    caller: "an app",
    sources: "schemas/api/v1/schema.json and openrpc.json",
    specification: "host/README.md",
    types: API_TYPES,
    methods: api::METHODS,
    subscriptions: SUBSCRIPTIONS,
    notifications: &[Notification {
        name: api::ATTACH_RUN.notification,
        sender: "host",
        params: "AttachedEvents",
        summary: "Brings events of a run that was attached.",
    }],
    errors: all_errors,
    own_errors: host_errors,
    document: LazyLock::new(|| schema_json::generate(&API)),
};

impl Contract {
    /// A file of this contract, from the repository's root.
    pub fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }

    /// The way from its folder to the repository's root.
    pub fn to_root(&self) -> String {
        "../".repeat(self.folder.split('/').count())
    }

    /// Its title and major.
    pub fn versioned_title(&self) -> String {
        format!("{}, version {}", self.title, self.major.1)
    }
}

fn protocol_errors() -> Vec<ErrorRow> {
    let row = |kind: &'static ErrorKind| ErrorRow {
        kind: kind.as_str(),
        code: kind.code(),
        summary: kind.summary(),
    };
    ErrorKind::KNOWN.iter().map(row).collect()
}

fn host_errors() -> Vec<ErrorRow> {
    let kinds = HOST_ERROR_KINDS.iter();
    kinds.map(|kind| ErrorRow { kind: kind.kind, code: kind.code, summary: kind.summary }).collect()
}

fn all_errors() -> Vec<ErrorRow> {
    protocol_errors().into_iter().chain(host_errors()).collect()
}
