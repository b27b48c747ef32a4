//! Detection on made-up homes: what is found, what it costs, and what is left alone.

mod auth;
mod cli_query;
mod detect;
mod locate;
mod login_shell;
mod scratch;
mod version;
