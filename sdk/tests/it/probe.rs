//! Detection with made-up home folders.

mod auth;
mod cli_query;
mod detect;
mod locate;
mod login_shell;
mod scratch;
mod version;
