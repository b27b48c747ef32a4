//! The rules of the repository, each a test: who may depend on whom, what a folder holds, how a
//! source file begins.

mod adapters;
mod dependencies;
mod files;
mod sources;
mod top_level;
