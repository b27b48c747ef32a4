//! Native sessions on disk: `<config>/projects/<folder>/chats/<session>.jsonl`, one record per
//! line. Read only. `sessions/transcript.rs` maps the records to events.

mod transcript;

use std::path::Path;

use od_sdk::session_files::{SessionFile, entries, project_folders};

pub(crate) use transcript::Record;

fn files(config_dir: &Path, cwd: Option<&str>) -> Vec<SessionFile> {
    let folders = project_folders(&config_dir.join("projects"), cwd);
    let files = folders.iter().flat_map(|folder| entries(&folder.join("chats")));
    files.filter_map(SessionFile::named_by_uuid).collect()
}
