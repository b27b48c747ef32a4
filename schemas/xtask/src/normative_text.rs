//! The sentences of the specification that have an id. Reads the text of `protocol/README.md`; the ids of types and
//! methods are in `requirements`.
//!
//! In a normative chapter every sentence, list item and table row ends with an id such as `[lines.3]`, or with the comment
//! `<!-- informative -->`. A text that ends with a colon and leads to a list, a table or an example needs neither.

/// The normative chapters, each with the first part of its ids.
const CHAPTERS: &[(&str, &str)] = &[
    ("Lines", "lines"),
    ("Starting", "start"),
    ("Manifest", "manifest"),
    ("Handshake", "handshake"),
    ("Methods", "methods"),
    ("Starting a run", "run"),
    ("Events", "events"),
    ("Rules of a stream", "stream"),
    ("Approvals and input", "approvals"),
    ("Forward compatibility", "compat"),
    ("Errors", "errors"),
    ("Stopping", "stop"),
    ("Environment", "env"),
    ("Discovery and trust", "discovery"),
];

/// Chapters without requirements.
const INFORMATIVE_CHAPTERS: &[&str] = &[
    "A session on the wire",
    "Write an adapter in any language",
    "Changes of the 1.1 revision",
    "Generated files",
];

const INFORMATIVE: &str = "<!-- informative -->";

/// A sentence with its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    pub id: String,
    pub text: String,
}

/// The sentences of a document, and what violates the rule for ids.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct NormativeText {
    pub sentences: Vec<Sentence>,
    pub problems: Vec<String>,
}

/// A paragraph, a list item or a row of a table.
#[derive(Debug, Default)]
struct Block {
    line: usize,
    text: String,
}

/// What ends a part of a block.
enum Mark<'a> {
    Id(&'a str),
    Informative,
}

impl NormativeText {
    pub fn parse(document: &str) -> Self {
        let mut parsed = Self::default();
        let mut chapter = None;
        for block in blocks(document) {
            match block.text.strip_prefix("## ") {
                Some(title) => chapter = parsed.enter_chapter(title, block.line),
                None => {
                    if let Some(slug) = chapter {
                        parsed.read_block(&block, slug);
                    }
                }
            }
        }
        parsed
    }

    fn enter_chapter(&mut self, title: &str, line: usize) -> Option<&'static str> {
        let known = CHAPTERS.iter().find(|(known, _)| *known == title);
        if known.is_none() && !INFORMATIVE_CHAPTERS.contains(&title) {
            self.problem(line, format!("chapter {title:?} is neither normative nor informative"));
        }
        known.map(|(_, slug)| *slug)
    }

    fn read_block(&mut self, block: &Block, slug: &str) {
        let is_row = block.text.starts_with('|');
        let mut rest = block.text.as_str();
        while let Some((part, mark, after)) = next_mark(rest) {
            rest = after;
            let Mark::Id(id) = mark else { continue };
            if id.split('.').next() != Some(slug) {
                self.problem(block.line, format!("{id} is in the chapter of {slug}"));
            }
            if !is_row && has_inner_sentence_end(part) {
                self.problem(block.line, format!("{id} covers more than one sentence: {part}"));
            }
            if self.sentences.iter().any(|sentence| sentence.id == id) {
                self.problem(block.line, format!("{id} occurs twice"));
            }
            self.sentences.push(Sentence { id: id.to_owned(), text: plain(part) });
        }
        let is_complete = match is_row {
            true => rest.len() < block.text.len(),
            false => rest.trim().is_empty() || rest.trim_end().ends_with(':'),
        };
        if !is_complete {
            self.problem(block.line, format!("no id: {}", rest.trim()));
        }
    }

    fn problem(&mut self, line: usize, text: String) {
        self.problems.push(format!("line {line}: {text}"));
    }
}

/// The blocks of a document outside code blocks and generated parts, headings included. The head of a table is omitted.
fn blocks(document: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    let mut skip_until = None;
    let mut previous_was_row = false;
    for (index, line) in document.lines().enumerate() {
        if let Some(end) = skip_until {
            if line == end {
                skip_until = None;
            }
            continue;
        }
        let is_row = line.starts_with('|');
        let is_head = is_row && !previous_was_row || line.starts_with("|---");
        previous_was_row = is_row;
        let starts_block = is_row || line.starts_with("## ") || is_list_item(line);
        let skipped = match line {
            _ if line.starts_with("```") => Some("```"),
            _ if line.starts_with("<!-- generated: ") => Some("<!-- end -->"),
            _ => None,
        };
        if starts_block || skipped.is_some() || line.trim().is_empty() {
            blocks.extend(open.take());
        }
        if skipped.is_some() {
            skip_until = skipped;
        } else if !line.trim().is_empty() && !is_head {
            let block = open.get_or_insert_with(|| Block { line: index + 1, text: String::new() });
            block.text = format!("{} {}", block.text, line.trim()).trim_start().to_owned();
        }
    }
    blocks.extend(open);
    blocks
}

fn is_list_item(line: &str) -> bool {
    let after_number = line.trim_start_matches(|first: char| first.is_ascii_digit());
    line.starts_with("- ") || after_number.len() < line.len() && after_number.starts_with(". ")
}

/// The text up to the next mark outside code, the mark, and the text after it.
fn next_mark(text: &str) -> Option<(&str, Mark<'_>, &str)> {
    let mut is_code = false;
    for (at, character) in text.char_indices() {
        is_code ^= character == '`';
        let rest = &text[at..];
        if is_code {
            continue;
        }
        if let Some(after) = rest.strip_prefix(INFORMATIVE) {
            return Some((&text[..at], Mark::Informative, after));
        }
        let id = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        if let Some((id, after)) = id.filter(|(id, _)| is_id(id)) {
            return Some((&text[..at], Mark::Id(id), after));
        }
    }
    None
}

fn is_id(text: &str) -> bool {
    let Some((slug, number)) = text.split_once('.') else { return false };
    let is_number = !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit());
    is_number && !slug.is_empty() && slug.chars().all(|letter| letter.is_ascii_lowercase())
}

/// Whether another sentence follows the first one.
fn has_inner_sentence_end(part: &str) -> bool {
    let words: Vec<&str> = part.split_whitespace().collect();
    let is_end = |word: &&str| word.trim_end_matches(['*', ')', '"']).ends_with(['.', '!', '?']);
    let is_number = |word: &&str| word.trim_end_matches('.').parse::<u32>().is_ok();
    let after_number = words.iter().skip(usize::from(words.first().is_some_and(is_number)));
    after_number.rev().skip(1).any(is_end)
}

/// The text without list markers, cell borders and emphasis.
fn plain(part: &str) -> String {
    let text = part.replace("**", "");
    let text = text.trim().trim_start_matches(['|', ' ', ';', ':', ',']);
    let text = text.strip_prefix("- ").unwrap_or(text);
    let numbered = text.split_once(". ").filter(|(number, _)| number.parse::<u32>().is_ok());
    let text = numbered.map_or(text, |(_, text)| text);
    text.replace(" | ", " · ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> NormativeText {
        NormativeText::parse(text)
    }

    #[test]
    fn each_id_covers_one_sentence() {
        let text = "## Lines\n\n- **One.** [lines.1] Two of\n  1.5 things. [lines.2] Why. <!-- informative --> These:\n\n\
                    1. A `[lines.9]`; [lines.3]\n\n| a | b |\n|---|---|\n| c | d [lines.4] |\n";
        let parsed = parse(text);
        assert_eq!(parsed.problems, [] as [&str; 0]);
        let found: Vec<(&str, &str)> = parsed
            .sentences
            .iter()
            .map(|sentence| (sentence.id.as_str(), sentence.text.as_str()))
            .collect();
        let expected = [
            ("lines.1", "One."),
            ("lines.2", "Two of 1.5 things."),
            ("lines.3", "A `[lines.9]`;"),
            ("lines.4", "c · d"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn sentence_without_id_is_a_problem() {
        for text in [
            "## Lines\n\nNo id.\n",
            "## Lines\n\n- One. [lines.1] Two.\n",
            "## Lines\n\n- One. Two. [lines.1]\n",
            "## Lines\n\n| a |\n|---|\n| no id |\n",
            "## Lines\n\nOne. [lines.1]\n\nTwo. [lines.1]\n",
            "## Lines\n\nOne. [start.1]\n",
            "## A new chapter\n",
        ] {
            assert_eq!(parse(text).problems.len(), 1, "{text}");
        }
    }

    #[test]
    fn generated_parts_and_code_are_skipped() {
        let text = "Intro.\n\n## Lines\n\n<!-- generated: x -->\nNo id.\n<!-- end -->\n\n```text\nNo id.\n```\n\n\
                    ## Generated files\n\nNo id.\n";
        assert_eq!(parse(text), NormativeText::default());
    }
}
