//! The names of a new adapter, which replace those of the templates.

use super::CommandError;

const MAX_ID_CHARS: usize = 32;

/// The id in every spelling that the templates use.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Names {
    /// `my-agent`: the adapter id, and the file name of its agent CLI.
    pub(super) id: String,
    /// `my_agent`: in the name of the Rust library.
    snake: String,
    /// `MyAgent`: in names of types.
    pascal: String,
    /// `My Agent`: the display name.
    display: String,
}

impl Names {
    /// Checks an id: it becomes a file name, a crate name and the prefix of a type.
    pub(super) fn parse(id: &str) -> Result<Self, CommandError> {
        let is_word = |word: &str| {
            !word.is_empty()
                && word.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
        };
        let starts_with_letter = id.starts_with(|it: char| it.is_ascii_lowercase());
        if !starts_with_letter || id.len() > MAX_ID_CHARS || !id.split('-').all(is_word) {
            return Err(CommandError::usage(
                format!("{id:?} is not an adapter id"),
                format!(
                    "use lowercase letters, digits and single dashes, a letter first, at most {MAX_ID_CHARS} characters: my-agent"
                ),
            ));
        }
        let words: Vec<String> = id.split('-').map(capitalized).collect();
        Ok(Self {
            id: id.to_owned(),
            snake: id.replace('-', "_"),
            pascal: words.concat(),
            display: words.join(" "),
        })
    }

    /// Replaces the names of a template.
    pub(super) fn apply(&self, text: &str) -> String {
        text.replace("my-agent", &self.id)
            .replace("my_agent", &self.snake)
            .replace("MyAgent", &self.pascal)
            .replace("My Agent", &self.display)
    }
}

fn capitalized(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_ascii_uppercase() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_has_every_spelling() {
        let names = Names::parse("red-fox2").expect("a valid id");
        let text = "my-agent my_agent MyAgentAdapter My Agent";
        assert_eq!(names.apply(text), "red-fox2 red_fox2 RedFox2Adapter Red Fox2");
    }

    #[test]
    fn bad_id_is_usage_error() {
        let long = "x".repeat(MAX_ID_CHARS + 1);
        for id in ["", "-x", "x-", "x--y", "X", "2x", "x_y", "../x", "x y", "ä", long.as_str()] {
            let error = Names::parse(id).expect_err(id);
            assert!(error.message.contains("is not an adapter id"), "{}", error.message);
            assert!(error.hint.contains("my-agent"), "{}", error.hint);
        }
    }
}
