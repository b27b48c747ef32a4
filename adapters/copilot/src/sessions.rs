//! Native sessions on disk: `<config>/session-state/<session>/events.jsonl`, one line per event, with
//! the line types of `--output-format json`. Read only. `sessions/transcript.rs` maps the lines.

mod transcript;

use std::path::{Path, PathBuf};

use od_sdk::session_files::{SessionFile, entries};

pub(crate) use transcript::Record;

fn files(config_dir: &Path) -> Vec<SessionFile> {
    let folders = entries(&config_dir.join("session-state")).into_iter();
    folders.filter_map(session_file).collect()
}

fn session_file(folder: PathBuf) -> Option<SessionFile> {
    let id = folder.file_name()?.to_str()?;
    SessionFile::at(folder.join("events.jsonl"), id)
}
