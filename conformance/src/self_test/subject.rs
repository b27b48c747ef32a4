//! The subjects: the reference adapter and every mutant, each in its own folder.

use std::path::{Path, PathBuf};

use crate::mutant::{EXECUTABLE, FAULT_FILE, MUTANTS, Mutant, REACHED_FOLDER};
use crate::process;
use crate::reference_pack::REFERENCE_PACK;
use crate::suite::copy_own_executable;

/// The reference adapter, which no check may fail, or a mutant.
#[derive(Debug, Clone, Copy)]
pub struct Subject {
    /// The name of its fault, or `reference`.
    pub name: &'static str,
    /// The mutant; `None` for the reference adapter.
    pub mutant: Option<&'static Mutant>,
}

impl Subject {
    /// The reference adapter.
    pub const REFERENCE: Self = Self { name: "reference", mutant: None };

    /// The checks that must fail.
    pub fn must_fail(&self) -> &'static [&'static str] {
        self.mutant.map_or(&[], |mutant| mutant.must_fail)
    }

    /// Whether this check may fail.
    pub fn may_fail(&self, id: &str) -> bool {
        self.mutant.is_some_and(|mutant| mutant.allows(id))
    }
}

/// All subjects, in the order of the chapters.
pub fn subjects() -> Vec<Subject> {
    let mutants =
        MUTANTS.iter().map(|mutant| Subject { name: mutant.fault.name(), mutant: Some(mutant) });
    std::iter::once(Subject::REFERENCE).chain(mutants).collect()
}

/// The folder of the self-test.
pub struct Location {
    work: tempfile::TempDir,
    executable: PathBuf,
}

impl Location {
    /// Creates it with the pack and the executable that becomes every adapter.
    ///
    /// # Errors
    /// When something cannot be written.
    pub fn make() -> std::io::Result<Self> {
        let work = tempfile::Builder::new().prefix("conformance-self-").tempdir()?;
        let executable = copy_own_executable(work.path())?;
        let location = Self { work, executable };
        for (name, text) in REFERENCE_PACK {
            let file = location.pack().join(name);
            file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(file, text)?;
        }
        Ok(location)
    }

    /// The pack of the reference adapter.
    pub fn pack(&self) -> PathBuf {
        self.work.path().join("pack")
    }

    /// The suite's own executable.
    pub fn executable(&self) -> &Path {
        &self.executable
    }

    /// Installs a subject in a new folder.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn install(&self, subject: Subject, purpose: &str) -> std::io::Result<SubjectFolder> {
        let installed = self.install_reference(&format!("{}-{purpose}", subject.name))?;
        if subject.mutant.is_some() {
            std::fs::write(installed.folder.join(FAULT_FILE), subject.name)?;
        }
        Ok(installed)
    }

    /// Installs the reference adapter in a new folder of this name.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn install_reference(&self, name: &str) -> std::io::Result<SubjectFolder> {
        let folder = self.work.path().join(name);
        std::fs::create_dir_all(folder.join("work"))?;
        let executable = folder.join(process::executable_name(EXECUTABLE));
        if std::fs::hard_link(&self.executable, &executable).is_err() {
            std::fs::copy(&self.executable, &executable)?;
        }
        Ok(SubjectFolder { folder, executable })
    }
}

/// The folder of one subject. Dropping it removes it: there are many, and their files can be large.
pub struct SubjectFolder {
    folder: PathBuf,
    /// The adapter.
    pub executable: PathBuf,
}

impl SubjectFolder {
    /// The folder of the adapter.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The work folder of the suite.
    pub fn work(&self) -> PathBuf {
        self.folder.join("work")
    }

    /// Makes the adapter record which faults it reaches; returns the folder of the records.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn record(&self) -> std::io::Result<PathBuf> {
        let folder = self.folder.join(REACHED_FOLDER);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}

impl Drop for SubjectFolder {
    fn drop(&mut self) {
        process::left_below(&self.folder).into_iter().for_each(process::kill);
        // Leftovers are below the folder of the self-test, which is removed at its end.
        let _left = std::fs::remove_dir_all(&self.folder);
    }
}
