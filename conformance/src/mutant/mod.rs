//! The suite's own adapter: right in every respect, or wrong in exactly one on request.
//!
//! What lives here: a small adapter written from the specification alone, and the list of faults
//! it can be started with. What does not: any code of the sdk or the host, and any check.
//!
//! The executable of the suite becomes this adapter when its file is called `od-adapter-mutant`;
//! the fault is named in a file `fault` beside it, or by `--fault NAME` when used by hand.
//!
//! # The agent CLI it drives
//! `parrot` is made up. One JSON object per line in both directions, `t` names the type.
//!
//! | call | what it does |
//! |---|---|
//! | `parrot --version` | prints `parrot 2.4.1` |
//! | `parrot models` | prints `{"models":[{"id":"…"}]}` |
//! | `parrot run [--model M] [--resume ID] [--fork ID] [--deny COMMAND]… [--offline]` | reads its prompt from stdin and works |
//!
//! | stdin line | meaning |
//! |---|---|
//! | `{"t":"prompt","text":"…"}` | the first line, with what is asked for: system, files, images, dirs, tools, no_tools, servers, schema, max_turns, mode, effort |
//! | `{"t":"answer","id":"…","allow":true}` | the answer to `ask` |
//! | `{"t":"more","text":"…"}` | said while it works |
//!
//! | stdout line | meaning |
//! |---|---|
//! | `hello` session, model | the session is known |
//! | `think` text · `think_end` | a piece of a thought · its end |
//! | `say` text · `say_end` | a piece of a message · its end |
//! | `tool` id, name, kind, input · `tool_out` id, ok, output, code | a call · its result |
//! | `file` path, op, from, tool | a file was changed |
//! | `ask` id, tool, summary, kind | waits for an answer |
//! | `usage` in, out, cached, cached_new, usd | figures so far; `usd` only when it is known |
//! | `slow_down` after_ms · `again` attempt, why | a rate limit · a retry |
//! | `fail` code, text | the last word of a failure |
//! | `end` stop | the last word of a success |
//!
//! SIGINT asks it to stop; it may still say something before it goes. It logs in with
//! `PARROT_API_KEY` or with `~/.parrot/auth.json` (`token`, `expiresAt`).

mod adapter;
mod detect;
mod entry;
mod events;
mod fault;
mod finish;
mod handshake;
mod launch;
mod limits;
mod lines;
mod manifest;
mod native;
mod options;
mod output;
mod phrases;
mod pipes;
mod probe;
mod reach;
mod redact;
mod run;
mod serve;
mod table;
#[cfg_attr(unix, path = "tree_unix.rs")]
#[cfg_attr(windows, path = "tree_windows.rs")]
mod tree;
mod unread;
mod waste;

pub use entry::{EXECUTABLE, FAULT_FILE, become_adapter};
pub use fault::Fault;
pub(crate) use fault::faults;
pub use reach::REACHED_FOLDER;
pub use table::{MUTANTS, Mutant};
