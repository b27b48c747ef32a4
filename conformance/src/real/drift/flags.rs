//! Flags of an agent CLI: those in its help, the recorded ones, those that its adapter passes.

use std::collections::BTreeSet;

/// The file beside the recordings with the flags of the recorded version, one per line.
pub const FLAGS_FILE: &str = "flags.txt";

/// Every flag that a help text names.
pub fn flags_in(help: &str) -> BTreeSet<String> {
    let parts = |c: char| c.is_whitespace() || "[](){}<>,|=\"'`:;".contains(c);
    help.split(parts).filter_map(|word| flag(word.trim_end_matches('.'))).collect()
}

/// The flags among arguments, without their values.
pub(in crate::real) fn flags_of(arguments: &[String]) -> BTreeSet<String> {
    let own = arguments.iter().take_while(|argument| *argument != "--");
    own.filter_map(|argument| flag(argument.split('=').next()?)).collect()
}

fn flag(word: &str) -> Option<String> {
    let name =
        word.strip_prefix("--").or_else(|| word.strip_prefix('-').filter(|it| it.len() == 1))?;
    let mut letters = name.chars();
    let is_flag = letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        && !name.ends_with('-');
    is_flag.then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn help_formats_of_flags_are_parsed() {
        let help = "Usage: x [options]\n  -p, --print           Print, use -p/--print\n\
                    \x20 --model <name>  See --list-models.\n  --[no-]color=WHEN  a -- b --- c\n";
        assert_eq!(flags_in(help), set(&["-p", "--print", "--model", "--list-models"]));
    }

    #[test]
    fn values_of_flags_are_not_flags() {
        let arguments = ["run", "--model=x", "-p", "a -b", "--", "--prompt"].map(str::to_owned);
        assert_eq!(flags_of(&arguments), set(&["--model", "-p"]));
    }
}
