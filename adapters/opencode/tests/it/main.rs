//! Both OpenCode adapters against recordings, test homes and scripted servers.

mod http;
mod opencode;
