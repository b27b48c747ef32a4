//! Who is judged: the right adapter and every mutant, each in a folder of its own.

use std::path::{Path, PathBuf};

use crate::mutant::{EXECUTABLE, FAULT_FILE, MUTANTS, Mutant, REACHED_FOLDER};
use crate::open::own_executable;
use crate::process;
use crate::reference_pack::REFERENCE_PACK;

/// The right adapter counts as a mutant that nothing may catch.
#[derive(Debug, Clone, Copy)]
pub struct Subject {
    /// The name of its fault, or `reference`.
    pub name: &'static str,
    /// What is wrong with it; `None` for the right adapter.
    pub mutant: Option<&'static Mutant>,
}

impl Subject {
    /// The one without a fault.
    pub const REFERENCE: Self = Self { name: "reference", mutant: None };

    /// The checks that must catch it.
    pub fn must_fail(&self) -> &'static [&'static str] {
        self.mutant.map_or(&[], |mutant| mutant.must_fail)
    }

    /// Whether a failure of this check is no surprise.
    pub fn may_fail(&self, id: &str) -> bool {
        self.mutant.is_some_and(|mutant| mutant.allows(id))
    }
}

/// Everybody, in the order of the chapters.
pub fn subjects() -> Vec<Subject> {
    let mutants =
        MUTANTS.iter().map(|mutant| Subject { name: mutant.fault.name(), mutant: Some(mutant) });
    std::iter::once(Subject::REFERENCE).chain(mutants).collect()
}

/// Where the self-test works.
pub struct Place {
    work: tempfile::TempDir,
    executable: PathBuf,
}

impl Place {
    /// A new folder with the pack and the executable that all adapters are made of.
    ///
    /// # Errors
    /// When something cannot be written.
    pub fn make() -> std::io::Result<Self> {
        let work = tempfile::Builder::new().prefix("conformance-self-").tempdir()?;
        let executable = own_executable(work.path())?;
        let place = Self { work, executable };
        for (name, text) in REFERENCE_PACK {
            let file = place.pack().join(name);
            file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(file, text)?;
        }
        Ok(place)
    }

    /// The pack of the suite's own adapter.
    pub fn pack(&self) -> PathBuf {
        self.work.path().join("pack")
    }

    /// The suite's own executable.
    pub fn executable(&self) -> &Path {
        &self.executable
    }

    /// Puts somebody into a folder of its own, which must not be there yet.
    ///
    /// # Errors
    /// When that cannot be done.
    pub fn put(&self, subject: Subject, purpose: &str) -> std::io::Result<Home> {
        let folder = self.work.path().join(format!("{}-{purpose}", subject.name));
        std::fs::create_dir_all(folder.join("work"))?;
        let executable = folder.join(process::executable_name(EXECUTABLE));
        if std::fs::hard_link(&self.executable, &executable).is_err() {
            std::fs::copy(&self.executable, &executable)?;
        }
        if subject.mutant.is_some() {
            std::fs::write(folder.join(FAULT_FILE), subject.name)?;
        }
        Ok(Home { folder, executable })
    }
}

/// The folder of one adapter; it goes away when dropped, since there are many and what a run
/// writes can be large.
pub struct Home {
    folder: PathBuf,
    /// The adapter.
    pub executable: PathBuf,
}

impl Home {
    /// Where its judgement works.
    pub fn work(&self) -> PathBuf {
        self.folder.join("work")
    }

    /// Asks the adapter to write down which faults it comes past, and says where.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn record(&self) -> std::io::Result<PathBuf> {
        let folder = self.folder.join(REACHED_FOLDER);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        process::left_below(&self.folder).into_iter().for_each(process::kill);
        // What is left lies below the folder of the self-test, which goes away at its end.
        let _left = std::fs::remove_dir_all(&self.folder);
    }
}
