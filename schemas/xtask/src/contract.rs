//! The two published contracts: between host and adapter, and between client and host. Every generator works on one of
//! them; the differences are values here.

use std::sync::LazyLock;

use od_protocol::adapter::{CANCEL_REQUEST, METHODS, RUN_EVENT};
use od_protocol::api::{self, HOST_ERROR_KINDS, SUBSCRIPTIONS, Subscription};
use od_protocol::{ErrorKind, Method, PROTOCOL_MAJOR};
use serde_json::Value;

use crate::message_types::{ADAPTER_TYPES, API_TYPES, MessageType};
use crate::schema_json;

/// Everything that the generators need to know about one contract.
pub struct Contract {
    /// The folder of its files, from the root of the repository.
    folder: &'static str,
    /// The file of its TypeScript types, from the root of the repository.
    pub types_ts: &'static str,
    /// The file of its Python types, from the root of the repository.
    pub types_py: &'static str,
    /// The title.
    pub title: &'static str,
    /// The name and value of the constant of its major.
    pub major: (&'static str, u32),
    /// `$id` of the schema.
    pub id: &'static str,
    /// The description of the schema.
    pub about_schema: &'static str,
    /// The description of the methods.
    pub about_methods: &'static str,
    /// The caller of the methods.
    pub caller: &'static str,
    /// The machine-readable files of the contract.
    pub sources: &'static str,
    /// The document with its specification, from the root of the repository.
    pub specification: &'static str,
    /// The types in its schema.
    pub types: &'static [MessageType],
    /// The methods.
    pub methods: &'static [Method],
    /// The subscriptions.
    pub subscriptions: &'static [Subscription],
    /// The notifications.
    pub notifications: &'static [Notification],
    /// The error kinds of responses.
    pub errors: fn() -> Vec<ErrorRow>,
    /// The error kinds that have examples in this contract.
    pub own_errors: fn() -> Vec<ErrorRow>,
    /// The JSON Schema.
    pub document: LazyLock<Value>,
}

/// A notification: its name, its sender, the type of its parameters and its summary.
pub struct Notification {
    pub name: &'static str,
    pub sender: &'static str,
    pub params: &'static str,
    pub summary: &'static str,
}

/// An error kind, its JSON-RPC code and its meaning.
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
        against the definition of its name; methods.json lists the types of each method.",
    about_methods: "The methods of an od-adapter-* executable over its stdin and stdout, one JSON-RPC \
        2.0 message per line.",
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
            summary: "Reports an event of a run.",
        },
        Notification {
            name: CANCEL_REQUEST,
            sender: "host",
            params: "CancelRequestParams",
            summary: "Cancels a request, which still gets a response.",
        },
    ],
    errors: protocol_errors,
    own_errors: protocol_errors,
    document: LazyLock::new(|| schema_json::generate(&ADAPTER)),
};

/// Between a client and `od-host serve`.
pub static API: Contract = Contract {
    folder: "schemas/api/v1",
    // Inside the client packages, so that each package is complete.
    types_ts: "schemas/api/examples/typescript/src/types.ts",
    types_py: "schemas/api/examples/python/od_host_client/types.py",
    title: "OD host API",
    major: ("API_MAJOR", api::API_MAJOR),
    id: "urn:od-host-api:1",
    about_schema: "Every message between a client and od-host serve. Validate a message against the \
        definition of its name; openrpc.json lists the types of each method.",
    about_methods: "The methods of od-host serve over WebSocket, HTTP (POST, one call per request) or \
        its stdin and stdout (one JSON-RPC 2.0 message per line). Over HTTP the events of a run come \
        from GET /runs/{runId}/events?from=SEQ as server-sent events.",
    caller: "a client",
    sources: "schemas/api/v1/schema.json and openrpc.json",
    specification: "host/README.md",
    types: API_TYPES,
    methods: api::METHODS,
    subscriptions: SUBSCRIPTIONS,
    notifications: &[Notification {
        name: api::ATTACH_RUN.notification,
        sender: "host",
        params: "AttachedEvents",
        summary: "Delivers events of an attached run.",
    }],
    errors: all_errors,
    own_errors: host_errors,
    document: LazyLock::new(|| schema_json::generate(&API)),
};

impl Contract {
    /// A file of this contract, from the root of the repository.
    pub fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }

    /// The relative path from its folder to the root of the repository.
    pub fn to_root(&self) -> String {
        "../".repeat(self.folder.split('/').count())
    }

    /// The title with the major.
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
