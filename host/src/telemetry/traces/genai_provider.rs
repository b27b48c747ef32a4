//! The name of a provider in the GenAI conventions.

/// Names that differ: as adapters report them, as the conventions spell them.
const SPELLINGS: &[(&str, &str)] = &[
    ("amazon-bedrock", "aws.bedrock"),
    ("azure", "azure.ai.inference"),
    ("google", "gcp.gemini"),
    ("google-vertex", "gcp.vertex_ai"),
    ("mistral", "mistral_ai"),
    ("xai", "x_ai"),
];
const UNKNOWN: &str = "_OTHER";

/// Converts the provider that the adapter reported.
pub(super) fn genai_provider(reported: Option<&str>) -> &str {
    let Some(reported) = reported else { return UNKNOWN };
    let spelling = SPELLINGS.iter().find(|(name, _)| *name == reported);
    spelling.map_or(reported, |(_, spelling)| spelling)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provider_is_spelled_as_in_the_conventions() {
        for (reported, expected) in [
            (Some("anthropic"), "anthropic"),
            (Some("google"), "gcp.gemini"),
            (Some("xai"), "x_ai"),
            (None, "_OTHER"),
        ] {
            assert_eq!(genai_provider(reported), expected, "{reported:?}");
        }
    }
}
