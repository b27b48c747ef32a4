//! Formats durations, token counts, money, sizes and widths for people. Pure functions.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A duration: `0.4 s`, `12 s`, `2 min 05 s`, `1 h 02 min`.
pub(crate) fn duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0..10 => format!("{}.{} s", seconds, milliseconds % 1000 / 100),
        10..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// A number of tokens: `812`, `12.3k`, `1.2M`, `4.5B`.
pub(crate) fn tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}.{}k", count / 1_000, count % 1_000 / 100),
        1_000_000..1_000_000_000 => {
            format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000)
        }
        _ => format!("{}.{}B", count / 1_000_000_000, count % 1_000_000_000 / 100_000_000),
    }
}

/// US dollars: four decimals below one dollar, because most runs cost less.
pub(crate) fn money(dollars: f64) -> String {
    match dollars.abs() {
        0.0 => "$0".to_owned(),
        amount if amount < 1.0 => format!("${dollars:.4}"),
        _ => format!("${dollars:.2}"),
    }
}

/// A size: `812 B`, `12.3 kB`, `1.2 MB`.
pub(crate) fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{}.{} kB", count / 1_000, count % 1_000 / 100),
        _ => format!("{}.{} MB", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}

/// `1 file`, `2 files`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// A time in the user's zone, without the date when it is today: `14:05` or `Nov 17 14:05`.
pub(crate) fn time(milliseconds: u64, now: &jiff::Zoned) -> String {
    let Ok(timestamp) = i64::try_from(milliseconds)
        .map_err(drop)
        .and_then(|value| jiff::Timestamp::from_millisecond(value).map_err(drop))
    else {
        return "an invalid time".to_owned();
    };
    let local = timestamp.to_zoned(now.time_zone().clone());
    let pattern = if local.date() == now.date() { "%H:%M" } else { "%b %d %H:%M" };
    local.strftime(pattern).to_string()
}

/// The number of terminal columns of a text.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text cut to this many columns, with an ellipsis.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut used = 0;
    let mut cut = String::new();
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used >= columns {
            break;
        }
        cut.push(character);
    }
    cut.push('…');
    cut
}

/// A line split after this many columns; an empty line stays one line.
pub(crate) fn chop(line: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for character in line.chars() {
        let wide = character.width().unwrap_or(0);
        if used + wide > columns {
            lines.push(String::new());
            used = 0;
        }
        used += wide;
        if let Some(last) = lines.last_mut() {
            last.push(character);
        }
    }
    lines
}

/// A text wrapped at spaces to this many columns; a word longer than a line stays whole, so that a command can still be
/// copied.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && width(&line) + 1 + width(word) > columns {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_for_people() {
        assert_eq!(duration(450), "0.4 s");
        assert_eq!(duration(12_999), "12 s");
        assert_eq!(duration(125_000), "2 min 05 s");
        assert_eq!(duration(3_720_000), "1 h 02 min");
        assert_eq!(tokens(12_345), "12.3k");
        assert_eq!(tokens(1_250_000), "1.2M");
        assert_eq!(tokens(11_490_700_000), "11.4B");
        assert_eq!(money(0.0123), "$0.0123");
        assert_eq!(money(12.5), "$12.50");
        assert_eq!(bytes(2_500), "2.5 kB");
        assert_eq!(counted(1, "file"), "1 file");
    }

    #[test]
    fn wide_text_is_cut_or_wrapped() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdefg", 6), "abcde…");
        assert_eq!(fit("界界界界", 5), "界界…");
        assert_eq!(chop("abcdefg", 3), ["abc", "def", "g"]);
        assert_eq!(chop("", 3), [""]);
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
    }
}
