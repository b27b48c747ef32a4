//! The result as a badge: one small SVG image for a README.

use super::Report;

const LABEL: &str = "od adapter";
/// The average width of a character at this font size, and the space around a text.
const CHARACTER_WIDTH: usize = 7;
const PADDING: usize = 10;
const GREEN: &str = "#2e7d32";
const RED: &str = "#c62828";

/// Converts a report to a badge.
pub fn to_badge(report: &Report) -> String {
    let (text, color) = match report.is_conformant() && !report.has_suite_error() {
        true => (format!("{} {}", report.claim(), report.requirements), GREEN),
        false => ("does not conform".to_owned(), RED),
    };
    let width = |text: &str| text.chars().count() * CHARACTER_WIDTH + PADDING;
    let (left, right) = (width(LABEL), width(&text));
    let (total, middle_left, middle_right) = (left + right, left / 2, left + right / 2);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{total}\" height=\"20\" role=\"img\" \
         aria-label=\"{LABEL}: {text}\">\n\
         <rect width=\"{total}\" height=\"20\" rx=\"3\" fill=\"#555\"/>\n\
         <rect x=\"{left}\" width=\"{right}\" height=\"20\" rx=\"3\" fill=\"{color}\"/>\n\
         <g fill=\"#fff\" font-family=\"Verdana,sans-serif\" font-size=\"11\" \
         text-anchor=\"middle\">\n\
         <text x=\"{middle_left}\" y=\"14\">{LABEL}</text>\n\
         <text x=\"{middle_right}\" y=\"14\">{text}</text>\n</g>\n</svg>\n"
    )
}
