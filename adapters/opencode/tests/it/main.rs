//! Both OpenCode adapters against recordings, made-up homes and scripted servers.

mod http;
mod opencode;
