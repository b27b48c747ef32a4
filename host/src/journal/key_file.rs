//! Which run a client's key has started: one small file for each key, `keys/<sha256 of the key>`, with the id of the
//! run. Whoever has the file open is the only one who starts a run for the key, among all processes. What a key stands
//! for lives in the record of its run.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::{os, store};
use crate::home::OdHome;

/// The file of one key; as long as this lives nobody else has it.
#[derive(Debug)]
pub(crate) struct KeyFile {
    file: File,
}

impl KeyFile {
    /// Where it lies; a key may be any text, so its hash is its name.
    pub(crate) fn path(home: &OdHome, key: &str) -> PathBuf {
        home.keys().join(hex(&Sha256::digest(key)))
    }

    /// Takes the file of a key; `None` while somebody else has it.
    pub(crate) fn take(home: &OdHome, key: &str) -> std::io::Result<Option<Self>> {
        let path = Self::path(home, key);
        let owned = match os::own_any(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                make_folder(home)?;
                os::own_any(&path)
            }
            owned => owned,
        };
        Ok(owned?.map(|file| Self { file }))
    }

    /// The run that the key has started; it may be gone, or never have begun.
    pub(crate) fn run_id(&self) -> std::io::Result<Option<String>> {
        let mut run_id = String::new();
        (&self.file).seek(SeekFrom::Start(0))?;
        (&self.file).read_to_string(&mut run_id)?;
        Ok(store::is_proper_id(&run_id).then_some(run_id))
    }

    /// Writes down the run that is about to begin. First the key, then the run: a host that dies between the two has
    /// started nothing.
    pub(crate) fn assign(&self, run_id: &str) -> std::io::Result<()> {
        self.file.set_len(0)?;
        (&self.file).write_all(run_id.as_bytes())
    }
}

/// Removes the files of keys whose runs are gone; says how many. One that somebody has is left alone.
pub(crate) fn forget_removed(home: &OdHome) -> std::io::Result<usize> {
    let entries = match std::fs::read_dir(home.keys()) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let mut forgotten = 0;
    for entry in entries {
        let path = entry?.path();
        let key_file = match os::own_existing(&path) {
            Ok(Some(file)) => KeyFile { file },
            Ok(None) => continue,
            // Somebody else forgets it at the same moment.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let is_there = key_file.run_id()?.is_some_and(|run_id| home.run(&run_id).is_dir());
        if !is_there {
            os::remove_owned(key_file.file, &path)?;
            forgotten += 1;
        }
    }
    Ok(forgotten)
}

/// A hash as text.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn make_folder(home: &OdHome) -> std::io::Result<()> {
    match os::make_private_folder(&home.keys()) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        outcome => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch() -> (tempfile::TempDir, OdHome) {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let home = OdHome::at(folder.path().to_owned()).expect("an absolute path");
        (folder, home)
    }

    fn take(home: &OdHome, key: &str) -> KeyFile {
        KeyFile::take(home, key).expect("a file").expect("nobody has it")
    }

    #[test]
    fn one_at_a_time_has_a_key_and_others_are_free() {
        let (_folder, home) = scratch();
        let key = take(&home, "k");
        assert!(KeyFile::take(&home, "k").expect("a look").is_none());
        take(&home, "another");
        assert_eq!(key.run_id().expect("a file"), None);
        key.assign("a-rather-long-id").expect("a word");
        key.assign("run").expect("a word");
        drop(key);
        assert_eq!(take(&home, "k").run_id().expect("a file").as_deref(), Some("run"));
    }

    #[test]
    fn keys_of_runs_that_are_gone_are_forgotten_and_those_in_use_are_not() {
        let (_folder, home) = scratch();
        std::fs::create_dir_all(home.run("kept")).expect("a run");
        take(&home, "kept").assign("kept").expect("a word");
        take(&home, "gone").assign("gone").expect("a word");
        take(&home, "never begun");
        let in_use = take(&home, "in use");
        assert_eq!(forget_removed(&home).expect("a look"), 2);
        drop(in_use);
        assert_eq!(take(&home, "kept").run_id().expect("a file").as_deref(), Some("kept"));
        assert!(KeyFile::path(&home, "in use").exists() && !KeyFile::path(&home, "gone").exists());
    }

    #[cfg(unix)]
    #[test]
    fn whoever_opened_a_file_that_was_removed_meanwhile_gets_another() {
        let (_folder, home) = scratch();
        let path = KeyFile::path(&home, "k");
        let first = take(&home, "k");
        let late = File::open(&path).expect("it is there");
        os::remove_owned(first.file, &path).expect("it is ours");
        // Whoever came too late may lock the old file: that keeps nobody out, and is no right to the new one.
        rustix::fs::flock(&late, rustix::fs::FlockOperation::NonBlockingLockExclusive)
            .expect("nobody has the old one");
        let second = take(&home, "k");
        assert!(KeyFile::take(&home, "k").expect("a look").is_none());
        second.assign("run").expect("a word");
    }
}
