//! The rules of the repository, each a test.

mod adapters;
mod dependencies;
mod documents;
mod layers;
mod names;
mod packages;
mod sources;
mod top_level;
mod vendor_names;
mod work_tree;
