//! The GenAI conventions' word for who runs a model.

use od_protocol::Credential;

use crate::usage;

/// Ours on the left, theirs on the right; every other word is the same in both.
const WORDS: &[(&str, &str)] = &[
    ("", "_OTHER"),
    ("amazon-bedrock", "aws.bedrock"),
    ("azure", "azure.ai.inference"),
    ("google", "gcp.gemini"),
    ("google-vertex", "gcp.vertex_ai"),
    ("mistral", "mistral_ai"),
    ("xai", "x_ai"),
];

/// Who runs a model, as far as the ledger can tell.
pub(super) fn provider(model: &str, credential: Option<&Credential>) -> String {
    let ours = usage::provider(model, credential);
    let theirs = WORDS.iter().find(|(word, _)| *word == ours);
    theirs.map_or(ours, |(_, theirs)| (*theirs).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_conventions_have_words_of_their_own() {
        for (model, expected) in [
            ("claude-opus-4", "anthropic"),
            ("gemini-3-pro", "gcp.gemini"),
            ("grok-4", "x_ai"),
            ("mine", "_OTHER"),
        ] {
            assert_eq!(provider(model, None), expected, "{model}");
        }
    }
}
