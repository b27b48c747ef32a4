//! How a prompt controls the fake model: `SCN:<name>` and the options `CWD=`, `TEXT=`, `HEX=`,
//! `NONCE=` and `LEAD=`.
//! Independent of the wire format.

use super::request::{Conversation, Entry};
use super::scenario::Scenario;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Directions {
    pub(super) scenario: Scenario,
    /// The tool that `SCN:call_<name>` names.
    pub(super) tool: Option<String>,
    /// The folder for files; absent means that of the agent CLI.
    pub(super) cwd: Option<String>,
    pub(super) text: Option<String>,
    /// Whether tools are called without text before.
    pub(super) omits_lead: bool,
    /// A text for commands and files: letters and digits only.
    pub(super) nonce: Option<String>,
    /// The number of rounds of tool results since the prompt.
    pub(super) rounds: usize,
    /// The prompt, which identifies the tries of a flaky run.
    pub(super) prompt: String,
}

/// Parses the prompt of a conversation: the last text of the user with a scenario.
///
/// # Errors
/// The name of an unknown scenario.
pub(super) fn directions(conversation: &Conversation) -> Result<Directions, String> {
    let (position, prompt) = find_prompt(&conversation.entries);
    let name = last_scenario_name(prompt).unwrap_or("plain");
    let scenario = Scenario::named(name).ok_or_else(|| name.to_owned())?;
    let nonce = option(prompt, "NONCE=").or_else(|| word_after(prompt, "SCN:nonce"));
    let text = option(prompt, "HEX=")
        .and_then(|digits| from_hex(&digits))
        .or_else(|| option(prompt, "TEXT="))
        .or_else(|| (scenario == Scenario::Nonce).then(|| nonce.clone()).flatten());
    let cwd = option(prompt, "CWD=").or_else(|| working_folder(conversation));
    Ok(Directions {
        scenario,
        tool: name.strip_prefix("call_").map(str::to_owned),
        cwd,
        text,
        omits_lead: option(prompt, "LEAD=").as_deref() == Some("none"),
        nonce: nonce.filter(|word| is_harmless(word)),
        rounds: rounds(&conversation.entries[position..]),
        prompt: prompt.to_owned(),
    })
}

fn find_prompt(entries: &[Entry]) -> (usize, &str) {
    let texts = || {
        entries.iter().enumerate().rev().filter_map(|(position, entry)| match entry {
            Entry::User(text) => Some((position, text.as_str())),
            Entry::Assistant | Entry::ToolResult => None,
        })
    };
    texts()
        .find(|(_, text)| last_scenario_name(text).is_some())
        .or_else(|| texts().next())
        .unwrap_or((0, ""))
}

/// Results that arrive together are one round; an answer of the model separates rounds.
fn rounds(entries: &[Entry]) -> usize {
    let mut count = 0;
    let mut in_round = false;
    for entry in entries {
        match entry {
            Entry::ToolResult if !in_round => {
                count += 1;
                in_round = true;
            }
            Entry::Assistant => in_round = false,
            Entry::ToolResult | Entry::User(_) => {}
        }
    }
    count
}

fn last_scenario_name(text: &str) -> Option<&str> {
    text.rmatch_indices("SCN:").find_map(|(start, mark)| {
        let rest = &text[start + mark.len()..];
        let end = rest.find(|letter: char| !is_word(letter)).unwrap_or(rest.len());
        (end > 0).then(|| &rest[..end])
    })
}

/// The value of the last `NAME=`: up to a space, or the text between `<` and `>`.
fn option(text: &str, name: &str) -> Option<String> {
    let start = text.rfind(name)? + name.len();
    let rest = &text[start..];
    if let Some(bracketed) = rest.strip_prefix('<')
        && let Some((value, _)) = bracketed.split_once('>')
    {
        return Some(value.to_owned());
    }
    let ends = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '<' | '>' | '`');
    let value = rest.split(ends).next().unwrap_or_default();
    (!value.is_empty()).then(|| value.to_owned())
}

/// Decodes hexadecimal UTF-8: a text that must reach the model unchanged even if the agent CLI
/// changes the prompt.
fn from_hex(digits: &str) -> Option<String> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
    String::from_utf8(bytes?).ok()
}

fn word_after(text: &str, mark: &str) -> Option<String> {
    let rest = &text[text.rfind(mark)? + mark.len()..];
    let word = rest.trim_start_matches([' ', '\t']);
    let end = word.find(|letter: char| !is_word(letter)).unwrap_or(word.len());
    (end > 0 && word.len() < rest.len()).then(|| word[..end].to_owned())
}

/// The working folder that an agent CLI writes into its requests, in one of these forms.
fn working_folder(conversation: &Conversation) -> Option<String> {
    const MARKS: [&str; 4] = [
        "<cwd>",
        "working directory: ",
        "working in the directory: ",
        "**workspace directories:**\n  - ",
    ];
    let users = conversation.entries.iter().filter_map(|entry| match entry {
        Entry::User(text) => Some(text.as_str()),
        Entry::Assistant | Entry::ToolResult => None,
    });
    let texts: Vec<&str> = users.chain([conversation.system.as_str()]).collect();
    texts.into_iter().find_map(|text| {
        let lowered = text.to_ascii_lowercase();
        MARKS.iter().find_map(|mark| {
            let start = lowered.find(mark)? + mark.len();
            let line = text[start..].lines().next()?;
            let path = line.split('<').next()?.trim().trim_end_matches(['.', '`', '"']);
            std::path::Path::new(path).is_absolute().then(|| path.to_owned())
        })
    })
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

fn is_harmless(word: &str) -> bool {
    !word.is_empty() && word.chars().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(entries: Vec<Entry>) -> Directions {
        directions(&Conversation { entries, ..Conversation::default() }).expect("a scenario")
    }

    fn user(text: &str) -> Entry {
        Entry::User(text.to_owned())
    }

    #[test]
    fn last_scenario_of_last_prompt_wins() {
        let directions = of(vec![
            user("SCN:think CWD=/old"),
            Entry::Assistant,
            user("SCN:plain no: SCN:write CWD=</a b/c> TEXT=<two words>"),
            user("<reminder>nothing to see</reminder>"),
        ]);
        assert_eq!(directions.scenario, Scenario::Write);
        assert_eq!(directions.cwd.as_deref(), Some("/a b/c"));
        assert_eq!(directions.text.as_deref(), Some("two words"));
    }

    #[test]
    fn missing_scenario_is_plain_unknown_is_error() {
        assert_eq!(of(vec![user("hello SCN: there")]).scenario, Scenario::Plain);
        assert_eq!(of(Vec::new()).scenario, Scenario::Plain);
        let entries = vec![user("SCN:plian")];
        let wrong = directions(&Conversation { entries, ..Conversation::default() });
        assert_eq!(wrong, Err("plian".to_owned()));
    }

    #[test]
    fn results_arriving_together_are_one_round() {
        let start = || vec![user("SCN:multi"), Entry::Assistant, Entry::ToolResult];
        assert_eq!(of(start()).rounds, 1);
        let mut together = start();
        together.extend([user("<reminder/>"), Entry::ToolResult]);
        assert_eq!(of(together).rounds, 1);
        let mut two = start();
        two.extend([Entry::Assistant, Entry::ToolResult]);
        assert_eq!(of(two).rounds, 2);
        let mut next_turn = start();
        next_turn.extend([Entry::Assistant, user("again SCN:multi")]);
        assert_eq!(of(next_turn).rounds, 0);
    }

    #[test]
    fn nonce_is_option_or_next_word() {
        assert_eq!(of(vec![user("SCN:nonce abc-1 please")]).text.as_deref(), Some("abc-1"));
        assert_eq!(of(vec![user("NONCE=xyz SCN:nonce")]).text.as_deref(), Some("xyz"));
        assert_eq!(of(vec![user("SCN:shell NONCE=a;rm")]).nonce, None);
    }

    #[test]
    fn hex_text_wins_over_plain_text() {
        let directions = of(vec![user("SCN:plain TEXT=<plain> HEX=<0d0a65cc81>")]);
        assert_eq!(directions.text.as_deref(), Some("\r\ne\u{301}"));
        assert_eq!(
            of(vec![user("SCN:plain TEXT=<plain> HEX=<zz>")]).text.as_deref(),
            Some("plain")
        );
    }

    #[test]
    fn working_folder_is_read_from_request() {
        let folder = if cfg!(windows) { "C:\\work" } else { "/work" };
        for description in [
            format!("<cwd>{folder}</cwd>"),
            format!("Primary working directory: {folder}\nmore"),
            format!("I'm currently working in the directory: {folder}"),
            format!("- **Workspace Directories:**\n  - {folder}\n"),
        ] {
            let directions = of(vec![user(&description), user("SCN:write")]);
            assert_eq!(directions.cwd.as_deref(), Some(folder), "{description}");
        }
        assert_eq!(of(vec![user("working directory: here"), user("SCN:write")]).cwd, None);
    }
}
