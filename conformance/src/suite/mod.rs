//! The data that all contexts of one suite run share: the adapter, its manifest, the pack, the
//! schema and the violations found so far.

mod open;
mod state;

pub use open::{SuiteError, SuiteOptions, copy_own_executable, open};
pub use state::{MANIFEST_LOG, Suite, adapter_id};
