//! The reference adapter: correct, or with exactly one fault on request (a mutant).
//!
//! A small adapter written from the specification alone, and its list of faults. It shares no code
//! with the sdk or the host, and contains no checks.
//!
//! The executable of the suite becomes this adapter when its file is called `od-adapter-mutant`;
//! the fault is named in a file `fault` beside it, or by `--fault NAME` when used by hand.
//!
//! # The agent CLI it drives
//! `parrot` does not exist. One JSON object per line in both directions, `t` names the type.
//!
//! | call | what it does |
//! |---|---|
//! | `parrot --version` | prints `parrot 2.4.1` |
//! | `parrot models` | prints `{"models":[{"id":"…","name","default","window","efforts"}],"current":"…"}` |
//! | `parrot run [--model M] [--session ID] [--resume ID] [--fork ID] [--deny COMMAND]… [--offline]` | reads its prompt from stdin |
//!
//! | stdin line | meaning |
//! |---|---|
//! | `{"t":"prompt","text":"…"}` | the first line, with the requested options: system, files, images, dirs, tools, no_tools, servers, schema, max_turns, mode, effort |
//! | `{"t":"answer","id":"…","allow":true}` | the answer to `ask`; `input` replaces the tool's input |
//! | `{"t":"more","text":"…"}` | input during the run |
//!
//! | stdout line | meaning |
//! |---|---|
//! | `hello` session, model, tools, servers | the session is known |
//! | `think` text · `think_end` | a fragment of a thought · its end |
//! | `say` text · `say_end` · `scrap` | a fragment of a message · its end · it starts again |
//! | `tool` id, name, kind, input, parts, title, server, parent · `tool_out` id, ok, output, code | a call · its result |
//! | `file` path, op, from, tool, diff | a file was changed |
//! | `ask` id, tool, summary, kind, input, wait_ms | an approval request |
//! | `usage` in, out, cached, cached_new, usd, thought, model, provider, tier | tokens so far; `usd` only if known |
//! | `slow_down` after_ms, until, window · `again` attempt, why, of, after_ms | a rate limit · a retry |
//! | `turn` `turn_end` `phase` `heard` `tool_log` `todo` `helper` `helper_end` `window` `quota` `picture` `skill` `plugin` `mode` `note` | the members of one protocol event each, see `reports` |
//! | `fail` code, text | the final message of a failure |
//! | `end` stop | the final message of a success |
//!
//! SIGINT stops it; it may still print messages before it exits. It logs in with
//! `PARROT_API_KEY` or with `~/.parrot/auth.json` (`token`, `expiresAt`). It keeps its sessions in
//! `~/.parrot/sessions/ID.jsonl`: a line `session` cwd, title, updated, then lines `user` text and
//! `say` text.

mod adapter;
mod approvals;
mod detect;
mod entry;
mod event_faults;
mod events;
mod fault;
mod fault_record;
mod finish;
mod handshake;
mod host_lines;
mod kept_state;
mod launch;
mod leaks;
mod limits;
mod line_limit;
mod lines;
mod manifest;
mod native;
mod options;
mod output;
mod ownership;
mod pipes;
mod probe;
mod redact;
mod reports;
mod run;
mod run_faults;
mod serve;
mod sessions;
mod stateless_events;
mod stop;
mod table;
#[cfg_attr(unix, path = "tree_unix.rs")]
#[cfg_attr(windows, path = "tree_windows.rs")]
mod tree;
mod unmapped;

pub use entry::{EXECUTABLE, FAULT_FILE, become_adapter};
pub use fault::Fault;
pub(crate) use fault::faults;
pub use fault_record::REACHED_FOLDER;
pub(crate) use table::mutant;
pub use table::{MUTANTS, Mutant};
