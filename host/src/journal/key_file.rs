//! The run that a client's idempotency key started: one file per key, `keys/<sha256 of the key>`, with the id of the
//! run. Only the process that has the file locked may start a run for the key. The record of the run has the request
//! that the key belongs to.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::{os, store};
use crate::files::names_in;
use crate::files::stamp::hex;
use crate::home::OdHome;

/// The file of one key, locked until this is dropped.
#[derive(Debug)]
pub(crate) struct KeyFile {
    file: File,
}

impl KeyFile {
    /// The path of the file; a key may be any text, so the file is named after its hash.
    pub(crate) fn path(home: &OdHome, key: &str) -> PathBuf {
        home.keys().join(hex(&Sha256::digest(key)))
    }

    /// Locks the file of a key; `None` while another process has it.
    pub(crate) fn lock(home: &OdHome, key: &str) -> std::io::Result<Option<Self>> {
        let path = Self::path(home, key);
        let locked = match os::lock_or_create(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                make_folder(home)?;
                os::lock_or_create(&path)
            }
            locked => locked,
        };
        Ok(locked?.map(|file| Self { file }))
    }

    /// The run of the key; it may have been removed or never started.
    pub(crate) fn run_id(&self) -> std::io::Result<Option<String>> {
        let mut run_id = String::new();
        (&self.file).seek(SeekFrom::Start(0))?;
        (&self.file).read_to_string(&mut run_id)?;
        Ok(store::is_valid_id(&run_id).then_some(run_id))
    }

    /// Stores the run that is about to start. The key is written before the run, so that a host that dies in between
    /// has started nothing.
    pub(crate) fn assign(&self, run_id: &str) -> std::io::Result<()> {
        self.file.set_len(0)?;
        (&self.file).write_all(run_id.as_bytes())
    }
}

/// Removes the files of keys whose runs were removed; returns the number. Locked files are skipped.
pub(crate) fn forget_removed(home: &OdHome) -> std::io::Result<usize> {
    let folder = home.keys();
    let mut removed = 0;
    for name in names_in(&folder)? {
        let path = folder.join(name);
        let key_file = match os::lock_existing(&path) {
            Ok(Some(file)) => KeyFile { file },
            Ok(None) => continue,
            // Another process has just removed it.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let exists = key_file.run_id()?.is_some_and(|run_id| home.run(&run_id).is_dir());
        if !exists {
            os::remove_locked(key_file.file, &path)?;
            removed += 1;
        }
    }
    Ok(removed)
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

    fn take(home: &OdHome, key: &str) -> KeyFile {
        KeyFile::lock(home, key).expect("a file").expect("an unlocked file")
    }

    #[test]
    fn key_lock_is_exclusive_per_key() {
        let (_folder, home) = OdHome::temporary();
        let key = take(&home, "k");
        assert!(KeyFile::lock(&home, "k").expect("a result").is_none());
        take(&home, "another");
        assert_eq!(key.run_id().expect("a file"), None);
        key.assign("a-rather-long-id").expect("it is written");
        key.assign("run").expect("it is written");
        drop(key);
        assert_eq!(take(&home, "k").run_id().expect("a file").as_deref(), Some("run"));
    }

    #[test]
    fn keys_of_removed_runs_are_removed() {
        let (_folder, home) = OdHome::temporary();
        std::fs::create_dir_all(home.run("kept")).expect("a run");
        take(&home, "kept").assign("kept").expect("it is written");
        take(&home, "gone").assign("gone").expect("it is written");
        take(&home, "never started");
        let in_use = take(&home, "in use");
        assert_eq!(forget_removed(&home).expect("a result"), 2);
        drop(in_use);
        assert_eq!(take(&home, "kept").run_id().expect("a file").as_deref(), Some("kept"));
        assert!(KeyFile::path(&home, "in use").exists() && !KeyFile::path(&home, "gone").exists());
    }

    #[cfg(unix)]
    #[test]
    fn locking_removed_key_file_creates_new_one() {
        let (_folder, home) = OdHome::temporary();
        let path = KeyFile::path(&home, "k");
        let first = take(&home, "k");
        let late = File::open(&path).expect("it exists");
        os::remove_locked(first.file, &path).expect("it is ours");
        // A lock on the removed file does not affect the new file.
        rustix::fs::flock(&late, rustix::fs::FlockOperation::NonBlockingLockExclusive)
            .expect("the removed file is unlocked");
        let second = take(&home, "k");
        assert!(KeyFile::lock(&home, "k").expect("a result").is_none());
        second.assign("run").expect("it is written");
    }
}
