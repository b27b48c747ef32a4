//! The tests of the protocol crate: what is published, what is read, what the repository promises.

mod messages;
mod schemas;
mod validator;
