//! Pi: its manifest, dialect and login.

pub mod auth;
pub mod dialect;
pub mod manifest;

pub use manifest::PI;
