//! `schemas/v1/`, `schemas/api/v1/` and the types of the client packages, regenerated in memory and
//! compared with what is committed. `UPDATE_EXPECT=1` rewrites the files instead; the diff is
//! reviewed as code.

mod agents;
pub(crate) mod committed;
pub(crate) mod contract;
pub(crate) mod document;
mod examples;
mod host_readme;
mod markdown;
mod marked;
mod methods;
mod openrpc;
mod python;
pub(crate) mod readme;
pub(crate) mod shape;
mod types_md;
mod typescript;
