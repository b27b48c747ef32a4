//! The rules of one agent CLI: its own codes, texts and hints, as data.

use od_protocol::ErrorKind;

use super::{Classification, FailureReport, hint};

/// How one agent CLI reports failures. A constant of its adapter; every field has a default in
/// [`FailureRules::DEFAULT`].
#[derive(Debug, Clone, Copy)]
pub struct FailureRules {
    /// Prefix of the CLI's own error kinds: `example` gives `_example.refusal`.
    pub vendor: &'static str,
    /// The adapter's id, for the hint that lists its models.
    pub adapter_id: &'static str,
    /// The CLI's own kind, without its prefix, of a failure that no rule matches.
    pub unknown: &'static str,
    /// The hint of such a failure.
    pub unknown_hint: &'static str,
    /// Product names that keep their capital letter at the start of a message.
    pub names: &'static [&'static str],
    /// The CLI's own codes; each text of a rule is a whole code.
    pub codes: &'static [Rule],
    /// The CLI's own texts. They take precedence over HTTP statuses, so they must be precise.
    pub texts: &'static [Rule],
    /// Lines of stderr by which the CLI refuses to start.
    pub refusals: &'static [Rule],
    /// Hints that replace the default ones.
    pub hints: &'static [(ErrorKind, &'static str)],
    /// Hint where no login exists.
    pub login: &'static str,
    /// Hint where the login expired or was refused; [`FailureRules::login`] if empty.
    pub login_again: &'static str,
    /// Added to the hint that names the refused credential.
    pub refused_suffix: &'static str,
    /// What to check when the provider cannot be reached.
    pub base_url: &'static str,
    /// The command that installs the tested version.
    pub install: &'static str,
}

impl FailureRules {
    /// No rules.
    pub const DEFAULT: Self = Self {
        vendor: "",
        adapter_id: "",
        unknown: "api_error",
        unknown_hint: "",
        names: &[],
        codes: &[],
        texts: &[],
        refusals: &[],
        hints: &[],
        login: "log in with the agent CLI, or set its key",
        login_again: "",
        refused_suffix: "",
        base_url: "the base URL",
        install: "",
    };

    /// A failure of a known kind, with its hint.
    pub fn classification(&self, kind: ErrorKind, report: &FailureReport<'_>) -> Classification {
        Classification {
            retryable: matches!(kind, ErrorKind::RateLimited | ErrorKind::NetworkUnreachable),
            hint: hint::hint(&kind, self, report.credential),
            kind,
            is_known: true,
        }
    }

    /// The failure that a rule describes.
    pub(super) fn apply(&self, rule: &Rule, report: &FailureReport<'_>) -> Classification {
        let kind = match &rule.kind {
            Kind::Standard(kind) => kind.clone(),
            Kind::Vendor(name) => self.vendor_kind(name),
        };
        let classification = self.classification(kind, report);
        match rule.hint {
            "" => classification,
            hint => Classification { hint: Some(hint.to_owned()), ..classification },
        }
    }

    fn vendor_kind(&self, name: &str) -> ErrorKind {
        ErrorKind::Vendor(format!("_{}.{name}", self.vendor))
    }

    pub(super) fn unknown_failure(&self, report: &FailureReport<'_>) -> Classification {
        let kind = self.vendor_kind(self.unknown);
        let hint = Some(self.unknown_hint.to_owned()).filter(|hint| !hint.is_empty());
        Classification { is_known: false, hint, ..self.classification(kind, report) }
    }

    pub(super) fn find_code(&self, codes: &[&str]) -> Option<&'static Rule> {
        codes.iter().find_map(|code| self.codes.iter().find(|rule| rule.texts.contains(code)))
    }

    pub(super) fn find_text(&self, text: &str) -> Option<&'static Rule> {
        let text = text.to_lowercase();
        self.texts.iter().find(|rule| rule.matches(&text))
    }

    pub(super) fn find_refusal(&self, line: &str) -> Option<&'static Rule> {
        let line = line.to_lowercase();
        self.refusals.iter().find(|rule| rule.matches(&line))
    }
}

/// Texts that mean the same failure.
#[derive(Debug)]
pub struct Rule {
    texts: &'static [&'static str],
    kind: Kind,
    hint: &'static str,
}

#[derive(Debug)]
enum Kind {
    Standard(ErrorKind),
    Vendor(&'static str),
}

/// A failure of the protocol's `kind`. Texts match in any letter case, anywhere; `*` matches
/// anything between two parts. An empty hint means the default one.
pub const fn rule(texts: &'static [&'static str], kind: ErrorKind, hint: &'static str) -> Rule {
    Rule { texts, kind: Kind::Standard(kind), hint }
}

/// As [`rule`], with a kind of the CLI's own: `_<vendor>.<name>`.
pub const fn own_rule(
    texts: &'static [&'static str],
    name: &'static str,
    hint: &'static str,
) -> Rule {
    Rule { texts, kind: Kind::Vendor(name), hint }
}

impl Rule {
    fn matches(&self, lowercase: &str) -> bool {
        self.texts.iter().any(|pattern| contains(lowercase, &pattern.to_lowercase()))
    }
}

/// Whether the parts of a pattern occur in their order.
fn contains(text: &str, pattern: &str) -> bool {
    let mut rest = text;
    pattern.split('*').all(|part| match rest.find(part) {
        Some(start) => {
            rest = &rest[start + part.len()..];
            true
        }
        None => false,
    })
}
