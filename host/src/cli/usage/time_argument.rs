//! A time as typed: `7d`, `yesterday`, `2026-11-01`. Parsed first, converted to a timestamp later.

use jiff::civil::Date;
use jiff::{Span, ToSpan, Zoned};

const EXAMPLES: &str = "expected for example 7d, 24h, 2w, 2026-11-01, 2026-11, today or yesterday";
/// Keeps times within the calendar.
const MAX_COUNT: i64 = 10_000;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TimeArgument {
    /// This many hours ago.
    HoursAgo(i64),
    /// This many days ago, at the same time of day.
    DaysAgo(i64),
    /// The whole day this many days ago.
    Day(i64),
    /// A day of the calendar.
    Date(Date),
    /// A month of the calendar, as its first day.
    Month(Date),
}

impl TimeArgument {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let parsed = match text {
            "today" => Some(Self::Day(0)),
            "yesterday" => Some(Self::Day(1)),
            _ => ago(text).or_else(|| calendar(text)),
        };
        parsed.ok_or_else(|| EXAMPLES.to_owned())
    }

    /// Its start, in milliseconds since 1970.
    pub(super) fn begin(&self, now: &Zoned) -> u64 {
        milliseconds(match self {
            Self::HoursAgo(hours) => now.saturating_sub(hours.hours()),
            Self::DaysAgo(days) => now.saturating_sub(days.days()),
            Self::Day(_) | Self::Date(_) | Self::Month(_) => self.midnight(now, Span::new()),
        })
    }

    /// Its end, in milliseconds since 1970.
    pub(super) fn end(&self, now: &Zoned) -> u64 {
        match self {
            Self::HoursAgo(_) | Self::DaysAgo(_) => self.begin(now),
            Self::Day(_) | Self::Date(_) => milliseconds(self.midnight(now, 1.day())),
            Self::Month(_) => milliseconds(self.midnight(now, 1.month())),
        }
    }

    /// Midnight of the day plus `later`; now where the calendar ends.
    fn midnight(&self, now: &Zoned, later: Span) -> Zoned {
        let date = match self {
            Self::Date(date) | Self::Month(date) => *date,
            Self::Day(days) => now.date().saturating_sub(days.days()),
            Self::HoursAgo(_) | Self::DaysAgo(_) => now.date(),
        };
        let midnight = date.saturating_add(later).to_zoned(now.time_zone().clone());
        midnight.unwrap_or_else(|_| now.clone())
    }
}

/// `24h`, `7d`, `2w`.
fn ago(text: &str) -> Option<TimeArgument> {
    let unit = text.chars().next_back().filter(char::is_ascii)?;
    let count = &text[..text.len() - 1];
    let count = count.parse().ok().filter(|count| (0..=MAX_COUNT).contains(count))?;
    match unit {
        'h' => Some(TimeArgument::HoursAgo(count)),
        'd' => Some(TimeArgument::DaysAgo(count)),
        'w' => Some(TimeArgument::DaysAgo(count * 7)),
        _ => None,
    }
}

/// `2026-11-01`, `2026-11`.
fn calendar(text: &str) -> Option<TimeArgument> {
    let date = |text: &str| text.parse::<Date>().ok();
    match text.len() {
        10 => date(text).map(TimeArgument::Date),
        7 => date(&format!("{text}-01")).map(TimeArgument::Month),
        _ => None,
    }
}

fn milliseconds(time: Zoned) -> u64 {
    u64::try_from(time.timestamp().as_millisecond()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Zoned {
        let zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(2));
        jiff::civil::date(2026, 11, 16).at(14, 30, 0, 0).to_zoned(zone).expect("a time")
    }

    /// Start and end of the argument in the user's time zone.
    fn span(text: &str) -> (String, String) {
        let time = TimeArgument::parse(text).expect("a time");
        let shown = |milliseconds: u64| {
            let milliseconds = i64::try_from(milliseconds).expect("a valid time");
            let timestamp = jiff::Timestamp::from_millisecond(milliseconds).expect("a time");
            timestamp.to_zoned(now().time_zone().clone()).strftime("%F %R").to_string()
        };
        (shown(time.begin(&now())), shown(time.end(&now())))
    }

    #[test]
    fn days_start_at_midnight_and_are_included() {
        for (text, begin, end) in [
            ("today", "2026-11-16 00:00", "2026-11-17 00:00"),
            ("yesterday", "2026-11-15 00:00", "2026-11-16 00:00"),
            ("2026-11-01", "2026-11-01 00:00", "2026-11-02 00:00"),
            ("2026-11", "2026-11-01 00:00", "2026-12-01 00:00"),
            ("24h", "2026-11-15 14:30", "2026-11-15 14:30"),
            ("7d", "2026-11-09 14:30", "2026-11-09 14:30"),
            ("2w", "2026-11-02 14:30", "2026-11-02 14:30"),
        ] {
            assert_eq!(span(text), (begin.to_owned(), end.to_owned()), "{text}");
        }
    }

    #[test]
    fn invalid_time_shows_examples() {
        for text in
            ["", "d", "soon", "7", "7y", "-7d", "+", "2026-13-01", "2026-11-31", "99999999d", "7ä"]
        {
            let error = TimeArgument::parse(text).expect_err(text);
            assert!(error.contains("7d") && error.contains("yesterday"), "{text}: {error}");
        }
    }
}
