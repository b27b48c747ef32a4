//! The embedded packs that `fixtures init` writes, one per transport of an agent CLI.

use clap::ValueEnum;

use crate::embedded::{Files, embedded_files};

/// The agent CLI's name in the starter packs, which `--cli` replaces.
pub(super) const STARTER_CLI: &str = "my-agent";

const SETTINGS: &str = include_str!("../../packs/starter/conformance.toml");

/// The transport of an agent CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    /// Prompt on stdin until its end, lines on stdout.
    Lines,
    /// Lines both ways.
    Rpc,
    /// An HTTP server with an event stream.
    Http,
    /// Lines on a terminal.
    Pty,
}

/// The step files of one transport.
macro_rules! steps {
    ($folder:literal) => {
        embedded_files!($folder: "text.steps" "tool_ok.steps" "cancel.steps")
    };
}

impl Kind {
    /// The files of a new pack for an agent CLI of this name.
    pub(super) fn files(self, cli: &str) -> Vec<(&'static str, String)> {
        let steps: Files = match self {
            Self::Lines => steps!("packs/starter/lines"),
            Self::Rpc => steps!("packs/starter/rpc"),
            Self::Http => steps!("packs/starter/http"),
            Self::Pty => steps!("packs/starter/pty"),
        };
        let named = |text: &str| {
            text.replace(STARTER_CLI, cli).replace(&variable(STARTER_CLI), &variable(cli))
        };
        let settings = [("conformance.toml", named(&self.settings()))];
        settings.into_iter().chain(steps.iter().map(|(name, text)| (*name, named(text)))).collect()
    }

    fn settings(self) -> String {
        match self {
            Self::Lines => SETTINGS.replace("prompt = \"rpc\"  ", "prompt = \"stdin\""),
            Self::Rpc | Self::Http => SETTINGS.to_owned(),
            Self::Pty => {
                let pty = "pty = true                  # the CLI needs a terminal\nversion = ";
                SETTINGS.replacen("version = ", pty, 1)
            }
        }
    }
}

/// The prefix of the CLI's environment variables.
fn variable(cli: &str) -> String {
    cli.to_ascii_uppercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}
