//! Code generation for the repository: JSON Schemas, OpenRPC documents, TypeScript and Python types, and the tables
//! between markers in the READMEs. The source is `od-protocol` with its feature `schema`, and the adapters' manifests.
//!
//! `cargo xtask generate` rewrites the files, `cargo xtask generate --check` only compares them. The tests of this
//! crate are the rules of the repository.

#![expect(missing_docs, reason = "an internal tool whose library exists for its own tests")]

pub mod contract;
pub mod examples;
pub mod files;
pub mod generate;
pub mod host_readme;
pub mod markdown;
pub mod markers;
pub mod message_types;
pub mod methods_json;
pub mod normative_text;
pub mod openrpc;
pub mod python;
pub mod requirements;
pub mod root_readme;
pub mod schema_json;
pub mod shape;
pub mod specification;
pub mod types_md;
pub mod typescript;
