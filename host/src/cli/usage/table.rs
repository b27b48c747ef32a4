//! The summary as a table with a bar for each group's share of all tokens. Pure functions.

use comfy_table::CellAlignment;
use od_protocol::api::{UsageGroup, UsageRow, UsageSummary};

use crate::cli::format::{fit, money, tokens, width};
use crate::cli::print::{table, table_text};
use crate::cli::terminal::{BOLD, paint, single_line};

/// Longer names are cut.
const MAX_NAME_COLUMNS: usize = 28;
/// Below this width another column is omitted instead.
const MIN_BAR_COLUMNS: usize = 8;
const MAX_BAR_COLUMNS: usize = 40;
/// The spaces on both sides of a cell.
const PADDING_COLUMNS: usize = 2;
/// `100 % `
const PERCENT_COLUMNS: usize = 6;

/// Which token counts are shown beside the total, from the widest layout to the narrowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    EachKind,
    CacheCombined,
    NoCache,
    TotalOnly,
}

/// The table with its heading and its last line in bold.
pub(super) fn text(summary: &UsageSummary, columns: usize) -> String {
    let layouts = [Layout::EachKind, Layout::CacheCombined, Layout::NoCache, Layout::TotalOnly];
    let cells = layouts.map(|layout| cells(summary, layout));
    let wide = cells.iter().find(|cells| bar_width(cells, columns) >= MIN_BAR_COLUMNS);
    let [.., narrowest] = &cells;
    render(summary, wide.unwrap_or(narrowest), columns)
}

fn render(summary: &UsageSummary, cells: &[Vec<String>], columns: usize) -> String {
    let bar_width = bar_width(cells, columns).min(MAX_BAR_COLUMNS);
    let total = summary.total.total_tokens;
    let shares = summary.rows.iter().map(|row| share(row.total_tokens, total, bar_width));
    let shares = std::iter::once("SHARE".to_owned()).chain(shares).chain([String::new()]);
    let mut lines: Vec<Vec<String>> = cells.to_vec();
    for (line, share) in lines.iter_mut().zip(shares) {
        line.push(share);
    }
    let header: Vec<&str> = lines[0].iter().map(String::as_str).collect();
    let mut table = table(&header);
    table.set_width(u16::try_from(columns).unwrap_or(u16::MAX));
    for line in &lines[1..] {
        table.add_row(line);
    }
    for column in table.column_iter_mut().take(header.len() - 1).skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    emphasize(&table_text(&table))
}

/// All cells except the bars: the heading, the groups, the total.
fn cells(summary: &UsageSummary, layout: Layout) -> Vec<Vec<String>> {
    let kinds: &[&str] = match layout {
        Layout::EachKind => &["INPUT", "OUTPUT", "CACHE READ", "CACHE WRITE"],
        Layout::CacheCombined => &["INPUT", "OUTPUT", "CACHED"],
        Layout::NoCache => &["INPUT", "OUTPUT"],
        Layout::TotalOnly => &[],
    };
    let mut heading = vec![summary.by.as_str().to_uppercase(), "RUNS".to_owned()];
    heading.extend(kinds.iter().chain(&["TOTAL", "COST"]).map(|word| (*word).to_owned()));
    let mut all = vec![heading];
    all.extend(summary.rows.iter().map(|row| figures(name(summary.by, row), row, layout)));
    all.push(figures("total".to_owned(), &summary.total, layout));
    all
}

fn figures(name: String, row: &UsageRow, layout: Layout) -> Vec<String> {
    let (read, written) = (row.cache_read_tokens, row.cache_write_tokens);
    let kinds = match layout {
        Layout::EachKind => vec![row.input_tokens, row.output_tokens, read, written],
        Layout::CacheCombined => {
            vec![row.input_tokens, row.output_tokens, read.saturating_add(written)]
        }
        Layout::NoCache => vec![row.input_tokens, row.output_tokens],
        Layout::TotalOnly => Vec::new(),
    };
    let mut cells = vec![name, row.runs.to_string()];
    cells.extend(kinds.into_iter().map(tokens));
    cells.push(tokens(row.total_tokens));
    cells.push(row.cost_usd.map_or_else(|| "–".to_owned(), money));
    cells
}

fn name(by: UsageGroup, row: &UsageRow) -> String {
    let name = single_line(&row.group);
    match by {
        _ if name.is_empty() => "(unknown)".to_owned(),
        UsageGroup::Credential => name.replace('_', " "),
        _ => fit(&name, MAX_NAME_COLUMNS),
    }
}

/// The columns that are left for the bars.
fn bar_width(cells: &[Vec<String>], columns: usize) -> usize {
    let column_count = cells.first().map_or(0, Vec::len);
    let widest = |column: usize| cells.iter().map(|line| width(&line[column])).max().unwrap_or(0);
    let taken: usize = (0..column_count).map(|column| widest(column) + PADDING_COLUMNS).sum();
    columns.saturating_sub(taken + PERCENT_COLUMNS + PADDING_COLUMNS)
}

/// ` 42 % ████▎`
fn share(part: u64, whole: u64, bar_width: usize) -> String {
    if whole == 0 {
        return String::new();
    }
    let percent = match u128::from(part) * 100 / u128::from(whole) {
        0 if part > 0 => "<1".to_owned(),
        percent => percent.to_string(),
    };
    format!("{percent:>3} % {}", bar(part, whole, bar_width))
}

/// A bar in eighths of a column; a share above zero is always visible.
fn bar(part: u64, whole: u64, bar_width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let length = u128::from(part) * bar_width as u128 * 8 / u128::from(whole);
    let length = usize::try_from(length).unwrap_or(usize::MAX).min(bar_width * 8);
    let length = length.max(usize::from(part > 0 && bar_width > 0));
    format!("{}{}", "█".repeat(length / 8), EIGHTHS[length % 8])
}

fn emphasize(text: &str) -> String {
    let count = text.lines().count();
    let lines = text.lines().enumerate().map(|(index, line)| {
        if index == 0 || index + 1 == count { paint(BOLD, line) } else { line.to_owned() }
    });
    lines.map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(group: &str, runs: u64, tokens: u64, cost_usd: Option<f64>) -> UsageRow {
        UsageRow {
            group: group.to_owned(),
            runs,
            input_tokens: tokens / 10,
            output_tokens: tokens / 10,
            cache_read_tokens: tokens / 2,
            cache_write_tokens: tokens - tokens / 2 - tokens / 10 * 2,
            total_tokens: tokens,
            cost_usd,
            runs_without_cost: 0,
        }
    }

    fn summary() -> UsageSummary {
        UsageSummary {
            by: UsageGroup::Model,
            rows: vec![
                row("large-model-4-8[1m]", 12, 7_500_000, Some(14.25)),
                row("", 3, 2_490_000, None),
                row("fake/\u{1b}[31mfake-model", 1, 10_000, Some(0.0123)),
            ],
            total: row("", 16, 10_000_000, Some(14.2623)),
            unread_lines: 0,
        }
    }

    fn plain(columns: usize) -> String {
        anstream::adapter::strip_str(&text(&summary(), columns)).to_string()
    }

    #[test]
    fn eighty_columns_omit_cache() {
        expect_test::expect![[r#"
            MODEL                RUNS   INPUT  OUTPUT  TOTAL     COST  SHARE
            large-model-4-8[1m]    12  750.0k  750.0k   7.5M   $14.25   75 % █████████▊
            (unknown)               3  249.0k  249.0k   2.4M        –   24 % ███▏
            fake/fake-model         1    1.0k    1.0k  10.0k  $0.0123   <1 % ▏
            total                  16    1.0M    1.0M  10.0M   $14.26
        "#]]
        .assert_eq(&plain(80));
    }

    #[test]
    fn two_hundred_columns_show_everything() {
        expect_test::expect![[r#"
            MODEL                RUNS   INPUT  OUTPUT  CACHE READ  CACHE WRITE  TOTAL     COST  SHARE
            large-model-4-8[1m]    12  750.0k  750.0k        3.7M         2.2M   7.5M   $14.25   75 % ██████████████████████████████
            (unknown)               3  249.0k  249.0k        1.2M       747.0k   2.4M        –   24 % █████████▉
            fake/fake-model         1    1.0k    1.0k        5.0k         3.0k  10.0k  $0.0123   <1 % ▏
            total                  16    1.0M    1.0M        5.0M         3.0M  10.0M   $14.26
        "#]].assert_eq(&plain(200));
    }

    #[test]
    fn no_line_exceeds_terminal_width() {
        for columns in 58..240 {
            for line in plain(columns).lines() {
                assert!(width(line) <= columns, "{columns}: {line}");
            }
            assert_eq!(plain(columns).lines().count(), 5, "{columns}");
        }
    }

    #[test]
    fn bar_length_is_share() {
        assert_eq!(bar(1, 2, 10), "█████");
        assert_eq!(bar(1, 1_000_000, 10), "▏");
        assert_eq!(bar(0, 5, 10), "");
        assert_eq!(bar(5, 5, 3), "███");
        assert_eq!(share(1, 16, 8), "  6 % ▌");
        assert_eq!(share(1, 1600, 8), " <1 % ▏");
        assert_eq!(share(0, 0, 8), "");
    }
}
